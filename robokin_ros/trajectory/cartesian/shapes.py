"""Curves of the tip in space: lines, circles, ellipses, waves, chains of them with rounded corners (TRJ-13, TRJ-16).

A curve gives the pose (k, 4, 4) at parameters from 0 to 1. Its `extent` says how far it goes [m] and turns [rad].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.spatial import axis_angle, axis_angle_matrix, check_transform

Array = NDArray[np.float64]
SAME = 1e-9
"""[m], [rad] below which two poses are one."""
COUNTED = 400
"""Chords by which the length of a curve is measured."""


class Curve(Protocol):
    """A curve of poses over [0, 1]."""

    def poses(self, u: Array) -> Array:
        """Poses (k, 4, 4) at parameters (k,)."""
        ...

    @property
    def extent(self) -> tuple[float, float]:
        """Length of the path of the origin [m], and angle turned [rad]."""
        ...


@dataclass(frozen=True)
class Line:
    """Straight from pose to pose, turning about one fixed axis at constant rate."""

    start: Array
    goal: Array

    def __post_init__(self) -> None:
        for name in ('start', 'goal'):
            object.__setattr__(self, name, check_transform(getattr(self, name)))

    def poses(self, u: Array) -> Array:
        """Poses (k, 4, 4) at parameters (k,)."""
        return _turning(self.start, self.goal, u, self.start[:3, 3] + u[:, None] * (self.goal - self.start)[:3, 3])

    @property
    def extent(self) -> tuple[float, float]:
        """Length [m] and angle [rad]."""
        return float(np.linalg.norm((self.goal - self.start)[:3, 3])), _angle(self.start, self.goal)


@dataclass(frozen=True)
class Arc:
    """Part of a circle (or ellipse) from the start pose about a centre, by an angle [rad] about a normal.

    The tip turns with the circle (`follow`), or from the start's orientation to the goal's.
    """

    start: Array
    center: Array
    normal: Array
    angle: float
    goal_rotation: Array | None = None
    follow: bool = False
    flatness: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, 'start', check_transform(self.start))
        normal, middle = np.asarray(self.normal, dtype=float), np.asarray(self.center, dtype=float)
        if middle.shape != (3,) or not np.all(np.isfinite(middle)):
            raise InputError(f'A centre is three numbers, got {middle.tolist()}.', field='center', value=middle)
        if normal.shape != (3,) or not np.linalg.norm(normal) > SAME:
            raise InputError(f'The normal {normal.tolist()} is no direction.', field='normal', value=normal)
        if not np.isfinite(self.angle) or not self.flatness > 0.0:
            raise InputError(f'An arc of {self.angle} rad and flatness {self.flatness} cannot be drawn.', field='angle')
        object.__setattr__(self, 'normal', normal / np.linalg.norm(normal))
        object.__setattr__(self, 'center', np.asarray(self.center, dtype=float))
        radius = self.start[:3, 3] - self.center
        if abs(radius @ self.normal) > 1e-6 * (1.0 + np.linalg.norm(radius)) or np.linalg.norm(radius) < SAME:
            raise InputError('The centre of an arc must lie in the plane through its start, across the normal, and '
                             f'away from the start; it is {self.center.tolist()}.', field='center', value=self.center)

    @classmethod
    def through(cls, start: ArrayLike, via: ArrayLike, goal: ArrayLike) -> Arc:
        """The arc from a pose through a point (3,) to a pose."""
        first, last = check_transform(start), check_transform(goal)
        a, b, c = first[:3, 3], np.asarray(via, dtype=float), last[:3, 3]
        if b.shape != (3,) or not np.all(np.isfinite(b)):
            raise InputError(f'The via point of an arc is three numbers, got shape {b.shape}.', field='via', value=b)
        u, v = b - a, c - a
        normal = np.cross(u, v)
        square = normal @ normal
        if square < 1e-12 * (u @ u) * (v @ v) or square == 0.0:
            raise InputError('Start, via point and goal of an arc lie on one line.', field='via', value=b)
        center = a + ((v @ v) * np.cross(normal, u) + (u @ u) * np.cross(v, normal)) / (2.0 * square)
        axis = normal / np.sqrt(square)
        radius = a - center
        across = np.cross(axis, radius)
        angle = np.arctan2((c - center) @ across, (c - center) @ radius) % (2.0 * np.pi)
        return cls(first, center, axis, float(angle), last[:3, :3])

    def poses(self, u: Array) -> Array:
        """Poses (k, 4, 4) at parameters (k,)."""
        radius = self.start[:3, 3] - self.center
        across = self.flatness * np.cross(self.normal, radius)
        turned = self.angle * u
        points = self.center + np.cos(turned)[:, None] * radius + np.sin(turned)[:, None] * across
        if self.follow:
            poses = np.tile(np.eye(4), (len(u), 1, 1))
            poses[:, :3, :3] = axis_angle_matrix(np.tile(self.normal, (len(u), 1)), turned) @ self.start[:3, :3]
            poses[:, :3, 3] = points
            return poses
        goal = self.start.copy()
        if self.goal_rotation is not None:
            goal[:3, :3] = self.goal_rotation
        return _turning(self.start, goal, u, points)

    @property
    def extent(self) -> tuple[float, float]:
        """Length [m] and angle [rad]."""
        return _length(self), abs(self.angle) if self.follow else (
            0.0 if self.goal_rotation is None else float(axis_angle(self.start[:3, :3].T @ self.goal_rotation).angle))


@dataclass(frozen=True)
class Wave:
    """A sine wave along a straight line: amplitude (3,) [m] across it, a number of whole waves."""

    line: Line
    amplitude: Array
    waves: float = 1.0

    def poses(self, u: Array) -> Array:
        """Poses (k, 4, 4) at parameters (k,)."""
        poses = self.line.poses(u)
        poses[:, :3, 3] += np.sin(2.0 * np.pi * self.waves * u)[:, None] * np.asarray(self.amplitude, dtype=float)
        return poses

    @property
    def extent(self) -> tuple[float, float]:
        """Length [m] and angle [rad]."""
        return _length(self), self.line.extent[1]


@dataclass(frozen=True)
class Formula:
    """Any curve: a function from parameters (k,) to poses (k, 4, 4)."""

    function: Callable[[Array], Array]

    def poses(self, u: Array) -> Array:
        """Poses (k, 4, 4) at parameters (k,)."""
        return self.function(u)

    @property
    def extent(self) -> tuple[float, float]:
        """Length [m] and angle [rad]."""
        poses = self.function(np.linspace(0.0, 1.0, COUNTED + 1))
        turns = axis_angle(np.swapaxes(poses[:-1, :3, :3], 1, 2) @ poses[1:, :3, :3]).angle
        return _length(self), float(np.sum(turns))


class Chain:
    """Curves one after the other; corners rounded within a radius of each.

    A radius is way along the curves: [m], turns counting as well, 0.3 m a radian (`weight`).

    Within the radius of a corner the tip leaves the first curve and joins the second without a jump in direction or
    curvature. A corner of radius 0 is one to stop at.
    """

    def __init__(self, curves: Sequence[Curve], radii: ArrayLike = 0.0, weight: float = 0.3) -> None:
        """`weight` [m/rad] by which turning counts as way."""
        if not curves:
            raise InputError('A chain needs at least one curve.', field='curves')
        self.curves = list(curves)
        self.ways = np.array([max(length + weight * angle, SAME) for length, angle in (c.extent for c in self.curves)])
        given = np.asarray(radii, dtype=float)
        if given.shape not in ((), (len(self.curves) - 1,)):
            raise InputError(f'{len(self.curves) - 1} corners need as many radii, got shape {given.shape}.',
                             field='radii')
        self.radii = np.broadcast_to(given, (len(self.curves) - 1,))
        if not np.all(self.radii >= 0.0) or not np.all(np.isfinite(self.radii)):
            raise InputError(f'Blend radii must not be negative, got {self.radii.tolist()}.', field='radii')
        for k, radius in enumerate(self.radii):
            room = 0.5 * min(self.ways[k], self.ways[k + 1])
            if radius > room:
                raise InputError(f'The blend radius {radius:.4g} m at corner {k + 1} is larger than half of a segment '
                                 f'beside it ({room:.4g} m).', field='radii', value=radius)
        self._ends = np.cumsum(self.ways)

    @property
    def corners(self) -> Array:
        """Parameters at which curves meet without a blend: the tip must stop there."""
        return self._ends[:-1][self.radii == 0.0] / self._ends[-1]

    def poses(self, u: Array) -> Array:
        """Poses (k, 4, 4) at parameters (k,)."""
        at = np.clip(u, 0.0, 1.0) * self._ends[-1]
        index = np.clip(np.searchsorted(self._ends, at, side='right'), 0, len(self.curves) - 1)
        result = np.empty((len(u), 4, 4))
        for k in range(len(self.curves)):
            chosen = index == k
            if np.any(chosen):
                result[chosen] = self._on(k, at[chosen])
        for k, radius in enumerate(self.radii):
            near = np.abs(at - self._ends[k]) < radius
            if np.any(near):
                result[near] = self._corner(k, radius, at[near])
        return result

    def _on(self, k: int, at: Array) -> Array:
        """Poses of one curve at ways from the start of the chain."""
        begin = self._ends[k] - self.ways[k]
        return self.curves[k].poses((at - begin) / self.ways[k])

    def _corner(self, k: int, radius: float, at: Array) -> Array:
        """Poses near corner k: the way on the first curve slows down to the corner while that on the second sets in."""
        end = self._ends[k]
        x = 0.5 + 0.5 * (at - end) / radius
        second = 2.0 * radius * (x**3 - 0.5 * x**4)
        before, after = self._on(k, end - radius + 2.0 * radius * x - second), self._on(k + 1, end + second)
        corner = self._on(k, self._ends[k:k + 1])[0]
        poses = before.copy()
        poses[:, :3, :3] = before[:, :3, :3] @ corner[:3, :3].T @ after[:, :3, :3]
        poses[:, :3, 3] += after[:, :3, 3] - corner[:3, 3]
        return poses

    @property
    def extent(self) -> tuple[float, float]:
        """Length [m] and angle [rad]."""
        parts = [curve.extent for curve in self.curves]
        return float(sum(length for length, _ in parts)), float(sum(angle for _, angle in parts))


def _turning(start: Array, goal: Array, u: Array, points: Array) -> Array:
    """Poses at points (k, 3), turned by the share u from one orientation to another about one axis."""
    poses = np.tile(np.eye(4), (len(u), 1, 1))
    found = axis_angle(start[:3, :3].T @ goal[:3, :3])
    if found.defined:
        turns = axis_angle_matrix(np.tile(found.axis, (len(u), 1)), u * float(found.angle))
        poses[:, :3, :3] = start[:3, :3] @ turns
    else:
        poses[:, :3, :3] = start[:3, :3]
    poses[:, :3, 3] = points
    return poses


def _angle(start: Array, goal: Array) -> float:
    return float(axis_angle(start[:3, :3].T @ goal[:3, :3]).angle)


def _length(curve: Curve) -> float:
    points = curve.poses(np.linspace(0.0, 1.0, COUNTED + 1))[:, :3, 3]
    return float(np.sum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
