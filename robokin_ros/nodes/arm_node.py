"""What all nodes share: life cycle, waiting for the robot description, answering with error codes."""

from __future__ import annotations

import gc
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.experimental import EventsExecutor
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.signals import SignalHandlerOptions
from rclpy.timer import Timer
from robokin_interfaces.msg import ErrorCode
from std_msgs.msg import String

from robokin_ros.errors import ModelError, RobokinError
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.nodes import qos
from robokin_ros.nodes.conversions import JointOrder, error_code
from robokin_ros.nodes.parameters import Settings

CHECK_PERIOD = 0.05
"""Time [s] between two looks at whether the node can go on to the next life-cycle state."""
SWITCH_INTERVAL = 2e-4
"""Longest time [s] that one Python thread of a node keeps another waiting."""
SIGNAL_PERIOD = 0.2
"""Time [s] after which an idle node looks whether it was asked to end."""
REMIND_PERIOD = 5.0
"""Time [s] between two reminders of what the node waits for."""


class ArmNode(LifecycleNode):
    """A life-cycle node that works on the model of `robot_description`.

    With `autostart` it configures itself when a description arrives and activates itself when `missing()`
    says that nothing is missing. A subclass overrides `prepare`, `start`, `stop`, `missing`.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.settings = Settings(self, name)
        self.active = False
        self._model: RobotModel | None = None
        self._order: JointOrder | None = None
        self._description = ''
        self._refused_description = ''
        self._reminded = self._steady.now()
        self.create_subscription(String, 'robot_description', self._on_description, qos.DESCRIPTION)
        self._starting = False
        if self.settings.autostart:
            self._starter = self.steady_timer(CHECK_PERIOD, self._go_on)

    def steady_timer(self, period: float, callback: Callable[[], None]) -> Timer:
        """Timer [s] that runs whatever the ROS clock does (it stands still without /clock under use_sim_time)."""
        return self.create_timer(period, callback, clock=self._steady)

    @property
    def model(self) -> RobotModel:
        """The model; RobokinError before a description came."""
        if self._model is None:
            raise RobokinError('There is no robot description yet.')
        return self._model

    @property
    def order(self) -> JointOrder:
        """Puts named joint values into the model's order."""
        if self._order is None:
            raise RobokinError('There is no robot description yet.')
        return self._order

    def prepare(self) -> None:
        """Take the new model in: called on configuration."""

    def start(self) -> None:
        """Begin to work: called on activation, the model is there. May raise RobokinError."""

    def stop(self) -> None:
        """Stop to work: called on deactivation and shutdown."""

    def missing(self) -> str:
        """What the node waits for before it activates itself, or ''."""
        return ''

    def _on_description(self, message: String) -> None:
        if message.data == self._description:
            return
        if self._model is not None:
            self.get_logger().warning('A different robot_description arrived; the present one stays in use until '
                                      'this node is cleaned up and configured again.')
        self._description = message.data

    def _go_on(self) -> None:
        """Take the next step of the life cycle if it is possible now; leave it alone once someone else took one."""
        if self._model is None:
            if self._description and self._description != self._refused_description:
                self._refused_description = self._description
                self._take_step(self.trigger_configure)
                return
            self._remind('a valid robot_description' if self._description else
                         f"topic {self.resolve_topic_name('robot_description')}")
            return
        missing = self.missing()
        if missing:
            self._remind(missing)
            return
        self._take_step(self.trigger_activate)
        self._leave_to_others()

    def _take_step(self, transition: Callable[[], object]) -> None:
        """Take a step of the life cycle ourselves."""
        self._starting = True
        try:
            transition()
        finally:
            self._starting = False

    def _leave_to_others(self) -> None:
        """No step of the life cycle by ourselves any more."""
        if self.settings.autostart and not self._starting:
            self._starter.cancel()

    def _remind(self, what: str) -> None:
        now = self._steady.now()
        if (now - self._reminded).nanoseconds > REMIND_PERIOD * 1e9:
            self._reminded = now
            self.get_logger().warning(f'Waiting for {what}.')

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Build the model of the last description."""
        self._leave_to_others()
        if not self._description:
            self.get_logger().error('Cannot configure: no robot_description has arrived.')
            return TransitionCallbackReturn.FAILURE
        try:
            if '<' not in self._description:
                raise ModelError(f"The robot description is no XML: '{self._description[:60]}'.")
            self._model = RobotModel.from_urdf(self._description, self.settings.base or None,
                                               self.settings.tip or None)
        except RobokinError as error:
            self.get_logger().error(f'The robot description cannot be used: {error}')
            return TransitionCallbackReturn.FAILURE
        self._order = JointOrder(self._model)
        self.prepare()
        for warning in self._model.warnings:
            self.get_logger().debug(warning)
        self.get_logger().info(f"Robot '{self._model.name}': {self._model.dof} joints, base '{self._model.base}', "
                               f"tip '{self._model.tip}'.")
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Start to work."""
        self._leave_to_others()
        # A full collection over what numba and rclpy loaded takes 65 ms, thirty control cycles: freeze it.
        gc.collect()
        gc.freeze()
        try:
            self.start()
        except RobokinError as error:
            self.get_logger().error(f'Cannot activate: {error}')
            return TransitionCallbackReturn.FAILURE
        self.active = True
        result: TransitionCallbackReturn = super().on_activate(state)
        self.get_logger().info('Active.')
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop to work."""
        self._end_work()
        result: TransitionCallbackReturn = super().on_deactivate(state)
        return result

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Forget the model."""
        self._leave_to_others()
        self._model = self._order = None
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop to work for good."""
        self._leave_to_others()
        self._end_work()
        return TransitionCallbackReturn.SUCCESS

    def _end_work(self) -> None:
        if self.active:
            self.active = False
            self.stop()

    def answer(self, response: Any, work: Callable[[], str | None], needs_active: bool = True) -> Any:
        """Fill `error_code` and `message` of a response around `work`, which returns a remark or None.

        What only computes (`needs_active` False) works as soon as there is a model.
        """
        if self._model is None or (needs_active and not self.active):
            response.error_code.val = ErrorCode.NOT_READY
            response.message = f'{self.get_name()} is not active: ' + (
                'it has no robot description yet.' if self._model is None else 'it waits for '
                + (self.missing() or 'activation') + '.')
            return response
        try:
            response.message = work() or ''
        except RobokinError as error:
            response.error_code.val = error_code(error)
            response.message = str(error)
        except Exception as error:  # noqa: BLE001  (whoever asked must get an answer, and the log the reason)
            self.get_logger().error(f'A request failed: {error!r}\n{traceback.format_exc()}')
            response.error_code.val = ErrorCode.BAD_INPUT
            response.message = f'The request cannot be worked on: {error!r}.'
        return response


def spin(create: Callable[[], ArmNode], events: bool = False) -> None:
    """Run one node until SIGINT or SIGTERM; stops its work before the ROS context goes.

    `events`: with the executor that is told of events instead of looking at every entity; for nodes that only serve.
    """
    sys.setswitchinterval(SWITCH_INTERVAL)
    rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
    asked: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _: asked.append(received))
    node = create()
    executor = EventsExecutor() if events else SingleThreadedExecutor()
    executor.add_node(node)
    try:
        while not asked:
            try:
                executor.spin_once(timeout_sec=SIGNAL_PERIOD)
            except Exception as error:  # noqa: BLE001  (one bad request must not end a node that holds an arm)
                node.get_logger().error(f'A callback failed: {error!r}\n{traceback.format_exc()}')
        node.get_logger().info(f'Stopping on {signal.Signals(asked[0]).name}.')
    finally:
        node._end_work()
    executor.shutdown()
    node.destroy_node()
    rclpy.shutdown()
