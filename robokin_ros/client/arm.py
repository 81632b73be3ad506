"""`Arm`: motions by name, with results that say why; nothing to spin.

with Arm() as arm:
    arm.wait_until_ready()
    result = arm.move_to_pose(pose, path='lin')
    if not result:
        print(result.reason)
    arm.move_joints(home, wait=False)
    arm.set_speed(0.3)
    result = arm.wait()
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import Pose
from numpy.typing import ArrayLike, NDArray
from robokin_interfaces.action import MoveTo
from robokin_interfaces.msg import ErrorCode
from robokin_interfaces.srv import ComputeIK, PlanMotion, SetSpeedScaling
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robokin_ros.client.connection import CallError, RobotClient
from robokin_ros.errors import RobokinError
from robokin_ros.nodes.conversions import doubles, duration_message, pose_message
from robokin_ros.trajectory import Motion

Array = NDArray[np.float64]
PATIENCE = 30.0
"""Time [s] that a plan may take."""
FOREVER = 1e6
"""Time [s] that a motion is waited for unless told: it may be paused, or slow."""
CODES = {number: name for name, number in vars(ErrorCode).items() if name.isupper() and isinstance(number, int)}
TOLD_PER_SECOND = 100.0


@dataclass(frozen=True)
class MotionResult:
    """How a motion, or a plan, ended; true when it succeeded.

    Attributes
    ----------
    success
        Whether the goal was reached, or the plan was made.
    code
        Name of the error code, 'SUCCESS' among them; of follow() the number of FollowJointTrajectory.
    reason
        One sentence when it failed.
    joints
        (n,) reached, in the order of `Arm.joint_names` [rad, m].
    duration
        Of the plan [s].
    peak_effort
        (n,) that the plan needs at most [N m, N]; empty where that is not known.
    trajectory
        As planned; without points for follow().
    """

    success: bool
    code: str
    reason: str = ''
    joints: Array = field(default_factory=lambda: np.empty(0))
    duration: float = 0.0
    peak_effort: Array = field(default_factory=lambda: np.empty(0))
    trajectory: JointTrajectory | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return self.success


class Arm(RobotClient):
    """One arm. Motions wait for their end, or run on with `wait=False` until `wait()`, `cancel()` or a newer one."""

    def __init__(self, namespace: str = '', name: str = 'arm_client') -> None:
        super().__init__(namespace, name)
        self._handle: Any = None
        self._end: Any = None
        self._last = MotionResult(False, 'NOTHING', 'No motion was asked for yet.')
        self.feedback: Any = None
        """Newest feedback of the motion under way."""

    # Asking

    def ik(self, pose: ArrayLike, seed: ArrayLike | None = None, all_solutions: bool = True,
           frame: str = '') -> Array:
        """Joint vectors (k, n) that reach a pose (4, 4), nearest to the seed (default: the present joints) first.

        Empty when there is none: `ik_reason` says why.
        """
        near = self.joints if seed is None else seed
        request = ComputeIK.Request(joint_names=self.joint_names, seed=doubles(near), all_solutions=all_solutions)
        request.pose.pose, request.pose.header.frame_id = pose_message(np.asarray(pose, dtype=float)), frame
        response = self.call(ComputeIK, 'compute_ik', request)
        self.ik_reason = str(response.message)
        if not len(response.positions):
            return np.empty((0, len(self.joint_names)))
        order = [list(response.joint_names).index(name) for name in self.joint_names]
        return np.reshape(response.positions, (-1, len(order)))[:, order]

    def fk(self, joints: ArrayLike | None = None) -> Array:
        """Pose (4, 4) of the tip in the base; default at the present joints."""
        return self.forward_kinematics(self.joints if joints is None else joints)

    def plan(self, **goal: Any) -> MotionResult:
        """Plan without moving; the keywords of `move_joints`, `move_to_pose`, `move_to_named`, and `start` (n,)."""
        start = goal.pop('start', None)
        request = self._filled(PlanMotion.Request(), **goal)
        if start is not None:
            request.joint_names, request.start = self.joint_names, doubles(start)
        answer = self.call(PlanMotion, 'plan_motion', request, PATIENCE)
        return self._told(answer, answer.error_code.val == ErrorCode.SUCCESS)

    # Moving

    def move_joints(self, joints: ArrayLike, *, wait: bool = True, **how: Any) -> MotionResult:
        """Move to a joint vector (n,), in the order of `joint_names`; for keywords see `move_to_pose`."""
        return self._move_to(wait, joints=joints, **how)

    def move_to_named(self, name: str, *, wait: bool = True, **how: Any) -> MotionResult:
        """Move to a taught pose of the suite's file of work frames."""
        return self._move_to(wait, named=name, **how)

    def move_to_pose(self, pose: ArrayLike, *, wait: bool = True, **how: Any) -> MotionResult:
        """Move the tip to a pose (4, 4).

        Parameters
        ----------
        wait
            False: return at once; the result comes from `wait()`.
        path
            'ptp' in joint space (usual), 'lin', 'circ' (over one pose of `via`) or 'via' (over all of them).
        via, blend
            Poses (4, 4), and radii [m] of the corners at them.
        branch
            Joint vector that the solution should be nearest to.
        frame
            Link in which the poses are given; default the base.
        timing, speed, duration, scaling, position_only
            As in the action move_to.
        """
        return self._move_to(wait, pose=pose, **how)

    def follow(self, motion: Motion | tuple[ArrayLike, ArrayLike], *, wait: bool = True) -> MotionResult:
        """Follow a motion of `robokin_ros.trajectory`, or (times [s] (k,), joints (k, n)) in order of `joint_names`."""
        if isinstance(motion, tuple):
            names, t, columns = self.joint_names, np.asarray(motion[0], dtype=float), [motion[1]]
        else:
            names = list(motion.model.joint_names)
            t = np.linspace(0.0, motion.duration, max(int(np.ceil(motion.duration * TOLD_PER_SECOND)), 2) + 1)[1:]
            columns = list(motion.sample(t))
        goal = FollowJointTrajectory.Goal()
        goal.trajectory.joint_names = list(names)
        for k, instant in enumerate(t):
            fields = dict(zip(('positions', 'velocities', 'accelerations'), (doubles(np.asarray(column)[k])
                                                                            for column in columns), strict=False))
            goal.trajectory.points.append(JointTrajectoryPoint(time_from_start=duration_message(float(instant)),
                                                               **fields))
        return self._begin(self._follow, goal, wait)

    def wait(self, timeout: float | None = None) -> MotionResult:
        """Result of the motion under way, or of the last one; None waits as long as it takes.

        After `timeout` [s] it is cancelled.
        """
        if self._end is None:
            return self._last
        handle, self._end = self._end, None
        try:
            status, answer = self.result(handle, FOREVER if timeout is None else timeout)
        except RobokinError as error:
            self._last = MotionResult(False, 'TIMEOUT', f'{error} It was cancelled.', joints=self.joints)
            return self._last
        self._last = self._told(answer, status == GoalStatus.STATUS_SUCCEEDED)
        return self._last

    def cancel(self) -> MotionResult:
        """Come to rest on the path, for good."""
        if self._end is not None:
            self.wait_for(self._end.cancel_goal_async(), PATIENCE, 'The cancellation')
        return self.wait()

    def pause(self) -> MotionResult:
        """Come to rest on the path; `resume` goes on."""
        return self._triggered('pause')

    def resume(self) -> MotionResult:
        """Go on after a pause."""
        return self._triggered('resume')

    def set_speed(self, scaling: float) -> None:
        """Play this and all later motions at a share of their planned speed, 0 to 1."""
        self.checked(SetSpeedScaling, 'set_speed_scaling', SetSpeedScaling.Request(scaling=float(scaling)))

    def _triggered(self, name: str) -> MotionResult:
        response = self.call(Trigger, name, Trigger.Request())
        return MotionResult(bool(response.success), 'SUCCESS' if response.success else 'REFUSED_IN_STATE',
                            str(response.message), joints=self.joints)

    def _move_to(self, wait: bool, **goal: Any) -> MotionResult:
        return self._begin(self._move, self._filled(MoveTo.Goal(), **goal), wait)

    def _begin(self, client: Any, goal: Any, wait: bool) -> MotionResult:
        def keep(message: Any) -> None:
            self.feedback = message.feedback
        self._end = self.send_goal(client, goal, keep)
        return self.wait() if wait else MotionResult(True, 'STARTED', joints=self.joints)

    def _filled(self, goal: Any, joints: ArrayLike | None = None, pose: ArrayLike | None = None, named: str = '',
                path: str = '', via: Sequence[ArrayLike] = (), blend: ArrayLike = (), branch: ArrayLike | None = None,
                frame: str = '', timing: str = '', speed: float = 0.0, duration: float = 0.0, scaling: float = 0.0,
                position_only: bool = False) -> Any:
        """A goal of move_to or request of plan_motion."""
        if joints is not None or branch is not None:
            goal.joint_names = self.joint_names
        if joints is not None:
            goal.position = doubles(joints)
        if branch is not None:
            goal.branch = doubles(branch)
        if pose is not None:
            goal.pose.pose = _pose(pose)
        goal.pose.header.frame_id, goal.named, goal.path, goal.timing = frame, named, path, timing
        goal.via, goal.blend = [_pose(item) for item in via], doubles(np.atleast_1d(np.asarray(blend, dtype=float)))
        goal.speed, goal.duration, goal.speed_scaling = float(speed), float(duration), float(scaling)
        goal.position_only = position_only
        return goal

    def _told(self, answer: Any, success: bool) -> MotionResult:
        """Result of an answer of any of the actions, or of plan_motion."""
        if hasattr(answer, 'error_string'):
            return MotionResult(success, 'SUCCESS' if success else str(answer.error_code), str(answer.error_string),
                                self.joints)
        joints = self.joints if self._newest() is not None else np.empty(0)
        return MotionResult(success, CODES.get(answer.error_code.val, str(answer.error_code.val)),
                            str(answer.message), joints, float(answer.duration), np.array(answer.peak_effort),
                            answer.trajectory)


def _pose(matrix: ArrayLike) -> Pose:
    values = np.asarray(matrix, dtype=float)
    if values.shape != (4, 4):
        raise CallError(int(ErrorCode.BAD_INPUT), f'A pose is a 4x4 matrix, got shape {values.shape}.')
    return pose_message(values)
