"""hardware_node: the driver's loop, joint_states, and the last line of safety."""

from __future__ import annotations

import threading
import time

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from robokin_interfaces.msg import ErrorCode, HardwareState
from robokin_interfaces.srv import ApplyDisturbance
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from robokin_ros.errors import DriverError, RobokinError
from robokin_ros.hardware import Command, CommandGuard, Driver, GuardSettings, Pushable, StopState, load_driver
from robokin_ros.hardware.timing import RollingStatistics
from robokin_ros.nodes import qos
from robokin_ros.nodes.arm_node import ArmNode, spin
from robokin_ros.nodes.conversions import doubles, seconds
from robokin_ros.nodes.hot_topics import PolledTopic
from robokin_ros.nodes.realtime import request_realtime


class HardwareNode(ArmNode):
    """Runs the driver at a fixed rate in its own thread; services share the guard with it under a lock."""

    def __init__(self) -> None:
        super().__init__('hardware_node')
        self._driver: Driver | None = None
        self._guard: CommandGuard | None = None
        self._former: CommandGuard | None = None
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._running = False
        self._received = self._refused = self._cycles = self._missed = 0
        self._last_refusal = ''
        self._shown: tuple[StopState, bool] | None = None
        self._latency = RollingStatistics()
        self._lateness = RollingStatistics()
        self._position = np.empty(0)
        self._told = 0.0
        self._joint_states = self.create_publisher(JointState, 'joint_states', qos.JOINT_STATES_PUBLISHED)
        self._states = self.create_publisher(HardwareState, 'hardware_state', qos.LATCHED_STATE)
        self._diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', qos.STATE)
        self._commands = PolledTopic(self, JointState, 'joint_commands', qos.COMMANDS)
        for name, call in (('enable', self._enable), ('disable', self._disable), ('reset', self._reset),
                           ('emergency_stop', self._emergency_stop)):
            self.create_service(Trigger, name, call)
        self.create_service(ApplyDisturbance, 'apply_disturbance', self._push)
        self.steady_timer(1.0 / self.settings.state_rate, self._publish_state)
        self.steady_timer(1.0, self._publish_diagnostics)

    def start(self) -> None:
        """Connect the driver, brakes on, and start the loop."""
        settings = self.settings
        driver = load_driver(settings.driver)
        driver.configure(self.model, 1.0 / settings.rate)
        self._driver = driver
        self._guard = CommandGuard(self.model, driver.capabilities, GuardSettings(
            settings.watchdog, settings.first_step, settings.overspeed, settings.position_margin))
        if self._former is not None:  # a stop outlives deactivation, and nothing is enabled unasked a second time
            self._guard.carry_over(self._former)
        elif settings.auto_enable:
            self._guard.enable()
        self._former = self._guard
        request_realtime(self, settings.realtime_priority)
        self._running = True
        self._thread = threading.Thread(target=self._loop, args=(driver, self._guard), name='hardware loop')
        self._thread.start()

    def stop(self) -> None:
        """Stop the loop, brake, disconnect."""
        self._running = False
        if self._thread is not None:
            self._thread.join()
        if self._driver is not None:
            self._driver.close()
        self._driver = self._guard = self._thread = None

    def _loop(self, driver: Driver, guard: CommandGuard) -> None:
        """Read, supervise, obey, publish: once per period, by deadlines of the monotonic clock."""
        period = 1.0 / self.settings.rate
        message = JointState(name=list(self.model.joint_names))
        message.header.frame_id = self.model.base
        released = False
        deadline = last = time.monotonic()
        while self._running:
            deadline += period
            wait = deadline - time.monotonic()
            if wait > 0.0:
                time.sleep(wait)
            now = time.monotonic()
            late = now - deadline
            if late >= period:
                missed = int(late / period)
                self._missed += missed
                deadline += missed * period
            with self._lock:
                released = self._cycle(driver, guard, now - last, released, message)
                changed = (guard.state, guard.enabled) != self._shown
            last = now
            self._cycles += 1
            self._lateness.add(max(late, 0.0))
            if changed:
                self._publish_state()

    def _cycle(self, driver: Driver, guard: CommandGuard, elapsed: float, released: bool, message: JointState) -> bool:
        """One cycle under the lock; returns whether the brakes are (or may still be) released."""
        guard.elapse(min(elapsed, time.monotonic() - self._told))  # nobody can answer a state that was not told yet
        try:
            command = self._next_command(seconds(message.header.stamp))
            if command is not None:
                allowed, problem = guard.accept(command, self._position)
                if allowed is None:
                    self._refuse(problem)
                else:
                    if not released:
                        released = True
                        driver.activate(True)
                    driver.write(allowed)
            if guard.state is not StopState.FAULT:
                self._measure(driver, guard, elapsed, message)
        except Exception as error:  # noqa: BLE001  (whatever a driver raises, the arm must stop)
            guard.fault(f'The driver failed: {error or type(error).__name__}')
            self.get_logger().error(f'The driver failed: {error!r}', throttle_duration_sec=1.0)
        if released and guard.state is not StopState.OK:
            released = not self._brake(driver)
        return released

    def _measure(self, driver: Driver, guard: CommandGuard, elapsed: float, message: JointState) -> None:
        """Read the arm, judge what it does, publish it."""
        position, velocity, effort = driver.read(elapsed)
        for what, values in (('position', position), ('velocity', velocity)):
            if values.shape != (self.model.dof,) or not np.all(np.isfinite(values)):
                raise DriverError(f'it measured the {what} {values.tolist()}.')
        guard.supervise(position, velocity)
        self._position = position
        message.header.stamp = self.get_clock().now().to_msg()
        message.position, message.velocity = doubles(position), doubles(velocity)
        message.effort = doubles(effort)
        self._joint_states.publish(message)
        self._told = time.monotonic()

    def _brake(self, driver: Driver) -> bool:
        """Close the brakes; False if the driver could not, then it is asked again in the next cycle."""
        try:
            driver.activate(False)
        except Exception as error:  # noqa: BLE001  (it must be tried again, whatever was raised)
            self.get_logger().error(f'The brakes cannot be closed: {error!r}', throttle_duration_sec=1.0)
            return False
        return True

    def _next_command(self, published: float) -> Command | None:
        """The newest command since the last cycle; None if there is none, or none that can be used.

        `published` is the stamp [s] of the last joint state: a command computed from a much older one is stale.
        """
        message, arrival = self._commands.take_with_arrival()
        if message is None:
            return None
        self._received += 1
        stamp = seconds(message.header.stamp)
        if stamp:
            age = published - stamp
            if age > self.settings.watchdog:
                self._refuse(f'It was computed {1e3 * age:.0f} ms before the last joint state '
                             f'(watchdog {1e3 * self.settings.watchdog:.0f} ms).')
                return None
            self._latency.add(arrival - stamp)
        filled = [kind for kind in ('effort', 'position', 'velocity') if len(getattr(message, kind))]
        if len(filled) != 1:
            self._refuse('A command fills one of effort, position, velocity; this one fills '
                         f"{' and '.join(filled) or 'none'}.")
            return None
        try:
            return Command(filled[0], self.order.vector(message.name, getattr(message, filled[0]),
                                                        f'The {filled[0]} command'))
        except RobokinError as error:
            self._refuse(str(error))
            return None

    def _refuse(self, reason: str) -> None:
        self._refused += 1
        self._last_refusal = reason
        self.get_logger().warning(f'Command refused: {reason}', throttle_duration_sec=1.0)

    def _trigger(self, response: Trigger.Response, act: str) -> Trigger.Response:
        with self._lock:
            if self._guard is None:
                response.message = 'The hardware is not active.'
                return response
            problem = getattr(self._guard, act)()
            response.success = not problem
            response.message = problem or f'{self._guard.state.value}: {self._guard.reason}'
        self._publish_state()
        return response

    def _enable(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._trigger(response, 'enable')

    def _disable(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._trigger(response, 'disable')

    def _reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._lock:
            if self._guard is not None and self._driver is not None and self._guard.state is StopState.FAULT:
                try:
                    self._driver.configure(self.model, 1.0 / self.settings.rate)
                except Exception as error:  # noqa: BLE001  (the answer says what the driver raised)
                    response.message = f'The driver still fails: {error!r}'
                    return response
        return self._trigger(response, 'reset')

    def _emergency_stop(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._trigger(response, 'emergency_stop')

    def _push(self, request: ApplyDisturbance.Request,
              response: ApplyDisturbance.Response) -> ApplyDisturbance.Response:
        def work() -> str:
            if not isinstance(self._driver, Pushable):
                response.error_code.val = ErrorCode.UNSUPPORTED
                return f"Driver '{self.settings.driver}' does not simulate: it cannot be pushed."
            torque = np.zeros(self.model.dof)
            index = self.order.index(request.joint_names)
            if len(index) != len(request.effort):
                response.error_code.val = ErrorCode.BAD_INPUT
                return f'{len(index)} joints were named, {len(request.effort)} efforts given.'
            torque[index] = request.effort
            with self._lock:
                self._driver.push(torque, request.duration)
            return ''
        return self.answer(response, work)

    def _publish_state(self) -> None:
        guard = self._guard
        message = HardwareState(driver=self.settings.driver, rate=self.settings.rate)
        message.header.stamp = self.get_clock().now().to_msg()
        if guard is None:
            message.state = HardwareState.HOLDING
            message.reason = 'The hardware node is not active.'
        else:
            shown = (guard.state, guard.enabled)
            if self._shown is not None and shown != self._shown:
                self.get_logger().info(f'State {self._shown[0].value} -> {guard.state.value}: {guard.reason}')
            self._shown = shown
            message.capabilities = sorted(guard.capabilities)
            message.state, message.enabled, message.reason = guard.state.value, guard.enabled, guard.reason
        message.cycles, message.missed_cycles = self._cycles, self._missed
        message.commands_received, message.commands_refused = self._received, self._refused
        message.last_refusal = self._last_refusal
        message.latency_p50, message.latency_p99 = self._latency.percentile(50.0), self._latency.percentile(99.0)
        message.jitter_p99 = self._lateness.percentile(99.0)
        self._states.publish(message)

    def _publish_diagnostics(self) -> None:
        guard = self._guard
        status = DiagnosticStatus(name=f'{self.get_fully_qualified_name()}: arm',
                                  hardware_id=self.settings.driver)
        if guard is None:
            status.level, status.message = DiagnosticStatus.STALE, 'not active'
        else:
            level = {StopState.OK: DiagnosticStatus.OK, StopState.HOLDING: DiagnosticStatus.OK,
                     StopState.PROTECTIVE_STOP: DiagnosticStatus.WARN}
            status.level = level.get(guard.state, DiagnosticStatus.ERROR)
            status.message = f'{guard.state.value}: {guard.reason}'
        status.values = [KeyValue(key=key, value=str(value)) for key, value in (
            ('cycles', self._cycles), ('missed cycles', self._missed), ('commands received', self._received),
            ('commands refused', self._refused), ('last refusal', self._last_refusal),
            ('command latency p50 [ms]', f'{1e3 * self._latency.percentile(50.0):.3f}'),
            ('command latency p99 [ms]', f'{1e3 * self._latency.percentile(99.0):.3f}'),
            ('cycle lateness p99 [ms]', f'{1e3 * self._lateness.percentile(99.0):.3f}'))]
        message = DiagnosticArray(status=[status])
        message.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(message)


def main() -> None:
    """Run the node."""
    spin(HardwareNode)
