"""Modified-DH parameters of any serial arm, from its joint axes (KIN-14, KIN-15)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, ModelError
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import invert_transform, make_transform
from robokin_ros.spatial.rotation import finite

Array = NDArray[np.float64]
PARALLEL = 1e-9
"""Sine of the angle below which two axes count as parallel."""
SAME_POINT = 1e-9
"""Distance [m] below which two axes count as intersecting."""


@dataclass(frozen=True)
class DhChain:
    """T(q) = base . product of Rx(alpha) Dx(a) Rz(theta) Dz(d) . tool, Craig (3.6); theta (or d) = offset + sign q.

    Parallel neighbours point the same way: `sign` is -1 for joints whose axis was turned round for that.

    Attributes
    ----------
    alpha, a, d, theta
        (n,) per joint [rad, m]: alpha_{i-1}, a_{i-1}, d_i, theta_i at q = 0.
    sign
        (n,) +1 or -1.
    prismatic
        (n,) which joints slide.
    joints
        (n,) index of each joint in the model's joint vector.
    base, tool
        (4, 4) pose of frame {0} in the model's base, of the tip in frame {n}.
    """

    alpha: Array
    a: Array
    d: Array
    theta: Array
    sign: Array
    prismatic: NDArray[np.bool_]
    joints: NDArray[np.int64]
    base: Array
    tool: Array

    def table(self) -> Array:
        """Rows (n, 4) alpha, a, d, theta."""
        return np.column_stack((self.alpha, self.a, self.d, self.theta))


@dataclass(frozen=True)
class JointAxes:
    """Joint axes of a chain with all joints at zero, in the model's base.

    Attributes
    ----------
    directions, points
        (n, 3) unit vector of each axis, and a point on it [m].
    prismatic
        (n,) which joints slide.
    joints
        (n,) index of each joint in the model's joint vector.
    tip
        (4, 4) pose of the tip.
    """

    directions: Array
    points: Array
    prismatic: NDArray[np.bool_]
    joints: NDArray[np.int64]
    tip: Array


def axes_of_model(model: RobotModel) -> JointAxes:
    """Axes from base to tip; ModelError if no joint moves the tip, or if joints of the chain mimic others."""
    bodies = model.chain
    if len(bodies) == 0:
        raise ModelError(f"No joint moves tip '{model.tip}': there are no DH parameters.", element=model.tip)
    constants = model.constants[bodies]
    joints = model.topology[bodies, 2]
    if np.any(constants[:, 22:] != (1.0, 0.0)) or len(set(joints.tolist())) != len(bodies):
        raise ModelError(f"The chain to '{model.tip}' has mimic joints: it has no DH parameters.", element=model.tip)
    poses, pose = [], np.eye(4)
    for row in constants:
        pose = pose @ make_transform(row[:9].reshape(3, 3), row[9:12])
        poses.append(pose)
    tip = pose @ make_transform(model.tip_placement[:9].reshape(3, 3), model.tip_placement[9:])
    return JointAxes(np.array([p[:3, 2] for p in poses]), np.array([p[:3, 3] for p in poses]),
                     model.topology[bodies, 1] == 1, joints, tip)


def dh_of_model(model: RobotModel, parallel: float = PARALLEL) -> DhChain:
    """DH chain from base to tip; see `axes_of_model` for what has none and `dh_of_axes` for `parallel`."""
    axes = axes_of_model(model)
    return dh_of_axes(axes.points, axes.directions, axes.prismatic, tip=axes.tip, joints=axes.joints, parallel=parallel)


def dh_of_axes(points: ArrayLike, directions: ArrayLike, prismatic: ArrayLike | None = None, *,
               hint: ArrayLike = (1.0, 0.0, 0.0), tip: ArrayLike | None = None,
               joints: NDArray[np.int64] | None = None, parallel: float = PARALLEL) -> DhChain:
    """Frames attached to axes by Craig's procedure (section 3.4), and their parameters (KIN-15).

    Parameters
    ----------
    points, directions
        (n, 3) a point on each joint axis [m] and its direction, all joints at zero, in a base frame.
    prismatic
        (n,) which joints slide; default none.
    hint
        Direction that x of frame {0} should have where it is free.
    tip
        (4, 4) pose of the tip in the base; default the last frame.
    joints
        (n,) indices of the joints in a joint vector; default 0 ... n-1.
    parallel
        Angle [rad] below which neighbouring axes are taken as parallel. Above 1e-9 the result is an approximation for
        axes that a description rounded.
    """
    where, along = finite(points, 'points', (3,)), finite(directions, 'directions', (3,))
    lengths = np.linalg.norm(along, axis=-1, keepdims=True)
    if where.ndim != 2 or where.shape != along.shape or len(where) == 0 or np.any(lengths < 1e-12):
        raise InputError(f'Axes are n points and n directions that are not zero, got {where.shape} and {along.shape}.',
                         field='directions', value=directions)
    axes = [z.copy() for z in along / lengths]
    slides = np.zeros(len(axes), dtype=bool) if prismatic is None else np.asarray(prismatic, dtype=bool)
    signs = _align(axes, parallel)
    frames = _attach(axes, list(where), finite(hint, 'hint', (3,)), parallel)
    table = np.array([_parameters(invert_transform(before) @ after)
                      for before, after in zip([frames[0], *frames[:-1]], frames, strict=True)])
    alpha, a, d, theta = np.ascontiguousarray(table.T)
    end = frames[-1] if tip is None else np.asarray(tip, dtype=float)
    return DhChain(alpha, a, d, theta, signs, slides, np.arange(len(axes)) if joints is None else joints, frames[0],
                   invert_transform(frames[-1]) @ end)


def _align(directions: list[Array], parallel: float) -> Array:
    """Turn axes round, in place, so that parallel neighbours point the same way; the signs."""
    signs = np.ones(len(directions))
    for i in range(1, len(directions)):
        if np.linalg.norm(np.cross(directions[i - 1], directions[i])) < parallel and \
                directions[i - 1] @ directions[i] < 0.0:
            directions[i] = -directions[i]
            signs[i] = -1.0
    return signs


def _attach(directions: list[Array], points: list[Array], hint: Array, parallel: float) -> list[Array]:
    """Frames {1}..{n} at q = 0: z on the axis, x on the common normal to the next axis; Craig section 3.4."""
    frames: list[Array] = []
    for i, (z, point) in enumerate(zip(directions, points, strict=True)):
        x, origin = None, point
        if i + 1 < len(directions):
            x, origin = _normal(
                z, point, directions[i + 1], points[i + 1], frames[-1] if frames else None, hint, parallel
            )
        if x is None:  # the last axis, or one that coincides with the next: keep x and the height of the frame before
            previous = frames[-1] if frames else _hinted(hint, z, point)
            x = previous[:3, 0] - (previous[:3, 0] @ z) * z
            if np.linalg.norm(x) < 1e-6:
                x = previous[:3, 1] - (previous[:3, 1] @ z) * z
            origin = point + ((previous[:3, 3] - point) @ z) * z
        x = x / np.linalg.norm(x)
        frames.append(make_transform(np.column_stack((x, np.cross(z, x), z)), origin))
    return frames


def _hinted(hint: Array, z: Array, point: Array) -> Array:
    """A frame at a point with x near to the hint."""
    x = hint / np.linalg.norm(hint)
    y = np.cross(z, x) if np.linalg.norm(np.cross(z, x)) > 1e-6 else np.cross(x, z + x[[1, 2, 0]])
    y /= np.linalg.norm(y)
    return make_transform(np.column_stack((x, y, np.cross(x, y))), point)


def _normal(z: Array, p: Array, z_next: Array, p_next: Array, before: Array | None, hint: Array,
            parallel: float) -> tuple[Array | None, Array]:
    """Direction of the common normal and where it leaves this axis."""
    cross = np.cross(z, z_next)
    sine = np.linalg.norm(cross)
    if sine < parallel:
        between = (p_next - p) - ((p_next - p) @ z) * z
        height = before[:3, 3] if before is not None else p_next  # so that d_i = 0
        origin = p + ((height - p) @ z) * z
        return (between if np.linalg.norm(between) > SAME_POINT else None), origin
    # the point of this axis that is nearest to the next one
    along = np.cross(p_next - p, z_next) @ cross / sine**2
    origin = p + along * z
    other = p_next + (np.cross(p_next - p, z) @ cross / sine**2) * z_next
    between = other - origin
    if np.linalg.norm(between) > SAME_POINT:
        return between, origin
    previous = before[:3, 0] if before is not None else hint
    return (cross if cross @ previous >= 0.0 else -cross), origin


def _parameters(relative: Array) -> tuple[float, float, float, float]:
    """The four numbers alpha, a, d, theta of a link transform; KIN-14."""
    alpha = float(np.arctan2(-relative[1, 2], relative[2, 2]))
    d = float(-np.sin(alpha) * relative[1, 3] + np.cos(alpha) * relative[2, 3])
    return alpha, float(relative[0, 3]), d, float(np.arctan2(-relative[0, 1], relative[0, 0]))
