"""From requests of move_to and plan_motion to checked motions, and from motions to what is answered."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped
from numpy.typing import NDArray
from robokin_interfaces.msg import ErrorCode
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robokin_ros.errors import InputError, RobokinError
from robokin_ros.kinematics import IkOptions, IkResult, forward_kinematics, inverse_kinematics
from robokin_ros.model import RobotModel, WorkFrames
from robokin_ros.nodes.conversions import (
    STATUS_CODES,
    JointOrder,
    doubles,
    duration_message,
    error_code,
    goal_transform,
)
from robokin_ros.spatial import invert_transform
from robokin_ros.trajectory import Motion, PathProblem, plan_cartesian, plan_joint, torque_peaks

Array = NDArray[np.float64]
PATHS = ('ptp', 'lin', 'circ', 'via')
TOLD_PER_SECOND, MOST_TOLD = 100.0, 2000
"""Points of a planned trajectory that are returned."""
PROBLEM_CODES = {'UNREACHABLE': ErrorCode.UNREACHABLE, 'JOINT_LIMIT': ErrorCode.OUT_OF_LIMITS,
                 'BRANCH_CHANGE': ErrorCode.GOAL_REFUSED}


class Unsolved(RobokinError):
    """A pose goal without a solution: code of the IK status."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def plan_request(model: RobotModel, order: JointOrder, frames: WorkFrames, request: Any, start: Array) -> Motion:
    """Checked motion of a goal of move_to, or a request of plan_motion, from a joint vector; RobokinError."""
    path = request.path or 'ptp'
    if path not in PATHS:
        raise InputError(f"path is '{path}'; it must be one of {', '.join(PATHS)}.", field='path', value=path)
    if request.position_only and path == 'ptp':
        raise InputError("position_only is for the paths 'lin', 'circ' and 'via'.", field='position_only')
    duration, scaling = request.duration or None, request.speed_scaling or 1.0
    if path == 'ptp':
        if request.via:
            raise InputError("path 'ptp' has no via poses.", field='via')
        target = joint_target(model, order, frames, request, start)
        return plan_joint(model, start, target, duration, scaling=scaling, timing=request.timing or 'quintic')
    options = IkOptions(position_only=True) if request.position_only else None
    goal, via, blend = _goal_pose(model, order, frames, request, start), None, np.zeros(0)
    if path == 'circ':
        if len(request.via) != 1:
            raise InputError(f"path 'circ' needs one via pose, got {len(request.via)}.", field='via')
        via = _in_base(model, request, request.via[0], start)[:3, 3]
    elif path == 'via':
        goal = np.array([*(_in_base(model, request, pose, start) for pose in request.via), goal])
        blend = _blends(request)
    elif request.via:
        raise InputError("path 'lin' has no via poses; ask for 'via'.", field='via')
    options_of_speed = {'speed': request.speed} if request.speed else {}
    return plan_cartesian(model, start, goal, via=via, blend=blend if len(blend) else 0.0,
                          timing=request.timing or 'trapezoid', duration=duration, scaling=scaling, options=options,
                          **options_of_speed)


def joint_target(model: RobotModel, order: JointOrder, frames: WorkFrames, request: Any, start: Array) -> Array:
    """Joint goal of a request; a pose is solved on the branch that was asked for."""
    if len(request.position):
        return order.vector(request.joint_names, request.position, 'position')
    if request.named:
        taught = frames.recall(request.named)
        if taught.joints is not None:
            return taught.joints
    near = order.vector(request.joint_names, request.branch, 'branch', start)
    solved = inverse_kinematics(model, _goal_pose(model, order, frames, request, start), near, all_solutions=False)
    assert isinstance(solved, IkResult)
    if len(solved.solutions) == 0:
        raise Unsolved(int(STATUS_CODES[solved.status]), solved.reason)
    return np.asarray(solved.solutions[0])


def refusal_code(error: Exception) -> int:
    """Code on the wire of what went wrong with a request."""
    if isinstance(error, Unsolved):
        return error.code
    if isinstance(error, PathProblem):
        return int(PROBLEM_CODES[error.kind])
    return error_code(error) if isinstance(error, RobokinError) else int(ErrorCode.BAD_INPUT)


def trajectory_message(model: RobotModel, motion: Motion) -> JointTrajectory:
    """A motion as points at even times, with the efforts that it needs where the model has dynamics."""
    number = int(np.clip(np.ceil(motion.duration * TOLD_PER_SECOND), 2, MOST_TOLD))
    t = np.linspace(0.0, motion.duration, number + 1)
    q, qd, qdd = motion.sample(t)
    torque = None if model.no_dynamics_reason else motion.torque(t)
    message = JointTrajectory(joint_names=list(model.joint_names))
    message.header.frame_id = model.base
    message.points = [
        JointTrajectoryPoint(positions=doubles(q[k]), velocities=doubles(qd[k]), accelerations=doubles(qdd[k]),
                             effort=doubles(torque[k]) if torque is not None else [],
                             time_from_start=duration_message(float(t[k]))) for k in range(len(t))]
    return message


def tell_plan(model: RobotModel, motion: Motion, answer: Any) -> None:
    """Fill duration, peak efforts and trajectory of a result or response."""
    answer.duration = motion.duration
    answer.trajectory = trajectory_message(model, motion)
    if not model.no_dynamics_reason:
        answer.peak_effort = doubles(torque_peaks(motion)[0])


def rate_share(model: RobotModel, motion: Motion) -> float:
    """Largest share of a joint's velocity limit that a motion uses; 0 without limits."""
    rates = np.abs(motion.sample(np.linspace(0.0, motion.duration, 1001))[1])
    return float(np.max(rates / model.velocity_limit, initial=0.0))


def _goal_pose(model: RobotModel, order: JointOrder, frames: WorkFrames, request: Any, start: Array) -> Array:
    """Pose of the tip in the base of any kind of goal."""
    if len(request.position):
        return forward_kinematics(model, order.vector(request.joint_names, request.position, 'position'))
    if request.named:
        taught = frames.recall(request.named)
        if taught.joints is not None:
            return forward_kinematics(model, taught.joints)
        assert taught.pose is not None
        return np.asarray(frames.station_frame(taught.station) @ taught.pose @ invert_transform(frames.tool_frame()))
    return goal_transform(model, request.pose, start)


def _in_base(model: RobotModel, request: Any, pose: Any, start: Array) -> Array:
    """A via pose, given in the frame of the goal."""
    return goal_transform(model, PoseStamped(header=request.pose.header, pose=pose), start)


def _blends(request: Any) -> Array:
    """Radii of the corners at the via poses."""
    radii = np.asarray(request.blend, dtype=float)
    if len(radii) == 1:
        return np.repeat(radii, len(request.via))
    if len(radii) not in (0, len(request.via)):
        raise InputError(f'blend has {len(radii)} radii for {len(request.via)} via poses.', field='blend', value=radii)
    return radii
