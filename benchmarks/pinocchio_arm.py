"""Pinocchio on the arms of the benchmarks."""

from __future__ import annotations

import numpy as np
import pinocchio
from numpy.typing import NDArray

from robokin_ros.model import RobotModel

Array = NDArray[np.float64]


class PinocchioArm:
    """Pinocchio on the same description, reduced to the joints of our chain."""

    def __init__(self, model: RobotModel) -> None:
        whole = pinocchio.buildModelFromXML(model.urdf)
        locked = [whole.getJointId(name) for name in list(whole.names)[1:] if name not in model.joint_index]
        self.model = pinocchio.buildReducedModel(whole, locked, pinocchio.neutral(whole))
        self.data = self.model.createData()
        self.tip = self.model.getFrameId(model.tip, pinocchio.BODY)
        base = self.model.getFrameId(model.base, pinocchio.BODY)
        pinocchio.framesForwardKinematics(self.model, self.data, pinocchio.neutral(self.model))
        self._to_base = self.data.oMf[base].inverse()
        self._ours = [model.joint_index[name] for name in list(self.model.names)[1:]]

    def configuration(self, q: Array) -> Array:
        """Our joint vector as theirs: continuous joints are pairs (cos, sin) there."""
        values: list[float] = []
        for joint, ours in zip(list(self.model.joints)[1:], self._ours, strict=True):
            values += [np.cos(q[ours]), np.sin(q[ours])] if joint.nq == 2 else [q[ours]]
        return np.array(values)

    def place(self, configuration: Array) -> pinocchio.SE3:
        """Placement of the tip in the root."""
        pinocchio.forwardKinematics(self.model, self.data, configuration)
        return pinocchio.updateFramePlacement(self.model, self.data, self.tip)

    def matrix(self, configuration: Array) -> Array:
        """Placement of the tip as an array, as ours returns it."""
        return self.place(configuration).homogeneous

    def jacobian(self, configuration: Array) -> Array:
        """Jacobian of the tip in the axes of the root."""
        return pinocchio.computeFrameJacobian(self.model, self.data, configuration, self.tip,
                                              pinocchio.LOCAL_WORLD_ALIGNED)

    def pose(self, q: Array) -> Array:
        """Pose of the tip in our base."""
        return (self._to_base * self.place(self.configuration(q))).homogeneous

    def error(self, q: Array, target: Array) -> Array:
        """Position [m] and rotation vector [rad] (6,) from a target to where a joint vector brings the tip."""
        reached = self.pose(q)
        turn = pinocchio.log3(target[:3, :3].T @ reached[:3, :3])
        return np.concatenate((reached[:3, 3] - target[:3, 3], turn))
