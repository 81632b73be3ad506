"""Does an arm hit itself or its surroundings on the way: links as capsules, obstacles as spheres and boxes (TRJ-19)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, LimitError
from robokin_ros.kernels.poses import body_poses
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import check_transform, invert_transform
from robokin_ros.trajectory.motion import Motion

Array = NDArray[np.float64]
RADIUS = 0.05
"""Usual radius [m] of the capsules."""
STEP = 0.02
"""Largest change [rad, m] of a joint between two poses that are looked at."""
MOST_POSES = 20_000
TURNS = 48
"""Steps of the search for the point of a capsule's axis that is nearest to a box."""


@dataclass(frozen=True)
class Sphere:
    """An obstacle: centre in the base [m], radius [m]."""

    center: ArrayLike
    radius: float
    name: str = 'sphere'

    def distances(self, start: Array, end: Array) -> Array:
        """From segments (m, 3) to the surface (m,) [m]; negative inside."""
        along = end - start
        length = np.maximum(np.sum(along**2, axis=1), 1e-30)
        share = np.clip(np.sum((np.asarray(self.center) - start) * along, axis=1) / length, 0.0, 1.0)
        nearest = start + share[:, None] * along
        return np.asarray(np.linalg.norm(nearest - np.asarray(self.center), axis=1) - self.radius)


@dataclass(frozen=True)
class Box:
    """An obstacle: pose (4, 4) of its centre in the base, lengths of its sides (3,) [m]."""

    pose: ArrayLike
    size: ArrayLike
    name: str = 'box'

    def distances(self, start: Array, end: Array) -> Array:
        """From segments (m, 3) to the surface (m,) [m]; 0 inside. The distance is convex along a segment."""
        back, half = invert_transform(check_transform(self.pose)), 0.5 * np.asarray(self.size, dtype=float)
        a, b = (points @ back[:3, :3].T + back[:3, 3] for points in (start, end))
        low, high = np.zeros(len(a)), np.ones(len(a))

        def away(share: Array) -> Array:
            outside = np.maximum(np.abs(a + share[:, None] * (b - a)) - half, 0.0)
            return np.asarray(np.linalg.norm(outside, axis=1))

        for _ in range(TURNS):
            one, two = low + (high - low) / 3.0, high - (high - low) / 3.0
            left = away(one) <= away(two)
            low, high = np.where(left, low, one), np.where(left, two, high)
        return np.minimum(away(0.5 * (low + high)), np.minimum(away(np.zeros(len(a))), away(np.ones(len(a)))))


class Collision(LimitError):
    """Two things that touch on the way.

    Attributes
    ----------
    s
        Share of the way at which it begins.
    one, other
        Names of the body and of what it hits.
    """

    def __init__(self, message: str, s: float, one: str, other: str, depth: float) -> None:
        super().__init__(message, value=depth, limit=0.0)
        self.s, self.one, self.other = s, one, other


@dataclass(frozen=True)
class Capsule:
    """A part of a body: segment in its frame [m], radius [m]."""

    body: int
    start: Array
    end: Array
    radius: float


def link_capsules(model: RobotModel, radius: ArrayLike = RADIUS) -> list[Capsule]:
    """Capsules from the frame of each body to those of its children and to the tip; one radius [m], or one a body."""
    try:
        radii = np.broadcast_to(np.asarray(radius, dtype=float), (len(model.topology),))
    except ValueError as error:
        raise InputError(f'radius needs one value or {len(model.topology)}, got {np.shape(radius)}.',
                         field='radius') from error
    if not np.all(radii > 0.0) or not np.all(np.isfinite(radii)):
        raise InputError(f'Radii must be positive, got {radii.tolist()}.', field='radius', value=radius)
    parts = [Capsule(int(row[0]), np.zeros(3), model.constants[child, 9:12].copy(), float(radii[int(row[0])]))
             for child, row in enumerate(model.topology) if row[0] >= 0]
    if len(model.chain):
        last = int(model.chain[-1])
        parts.append(Capsule(last, np.zeros(3), model.tip_placement[9:].copy(), float(radii[last])))
    return parts


def check_collision(model: RobotModel, way: Motion | ArrayLike, obstacles: Sequence[Sphere | Box] = (),
                    radius: ArrayLike = RADIUS, itself: bool = True) -> None:
    """Raise Collision where the arm hits an obstacle, or itself.

    Parameters
    ----------
    way
        A motion, or joint vectors (m, n) that are joined by straight lines.
    obstacles
        In the base.
    radius
        Of the links' capsules (`link_capsules`) [m].
    itself
        Look at pairs of links too: not neighbours, and not those that touch in the middle of the joint limits.
    """
    joints, shares = _poses(model, way)
    parts = link_capsules(model, radius)
    starts, ends = _placed(model, parts, joints)
    for k, part in enumerate(parts):
        for obstacle in obstacles:
            _refuse(obstacle.distances(starts[:, k], ends[:, k]) - part.radius, shares, model.body_names[part.body],
                    obstacle.name)
    if not itself:
        return
    home = _placed(model, parts, model.middle()[None])
    for one, other in combinations(range(len(parts)), 2):
        bodies = parts[one].body, parts[other].body
        joined = bodies[0] == bodies[1] or bodies[0] == model.topology[bodies[1], 0] or (
            bodies[1] == model.topology[bodies[0], 0])
        gap = parts[one].radius + parts[other].radius
        if joined or _between(*(side[:, i] for i in (one, other) for side in home))[0] <= gap:
            continue
        apart = _between(starts[:, one], ends[:, one], starts[:, other], ends[:, other])
        _refuse(apart - gap, shares, model.body_names[bodies[0]], model.body_names[bodies[1]])


def _poses(model: RobotModel, way: Motion | ArrayLike) -> tuple[Array, Array]:
    """Joint vectors close together along the way, and their shares of it."""
    if hasattr(way, 'sample'):
        motion: Motion = way  # type: ignore[assignment]
        coarse = motion.sample(np.linspace(0.0, motion.duration, 201))[0]
        steps = int(np.clip(np.ceil(np.sum(np.max(np.abs(np.diff(coarse, axis=0)), axis=1)) / STEP), 50, MOST_POSES))
        share = np.linspace(0.0, 1.0, steps + 1)
        return motion.sample(share * motion.duration)[0], share
    points = joint_array(model, way, 'way')
    refuse_non_finite(model, way=points)
    points = points.reshape(-1, model.dof)
    rows, shares = [points[:1]], [np.zeros(1)]
    for k in range(len(points) - 1):
        steps = int(np.clip(np.ceil(np.max(np.abs(points[k + 1] - points[k])) / STEP), 1, MOST_POSES))
        part = np.arange(1, steps + 1) / steps
        rows.append(points[k] + part[:, None] * (points[k + 1] - points[k]))
        shares.append((k + part) / (len(points) - 1))
    return np.concatenate(rows), np.concatenate(shares)


def _placed(model: RobotModel, parts: Sequence[Capsule], joints: Array) -> tuple[Array, Array]:
    """Ends of all capsules in the base (m, k, 3) at joint vectors (m, n)."""
    bodies, poses = np.array([part.body for part in parts]), np.empty((len(joints), len(model.topology), 12))
    for row, q in enumerate(np.ascontiguousarray(joints)):
        body_poses(model.topology, model.constants, q, poses[row])
    chosen = poses[:, bodies]
    turns = chosen[..., :9].reshape(*chosen.shape[:2], 3, 3)
    ends = (np.einsum('mkij,kj->mki', turns, np.array([getattr(part, name) for part in parts])) + chosen[..., 9:]
            for name in ('start', 'end'))
    return tuple(ends)


def _between(p1: Array, q1: Array, p2: Array, q2: Array) -> Array:
    """Distances (m,) between segments p1 q1 and p2 q2, each (m, 3)."""
    d1, d2, r = q1 - p1, q2 - p2, p1 - p2
    a, e, f = (np.sum(x * y, axis=1) for x, y in ((d1, d1), (d2, d2), (d2, r)))
    b, c = np.sum(d1 * d2, axis=1), np.sum(d1 * r, axis=1)
    a, e = np.maximum(a, 1e-30), np.maximum(e, 1e-30)
    free = a * e - b * b
    s = np.where(free > 1e-14 * a * e, np.clip((b * f - c * e) / np.where(free > 0.0, free, 1.0), 0.0, 1.0), 0.0)
    t = (b * s + f) / e
    s = np.where(t < 0.0, np.clip(-c / a, 0.0, 1.0), np.where(t > 1.0, np.clip((b - c) / a, 0.0, 1.0), s))
    t = np.clip(t, 0.0, 1.0)
    return np.asarray(np.linalg.norm(p1 + s[:, None] * d1 - p2 - t[:, None] * d2, axis=1))


def _refuse(gap: Array, shares: Array, one: str, other: str) -> None:
    """Collision where two things overlap."""
    if np.any(gap <= 0.0):
        k = int(np.argmax(gap <= 0.0))
        depth = float(-np.min(gap))
        raise Collision(f"'{one}' hits '{other}' at {100.0 * shares[k]:.1f} % of the way, {depth:.4g} m deep at most.",
                        float(shares[k]), one, other, depth)
