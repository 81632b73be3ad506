"""From FollowJointTrajectory goals to motions and tolerances, or to a refusal with code and sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robokin_ros.errors import LimitError, RobokinError, UnknownNameError
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.nodes.conversions import seconds
from robokin_ros.trajectory import PolynomialMotion, check_motion, check_torque, motion_through_points

Array = NDArray[np.float64]
Result = FollowJointTrajectory.Result
END_SPEED = 1e-6
"""Speed [rad/s, m/s] of the last point that counts as rest."""


class Refusal(RobokinError):
    """A goal that is not executed: error code of FollowJointTrajectory, and why."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class GoalRules:
    """What the node allows: see the parameters of trajectory_node."""

    allow_partial: bool
    start_tolerance: float
    path_tolerance: float
    goal_tolerance: float
    goal_time_tolerance: float
    allow_end_velocity: bool = False
    acceleration_limit: Array | None = None
    torque_share: float = 0.0


@dataclass(frozen=True)
class Tolerances:
    """Largest errors per joint on the path and at the end, and settling time [s]; infinite: unchecked.

    `path` and `goal` are of positions [rad, m], `path_speed` and `goal_speed` of velocities [rad/s, m/s].
    """

    path: Array
    goal: Array
    path_speed: Array
    goal_speed: Array
    time: float


def motion_of(model: RobotModel, trajectory: JointTrajectory, position: Array, velocity: Array, now: float,
              rules: GoalRules) -> tuple[PolynomialMotion, float]:
    """Checked motion of a trajectory message, and when it starts [s].

    `position` and `velocity` are those of the arm now; joints that the message does not name hold them.
    """
    index = _joints(model, trajectory.joint_names, rules)
    points = trajectory.points
    if not points:
        raise Refusal(Result.INVALID_GOAL, 'The trajectory has no points.')
    times = np.array([seconds(point.time_from_start) for point in points])
    for i in range(len(times)):
        if times[i] < 0.0 or (i and times[i] <= times[i - 1]):
            raise Refusal(Result.INVALID_GOAL, f'Point {i} has time {times[i]:g} s, which does not increase '
                          f'({times[i - 1]:g} s before it).' if i else f'Point 0 has the negative time {times[0]:g} s.')
    stamp = seconds(trajectory.header.stamp)
    start = stamp if stamp else now
    if start < now:
        keep = times > now - start
        if not np.any(keep):
            raise Refusal(Result.OLD_HEADER_TIMESTAMP, f'The trajectory ended {now - start - times[-1]:.3f} s ago.')
        points = [point for point, kept in zip(points, keep, strict=True) if kept]
        times, start = times[keep] - (now - start), now
    q, v, a = (_field(points, field, index, model, held) for field, held in (
        ('positions', position), ('velocities', 0.0 * velocity), ('accelerations', 0.0 * velocity)))
    if q is None:
        raise Refusal(Result.INVALID_GOAL, 'The points have no positions.')
    if v is None and a is not None:
        raise Refusal(Result.INVALID_GOAL, 'The points have accelerations but no velocities.')
    if times[0] > 0.0:
        times = np.concatenate(([0.0], times))
        q = np.vstack((position, q))
        v = None if v is None else np.vstack((velocity, v))
        a = None if a is None else np.vstack((0.0 * velocity, a))
    else:
        _check_start(model, q[0], position, rules.start_tolerance)
        q[0] = position  # not a step to where the trajectory says the arm is
        if v is not None and np.any(velocity):  # under way: go on as fast
            v[0] = velocity
    if v is not None and not rules.allow_end_velocity and np.any(np.abs(v[-1]) > END_SPEED):
        joint = int(np.argmax(np.abs(v[-1])))
        raise Refusal(Result.INVALID_GOAL, f"The trajectory ends with joint '{model.joint_names[joint]}' at "
                      f'{v[-1, joint]:.4g} instead of at rest.')
    if len(times) == 1:
        raise Refusal(Result.INVALID_GOAL, 'The only point has time 0: there is no time to move.')
    if v is None and np.any(velocity):
        motion = _bridged(model, times, q, velocity)
    else:
        motion = motion_through_points(model, times, q, v, a)
    try:
        check_motion(model, motion, acceleration_limit=rules.acceleration_limit)
        if rules.torque_share > 0.0 and not model.no_dynamics_reason:
            check_torque(model, motion, share=rules.torque_share)
    except LimitError as error:
        raise Refusal(Result.INVALID_GOAL, str(error)) from error
    return motion, start


def tolerances_of(model: RobotModel, goal: FollowJointTrajectory.Goal, rules: GoalRules) -> Tolerances:
    """Tolerances of a goal: its own where given, else those of the rules; negative or 0 by rule: unchecked."""
    time = seconds(goal.goal_time_tolerance)
    path, path_speed = _tolerance(model, goal.path_tolerance, rules.path_tolerance)
    final, final_speed = _tolerance(model, goal.goal_tolerance, rules.goal_tolerance)
    return Tolerances(path, final, path_speed, final_speed, np.inf if time < 0.0 else time or rules.goal_time_tolerance)


def default_tolerances(model: RobotModel, rules: GoalRules) -> Tolerances:
    """Tolerances of goals that bring none."""
    return tolerances_of(model, FollowJointTrajectory.Goal(), rules)


def _joints(model: RobotModel, names: list[str], rules: GoalRules) -> NDArray[np.int64]:
    try:
        index = model.order_of(names)
    except UnknownNameError as error:
        raise Refusal(Result.INVALID_JOINTS, str(error)) from error
    if len(names) == 0:
        raise Refusal(Result.INVALID_JOINTS, 'The trajectory names no joints.')
    if len(set(names)) != len(names):
        raise Refusal(Result.INVALID_JOINTS, f"A joint is named twice: {', '.join(names)}.")
    if len(index) < model.dof and not rules.allow_partial:
        lacking = [name for name in model.joint_names if name not in names]
        raise Refusal(Result.INVALID_JOINTS, f"The trajectory lacks joint {', '.join(lacking)}.")
    return index


def _field(points: list[JointTrajectoryPoint], field: str, index: NDArray[np.int64], model: RobotModel,
           held: Array) -> Array | None:
    """Values (k, n) of one field of all points; None if no point has it."""
    lengths = {len(getattr(point, field)) for point in points}
    if lengths == {0}:
        return None
    if lengths != {len(index)}:
        raise Refusal(Result.INVALID_GOAL, f'The points have {sorted(lengths)} {field}; each needs {len(index)}.')
    given = np.array([getattr(point, field) for point in points])
    bad = np.argwhere(~np.isfinite(given))
    if len(bad):
        point, joint = bad[0]
        raise Refusal(Result.INVALID_GOAL, f"Point {point} has {field} {given[point, joint]} for joint "
                      f"'{model.joint_names[index[joint]]}'.")
    values = np.tile(held, (len(points), 1))
    values[:, index] = given
    return values


def _check_start(model: RobotModel, first: Array, position: Array, tolerance: float) -> None:
    distance = np.abs(first - position)
    joint = int(np.argmax(distance))
    if distance[joint] > tolerance:
        raise Refusal(Result.INVALID_GOAL, f"The trajectory starts with joint '{model.joint_names[joint]}' at "
                      f'{first[joint]:.4f}; it is at {position[joint]:.4f} (tolerance {tolerance:g}).')


def _bridged(model: RobotModel, times: Array, q: Array, velocity: Array) -> PolynomialMotion:
    """Straight lines through points, but the first leg begins with the velocity that the arm has.

    It ends with that of the second leg, or at rest.
    """
    lines = motion_through_points(model, times, q)
    after = (q[2] - q[1]) / (times[2] - times[1]) if len(q) > 2 else 0.0 * velocity
    bridge = motion_through_points(model, times[:2], q[:2], np.stack((velocity, after)))
    pieces = np.zeros((len(q) - 1, 4, model.dof))
    pieces[:, :lines.coefficients.shape[1]] = lines.coefficients
    pieces[0] = bridge.coefficients[0]
    return PolynomialMotion(model, times, pieces)


def _tolerance(model: RobotModel, given: list[JointTolerance], default: float) -> tuple[Array, Array]:
    """Tolerances of positions and velocities (n,)."""
    values = np.full(model.dof, default if default > 0.0 else np.inf)
    speeds = np.full(model.dof, np.inf)
    for item in given:
        if item.name not in model.joint_index:
            raise Refusal(Result.INVALID_JOINTS, str(UnknownNameError('joint', item.name, model.joint_names)))
        joint = model.joint_index[item.name]
        if np.isnan(item.position) or np.isnan(item.velocity):
            raise Refusal(Result.INVALID_GOAL, f"A tolerance of joint '{item.name}' is NaN.")
        if item.position != 0.0:
            values[joint] = item.position if item.position > 0.0 else np.inf
        if item.velocity > 0.0:
            speeds[joint] = item.velocity
    return values, speeds
