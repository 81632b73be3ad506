"""Modified-DH parameters of any serial arm, from its joint axes (KIN-14, KIN-15)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robokin_ros.errors import ModelError
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import invert_transform, make_transform

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


def dh_of_model(model: RobotModel) -> DhChain:
    """DH chain from base to tip; ModelError if no joint moves the tip, or if joints of the chain mimic others."""
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
    directions, points = [p[:3, 2].copy() for p in poses], [p[:3, 3] for p in poses]
    signs = _align(directions)
    frames = _attach(directions, points)
    table = np.array([_parameters(invert_transform(before) @ after)
                      for before, after in zip([frames[0], *frames[:-1]], frames, strict=True)])
    alpha, a, d, theta = np.ascontiguousarray(table.T)
    return DhChain(alpha, a, d, theta, signs, model.topology[bodies, 1] == 1, joints, frames[0],
                   invert_transform(frames[-1]) @ tip)


def _align(directions: list[Array]) -> Array:
    """Turn axes round, in place, so that parallel neighbours point the same way; the signs."""
    signs = np.ones(len(directions))
    for i in range(1, len(directions)):
        if np.linalg.norm(np.cross(directions[i - 1], directions[i])) < PARALLEL and \
                directions[i - 1] @ directions[i] < 0.0:
            directions[i] = -directions[i]
            signs[i] = -1.0
    return signs


def _attach(directions: list[Array], points: list[Array]) -> list[Array]:
    """Frames {1}..{n} at q = 0: z on the axis, x on the common normal to the next axis; Craig section 3.4."""
    frames: list[Array] = []
    for i, (z, point) in enumerate(zip(directions, points, strict=True)):
        x, origin = None, point
        if i + 1 < len(directions):
            x, origin = _normal(z, point, directions[i + 1], points[i + 1], frames[-1] if frames else None)
        if x is None:  # the last axis, or one that coincides with the next: keep x and the height of the frame before
            previous = frames[-1] if frames else make_transform(np.eye(3), point)
            x = previous[:3, 0] - (previous[:3, 0] @ z) * z
            if np.linalg.norm(x) < 1e-6:
                x = previous[:3, 1] - (previous[:3, 1] @ z) * z
            origin = point + ((previous[:3, 3] - point) @ z) * z
        x = x / np.linalg.norm(x)
        frames.append(make_transform(np.column_stack((x, np.cross(z, x), z)), origin))
    return frames


def _normal(z: Array, p: Array, z_next: Array, p_next: Array, before: Array | None) -> tuple[Array | None, Array]:
    """Direction of the common normal and where it leaves this axis."""
    cross = np.cross(z, z_next)
    sine = np.linalg.norm(cross)
    if sine < PARALLEL:
        between = (p_next - p) - ((p_next - p) @ z) * z
        height = before[:3, 3] if before is not None else p_next  # so that d_i = 0
        origin = p + ((height - p) @ z) * z
        return (between if np.linalg.norm(between) > SAME_POINT else None), origin
    # the point of this axis that is nearest to the next one
    along = np.cross(p_next - p, z_next) @ cross / sine**2
    origin = p + along * z
    other = p_next + (np.cross(p_next - p, z) @ cross / sine**2) * z_next
    between = other - origin
    return (between if np.linalg.norm(between) > SAME_POINT else cross), origin


def _parameters(relative: Array) -> tuple[float, float, float, float]:
    """The four numbers alpha, a, d, theta of a link transform; KIN-14."""
    alpha = float(np.arctan2(-relative[1, 2], relative[2, 2]))
    d = float(-np.sin(alpha) * relative[1, 3] + np.cos(alpha) * relative[2, 3])
    return alpha, float(relative[0, 3]), d, float(np.arctan2(-relative[0, 1], relative[0, 0]))
