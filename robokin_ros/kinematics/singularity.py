"""How far an arm is from a singularity: singular values, lost directions, ellipsoids (VEL-09, VEL-15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.kernels.poses import body_poses
from robokin_ros.kinematics.forward import frame_poses
from robokin_ros.kinematics.jacobian import jacobian
from robokin_ros.model.joint_vector import joint_array
from robokin_ros.model.robot_model import REVOLUTE, RobotModel

Array = NDArray[np.float64]
SINGULAR = 1e-6
"""Ratio of the smallest to the largest singular value below which a pose is singular."""
NEAR = 0.02
"""Ratio below which it is near to one."""


@dataclass(frozen=True)
class Singularity:
    """What the Jacobian of one pose says.

    Attributes
    ----------
    values
        Singular values, largest first; angular rows are scaled by the arm's reach, so that all are in metres.
    ratio
        Smallest over largest; the inverse of the condition number.
    rank
        Number of values above 1e-6 of the largest.
    determinant
        Of the unscaled Jacobian if it is square, else NaN.
    manipulability
        Yoshikawa's sqrt(det(J J^T)) of the unscaled Jacobian.
    singular, near
        Below the two thresholds.
    kind
        '' if not singular; 'boundary' (stretched or folded between two parallel axes) or 'interior' (axes line up).
    lost_direction
        (rows,) task direction that is lost first, in the chosen frame.
    null_direction
        (n,) joint motion that moves the tip least.
    """

    values: Array
    ratio: float
    rank: int
    determinant: float
    manipulability: float
    singular: bool
    near: bool
    kind: str
    lost_direction: Array
    null_direction: Array


def singularity(model: RobotModel, q: ArrayLike, frame: str = 'base', rows: Sequence[int] = range(6), *,
                near: float = NEAR, length: float | None = None) -> Singularity:
    """Analysis of the Jacobian at one joint vector.

    Parameters
    ----------
    frame
        Axes of the rows; does not change what is singular.
    rows
        Task coordinates, 0..2 linear x y z, 3..5 angular; an arm of n < 6 joints should name n of them.
    near
        Threshold of the ratio of singular values.
    length
        Length [m] that angular rows are multiplied with; default the reach of the arm.
    """
    joints = joint_array(model, q)
    if joints.ndim != 1:
        raise InputError(f'singularity takes one joint vector, got shape {joints.shape}.', field='q', value=q)
    chosen = task_rows(rows)
    columns = model.chain_joints
    if not len(columns):
        raise InputError(f"No joint moves tip '{model.tip}': it has no singularities.", field='tip', value=model.tip)
    matrix = jacobian(model, joints, frame)[chosen][:, columns]
    scale = np.where(np.array(chosen) < 3, 1.0, arm_reach(model) if length is None else length)
    left, values, right = np.linalg.svd(scale[:, None] * matrix)
    least = min(matrix.shape) - 1
    ratio = float(values[-1] / values[0]) if values[0] > 0.0 else 0.0
    null = np.zeros(model.dof)
    null[columns] = right[least]
    singular = ratio < SINGULAR
    determinant = float(np.linalg.det(matrix)) if matrix.shape[0] == matrix.shape[1] else float('nan')
    lost = left[:, least] / scale
    kind = _kind(model, joints, frame, chosen, left[:, least] * scale) if singular else ''
    return Singularity(values, ratio, int(np.sum(values > SINGULAR * values[0])), determinant, manipulability(matrix),
                       singular, ratio < near, kind, lost / np.linalg.norm(lost), null)


def _kind(model: RobotModel, q: Array, frame: str, rows: list[int], wrench: Array) -> str:
    """Boundary if the force that needs no torque acts along a line through two parallel axes: stretched or folded."""
    load = np.zeros(6)
    load[rows] = wrench
    tip = frame_poses(model, q, [model.tip])[0]
    if frame != 'base':
        rotation = tip[:3, :3] if frame == 'tip' else frame_poses(model, q, [frame])[0, :3, :3]
        load = np.concatenate((rotation @ load[:3], rotation @ load[3:]))
    force, moment = load[:3], load[3:]
    size, reach = float(np.linalg.norm(force)), arm_reach(model)
    if size * reach < 1e-3 * np.linalg.norm(moment):
        return 'interior'  # a pure moment: axes of rotation line up
    direction = force / size
    point = tip[:3, 3] + np.cross(force, moment) / size**2
    bodies = np.empty((len(model.topology), 12))
    body_poses(model.topology, model.constants, q, bodies)
    met: list[tuple[Array, Array]] = []
    for body in model.chain[model.topology[model.chain, 1] == REVOLUTE]:
        axis, origin = bodies[body, [2, 5, 8]], bodies[body, 9:]
        normal = np.cross(direction, axis)
        sine = float(np.linalg.norm(normal))
        if sine < 1e-4 or abs((origin - point) @ normal) > 1e-4 * reach * sine:
            continue
        place = point + np.cross(origin - point, axis) @ normal / sine**2 * direction
        if any(np.linalg.norm(np.cross(axis, other)) < 1e-6 and np.linalg.norm(place - there) > 1e-4 * reach
               for other, there in met):
            return 'boundary'
        met.append((axis, place))
    return 'interior'


def task_rows(rows: Sequence[int]) -> list[int]:
    """Checked row numbers of a Jacobian."""
    chosen = [int(row) for row in rows]
    if not chosen or len(set(chosen)) != len(chosen) or not all(0 <= row < 6 for row in chosen):
        raise InputError(f'rows are different numbers from 0 to 5, got {list(rows)}.', field='rows', value=list(rows))
    return chosen


def arm_reach(model: RobotModel) -> float:
    """Sum of the lengths of the links from base to tip [m], the scale between rotations and translations; 1 if zero."""
    lengths = np.linalg.norm(model.constants[model.chain[1:], 9:12], axis=1)
    total = float(np.sum(lengths) + np.linalg.norm(model.tip_placement[9:]))
    return total if total > 0.0 else 1.0


def manipulability(matrix: ArrayLike) -> float:
    """Product of the singular values of a Jacobian: Yoshikawa's sqrt(det(J J^T)), or of J^T J if n < 6."""
    return float(np.prod(np.linalg.svd(np.asarray(matrix, dtype=float), compute_uv=False)))


@dataclass(frozen=True)
class Ellipsoid:
    """Principal axes (3, 3), columns, in base axes, and their half-lengths (3,), longest first."""

    axes: Array
    lengths: Array


def velocity_ellipsoid(model: RobotModel, q: ArrayLike) -> Ellipsoid:
    """Velocities [m/s] of the tip for joint rates of length 1."""
    axes, lengths, _ = np.linalg.svd(jacobian(model, q)[:3, model.chain_joints])
    return Ellipsoid(axes, np.append(lengths, np.zeros(3 - len(lengths))))


def force_ellipsoid(model: RobotModel, q: ArrayLike) -> Ellipsoid:
    """Forces [N] at the tip for joint torques of length 1: the same axes, inverse lengths (inf where free)."""
    velocity = velocity_ellipsoid(model, q)
    with np.errstate(divide='ignore'):
        return Ellipsoid(velocity.axes[:, ::-1], 1.0 / velocity.lengths[::-1])
