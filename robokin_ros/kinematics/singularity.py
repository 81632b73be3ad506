"""How far an arm is from a singularity: singular values, lost directions, ellipsoids (VEL-09, VEL-15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.kinematics.forward import frame_poses
from robokin_ros.kinematics.jacobian import jacobian, jacobian_derivative
from robokin_ros.model.joint_vector import joint_array
from robokin_ros.model.robot_model import RobotModel

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
        '' if not singular; 'boundary' (stretched or folded: motion along the lost direction goes one way only) or
        'interior' (axes line up).
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
    return Singularity(
        values,
        ratio,
        int(np.sum(values > SINGULAR * values[0])),
        determinant,
        manipulability(matrix),
        singular,
        ratio < near,
        _kind(model, joints, frame, chosen, left[:, least] * scale, right, values) if singular else '',
        lost / np.linalg.norm(lost),
        null,
    )


def _kind(model: RobotModel, q: Array, frame: str, rows: list[int], lost: Array, right: Array, values: Array) -> str:
    """Boundary if all motions of the null space bend the tip the same way along the lost direction (second order)."""
    null = right[int(np.sum(values > SINGULAR * values[0])):]
    if len(null) > len(values):
        null = null[-len(values):]
    direction = np.zeros(6)
    direction[rows] = lost
    if frame != 'base':
        rotation = frame_poses(model, q, [model.tip if frame == 'tip' else frame])[0, :3, :3]
        direction = np.concatenate((rotation @ direction[:3], rotation @ direction[3:]))
    motions = np.zeros((len(null), model.dof))
    motions[:, model.chain_joints] = null
    bends = np.array([[direction @ jacobian_derivative(model, q, a) @ b for b in motions] for a in motions])
    sizes = np.linalg.eigvalsh(0.5 * (bends + bends.T))
    tolerance = 1e-6 * max(arm_reach(model), 1e-9)
    definite = np.all(sizes > tolerance) or np.all(sizes < -tolerance)
    return 'boundary' if definite else 'interior'


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
