"""Playing a motion slower, as little as its limits ask for (TRJ-15 II, TRJ-18 b)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics import Friction, gravity_torque, inverse_dynamics
from robokin_ros.errors import InputError, LimitError
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.trajectory.limits import sample_times
from robokin_ros.trajectory.motion import Motion, PolynomialMotion, Polynomials
from robokin_ros.trajectory.path_motion import PathMotion
from robokin_ros.trajectory.time_optimal.drive_limits import TorqueLimits, joint_limits, torque_limits

Array = NDArray[np.float64]
SLOWEST = 1e4
"""Largest factor tried."""


def slowed(motion: Motion, factor: float) -> Motion:
    """The motion, played `factor` >= 1 times slower: torques fall to (M qdd + V) / factor^2 + G."""
    if not 1.0 <= factor < np.inf:
        raise InputError(f'The factor is {factor}; it must be at least 1.', field='factor', value=factor)
    if isinstance(motion, PolynomialMotion):
        return PolynomialMotion(motion.model, motion.breaks * factor, _stretched(motion, factor))
    if isinstance(motion, PathMotion):
        law = Polynomials(motion.law.breaks * factor, _stretched(motion.law, factor))
        return motion.timed(law)
    raise InputError(f'A {type(motion).__name__} cannot be slowed down.', field='motion')


def slow_down_factor(model: RobotModel, motion: Motion, velocity_limit: ArrayLike | None = None,
                     acceleration_limit: ArrayLike | None = None,
                     torque_limit: TorqueLimits | ArrayLike | None = None, torque_share: float = 1.0) -> float:
    """Least factor >= 1 by which a motion must be slowed down to keep rates, accelerations and torques.

    Limits as of `time_optimal`; `torque_share` of the torques may be used. LimitError when gravity and dry friction
    alone are too much.
    """
    speed = joint_limits(model, 'velocity_limit', velocity_limit, model.velocity_limit)
    acceleration = joint_limits(model, 'acceleration_limit', acceleration_limit, np.inf)
    if not 0.0 < torque_share <= 1.0:
        raise InputError(f'torque_share is {torque_share}; it must be in (0, 1].', field='torque_share')
    t = sample_times(motion)
    q, qd, qdd = motion.sample(t)
    factor = max(1.0, float(np.max(np.abs(qd) / speed)), float(np.sqrt(np.max(np.abs(qdd) / acceleration))))
    limits = None if model.no_dynamics_reason and torque_limit is None else torque_limits(model, torque_limit)
    if limits is None:
        return factor
    friction = Friction.of_model(model)
    weight = gravity_torque(model, q)
    moving = inverse_dynamics(model, q, qd, qdd) - weight

    def fits(k: float) -> bool:
        torque = moving / k**2 + weight + friction.torque(qd / k)
        return bool(np.max(limits.excess(qd / k, torque / torque_share)) <= 1e-9)

    if fits(factor):
        return factor
    low, high = factor, 2.0 * factor
    while not fits(high):
        low, high = high, 2.0 * high
        if high > SLOWEST * factor:
            weight = weight + np.sign(weight) * friction.static
            share = np.abs(weight) / (torque_share * limits.upper)
            k, joint = (int(v) for v in np.unravel_index(np.argmax(share), share.shape))
            name = model.joint_names[joint]
            raise LimitError(f"Joint '{name}' needs {abs(weight[k, joint]):.4g} of "
                             f'{torque_share * limits.upper[joint]:.4g} allowed torque at any speed, friction '
                             'included.', joint=name, value=float(abs(weight[k, joint])),
                             limit=float(torque_share * limits.upper[joint]), time=float(t[k]))
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def _stretched(curve: Polynomials, factor: float) -> Array:
    powers = factor ** -np.arange(curve.coefficients.shape[1], dtype=float)
    return np.asarray(curve.coefficients * powers[:, None])
