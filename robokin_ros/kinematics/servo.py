"""Joint rates for a wanted twist: exact, damped near singularities, slowed down at limits (VEL-10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.kinematics.jacobian import jacobian
from robokin_ros.kinematics.singularity import NEAR, arm_reach, task_rows
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial.rotation import finite

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ServoRates:
    """Joint rates and what they achieve.

    Attributes
    ----------
    rates
        (n,) [rad/s], [m/s].
    achieved
        (6,) twist that these rates give, in the frame of the wanted one.
    damped
        A singularity is near: the least possible directions are given up.
    scaled
        Factor from 0 to 1 by which the whole motion is slowed down for limits of rates and positions.
    blocked
        Names of joints that rest on a limit and are pushed against it; the others do what they can.
    """

    rates: Array
    achieved: Array
    damped: bool
    scaled: float
    blocked: tuple[str, ...]


def servo_rates(
    model: RobotModel,
    q: ArrayLike,
    twist: ArrayLike,
    frame: str = 'base',
    rows: Sequence[int] = range(6),
    *,
    near: float = NEAR,
    most_damping: float = 0.1,
    zone: float = 0.1,
    null_motion: ArrayLike | None = None,
) -> ServoRates:
    """Joint rates that move the tip with a twist, Craig (5.72).

    Parameters
    ----------
    twist
        (6,) linear [m/s], angular [rad/s], of the tip's origin.
    frame
        Axes of the twist: 'base', 'tip' or a link.
    rows
        Task coordinates that matter; the others of the twist are ignored.
    near
        Ratio of singular values below which the solution is damped; 0: never.
    most_damping
        Damping, as a share of the largest singular value, at a singularity.
    zone
        Distance [rad], [m] from a position limit at which the rate towards it begins to fall.
    null_motion
        (n,) joint rates wanted besides; what of them does not move the tip is added.
    """
    joints = joint_array(model, q)
    wanted = finite(twist, 'twist', (6,))
    if joints.ndim != 1 or wanted.ndim != 1:
        raise InputError(f'servo_rates takes one joint vector and one twist, got {joints.shape} and {wanted.shape}.',
                         field='twist', value=twist)
    refuse_non_finite(model, q=joints)
    chosen = task_rows(rows)
    for name, value in (('zone', zone), ('near', near), ('most_damping', most_damping)):
        if not (0.0 <= value < np.inf) or (name == 'zone' and value == 0.0):
            raise InputError(f'{name} is {value}; it must be finite and not negative (zone: positive).', field=name,
                             value=value)
    full = jacobian(model, joints, frame)
    scale = np.where(np.array(chosen) < 3, 1.0, arm_reach(model))
    matrix, goal = scale[:, None] * full[chosen], scale * wanted[chosen]
    extra = np.zeros(model.dof) if null_motion is None else joint_array(model, null_motion, 'null_motion')
    refuse_non_finite(model, null_motion=extra)
    movable = np.zeros(model.dof, dtype=bool)
    movable[model.chain_joints] = True
    blocked: list[int] = []
    while True:
        rates, damped = _solve(matrix * movable, goal, extra * movable, near, most_damping)
        pushed = movable & (((joints >= model.upper) & (rates > 1e-12)) | ((joints <= model.lower) & (rates < -1e-12)))
        if not pushed.any():
            break
        blocked += np.flatnonzero(pushed).tolist()
        movable &= ~pushed
    scaled = _scale(model, joints, rates, zone)
    rates = scaled * rates
    return ServoRates(rates, full @ rates, damped, scaled, tuple(model.joint_names[i] for i in blocked))


def _solve(matrix: Array, goal: Array, extra: Array, near: float, most: float) -> tuple[Array, bool]:
    """Least rates; singular directions are damped one by one, growing from nothing at `near`."""
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    largest = float(values[0]) if len(values) else 0.0
    if largest == 0.0:
        return extra, bool(near > 0.0)
    ratio = values / largest
    weak = ratio < near
    damping = np.where(weak, most * largest * (1.0 - ratio / near if near > 0.0 else 0.0), 0.0)
    keep = ratio > 1e-12
    factors = np.zeros_like(values)
    factors[keep] = values[keep] / (values[keep] ** 2 + damping[keep] ** 2)
    rates = right.T @ (factors * (left.T @ goal))
    strong = right[keep]
    return rates + extra - strong.T @ (strong @ extra), bool(np.any(weak))


def _scale(model: RobotModel, q: Array, rates: Array, zone: float) -> float:
    """Largest factor up to 1 that keeps every joint within its rate limit, which falls to 0 towards position limits."""
    room = np.where(rates > 0.0, model.upper - q, q - model.lower)
    most = np.where(np.isfinite(model.velocity_limit), model.velocity_limit, np.abs(rates)) * np.clip(
        room / zone, 0.0, 1.0
    )
    moving = np.abs(rates) > 1e-12
    if not moving.any():
        return 1.0
    return float(np.min(np.minimum(1.0, most[moving] / np.abs(rates[moving]))))
