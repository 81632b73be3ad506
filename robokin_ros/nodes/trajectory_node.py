"""trajectory_node: executes trajectories and moves to goals, as a stream of joint references."""

from __future__ import annotations

import threading

import numpy as np
from control_msgs.action import FollowJointTrajectory
from numpy.typing import NDArray
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future
from robokin_interfaces.action import MoveTo
from robokin_interfaces.msg import ControllerState, ErrorCode, HardwareState
from robokin_interfaces.srv import PlanMotion, SetControlMode, SetSpeedScaling
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from robokin_ros.errors import InputError, RobokinError
from robokin_ros.model import WorkFrames
from robokin_ros.nodes import qos
from robokin_ros.nodes.arm_node import ArmNode, spin
from robokin_ros.nodes.conversions import doubles, duration_message
from robokin_ros.nodes.motion_requests import plan_request, rate_share, refusal_code, tell_plan
from robokin_ros.nodes.realtime import request_realtime
from robokin_ros.nodes.trajectory_goals import (
    GoalRules,
    Refusal,
    Tolerances,
    default_tolerances,
    motion_of,
    tolerances_of,
)
from robokin_ros.nodes.trajectory_player import (
    CANCELED,
    GOAL,
    PATH,
    PREEMPTED,
    STOPPED,
    SUCCESS,
    Feedback,
    Outcome,
    Running,
    TrajectoryPlayer,
)
from robokin_ros.trajectory import Execution, Motion

Array = NDArray[np.float64]
WATCH_PERIOD = 0.05
MOST_TRIES = 5
"""How often a trajectory is checked anew because the motion that it was to replace has ended meanwhile."""
FollowResult = FollowJointTrajectory.Result
FOLLOW_CODES = {SUCCESS: FollowResult.SUCCESSFUL, PREEMPTED: FollowResult.INVALID_GOAL,
                CANCELED: FollowResult.SUCCESSFUL, PATH: FollowResult.PATH_TOLERANCE_VIOLATED,
                GOAL: FollowResult.GOAL_TOLERANCE_VIOLATED, STOPPED: FollowResult.INVALID_GOAL}
MOVE_CODES = {SUCCESS: ErrorCode.SUCCESS, PREEMPTED: ErrorCode.PREEMPTED, CANCELED: ErrorCode.CANCELED,
              PATH: ErrorCode.PATH_TOLERANCE, GOAL: ErrorCode.GOAL_TOLERANCE, STOPPED: ErrorCode.STOPPED}


class TrajectoryNode(ArmNode):
    """Checks goals on their whole curve, plans, and has a `TrajectoryPlayer` play them."""

    def __init__(self) -> None:
        super().__init__('trajectory_node')
        self._hardware: HardwareState | None = None
        self._mode = ''
        self._frames = WorkFrames()
        self._player = TrajectoryPlayer(self)
        self.create_subscription(HardwareState, 'hardware_state', self._on_hardware, qos.LATCHED_STATE)
        self.create_subscription(ControllerState, 'controller_state', self._on_controller, qos.STATE)
        self.create_subscription(JointTrajectory, 'joint_trajectory', self._on_trajectory, qos.COMMANDS)
        self.create_service(Trigger, 'pause', self._pause)
        self.create_service(Trigger, 'resume', self._resume)
        self.create_service(SetSpeedScaling, 'set_speed_scaling', self._set_scaling)
        self.create_service(PlanMotion, 'plan_motion', self._plan)
        self.steady_timer(WATCH_PERIOD, self._player.watch)
        self._actions = [
            ActionServer(self, FollowJointTrajectory, 'follow_joint_trajectory', self._follow,
                         cancel_callback=self._on_cancel),
            ActionServer(self, MoveTo, 'move_to', self._move_to, cancel_callback=self._on_cancel)]

    def missing(self) -> str:
        """Motions need an arm and a controller."""
        if self._player.position is None:
            return f"joint states on {self.resolve_topic_name('joint_states')}"
        return '' if self._mode else f"a controller on {self.resolve_topic_name('controller_state')}"

    def prepare(self) -> None:
        """Listen to the joints of the new model; read the named poses."""
        self._player.prepare()
        self._frames = WorkFrames()
        if self.settings.work_frames:
            try:
                self._frames = WorkFrames.load(self.settings.work_frames)
            except RobokinError as error:
                self.get_logger().error(f'No named poses: {error}')

    def start(self) -> None:
        """Limits must fit the arm; ask for priority."""
        self._acceleration_limit()
        request_realtime(self, self.settings.realtime_priority)

    def stop(self) -> None:
        """End what runs."""
        self._player.finish(STOPPED, 'The trajectory node was deactivated.')

    def _on_hardware(self, message: HardwareState) -> None:
        self._hardware = message
        if message.state != HardwareState.OK:
            self._player.finish(STOPPED, f'The hardware is in {message.state}: {message.reason}')

    def _on_controller(self, message: ControllerState) -> None:
        self._mode = message.mode
        if message.mode == SetControlMode.Request.GRAVITY_COMPENSATION:
            self._player.finish(STOPPED, 'The controller was switched to gravity_compensation.')

    def _on_cancel(self, goal: ServerGoalHandle) -> CancelResponse:
        return CancelResponse.ACCEPT

    # What is allowed

    def _acceleration_limit(self) -> Array | None:
        """Limit of each joint from the parameter; None: none."""
        given = np.asarray(self.settings.acceleration_limit, dtype=float)
        if given.shape not in ((1,), (self.model.dof,)) or not np.all(given >= 0.0):
            raise InputError(f'acceleration_limit is {given.tolist()}; it needs one value or {self.model.dof}, none '
                             'negative.', field='acceleration_limit', value=given)
        return np.where(given > 0.0, given, np.inf) if np.any(given > 0.0) else None

    def _rules(self) -> GoalRules:
        settings = self.settings
        return GoalRules(settings.allow_partial_joints_goal, settings.start_tolerance, settings.path_tolerance,
                         settings.goal_tolerance, settings.goal_time_tolerance,
                         settings.allow_nonzero_velocity_at_trajectory_end, self._acceleration_limit(),
                         settings.torque_share)

    def _require_ready(self) -> tuple[Array, Array]:
        """Position and velocity to start from; Refusal when the arm cannot move now."""
        with self._player.lock:
            age = self._player.refresh()
        if not self.active or self._player.position is None:
            raise Refusal(FollowResult.INVALID_GOAL, 'trajectory_node is not active: it waits for '
                          + (self.missing() or 'activation') + '.')
        if age > self.settings.state_timeout:
            raise Refusal(FollowResult.INVALID_GOAL, f'The last joint state is {age:.2f} s old.')
        hardware = self._hardware
        if hardware is not None and hardware.state != HardwareState.OK:
            raise Refusal(FollowResult.INVALID_GOAL, f'The hardware is in {hardware.state}: {hardware.reason}')
        if self._mode == SetControlMode.Request.GRAVITY_COMPENSATION:
            raise Refusal(FollowResult.INVALID_GOAL, 'The controller is in gravity_compensation; set another control '
                          'mode first.')
        return self._player.present()

    # Trajectories

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
            tolerances = tolerances_of(self.model, goal.request, self._rules())
            running = self._taken(goal.request.trajectory, tolerances, self._follow_feedback(goal), goal)
        except Exception as error:  # noqa: BLE001  (the client must get a code and a sentence, whatever went wrong)
            self.get_logger().warning(f'Goal refused: {error!r}')
            goal.abort()
            result.error_code = error.code if isinstance(error, Refusal) else FollowResult.INVALID_GOAL
            result.error_string = str(error) or type(error).__name__
            return result
        outcome = await self._run(goal, running)
        result.error_code, result.error_string = FOLLOW_CODES[outcome.kind], outcome.message
        return result

    def _follow_feedback(self, goal: ServerGoalHandle) -> Feedback:
        """What tells the client of follow_joint_trajectory where the arm is."""
        message = FollowJointTrajectory.Feedback()
        player = self._player

        def feedback(execution: Execution, reference: Array, rate: Array, error: Array) -> None:
            message.joint_names, message.header.stamp = self.order.names, player.stamp
            message.desired.positions, message.desired.velocities = doubles(reference), doubles(rate)
            message.actual.positions, message.actual.velocities = doubles(reference - error), doubles(player.velocity)
            message.error.positions, message.error.velocities = doubles(error), doubles(rate - player.velocity)
            message.desired.time_from_start = duration_message(execution.path_time)
            goal.publish_feedback(message)
        return feedback

    def _taken(self, trajectory: JointTrajectory, tolerances: Tolerances, feedback: Feedback,
               goal: ServerGoalHandle | None) -> Running:
        """Play a trajectory, checked and joined to the motion under way; Refusal."""
        for _ in range(MOST_TRIES):
            running = self._player.running
            position, velocity = self._require_ready()
            now = self._player.now()
            motion, start = motion_of(self.model, trajectory, position, velocity, now, self._rules())
            if start > now and running is not None:
                raise Refusal(FollowResult.INVALID_GOAL, f'It starts in {start - now:.3f} s, but a motion is under way'
                              ': send it when that has ended, or with a stamp of zero to replace it now.')
            playing = self._player.begin(motion, start, tolerances, feedback, goal, running)
            if playing is not None:
                return playing
        raise Refusal(FollowResult.INVALID_GOAL, 'Other motions began and ended while this one was checked.')

    def _on_trajectory(self, message: JointTrajectory) -> None:
        """A trajectory by topic: as a goal, without anyone to tell but the log."""
        try:
            if self._model is None:
                raise Refusal(FollowResult.INVALID_GOAL, 'There is no robot description yet.')
            self._taken(message, default_tolerances(self.model, self._rules()), lambda *_: None, None)
        except RobokinError as refusal:
            self.get_logger().warning(f'Trajectory on joint_trajectory refused: {refusal}')

    # Motions to goals

    async def _move_to(self, goal: ServerGoalHandle) -> MoveTo.Result:
        request, result = goal.request, MoveTo.Result()
        player, motion, running = self._player, None, None
        try:
            while running is None:
                position = await self._at_rest(goal)
                motion = await self._planned_aside(request, position)
                tell_plan(self.model, motion, result)
                if request.plan_only:
                    break
                running = player.begin(motion, player.now(), default_tolerances(self.model, self._rules()),
                                       self._move_feedback(goal, motion), goal, None)
        except Exception as error:  # noqa: BLE001  (the client must get a code and a sentence, whatever went wrong)
            self.get_logger().warning(f'Goal refused: {error!r}')
            goal.abort()
            result.error_code.val = self._refusal_code(error)
            result.message = str(error) or type(error).__name__
            return result
        if request.plan_only:
            result.position = doubles(position)
            goal.succeed()
            return result
        assert running is not None
        outcome = await self._run(goal, running)
        result.error_code.val, result.message = MOVE_CODES[outcome.kind], outcome.message
        result.position = doubles(player.position if player.position is not None else position)
        return result

    async def _at_rest(self, goal: ServerGoalHandle) -> Array:
        """Where the arm stands, after what runs was brought to rest (unless the goal only plans); Refusal."""
        position, _ = self._require_ready()
        running = self._player.running
        while running is not None and not goal.request.plan_only:
            self._player.bring_to_rest(running, 'A newer goal replaced this one.')
            await running.done
            if goal.is_cancel_requested:
                raise Refusal(FollowResult.INVALID_GOAL, 'It was cancelled before it began.')
            position, _ = self._require_ready()
            running = self._player.running
        return position

    async def _planned_aside(self, request: MoveTo.Goal | PlanMotion.Request, position: Array) -> Motion:
        """Plan in a thread of its own: meanwhile a motion can be paused and cancelled, and a stop is seen."""
        done = Future(executor=self.executor)
        model, order, frames = self.model, self.order, self._frames

        def work() -> None:
            try:
                done.set_result(plan_request(model, order, frames, request, position))
            except BaseException as error:  # noqa: BLE001  (raised where it is waited for)
                done.set_exception(error)

        threading.Thread(target=work, name='planner', daemon=True).start()
        motion: Motion = await done
        return motion

    def _move_feedback(self, goal: ServerGoalHandle, motion: Motion) -> Feedback:
        """What tells the client of move_to how far the arm is."""
        message = MoveTo.Feedback(joint_names=list(self.model.joint_names))

        def feedback(execution: Execution, reference: Array, rate: Array, error: Array) -> None:
            message.progress = float(execution.progress)
            message.remaining = float(motion.duration - execution.path_time)
            message.largest_error = float(np.max(np.abs(error)))
            goal.publish_feedback(message)
        return feedback

    def _refusal_code(self, error: Exception) -> int:
        if isinstance(error, Refusal):
            return int(ErrorCode.NOT_READY if not self.active else ErrorCode.REFUSED_IN_STATE)
        return refusal_code(error)

    async def _plan(self, request: PlanMotion.Request, response: PlanMotion.Response) -> PlanMotion.Response:
        """Plan, move nothing; works before the arm is there when the start is given."""
        try:
            position = self._player.position
            if len(request.start) == 0 and position is None:
                response.error_code.val = ErrorCode.NOT_READY
                response.message = 'No joint state has arrived yet: give a start.'
                return response
            begin = self.order.vector(request.joint_names, request.start, 'start', position)
            motion = await self._planned_aside(request, begin)
            tell_plan(self.model, motion, response)
            response.rate_share = rate_share(self.model, motion)
        except Exception as error:  # noqa: BLE001  (the client must get a code and a sentence, whatever went wrong)
            response.error_code.val = self._refusal_code(error)
            response.message = str(error) or type(error).__name__
        return response

    # Pace

    def _pause_motion(self, paused: bool, response: Trigger.Response) -> Trigger.Response:
        response.success = self._player.pause(paused)
        response.message = '' if response.success else 'No motion is under way.'
        return response

    def _pause(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._pause_motion(True, response)

    def _resume(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._pause_motion(False, response)

    def _set_scaling(self, request: SetSpeedScaling.Request,
                     response: SetSpeedScaling.Response) -> SetSpeedScaling.Response:
        def work() -> None:
            if not 0.0 <= request.scaling <= 1.0:
                raise InputError(f'The speed scaling is {request.scaling}; it must be from 0 to 1.', field='scaling',
                                 value=request.scaling)
            self._player.scale(request.scaling)
        return self.answer(response, work)


def main() -> None:
    """Run the node."""
    spin(TrajectoryNode)
