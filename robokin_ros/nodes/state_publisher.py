"""state_publisher: robot_description, /tf and /tf_static where robot_state_publisher is not installed."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import TransformStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from robokin_ros.errors import RobokinError
from robokin_ros.kinematics import frame_poses
from robokin_ros.nodes import qos
from robokin_ros.nodes.arm_node import ArmNode, spin
from robokin_ros.nodes.hot_topics import PolledTopic
from robokin_ros.nodes.measured_state import MeasuredState
from robokin_ros.spatial import invert_transform, quaternion_from_matrix


class StatePublisher(ArmNode):
    """Publishes the description it got as a parameter, and the frames of the joint states it hears."""

    def __init__(self) -> None:
        super().__init__('state_publisher')
        self._description_publisher = self.create_publisher(String, 'robot_description', qos.DESCRIPTION)
        self._tf = self.create_publisher(TFMessage, '/tf', qos.TF)
        self._tf_static = self.create_publisher(TFMessage, '/tf_static', qos.TF_STATIC)
        self._joint_states = PolledTopic(self, JointState, 'joint_states', qos.JOINT_STATES_READ)
        self.steady_timer(1.0 / self.settings.publish_frequency, self._publish)
        self._moving: list[int] = []
        if self.settings.robot_description:
            self._description_publisher.publish(String(data=self.settings.robot_description))
        else:
            self.get_logger().error('Parameter robot_description is empty: there is nothing to publish.')

    def start(self) -> None:
        """Publish the frames that never move."""
        model = self.model
        self._measured = MeasuredState(self, model)
        body = dict(zip(model.frame_names, model.frame_bodies, strict=True))
        pairs = list(enumerate(model.frame_parents))
        self._moving = [i for i, parent in pairs if parent and model.frame_bodies[i] != body[parent]]
        fixed = [i for i, parent in pairs if parent and model.frame_bodies[i] == body[parent]]
        self._tf_static.publish(self._transforms(model.middle(), fixed, self.get_clock().now().to_msg()))

    def _publish(self) -> None:
        message = self._joint_states.take()
        if message is None or not self.active:
            return
        try:
            self._measured.take(message)
            self._tf.publish(self._transforms(self._measured.position, self._moving, message.header.stamp))
        except RobokinError as error:
            self.get_logger().warning(f'A joint state cannot be used: {error}', throttle_duration_sec=5.0)

    def _transforms(self, joints: np.ndarray, frames: list[int], stamp: object) -> TFMessage:
        """Transforms from parent link to link."""
        model = self.model
        poses = frame_poses(model, joints)
        prefix = self.settings.frame_prefix
        message = TFMessage()
        for i in frames:
            parent = model.frame_index[model.frame_parents[i]]
            pose = invert_transform(poses[parent]) @ poses[i]
            item = TransformStamped()
            item.header.stamp = stamp
            item.header.frame_id = prefix + model.frame_parents[i]
            item.child_frame_id = prefix + model.frame_names[i]
            move, turn = item.transform.translation, item.transform.rotation
            move.x, move.y, move.z = (float(v) for v in pose[:3, 3])
            turn.x, turn.y, turn.z, turn.w = (float(v) for v in quaternion_from_matrix(pose[:3, :3]))
            message.transforms.append(item)
        return message


def main() -> None:
    """Run the node."""
    spin(StatePublisher)
