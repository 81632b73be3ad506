"""Plays one motion at a time as a stream of joint references, and watches the arm follow."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from control_msgs.msg import JointTrajectoryControllerState
from numpy.typing import NDArray
from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future
from robokin_interfaces.msg import JointReference
from sensor_msgs.msg import JointState

from robokin_ros.errors import RobokinError
from robokin_ros.nodes import qos
from robokin_ros.nodes.conversions import doubles, duration_message
from robokin_ros.nodes.hot_topics import PolledTopic
from robokin_ros.nodes.measured_state import MeasuredState
from robokin_ros.nodes.trajectory_goals import Tolerances
from robokin_ros.trajectory import Execution, Motion, TorqueLimits

if TYPE_CHECKING:
    from robokin_ros.nodes.arm_node import ArmNode

Array = NDArray[np.float64]
Feedback = Callable[[Execution, Array, Array, Array], None]
"""Called with the execution, reference, its rate, and the error of position."""
SLOW = 0.05
"""Pace below which a motion that is replaced counts as standing."""

SUCCESS, PREEMPTED, CANCELED = 'success', 'preempted', 'canceled'
PATH, GOAL, STOPPED = 'path tolerance', 'goal tolerance', 'stopped'


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
    feedback: Feedback
    goal: ServerGoalHandle | None = None
    replaced: str = ''
    ended_at: float | None = None
    last_feedback: float = 0.0

    @property
    def canceled(self) -> bool:
        """The client asked to stop."""
        return self.goal is not None and bool(self.goal.is_cancel_requested)


class TrajectoryPlayer:
    """A thread of its own plays each motion; a newer one replaces the older."""

    def __init__(self, node: ArmNode) -> None:
        self._node = node
        self.lock = threading.RLock()
        self.running: Running | None = None
        self.position: Array | None = None
        self.velocity: Array = np.empty(0)
        self.scaling = 1.0
        self._measured: MeasuredState | None = None
        self._state_time = self._last_state = 0.0
        self._references = node.create_publisher(JointReference, 'joint_reference', qos.REFERENCES)
        self._states = node.create_publisher(JointTrajectoryControllerState, '~/controller_state', qos.STATE)
        self._joint_states = PolledTopic(node, JointState, 'joint_states', qos.JOINT_STATES_READ)
        self._message = JointReference()
        self._state = JointTrajectoryControllerState()

    def prepare(self) -> None:
        """Listen to the joints of the node's model."""
        self._measured = MeasuredState(self._node, self._node.model)
        self.position = None
        names = list(self._node.model.joint_names)
        self._message, self._state = JointReference(name=names), JointTrajectoryControllerState(joint_names=names)

    @property
    def stamp(self) -> object:
        """Of the last reference."""
        return self._message.header.stamp

    def refresh(self) -> float:
        """Take the newest joint state in; the age [s] of what is known."""
        if self._measured is None:  # there is no robot description yet
            return np.inf
        message = self._joint_states.take()
        if message is not None:
            try:
                self._measured.take(message)
            except RobokinError as error:
                self._node.get_logger().warning(f'A joint state cannot be used: {error}', throttle_duration_sec=5.0)
            else:
                self.position, self.velocity = self._measured.position, self._measured.velocity
                self._state_time = time.monotonic()
        return time.monotonic() - self._state_time

    def now(self) -> float:
        """Clock time [s]."""
        return float(self._node.get_clock().now().nanoseconds * 1e-9)

    def present(self) -> tuple[Array, Array]:
        """Position and velocity that a new motion starts from; of the reference while one runs.

        The velocity is that on the path at full pace: the new motion begins at the pace of the old one.
        """
        assert self.position is not None
        with self.lock:
            if self.running is None:
                return self.position, np.zeros_like(self.position)
            position, velocity, _ = self.running.execution.advance(self.now())
            pace = self.running.execution.pace
            return position, velocity / pace if pace > SLOW else 0.0 * velocity

    def begin(self, motion: Motion, start: float, tolerances: Tolerances, feedback: Feedback,
              goal: ServerGoalHandle | None, planned_from: Running | None) -> Running | None:
        """Play a motion from clock time `start` [s] on, in place of what runs.

        None when something else runs by now than what the motion was planned from (None: nothing): it would jump.
        """
        with self.lock:
            if self.running is not planned_from:
                return None
            pace = None
            if self.running is not None and self.running.execution.pace > SLOW:
                pace = self.running.execution.pace
            execution = Execution(motion, start, self.scaling, pace)
            if self.running is None:  # from rest: the time that the check took does not count
                execution.start = max(start, self.now())
            running = Running(execution, tolerances, Future(executor=self._node.executor), feedback, goal)
            self.finish(PREEMPTED, 'A newer goal replaced this one.')
            self.running = running
        threading.Thread(target=self._play, args=(running,), name='player', daemon=True).start()
        return running

    def bring_to_rest(self, running: Running, reason: str = '') -> None:
        """Stop on the path as quickly as the limits allow; with a reason: because the motion is replaced."""
        with self.lock:
            running.replaced = running.replaced or reason
            self._ease(running, 0.0)
            running.execution.stop()

    def pause(self, paused: bool) -> bool:
        """Hold on the path, or go on; False when nothing runs."""
        with self.lock:
            if self.running is None:
                return False
            self._ease(self.running, 0.0 if paused else self.scaling)
            self.running.execution.pause(paused)
            return True

    def scale(self, scaling: float) -> None:
        """Pace of the running and all later motions."""
        with self.lock:
            if self.running is not None:
                if not self.running.execution.paused:
                    self._ease(self.running, scaling)
                self.running.execution.set_scaling(scaling)
            self.scaling = scaling

    def finish(self, kind: str, message: str) -> None:
        """End what runs."""
        with self.lock:
            running, self.running = self.running, None
        if running is not None:
            if kind not in (SUCCESS, CANCELED):
                self._node.get_logger().warning(f'Motion ended: {message}')
            running.done.set_result(Outcome(kind, message))

    def _ease(self, running: Running, pace: float) -> None:
        """Go over to a pace as quickly as the torques allow."""
        model = self._node.model
        limited = not model.no_dynamics_reason and bool(np.all(model.effort_limit > 0.0))
        running.execution.choose_ramp(TorqueLimits(model.effort_limit) if limited else None, pace)

    def _play(self, running: Running) -> None:
        """Publish the references of one motion until it ends or is replaced."""
        period = 1.0 / self._node.settings.reference_rate
        deadline = time.monotonic()
        try:
            while self._step(running):
                deadline = max(deadline + period, time.monotonic())
                time.sleep(max(deadline - time.monotonic(), 0.0))
        except BaseException as error:
            with self.lock:
                if self.running is running:
                    self.finish(STOPPED, f'Internal error: {error!r}')
            raise

    def _step(self, running: Running) -> bool:
        """One reference; False when the motion is over."""
        with self.lock:
            if self.running is not running:
                return False
            age = self.refresh()
            if age > self._node.settings.state_timeout:
                self.finish(STOPPED, f'No joint state for {1e3 * age:.0f} ms.')
                return False
            self._advance(running)
            return True

    def _advance(self, running: Running) -> None:
        """Publish the next reference, check tolerances, end the motion when it is over."""
        now, execution = self.now(), running.execution
        if running.canceled and not execution.stopping:
            self.bring_to_rest(running)
        position, velocity, acceleration = execution.advance(now)
        message = self._message
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.position, message.velocity = doubles(position), doubles(velocity)
        message.acceleration = doubles(acceleration)
        self._references.publish(message)
        assert self.position is not None
        error = position - self.position
        self._publish_state(now, execution, (position, velocity, acceleration))
        if self._off_path(running, error, velocity - self.velocity):
            return
        if now - running.last_feedback >= 1.0 / self._node.settings.feedback_rate:
            running.last_feedback = now
            running.feedback(execution, position, velocity, error)
        if execution.at_rest:
            self._settle(running, error, now)

    def _off_path(self, running: Running, error: Array, rate_error: Array) -> bool:
        """End the motion when the arm has left the path tolerance."""
        execution = running.execution
        for values, tolerance, unit in ((error, running.tolerances.path, ''),
                                        (rate_error, running.tolerances.path_speed, ' per second')):
            excess = np.abs(values) - tolerance
            if np.any(excess > 0.0):
                joint = int(np.argmax(excess))
                self.hold()
                name = self._node.model.joint_names[joint]
                self.finish(PATH, f"Joint '{name}' is {abs(values[joint]):.4f}{unit} off "
                            f'the path at {execution.path_time:.3f} s (tolerance {tolerance[joint]:g}); holding.')
                return True
        return False

    def _settle(self, running: Running, error: Array, now: float) -> None:
        """The reference is at rest: wait until the arm is there, or the time is up."""
        execution, tolerances = running.execution, running.tolerances
        if not execution.at_end or running.replaced or running.canceled:
            if running.replaced:
                self.finish(PREEMPTED, running.replaced)
            else:
                self.finish(CANCELED, f'Cancelled at {execution.path_time:.3f} s; holding.')
            return
        if running.ended_at is None:
            running.ended_at = now
        excess = np.abs(error) - tolerances.goal
        slow = self._node.settings.stopped_velocity_tolerance
        slow_enough = np.minimum(tolerances.goal_speed, slow if slow > 0.0 else np.inf)
        if np.all(excess <= 0.0) and np.all(np.abs(self.velocity) <= slow_enough):
            self.finish(SUCCESS, '')
        elif now - running.ended_at > tolerances.time:
            joint = int(np.argmax(np.maximum(excess, np.abs(self.velocity) - slow_enough)))
            self.finish(GOAL, f"Joint '{self._node.model.joint_names[joint]}' is {abs(error[joint]):.4f} away from the "
                        f'goal (tolerance {tolerances.goal[joint]:g}) and moves at {self.velocity[joint]:.4f} '
                        f'(tolerance {slow_enough[joint]:g}) {tolerances.time:g} s after the end.')

    def hold(self) -> None:
        """Reference: where the arm is, at rest."""
        assert self.position is not None
        rest = doubles(np.zeros(self._node.model.dof))
        self._message.position, self._message.velocity, self._message.acceleration = doubles(self.position), rest, rest
        self._references.publish(self._message)

    def watch(self) -> None:
        """Between motions: keep the joint state fresh, tell the state."""
        with self.lock:
            if self.running is None:
                self.refresh()
                if self.position is not None:
                    rest = np.zeros_like(self.position)
                    self._publish_state(self.now(), None, (self.position, rest, rest))

    def _publish_state(self, now: float, execution: Execution | None, reference: tuple[Array, Array, Array]) -> None:
        """Tell reference, measurement and error, as joint_trajectory_controller does."""
        if now - self._last_state < 1.0 / self._node.settings.state_rate:
            return
        self._last_state = now
        assert self.position is not None
        message, (position, velocity, acceleration) = self._state, reference
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.reference.positions, message.reference.velocities = doubles(position), doubles(velocity)
        message.reference.accelerations = message.output.accelerations = doubles(acceleration)
        message.feedback.positions, message.feedback.velocities = doubles(self.position), doubles(self.velocity)
        message.error.positions = doubles(position - self.position)
        message.error.velocities = doubles(velocity - self.velocity)
        message.output.positions, message.output.velocities = doubles(position), doubles(velocity)
        message.reference.time_from_start = duration_message(execution.path_time if execution else 0.0)
        if hasattr(message, 'speed_scaling_factor'):  # control_msgs since 5.4
            message.speed_scaling_factor = float(execution.pace if execution else self.scaling)
        self._states.publish(message)
