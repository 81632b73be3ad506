"""Jerk-limited moves between any two states of the joints: position, velocity and acceleration (with Ruckig).

From rest to rest our own profiles are as short (`profiles.jerk_limited`). From a state in motion the shortest move has
dozens of shapes; Ruckig knows them all, is fast and well kept: it is an optional dependency, for these moves only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, LimitError, RobokinError
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.trajectory.limits import check_motion
from robokin_ros.trajectory.motion import PolynomialMotion, joint_polynomials
from robokin_ros.trajectory.profiles import Piece, played
from robokin_ros.trajectory.time_optimal.drive_limits import joint_limits

Array = NDArray[np.float64]


def plan_from_motion(model: RobotModel, start: ArrayLike, goal: ArrayLike, acceleration_limit: ArrayLike,
                     jerk_limit: ArrayLike, start_velocity: ArrayLike = 0.0, start_acceleration: ArrayLike = 0.0,
                     goal_velocity: ArrayLike = 0.0, goal_acceleration: ArrayLike = 0.0,
                     velocity_limit: ArrayLike | None = None) -> PolynomialMotion:
    """Shortest jerk-limited move of all joints together from state to state.

    Parameters
    ----------
    start, goal
        Joint vectors (n,) [rad, m].
    acceleration_limit, jerk_limit, velocity_limit
        (n,) or one for all; velocities None: the model's own. All finite.
    start_velocity, start_acceleration, goal_velocity, goal_acceleration
        (n,) or one for all.

    Raises
    ------
    RobokinError
        When Ruckig is not installed.
    LimitError
        When a position limit would be passed, as when the start is too fast to stop before it.
    """
    try:
        import ruckig
    except ImportError as error:
        raise RobokinError('Moves that begin or end in motion need the Python package ruckig: pip install ruckig.') \
            from error
    ends = {name: joint_array(model, value, name) for name, value in (('start', start), ('goal', goal))}
    states = {name: np.broadcast_to(np.asarray(value, dtype=float), (model.dof,)) for name, value in (
        ('start_velocity', start_velocity), ('start_acceleration', start_acceleration),
        ('goal_velocity', goal_velocity), ('goal_acceleration', goal_acceleration))}
    refuse_non_finite(model, **ends, **states)
    limits = {name: joint_limits(model, name, value, own) for name, value, own in (
        ('velocity_limit', velocity_limit, model.velocity_limit), ('acceleration_limit', acceleration_limit, np.inf),
        ('jerk_limit', jerk_limit, np.inf))}
    for name, limit in limits.items():
        if not np.all(np.isfinite(limit)):
            raise InputError(f'{name} must be finite for a jerk-limited move, got {limit.tolist()}.', field=name)
    problem = ruckig.InputParameter(model.dof)
    problem.current_position, problem.target_position = ends['start'].tolist(), ends['goal'].tolist()
    problem.current_velocity, problem.target_velocity = (
        states[name].tolist() for name in ('start_velocity', 'goal_velocity'))
    problem.current_acceleration, problem.target_acceleration = (
        states[name].tolist() for name in ('start_acceleration', 'goal_acceleration'))
    problem.max_velocity, problem.max_acceleration, problem.max_jerk = (limit.tolist() for limit in limits.values())
    found = ruckig.Trajectory(model.dof)
    try:
        answer = ruckig.Ruckig(model.dof).calculate(problem, found)
    except RuntimeError as error:
        raise LimitError(f'There is no jerk-limited move between these states: {error}.') from error
    if answer not in (ruckig.Result.Working, ruckig.Result.Finished):
        raise LimitError(f'There is no jerk-limited move between these states: {answer}.')
    if found.duration <= 0.0:
        raise InputError('Start and goal are the same state: there is nothing to move.', field='goal')
    pieces = [_piece(profile, found.duration, ends['start'][joint], states['start_velocity'][joint],
                     states['start_acceleration'][joint]) for joint, profile in enumerate(found.profiles[0])]
    motion = PolynomialMotion(model, *joint_polynomials(pieces))
    check_motion(model, motion, np.maximum(limits['velocity_limit'], np.abs(states['start_velocity'])))
    return motion


def _piece(profile: Any, duration: float, position: float, velocity: float, acceleration: float) -> Piece:
    """Polynomials of one joint: braking into its limits, seven phases, and what is left of the time."""
    phases = [(length, None, jerk) for part in (profile.brake, profile, profile.accel)
              for length, jerk in zip(part.t, part.j, strict=True)]
    rest = duration - sum(length for length, _, _ in phases)
    return played(position, [*phases, (max(rest, 0.0), 0.0, 0.0)], duration, velocity, acceleration)
