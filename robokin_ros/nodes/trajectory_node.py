"""trajectory_node: executes trajectories and moves to goals, as a stream of joint references."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from control_msgs.action import FollowJointTrajectory
from numpy.typing import NDArray
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future
from robokin_interfaces.action import MoveTo
from robokin_interfaces.msg import ControllerState, ErrorCode, HardwareState, JointReference
from robokin_interfaces.srv import SetControlMode, SetSpeedScaling
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from robokin_ros.errors import InputError, RobokinError
from robokin_ros.kinematics import IkResult, inverse_kinematics
from robokin_ros.nodes import qos
from robokin_ros.nodes.arm_node import ArmNode, spin
from robokin_ros.nodes.conversions import (
    STATUS_CODES,
    doubles,
    duration_message,
    error_code,
    goal_transform,
)
from robokin_ros.nodes.hot_topics import PolledTopic
from robokin_ros.nodes.measured_state import MeasuredState
from robokin_ros.nodes.realtime import request_realtime
from robokin_ros.nodes.trajectory_goals import (
    GoalRules,
    Refusal,
    Tolerances,
    default_tolerances,
    motion_of,
    tolerances_of,
)
from robokin_ros.trajectory import Execution, PolynomialMotion, plan_joint

Array = NDArray[np.float64]
WATCH_PERIOD = 0.05
FollowResult = FollowJointTrajectory.Result

SUCCESS, PREEMPTED, CANCELED = 'success', 'preempted', 'canceled'
PATH, GOAL, STOPPED = 'path tolerance', 'goal tolerance', 'stopped'
FOLLOW_CODES = {SUCCESS: FollowResult.SUCCESSFUL, PREEMPTED: FollowResult.INVALID_GOAL,
                CANCELED: FollowResult.SUCCESSFUL, PATH: FollowResult.PATH_TOLERANCE_VIOLATED,
                GOAL: FollowResult.GOAL_TOLERANCE_VIOLATED, STOPPED: FollowResult.INVALID_GOAL}
MOVE_CODES = {SUCCESS: ErrorCode.SUCCESS, PREEMPTED: ErrorCode.PREEMPTED, CANCELED: ErrorCode.CANCELED,
              PATH: ErrorCode.PATH_TOLERANCE, GOAL: ErrorCode.GOAL_TOLERANCE, STOPPED: ErrorCode.STOPPED}


class Unsolved(RobokinError):
    """A pose goal without a solution: code of the IK status."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass
class Outcome:
    """How a motion ended: one of the words above, and a sentence."""

    kind: str
    message: str


@dataclass
class Running:
    """A motion under way."""

    execution: Execution
    tolerances: Tolerances
    done: Future
    feedback: Callable[[Execution, Array, Array, Array], None]
    goal: ServerGoalHandle | None = None
    ended_at: float | None = None
    last_feedback: float = 0.0

    @property
    def canceled(self) -> bool:
        """The client asked to stop."""
        return self.goal is not None and bool(self.goal.is_cancel_requested)


class TrajectoryNode(ArmNode):
    """One motion at a time; a newer one replaces the older. A thread of its own plays each motion."""

    def __init__(self) -> None:
        super().__init__('trajectory_node')
        self._running: Running | None = None
        self._lock = threading.RLock()
        self._position: Array | None = None
        self._velocity: Array = np.empty(0)
        self._state_time = 0.0
        self._scaling = 1.0
        self._hardware: HardwareState | None = None
        self._mode = ''
        self._references = self.create_publisher(JointReference, 'joint_reference', qos.REFERENCES)
        self._message = JointReference()
        self._joint_states = PolledTopic(self, JointState, 'joint_states', qos.JOINT_STATES_READ)
        self.create_subscription(HardwareState, 'hardware_state', self._on_hardware, qos.LATCHED_STATE)
        self.create_subscription(ControllerState, 'controller_state', self._on_controller, qos.STATE)
        self.create_subscription(JointTrajectory, 'joint_trajectory', self._on_trajectory, qos.COMMANDS)
        self.create_service(Trigger, 'pause', self._pause)
        self.create_service(Trigger, 'resume', self._resume)
        self.create_service(SetSpeedScaling, 'set_speed_scaling', self._set_scaling)
        self.steady_timer(WATCH_PERIOD, self._watch)
        self._actions = [
            ActionServer(self, FollowJointTrajectory, 'follow_joint_trajectory', self._follow,
                         cancel_callback=self._on_cancel),
            ActionServer(self, MoveTo, 'move_to', self._move_to, cancel_callback=self._on_cancel)]

    def missing(self) -> str:
        """Motions need an arm and a controller."""
        if self._position is None:
            return f"joint states on {self.resolve_topic_name('joint_states')}"
        return '' if self._mode else f"a controller on {self.resolve_topic_name('controller_state')}"

    def prepare(self) -> None:
        """Listen to the joints of the new model."""
        self._measured = MeasuredState(self, self.model)
        self._position = None

    def start(self) -> None:
        """Prepare the messages."""
        self._message = JointReference(name=list(self.model.joint_names))
        request_realtime(self, self.settings.realtime_priority)

    def stop(self) -> None:
        """End what runs."""
        self._finish(STOPPED, 'The trajectory node was deactivated.')

    # What the node hears

    def _refresh(self) -> None:
        """Take the newest joint state in."""
        message = self._joint_states.take()
        if message is None or self._model is None:
            return
        try:
            self._measured.take(message)
        except RobokinError as error:
            self.get_logger().warning(f'A joint state cannot be used: {error}', throttle_duration_sec=5.0)
            return
        self._position, self._velocity = self._measured.position, self._measured.velocity
        self._state_time = time.monotonic()

    def _on_hardware(self, message: HardwareState) -> None:
        self._hardware = message
        if message.state != HardwareState.OK:
            self._finish(STOPPED, f'The hardware is in {message.state}: {message.reason}')

    def _on_controller(self, message: ControllerState) -> None:
        self._mode = message.mode
        if message.mode == SetControlMode.Request.GRAVITY_COMPENSATION:
            self._finish(STOPPED, 'The controller was switched to gravity_compensation.')

    def _on_cancel(self, goal: ServerGoalHandle) -> CancelResponse:
        return CancelResponse.ACCEPT

    def _watch(self) -> None:
        """Keep the state fresh between motions."""
        with self._lock:
            if self._running is None:
                self._refresh()

    # Running a motion

    def _now(self) -> float:
        return self.get_clock().now().nanoseconds * 1e-9

    def _rules(self) -> GoalRules:
        settings = self.settings
        return GoalRules(settings.allow_partial_joints_goal, settings.start_tolerance, settings.path_tolerance,
                         settings.goal_tolerance, settings.goal_time_tolerance,
                         settings.allow_nonzero_velocity_at_trajectory_end)

    def _require_ready(self) -> tuple[Array, Array]:
        """Position and velocity to start from; Refusal when the arm cannot move now."""
        with self._lock:
            self._refresh()
        if not self.active or self._position is None:
            raise Refusal(FollowResult.INVALID_GOAL, 'trajectory_node is not active: it waits for '
                          + (self.missing() or 'activation') + '.')
        age = time.monotonic() - self._state_time
        if age > self.settings.state_timeout:
            raise Refusal(FollowResult.INVALID_GOAL, f'The last joint state is {age:.2f} s old.')
        hardware = self._hardware
        if hardware is not None and hardware.state != HardwareState.OK:
            raise Refusal(FollowResult.INVALID_GOAL, f'The hardware is in {hardware.state}: {hardware.reason}')
        if self._mode == SetControlMode.Request.GRAVITY_COMPENSATION:
            raise Refusal(FollowResult.INVALID_GOAL, 'The controller is in gravity_compensation; set another control '
                          'mode first.')
        with self._lock:
            if self._running is not None:
                position, velocity, _ = self._running.execution.advance(self._now())
                return position, velocity / self._scaling  # at the pace of the new motion, which is scaled again
        return self._position, np.zeros(self.model.dof)

    def _play(self, running: Running) -> None:
        """Publish the references of one motion until it ends or is replaced."""
        period = 1.0 / self.settings.reference_rate
        deadline = time.monotonic()
        try:
            while self._step(running):
                deadline = max(deadline + period, time.monotonic())
                time.sleep(max(deadline - time.monotonic(), 0.0))
        except BaseException as error:
            self._finish(STOPPED, f'Internal error: {error!r}')
            raise

    def _step(self, running: Running) -> bool:
        """One reference; False when the motion is over."""
        with self._lock:
            if self._running is not running:
                return False
            self._refresh()
            age = time.monotonic() - self._state_time
            if age > self.settings.state_timeout:
                self._finish(STOPPED, f'No joint state for {1e3 * age:.0f} ms.')
                return False
            self._advance(running)
            return True

    def _begin(self, motion: PolynomialMotion, start: float, tolerances: Tolerances,
               feedback: Callable[[Execution, Array, Array, Array], None], goal: ServerGoalHandle | None) -> Running:
        running = Running(Execution(motion, start, self._scaling), tolerances, Future(executor=self.executor), feedback,
                          goal)
        with self._lock:
            if self._running is None:  # from rest: the time that the check took does not count
                running.execution.start = max(start, self._now())
            self._finish(PREEMPTED, 'A newer goal replaced this one.')
            self._running = running
        threading.Thread(target=self._play, args=(running,), name='player', daemon=True).start()
        return running

    def _finish(self, kind: str, message: str) -> None:
        with self._lock:
            running, self._running = self._running, None
        if running is not None:
            if kind not in (SUCCESS, CANCELED):
                self.get_logger().warning(f'Motion ended: {message}')
            running.done.set_result(Outcome(kind, message))

    def _advance(self, running: Running) -> None:
        """Publish the next reference, check tolerances, end the motion when it is over."""
        now = self._now()
        execution = running.execution
        if running.canceled:
            execution.stop()
        position, velocity, acceleration = execution.advance(now)
        message = self._message
        message.header.stamp = self.get_clock().now().to_msg()
        message.position, message.velocity = doubles(position), doubles(velocity)
        message.acceleration = doubles(acceleration)
        self._references.publish(message)
        assert self._position is not None
        error = position - self._position
        excess = np.abs(error) - running.tolerances.path
        if np.any(excess > 0.0):
            joint = int(np.argmax(excess))
            self._hold()
            self._finish(PATH, f"Joint '{self.model.joint_names[joint]}' is {abs(error[joint]):.4f} off the path at "
                         f'{execution.path_time:.3f} s (tolerance {running.tolerances.path[joint]:g}); holding.')
            return
        if now - running.last_feedback >= 1.0 / self.settings.feedback_rate:
            running.last_feedback = now
            running.feedback(execution, position, velocity, error)
        if execution.at_rest:
            self._settle(running, error, now)

    def _settle(self, running: Running, error: Array, now: float) -> None:
        """The reference is at rest: wait until the arm is there, or the time is up."""
        if running.canceled and not running.execution.at_end:
            self._finish(CANCELED, f'Cancelled at {running.execution.path_time:.3f} s; holding.')
            return
        if running.ended_at is None:
            running.ended_at = now
        excess = np.abs(error) - running.tolerances.goal
        slow = self.settings.stopped_velocity_tolerance
        if np.all(excess <= 0.0) and (slow == 0.0 or np.all(np.abs(self._velocity) <= slow)):
            self._finish(SUCCESS, '')
        elif now - running.ended_at > running.tolerances.time:
            joint = int(np.argmax(excess))
            self._finish(GOAL, f"Joint '{self.model.joint_names[joint]}' is {abs(error[joint]):.4f} away from the goal "
                         f'(tolerance {running.tolerances.goal[joint]:g}) and moves at {self._velocity[joint]:.4f} '
                         f'(tolerance {slow:g}) {running.tolerances.time:g} s after the end.')

    def _hold(self) -> None:
        """Reference: where the arm is, at rest."""
        assert self._position is not None
        rest = doubles(np.zeros(self.model.dof))
        self._message.position, self._message.velocity, self._message.acceleration = doubles(self._position), rest, rest
        self._references.publish(self._message)

    # Goals

    async def _run(self, goal: ServerGoalHandle, running: Running) -> Outcome:
        """Wait for the end of a motion; report it to the client's goal."""
        outcome: Outcome = await running.done
        if outcome.kind == SUCCESS:
            goal.succeed()
        elif outcome.kind == CANCELED and goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.abort()
        return outcome

    async def _follow(self, goal: ServerGoalHandle) -> FollowJointTrajectory.Result:
        result = FollowJointTrajectory.Result()
        try:
            position, velocity = self._require_ready()
            tolerances = tolerances_of(self.model, goal.request, self._rules())
            motion, start = self._planned(goal.request.trajectory, position, velocity)
        except Exception as error:  # noqa: BLE001  (the client must get a code and a sentence, whatever went wrong)
            self.get_logger().warning(f'Goal refused: {error!r}')
            goal.abort()
            result.error_code = error.code if isinstance(error, Refusal) else FollowResult.INVALID_GOAL
            result.error_string = str(error) or type(error).__name__
            return result
        message = FollowJointTrajectory.Feedback(joint_names=list(self.model.joint_names))

        def feedback(execution: Execution, reference: Array, rate: Array, error: Array) -> None:
            message.header.stamp = self._message.header.stamp
            message.desired.positions, message.desired.velocities = doubles(reference), doubles(rate)
            message.actual.positions, message.actual.velocities = doubles(reference - error), doubles(self._velocity)
            message.error.positions = doubles(error)
            message.desired.time_from_start = duration_message(execution.path_time)
            goal.publish_feedback(message)

        running = self._begin(motion, start, tolerances, feedback, goal)
        outcome = await self._run(goal, running)
        result.error_code, result.error_string = FOLLOW_CODES[outcome.kind], outcome.message
        return result

    def _planned(self, trajectory: JointTrajectory, position: Array, velocity: Array) -> tuple[PolynomialMotion, float]:
        """Checked motion of a message and when it starts; Refusal."""
        now = self._now()
        motion, start = motion_of(self.model, trajectory, position, velocity, now, self._rules())
        if start > now and self._running is not None:
            raise Refusal(FollowResult.INVALID_GOAL, f'It starts in {start - now:.3f} s, but a motion is under way: '
                          'send it when that has ended, or with a stamp of zero to replace it now.')
        return motion, start

    async def _move_to(self, goal: ServerGoalHandle) -> MoveTo.Result:
        request = goal.request
        result = MoveTo.Result()
        try:
            position, _ = self._require_ready()
            if self._running is not None:
                raise Refusal(FollowResult.INVALID_GOAL, 'Another motion is under way; cancel it first.')
            target = self._target(request, position)
            motion = plan_joint(self.model, position, target, request.duration or None,
                                scaling=request.speed_scaling or 1.0)
        except Exception as error:  # noqa: BLE001  (the client must get a code and a sentence, whatever went wrong)
            self.get_logger().warning(f'Goal refused: {error!r}')
            goal.abort()
            result.error_code.val = self._refusal_code(error)
            result.message = str(error) or type(error).__name__
            return result
        message = MoveTo.Feedback(joint_names=list(self.model.joint_names))

        def feedback(execution: Execution, reference: Array, rate: Array, error: Array) -> None:
            message.progress = float(execution.progress)
            message.remaining = float(motion.duration - execution.path_time)
            message.largest_error = float(np.max(np.abs(error)))
            goal.publish_feedback(message)

        running = self._begin(motion, self._now(), default_tolerances(self.model, self._rules()), feedback, goal)
        outcome = await self._run(goal, running)
        result.error_code.val, result.message = MOVE_CODES[outcome.kind], outcome.message
        result.duration = motion.duration
        result.position = doubles(self._position if self._position is not None else target)
        return result

    def _refusal_code(self, error: Exception) -> int:
        if not isinstance(error, RobokinError):
            return int(ErrorCode.BAD_INPUT)
        if isinstance(error, Unsolved):
            return error.code
        if isinstance(error, Refusal):
            return int(ErrorCode.NOT_READY if not self.active else ErrorCode.REFUSED_IN_STATE)
        return error_code(error)

    def _target(self, request: MoveTo.Goal, position: Array) -> Array:
        """Joint goal of a request; a pose is solved near the present joints."""
        if len(request.position):
            return self.order.vector(request.joint_names, request.position, 'position')
        transform = goal_transform(self.model, request.pose, position)
        solved = inverse_kinematics(self.model, transform, position, all_solutions=False)
        assert isinstance(solved, IkResult)
        if len(solved.solutions) == 0:
            raise Unsolved(int(STATUS_CODES[solved.status]), solved.reason)
        return np.asarray(solved.solutions[0])

    def _on_trajectory(self, message: JointTrajectory) -> None:
        """A trajectory by topic: as a goal, without anyone to tell but the log."""
        try:
            position, velocity = self._require_ready()
            motion, start = self._planned(message, position, velocity)
        except RobokinError as refusal:
            self.get_logger().warning(f'Trajectory on joint_trajectory refused: {refusal}')
            return
        self._begin(motion, start, default_tolerances(self.model, self._rules()), lambda *_: None, None)

    # Services

    def _pause_motion(self, paused: bool, response: Trigger.Response) -> Trigger.Response:
        with self._lock:
            if self._running is None:
                response.message = 'No motion is under way.'
            else:
                self._running.execution.pause(paused)
                response.success = True
        return response

    def _pause(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._pause_motion(True, response)

    def _resume(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._pause_motion(False, response)

    def _set_scaling(self, request: SetSpeedScaling.Request,
                     response: SetSpeedScaling.Response) -> SetSpeedScaling.Response:
        def work() -> None:
            if not 0.0 < request.scaling <= 1.0:
                raise InputError(f'The speed scaling is {request.scaling}; it must be in (0, 1].', field='scaling',
                                 value=request.scaling)
            with self._lock:
                self._scaling = request.scaling
                if self._running is not None:
                    self._running.execution.set_scaling(request.scaling)
        return self.answer(response, work)


def main() -> None:
    """Run the node."""
    spin(TrajectoryNode)
