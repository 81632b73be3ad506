"""dynamics_node: the torque controller, and the dynamics of the model as services."""

from __future__ import annotations

import threading
import time
from array import array

import numpy as np
from numpy.typing import NDArray
from robokin_interfaces.msg import ControllerState, HardwareState
from robokin_interfaces.msg import JointReference as JointReferenceMessage
from robokin_interfaces.srv import (
    ComputeForwardDynamics,
    ComputeInverseDynamics,
    GetDynamicsTerms,
    SetControlMode,
    SetPayload,
)
from sensor_msgs.msg import JointState as JointStateMessage

from robokin_ros.control import (
    CONTROL_MODES,
    POSITION,
    ControlLaw,
    JointReference,
    JointState,
    control_law,
    saturate,
)
from robokin_ros.dynamics import gravity_torque, mass_matrix
from robokin_ros.errors import InputError, RobokinError, UnknownNameError, UnsupportedError
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.nodes import qos
from robokin_ros.nodes.arm_node import ArmNode, spin
from robokin_ros.nodes.conversions import JointOrder, doubles, seconds
from robokin_ros.nodes.dynamics_services import accelerations_of, terms_of, torques_of
from robokin_ros.nodes.hot_topics import HotTopics
from robokin_ros.nodes.measured_state import MeasuredState
from robokin_ros.nodes.realtime import request_realtime

Array = NDArray[np.float64]
LIMIT_SLACK = 1e-3
"""Distance [rad, m] beyond a position limit that a reference may have."""
WEIGHED = 500
"""Poses in which a payload is weighed."""
NOTHING = array('d')
GAIN_PARAMETERS = frozenset({'bandwidth', 'damping_ratio', 'free_drive_damping'})


class DynamicsNode(ArmNode):
    """Each joint state is answered by a command; without a moving reference the arm is held."""

    def __init__(self) -> None:
        super().__init__('dynamics_node')
        self._mode: str = self.settings.mode
        self._lock = threading.Lock()
        self._law: ControlLaw | None = None
        self._loaded: RobotModel | None = None
        self._reference: JointReference | None = None
        self._reference_stamp = 0.0
        self._hardware_ok: bool | None = None
        self._capabilities: tuple[str, ...] = ()
        self._updates: list[float] = []
        self._last_stamp = self._last_state = self._longest = 0.0
        self._command = JointStateMessage()
        self._commands = self.create_publisher(JointStateMessage, 'joint_commands', qos.COMMANDS)
        self._states = self.create_publisher(ControllerState, 'controller_state', qos.STATE)
        self._hot = HotTopics(self)
        self._hot.subscribe(JointReferenceMessage, 'joint_reference', self._on_reference, qos.REFERENCES)
        self._hot.subscribe(JointStateMessage, 'joint_states', self._on_joint_state, qos.JOINT_STATES_READ)
        self.create_subscription(HardwareState, 'hardware_state', self._on_hardware, qos.LATCHED_STATE)
        self.create_service(SetControlMode, 'set_control_mode', self._set_mode)
        self.create_service(SetPayload, 'set_payload', self._set_payload)
        self.create_service(ComputeInverseDynamics, 'compute_inverse_dynamics', self._inverse_dynamics)
        self.create_service(ComputeForwardDynamics, 'compute_forward_dynamics', self._forward_dynamics)
        self.create_service(GetDynamicsTerms, 'get_dynamics_terms', self._terms)
        self.add_post_set_parameters_callback(self._on_parameters)

    @property
    def loaded(self) -> RobotModel:
        """The model with its payload."""
        return self._loaded or self.model

    def missing(self) -> str:
        """The controller starts when there is an arm to control."""
        if self.count_publishers('joint_states'):
            return ''
        return f"joint states on {self.resolve_topic_name('joint_states')}"

    def prepare(self) -> None:
        """The hand is empty until a payload is set."""
        self._loaded = self.model

    def start(self) -> None:
        """Compile nothing later: build the law and run it once."""
        self._reference = None
        self._reference_order = JointOrder(self.model)
        self._measured = MeasuredState(self, self.model)
        self._command = JointStateMessage(name=list(self.model.joint_names))
        self._install_law(self._mode)
        request_realtime(self, self.settings.realtime_priority)
        self._hot.start()

    def stop(self) -> None:
        """No command after this."""
        self._hot.stop()

    def _install_law(self, mode: str) -> None:
        """Build the law of a mode with the present gains and payload, run it once, then follow it."""
        if mode not in CONTROL_MODES:
            raise UnknownNameError('control mode', mode, CONTROL_MODES)
        model, settings, law = self.loaded, self.settings, None
        kind = 'position' if mode == POSITION else 'effort'
        if self._capabilities and kind not in self._capabilities:
            raise UnsupportedError(f"Mode '{mode}' needs {kind} commands; the driver takes "
                                   f"{', '.join(self._capabilities)}.")
        if mode != POSITION:
            model.require_dynamics()
            law = control_law(mode, model, settings.bandwidth, settings.damping_ratio, settings.free_drive_damping)
            rest = np.zeros(model.dof)
            law.update(JointState(model.middle(), rest), JointReference(model.middle(), rest, rest), 0.0)
        with self._lock:
            if mode != self._mode:
                self._reference = None
            self._law, self._mode = law, mode

    def _on_parameters(self, parameters: list) -> None:
        if self.active and GAIN_PARAMETERS & {parameter.name for parameter in parameters}:
            self._install_law(self._mode)

    def _on_hardware(self, message: HardwareState) -> None:
        self._hardware_ok = message.state == HardwareState.OK
        self._capabilities = tuple(message.capabilities)

    def _on_reference(self, message: JointReferenceMessage) -> None:
        if self._hardware_ok is False:
            return
        try:
            reference = JointReference(*(self._reference_order.vector(message.name, getattr(message, field), field)
                                         for field in ('position', 'velocity', 'acceleration')))
            self._check_reference(reference)
        except RobokinError as error:
            self.get_logger().warning(f'A joint reference was refused: {error}', throttle_duration_sec=1.0)
            return
        with self._lock:
            self._reference = reference
            self._reference_stamp = seconds(message.header.stamp)

    def _check_reference(self, reference: JointReference) -> None:
        """Refuse a reference that the arm must not follow: NaN, beyond limits, far from where the arm is."""
        model = self.model
        if not all(np.all(np.isfinite(values)) for values in vars(reference).values()):
            raise InputError('it contains NaN or infinity.', field='joint_reference')
        position = self._measured.position
        if len(position) == 0:
            return
        q, step = reference.position, self.settings.reference_step
        lower, upper = np.minimum(model.lower, position), np.maximum(model.upper, position)
        out = (q < lower - LIMIT_SLACK) | (q > upper + LIMIT_SLACK)
        far = np.abs(q - position) > step
        if np.any(out):
            joint = int(np.argmax(out))
            raise InputError(f"joint '{model.joint_names[joint]}' at {q[joint]:.4f} is outside {lower[joint]:.4f} to "
                             f'{upper[joint]:.4f}.', field='joint_reference')
        if np.any(far):
            joint = int(np.argmax(far))
            raise InputError(f"joint '{model.joint_names[joint]}' at {q[joint]:.4f} is {abs(q - position)[joint]:.4f} "
                             f'away from where it is; at most {step:g} is allowed.', field='joint_reference')

    def _forget_after_a_gap(self, before: Array, dt: float) -> None:
        """Hold where the arm is when it was out of sight, or is not where it can have moved to (a restart)."""
        position = self._measured.position
        if len(before) == 0:
            return
        reach = self.settings.reference_step + 2.0 * self.model.velocity_limit * abs(dt)
        if not 0.0 <= dt <= self.settings.reference_timeout or np.any(np.abs(position - before) > reach):
            if self._reference is not None and self._hardware_ok is not False:
                self.get_logger().warning(f'No joint state for {1e3 * dt:.0f} ms, or a jump: holding where the arm is.')
            self._reference = None

    def _on_joint_state(self, message: JointStateMessage) -> None:
        now = time.monotonic()
        before = self._measured.position
        try:
            self._measured.take(message)
            stamp = self._measured.stamp
            dt = stamp - self._last_stamp
            if 0.0 <= dt < 0.5 / self.settings.rate:
                return
            state = JointState(self._measured.position, self._measured.velocity)
            with self._lock:
                self._forget_after_a_gap(before, dt)
                reference = self._reference_for(state, stamp)
                torque, cut = np.zeros(0), np.zeros(0, dtype=bool)
                if self._law is not None:
                    torque, cut = saturate(self._law.update(state, reference, dt), self.model.effort_limit)
        except RobokinError as error:
            self.get_logger().warning(f'A joint state cannot be used: {error}', throttle_duration_sec=1.0)
            return
        self._command.header.stamp = message.header.stamp
        self._command.effort, self._command.position = doubles(torque), NOTHING
        if self._law is None:
            lower, upper = (side(limit, state.position) for side, limit in (
                (np.minimum, self.model.lower), (np.maximum, self.model.upper)))  # from beyond a limit it comes back
            self._command.position = doubles(np.clip(reference.position, lower, upper))
        self._commands.publish(self._command)
        self._last_stamp = stamp
        self._updates.append(now)
        self._longest = max(self._longest, time.monotonic() - now)
        if now - self._last_state >= 1.0 / self.settings.state_rate:
            self._last_state = now
            self._publish_state(message, state, reference, torque, cut)

    def _reference_for(self, state: JointState, stamp: float) -> JointReference:
        """The reference to follow at an instant [s]: the last one, or where the arm is when there is none to trust."""
        reference = self._reference
        rest = np.zeros(self.model.dof)
        age = stamp - self._reference_stamp
        if (reference is None or self._hardware_ok is False
                or self._mode == SetControlMode.Request.GRAVITY_COMPENSATION):
            self._reference = JointReference(state.position, rest, rest)
            return self._reference
        if not np.any(reference.velocity):
            return reference
        if age > self.settings.reference_timeout:
            self.get_logger().error(f'The reference stopped in motion {1e3 * age:.0f} ms ago: holding here.')
            self._reference = JointReference(state.position, rest, rest)
            return self._reference
        return reference.after(max(age, 0.0))

    def _publish_state(self, message: JointStateMessage, state: JointState, reference: JointReference, torque: Array,
                       cut: NDArray[np.bool_]) -> None:
        now = self._updates[-1]
        self._updates = [instant for instant in self._updates if now - instant < 1.0]
        out = ControllerState(mode=self._mode, name=self._command.name, rate=float(len(self._updates)),
                              compute_time=self._longest)
        out.header.stamp = message.header.stamp
        out.reference, out.position = doubles(reference.position), doubles(state.position)
        out.velocity, out.error = doubles(state.velocity), doubles(reference.position - state.position)
        out.effort, out.saturated = doubles(torque), cut.tolist()
        self._longest = 0.0
        self._states.publish(out)

    def _set_mode(self, request: SetControlMode.Request,
                  response: SetControlMode.Response) -> SetControlMode.Response:
        def work() -> str:
            response.previous_mode = self._mode
            self._install_law(request.mode)
            self.get_logger().info(f'Mode {response.previous_mode} -> {self._mode}.')
            return ''
        return self.answer(response, work)

    def _set_payload(self, request: SetPayload.Request, response: SetPayload.Response) -> SetPayload.Response:
        def work() -> str:
            xx, xy, xz, yy, yz, zz = request.inertia
            center = (request.center.x, request.center.y, request.center.z)
            loaded = self.model.with_payload(
                request.mass, center, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
            remark = self._weigh(loaded)
            before, self._loaded = self._loaded, loaded
            try:
                self._install_law(self._mode)
            except RobokinError:
                self._loaded = before
                raise
            self.get_logger().info(f'Payload {request.mass:g} kg at {center}. {remark}')
            return remark
        return self.answer(response, work)

    def _weigh(self, loaded: RobotModel) -> str:
        """Refuse a payload that no number can describe; say it when there are poses in which the arm cannot hold it."""
        low, high = (np.where(np.isfinite(limit), limit, side * np.pi)
                     for limit, side in ((loaded.lower, -1.0), (loaded.upper, 1.0)))
        poses = np.random.default_rng(0).uniform(low, high, (WEIGHED, loaded.dof))
        torque = np.max(np.abs(gravity_torque(loaded, poses)), axis=0)
        if not (np.all(np.isfinite(torque)) and np.all(np.isfinite(mass_matrix(loaded, poses[0])))):
            raise InputError('The payload is too large: the torques to hold it are not finite.', field='payload')
        heavy = torque > loaded.effort_limit
        if not np.any(heavy):
            return ''
        joint = int(np.argmax(heavy))
        return (f"There are poses in which joint '{loaded.joint_names[joint]}' needs {torque[joint]:.4g} N m or N; its "
                f'limit is {loaded.effort_limit[joint]:.4g}.')

    def _inverse_dynamics(self, request: ComputeInverseDynamics.Request,
                          response: ComputeInverseDynamics.Response) -> ComputeInverseDynamics.Response:
        return self.answer(response, lambda: torques_of(self.loaded, self.order, request, response), needs_active=False)

    def _forward_dynamics(self, request: ComputeForwardDynamics.Request,
                          response: ComputeForwardDynamics.Response) -> ComputeForwardDynamics.Response:
        return self.answer(response, lambda: accelerations_of(self.loaded, self.order, request, response),
                           needs_active=False)

    def _terms(self, request: GetDynamicsTerms.Request,
               response: GetDynamicsTerms.Response) -> GetDynamicsTerms.Response:
        return self.answer(response, lambda: terms_of(self.loaded, self.order, request, response), needs_active=False)


def main() -> None:
    """Run the node."""
    spin(DynamicsNode)
