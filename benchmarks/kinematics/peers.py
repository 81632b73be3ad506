"""The other libraries, each on the same arm as ours and called in its fastest way."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

import numpy as np
import pinocchio
import ssik
from eaik.IK_Homogeneous import HomogeneousRobot
from numpy.typing import NDArray
from roboticstoolbox import ET, ETS

from benchmarks.kinematics.arms import steps
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


def eaik_robot(model: RobotModel) -> HomogeneousRobot:
    """EAIK: closed form in C++."""
    return HomogeneousRobot(np.array(list(accumulate(steps(model), np.matmul))))


def ssik_arm(model: RobotModel) -> ssik.Manipulator:
    """The arm given at run time to ssik, as from a URDF: Python."""
    limits = np.column_stack((model.lower, model.upper))
    return ssik.Manipulator.from_transforms(np.array(steps(model)), limits=limits)


def ssik_prebuilt(name: str) -> ssik.Manipulator:
    """An arm that ssik ships as a generated artifact: C++."""
    return ssik.Manipulator.from_prebuilt(name)


def toolbox_solver(model: RobotModel, tolerance: float, **options: float) -> Callable[[Array], Array | None]:
    """Levenberg-Marquardt of roboticstoolbox, in C++, from the middle of the limits: pose to joints, or None.

    Its residual is half the squared norm of position and rotation. `options` as of `ETS.ik_LM`.
    """
    low = np.where(np.isfinite(model.lower), model.lower, -np.pi)
    high = np.where(np.isfinite(model.upper), model.upper, np.pi)
    *before, last = steps(model)
    parts = []
    for step, *limits in zip(before, low, high, strict=True):
        parts += [ET.SE3(step), ET.Rz(qlim=limits)]
    chain = ETS([*parts, ET.SE3(last)])
    seed, residual = model.middle(), 0.5 * tolerance**2

    def solve(pose: Array) -> Array | None:
        found = chain.ik_LM(pose, q0=seed, tol=residual, **options)
        return found.q if found.success else None
    return solve
