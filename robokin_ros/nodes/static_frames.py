"""Frames that a request may name besides the robot's links: stations, tools, and what /tf_static tells."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import TransformStamped
from numpy.typing import NDArray
from rclpy.node import Node
from tf2_msgs.msg import TFMessage

from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.kinematics import frame_poses
from robokin_ros.model import RobotModel, WorkFrames
from robokin_ros.nodes import qos
from robokin_ros.nodes.conversions import pose_transform, set_transform
from robokin_ros.spatial import invert_transform

Array = NDArray[np.float64]
LONGEST_CHAIN = 100


class StaticFrames:
    """Resolves frame names; publishes stations and tools on /tf_static."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.work = WorkFrames()
        self._known: dict[str, tuple[str, Array]] = {}
        self._publisher = node.create_publisher(TFMessage, '/tf_static', qos.TF_STATIC)
        node.create_subscription(TFMessage, '/tf_static', self._hear, qos.TF_STATIC_READ)

    def _hear(self, message: TFMessage) -> None:
        for item in message.transforms:
            try:
                self._known[item.child_frame_id] = item.header.frame_id, pose_transform(item.transform)
            except InputError as error:
                self._node.get_logger().warning(
                    f"/tf_static has a transform of '{item.child_frame_id}' that cannot be used: {error}",
                    throttle_duration_sec=5.0,
                )

    def publish(self, model: RobotModel) -> None:
        """Tell others of the stations (in the base) and tools (in the tip)."""
        message = TFMessage()
        stamp = self._node.get_clock().now().to_msg()
        for parent, frames in ((model.base, self.work.stations), (model.tip, self.work.tools)):
            for name, pose in frames.items():
                item = TransformStamped(child_frame_id=name)
                item.header.frame_id, item.header.stamp = parent, stamp
                set_transform(item.transform, pose)
                message.transforms.append(item)
        if message.transforms:
            self._publisher.publish(message)

    def in_base(self, model: RobotModel, frame: str, joints: Array) -> Array:
        """Pose (4, 4) in the base of a link, a station, a tool or a frame of /tf_static, or UnknownNameError."""
        pose = np.eye(4)
        name = frame
        for _ in range(LONGEST_CHAIN):
            if name in ('', model.base):
                return pose
            if name in model.frame_index:
                return np.asarray(frame_poses(model, joints, [name])[0] @ pose)
            if name in self.work.stations:
                return self.work.stations[name] @ pose
            if name in self.work.tools:
                name, pose = model.tip, self.work.tools[name] @ pose
            elif name in self._known:
                name, step = self._known[name]
                pose = step @ pose
            else:
                break
        return self._from_above(model, name, pose, frame)

    def _from_above(self, model: RobotModel, ancestor: str, pose: Array, frame: str) -> Array:
        """The same for a frame that is joined to the robot above its base: both hang on one ancestor."""
        base_pose, name = np.eye(4), model.base
        for _ in range(LONGEST_CHAIN):
            if name == ancestor:
                return np.asarray(invert_transform(base_pose) @ pose)
            if name not in self._known:
                break
            name, step = self._known[name]
            base_pose = step @ base_pose
        others = (*self.work.stations, *self.work.tools, *self._known)
        raise UnknownNameError('frame', frame, dict.fromkeys((*model.frame_names, *others)))

    def goal(self, model: RobotModel, header: Any, pose: Any, joints: Array, tool: str = '') -> Array:
        """Pose of the tip in the base for a goal of a tool given in any frame."""
        transform = pose_transform(pose)
        if header.frame_id and header.frame_id != model.base:
            transform = self.in_base(model, header.frame_id, joints) @ transform
        if tool:
            transform = transform @ invert_transform(self.work.tool_frame(tool))
        return np.asarray(transform)
