"""Planning in joint space: from rest to rest, as fast as the limits allow."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.trajectory import profiles
from robokin_ros.trajectory.limits import check_motion, check_torque
from robokin_ros.trajectory.motion import Motion, PolynomialMotion, joint_polynomials
from robokin_ros.trajectory.polynomials import cubic_coefficients, quintic_coefficients, shortest_time
from robokin_ros.trajectory.slow_down import slow_down_factor, slowed
from robokin_ros.trajectory.time_optimal import TorqueLimits, time_optimal
from robokin_ros.trajectory.time_optimal.drive_limits import RISE, bounded_accelerations, joint_limits

Array = NDArray[np.float64]
TIMINGS = ('quintic', 'cubic', 'trapezoid', 'jerk_limited', 'time_optimal')
TORQUE_SHARE = 0.9
"""Share of the effort limit that a plan may use; the rest is for the controller."""
UNLIMITED_SPEED = 1.0
"""Speed [rad/s, m/s] planned for joints without a velocity limit."""
NEXT_TO_NOTHING = 1e-6
"""Distance [rad, m] below which every timing is the polynomials'."""
JERK_RISE = 0.1
"""Time [s] in which it reaches its acceleration limit where no jerk limit is given."""
LONGEST = 1e5
"""Longest motion planned [s]."""
SHORTEST = 0.1
"""Shortest motion planned [s]."""
QUINTIC_JERK = 60.0
"""Peak jerk of a quintic from rest to rest, in distance per duration cubed."""


def plan_joint(model: RobotModel, start: ArrayLike, goal: ArrayLike, duration: float | None = None,
               velocity_limit: ArrayLike | None = None, acceleration_limit: ArrayLike | None = None,
               scaling: float = 1.0, timing: str = 'quintic', jerk_limit: ArrayLike | None = None,
               torque_limit: TorqueLimits | ArrayLike | None = None) -> Motion:
    """Motion of all joints together, at rest at both ends.

    Parameters
    ----------
    start, goal
        Joint vectors (n,) [rad] or [m], the goal within limits.
    duration
        [s]; None: the shortest that keeps the limits, and, where the model has dynamics, 90 % of the efforts.
    velocity_limit, acceleration_limit, jerk_limit
        (n,) [rad, m, s]; None: the model's own velocities; for accelerations and jerks what 'trapezoid' and
        'jerk_limited' need: the speed in a quarter of a second, the acceleration in a tenth.
    scaling
        Share of the velocity limit to use, in (0, 1]; of accelerations its square.
    timing
        'quintic' (TRJ-05), 'cubic' (TRJ-02), 'trapezoid', 'jerk_limited', or 'time_optimal' under the torque limits.
    torque_limit
        (n,) or `TorqueLimits`; None: the model's efforts.

    Raises
    ------
    LimitError
        When the goal, or the motion in the given duration, is beyond a limit.
    """
    ends = np.stack([joint_array(model, start, 'start'), joint_array(model, goal, 'goal')])
    refuse_non_finite(model, start=ends[0], goal=ends[1])
    if not 0.0 < scaling <= 1.0:
        raise InputError(f'The speed scaling is {scaling}; it must be in (0, 1].', field='scaling', value=scaling)
    if duration is not None and not 1e-3 <= duration <= LONGEST:
        raise InputError(f'The duration is {duration} s; it must be in 0.001 to {LONGEST:g} s.', field='duration',
                         value=duration)
    if timing not in TIMINGS:
        raise InputError(f"timing is '{timing}'; it must be one of {', '.join(TIMINGS)}.", field='timing', value=timing)
    speed = joint_limits(model, 'velocity_limit', velocity_limit, model.velocity_limit)
    speed = scaling * np.where(np.isfinite(speed), speed, UNLIMITED_SPEED)
    acceleration = scaling**2 * joint_limits(model, 'acceleration_limit', acceleration_limit, np.inf)
    jerk = scaling**3 * joint_limits(model, 'jerk_limit', jerk_limit, np.inf)
    if timing == 'time_optimal' and np.max(np.abs(ends[1] - ends[0])) > NEXT_TO_NOTHING:
        return _time_optimal(model, ends, duration, speed, acceleration, torque_limit)
    if timing in ('cubic', 'trapezoid') and np.any(np.isfinite(jerk)):
        raise InputError(f"A jerk limit is for timing 'jerk_limited' or 'quintic', not '{timing}'.", field='jerk_limit')
    motion = _shaped(model, ends, duration, speed, acceleration, jerk, timing)
    check_motion(model, motion, speed, acceleration, jerk)
    if duration is not None:
        if not (model.no_dynamics_reason and torque_limit is None):
            check_torque(model, motion, torque_limit)
        return motion
    if model.no_dynamics_reason and torque_limit is None:
        return motion
    factor = slow_down_factor(model, motion, velocity_limit, None, torque_limit, TORQUE_SHARE)
    return slowed(motion, factor) if factor > 1.0 else motion


def _shaped(model: RobotModel, ends: Array, duration: float | None, speed: Array, acceleration: Array, jerk: Array,
            timing: str) -> PolynomialMotion:
    """A motion of polynomials, in the given or the shortest time."""
    distance = ends[1] - ends[0]
    if timing in ('quintic', 'cubic') or np.max(np.abs(distance)) <= NEXT_TO_NOTHING:
        quintic = timing != 'cubic'
        length = duration or max(SHORTEST, shortest_time(distance, speed, acceleration, quintic),
                                 float(np.max(QUINTIC_JERK * np.abs(distance) / jerk)**(1.0 / 3.0)))
        pieces = (quintic_coefficients if quintic else cubic_coefficients)(ends[0], ends[1], length)
        return PolynomialMotion(model, np.array([0.0, length]), pieces[None])
    rise = np.where(np.isfinite(acceleration), acceleration, speed / RISE)
    if timing == 'trapezoid':
        times = [profiles.trapezoid_time(d, v, a) for d, v, a in zip(distance, speed, rise, strict=True)]
        length = max(*times, SHORTEST) if duration is None else duration
        if duration is not None:  # a joint may accelerate harder than usual when the time is short
            rise = np.maximum(rise, 4.0 * np.abs(distance) / length**2)
        joints = [profiles.trapezoid(q, g, length, a) for q, g, a in zip(*ends, rise, strict=True)]
    else:
        third = np.where(np.isfinite(jerk), jerk, rise / JERK_RISE)
        times = [profiles.jerk_limited_time(*limits) for limits in zip(distance, speed, rise, third, strict=True)]
        length = max(*times, SHORTEST) if duration is None else duration
        joints = [profiles.jerk_limited(q, g, length, v, a, j)
                  for q, g, v, a, j in zip(*ends, speed, rise, third, strict=True)]
    return PolynomialMotion(model, *joint_polynomials(joints))


def _time_optimal(model: RobotModel, ends: Array, duration: float | None, speed: Array, acceleration: Array,
                  torque_limit: TorqueLimits | ArrayLike | None) -> Motion:
    """Along the straight line of the joints, as fast as the drives can; slower if a duration is given."""
    limit = torque_limit
    if limit is None:
        limit = np.inf if model.no_dynamics_reason else TORQUE_SHARE * model.effort_limit
    motion = time_optimal(model, ends, speed, bounded_accelerations(model, acceleration, limit, speed), limit)
    check_motion(model, motion)
    if duration is None:
        return motion
    if duration < motion.duration:
        raise InputError(f'The duration is {duration} s; the limits ask for at least {motion.duration:.4f} s.',
                         field='duration', value=duration)
    return slowed(motion, duration / motion.duration)
