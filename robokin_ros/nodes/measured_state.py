"""Joint states as they come from any hardware: other joints besides ours, no velocities, no stamps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from sensor_msgs.msg import JointState

from robokin_ros.errors import InputError
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.nodes.conversions import seconds

Array = NDArray[np.float64]
SMOOTHING = 0.01
"""Time constant [s] of the filter on velocities that are differentiated from positions."""


class MeasuredState:
    """Position and velocity of the model's joints from messages that may hold more joints, or less data.

    Attributes
    ----------
    position, velocity
        (n,) [rad, m, s] of the last message.
    stamp
        When it was measured [s]: its header's stamp, or when it was taken where that is zero.
    """

    def __init__(self, node: Node, model: RobotModel) -> None:
        self._node = node
        self._model = model
        self._names: list[str] = []
        self._index: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.position: Array = np.empty(0)
        self.velocity: Array = np.zeros(model.dof)
        self.stamp = 0.0

    def take(self, message: JointState) -> None:
        """Take a message in; InputError, naming the joint, if it cannot be used (then nothing changes)."""
        if message.name != self._names:
            self._index = self._find(message.name)
            self._names = list(message.name)
        stamp = seconds(message.header.stamp) or self._node.get_clock().now().nanoseconds * 1e-9
        position = self._pick(message.position, 'position')
        if len(message.velocity):
            velocity = self._pick(message.velocity, 'velocity')
        else:
            velocity = self._differentiate(position, stamp)
        self.position, self.velocity, self.stamp = position, velocity, stamp

    def _find(self, names: list[str]) -> NDArray[np.int64]:
        """Where the model's joints are among the names."""
        places = {name: i for i, name in enumerate(names)}
        lacking = [name for name in self._model.joint_names if name not in places]
        if lacking:
            raise InputError(f"The joint state lacks joint {', '.join(lacking)}.", field='name')
        return np.array([places[name] for name in self._model.joint_names], dtype=np.int64)

    def _pick(self, values: object, field: str) -> Array:
        given = np.asarray(values, dtype=np.float64)
        if len(given) != len(self._names):
            raise InputError(f'The joint state has {len(given)} values of {field} for {len(self._names)} joints.',
                             field=field)
        picked = given[self._index]
        bad = ~np.isfinite(picked)
        if np.any(bad):
            joint = int(np.argmax(bad))
            raise InputError(f"The {field} of joint '{self._model.joint_names[joint]}' is {picked[joint]}.",
                             field=field)
        return picked

    def _differentiate(self, position: Array, stamp: float) -> Array:
        self._node.get_logger().warning('The joint states have no velocities: they are differentiated.', once=True)
        dt = stamp - self.stamp
        if len(self.position) == 0 or not 0.0 < dt < 10.0 * SMOOTHING:
            return np.zeros(self._model.dof)
        share = dt / (dt + SMOOTHING)
        return np.asarray(self.velocity + share * ((position - self.position) / dt - self.velocity))
