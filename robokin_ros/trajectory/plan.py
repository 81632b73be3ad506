"""Planning in joint space: from rest to rest, as fast as velocity and torque allow."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, LimitError
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.trajectory.limits import check_motion
from robokin_ros.trajectory.motion import PolynomialMotion
from robokin_ros.trajectory.waypoints import motion_through_points

QUINTIC_SPEED = 1.875
"""Peak speed of a quintic from rest to rest, in distance per duration."""
QUINTIC_ACCELERATION = 10.0 / np.sqrt(3.0)
"""Peak acceleration, in distance per duration squared."""
TORQUE_MARGIN = 0.9
"""Share of the effort limit that a plan may use; the rest is for the controller."""
UNLIMITED_SPEED = 1.0
"""Speed [rad/s, m/s] planned for joints without a velocity limit."""
LONGEST = 1e5
"""Longest motion planned [s]."""
SHORTEST = 0.1
"""Shortest motion planned [s]."""
SAMPLES = 101


def plan_joint(model: RobotModel, start: ArrayLike, goal: ArrayLike, duration: float | None = None,
               velocity_limit: ArrayLike | None = None, acceleration_limit: ArrayLike | None = None,
               scaling: float = 1.0) -> PolynomialMotion:
    """Quintic motion of all joints together, at rest at both ends (TRJ-05, TRJ-06).

    Parameters
    ----------
    start, goal
        Joint vectors (n,) [rad] or [m], the goal within limits.
    duration
        [s]; None: the shortest that keeps the velocity limits, the acceleration limits if given, and, where the
        model has dynamics, 90 % of the effort limits.
    velocity_limit, acceleration_limit
        (n,) [rad/s], [rad/s^2]; None: the model's own, or none.
    scaling
        Share of the velocity limit to use, in (0, 1].

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
    speed = model.velocity_limit if velocity_limit is None else np.asarray(velocity_limit, dtype=float)
    speed = np.where(np.isfinite(speed), speed, UNLIMITED_SPEED)
    if duration is not None:
        motion = _quintic(model, ends, duration)
        check_motion(model, motion)
        return motion
    distance = np.abs(ends[1] - ends[0])
    shortest = max(SHORTEST, float(np.max(QUINTIC_SPEED * distance / (speed * scaling), initial=0.0)))
    if acceleration_limit is not None:
        acceleration = np.asarray(acceleration_limit, dtype=float)
        shortest = max(shortest, float(np.max(np.sqrt(QUINTIC_ACCELERATION * distance / acceleration), initial=0.0)))
    motion = _quintic(model, ends, shortest)
    check_motion(model, motion)
    return _within_torque(model, ends, motion) if not model.no_dynamics_reason else motion


def _quintic(model: RobotModel, ends: NDArray[np.float64], duration: float) -> PolynomialMotion:
    rest = np.zeros_like(ends)
    return motion_through_points(model, np.array([0.0, duration]), ends, rest, rest)


def _within_torque(model: RobotModel, ends: NDArray[np.float64], motion: PolynomialMotion) -> PolynomialMotion:
    """Stretch the motion until its torques fit; slow motion needs gravity torque only."""
    allowed = TORQUE_MARGIN * model.effort_limit
    for _ in range(40):
        torque = np.abs(motion.torque(np.linspace(0.0, motion.duration, SAMPLES)))
        excess = torque > allowed
        if not np.any(excess):
            return motion
        motion = _quintic(model, ends, 1.15 * motion.duration)
    sample, joint = np.argwhere(excess)[0]
    raise LimitError(
        f"Joint '{model.joint_names[joint]}' needs {torque[sample, joint]:.1f} of {allowed[joint]:.1f} allowed torque "
        'at any speed.', joint=model.joint_names[joint], value=float(torque[sample, joint]),
        limit=float(allowed[joint]))
