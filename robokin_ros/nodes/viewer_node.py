"""viewer_node: shows the robot and its state on a web page."""

from __future__ import annotations

import viser
from robokin_interfaces.msg import ControllerState, HardwareState
from sensor_msgs.msg import JointState

from robokin_ros.errors import RobokinError
from robokin_ros.nodes import qos
from robokin_ros.nodes.arm_node import ArmNode, spin
from robokin_ros.nodes.hot_topics import PolledTopic
from robokin_ros.nodes.measured_state import MeasuredState
from robokin_ros.viewer.scene import RobotScene, furnish


class ViewerNode(ArmNode):
    """A page on `http://HOST:PORT` with the moving robot, the joint positions and the stop state."""

    def __init__(self) -> None:
        super().__init__('viewer_node')
        self._scene: RobotScene | None = None
        self._server: viser.ViserServer | None = None
        self._joint_states = PolledTopic(self, JointState, 'joint_states', qos.JOINT_STATES_READ)
        self._hardware = 'no hardware_state yet'
        self._mode = 'no controller_state yet'
        self.create_subscription(HardwareState, 'hardware_state', self._on_hardware, qos.LATCHED_STATE)
        self.create_subscription(ControllerState, 'controller_state', self._on_controller, qos.STATE)
        self.steady_timer(1.0 / self.settings.rate, self._refresh)

    def start(self) -> None:
        """Open the page and draw the robot."""
        try:
            self._server = viser.ViserServer(host=self.settings.host, port=self.settings.port, label=self.model.name,
                                             verbose=False)
        except OSError as error:
            raise RobokinError(f'The page cannot be served on port {self.settings.port}: {error}.') from error
        self._measured = MeasuredState(self, self.model)
        furnish(self._server, self.model)
        self._scene = RobotScene(self._server, self.model)
        for warning in self._scene.warnings:
            self.get_logger().warning(warning)
        self._text = self._server.gui.add_markdown('')
        self.get_logger().info(f'The robot is on http://{self.settings.host}:{self._server.get_port()}')

    def stop(self) -> None:
        """Close the page."""
        if self._server is not None:
            self._server.stop()
        self._server = self._scene = None

    def _on_hardware(self, message: HardwareState) -> None:
        self._hardware = f'**{message.state}**: {message.reason}'

    def _on_controller(self, message: ControllerState) -> None:
        self._mode = f'{message.mode} at {message.rate:.0f} Hz'

    def _refresh(self) -> None:
        message = self._joint_states.take()
        if message is None or self._scene is None:
            return
        try:
            self._measured.take(message)
            self._scene.update(self._measured.position)
        except RobokinError as error:
            self.get_logger().warning(f'A joint state cannot be used: {error}', throttle_duration_sec=5.0)
            return
        rows = '\n'.join(f'| {name} | {value:+.3f} |' for name, value in
                         zip(self.model.joint_names, self._measured.position, strict=True))
        self._text.content = (f'Hardware {self._hardware}\n\nMode {self._mode}\n\n'
                              f'| joint | position |\n|---|---|\n{rows}')


def main() -> None:
    """Run the node."""
    spin(ViewerNode)
