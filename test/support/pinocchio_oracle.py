"""Pinocchio on the same URDF text, with joints in our order: the oracle of kinematics and dynamics."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pinocchio

from robokin_ros.model import RobotModel


class PinocchioArm:
    """Pinocchio's model of a `RobotModel`'s description; takes and returns vectors in our joint order.

    There continuous joints are (cos, sin) pairs and mimic joints move freely: `spread` (nv, n) says how their joints
    follow ours, from the description itself.
    """

    def __init__(self, model: RobotModel) -> None:
        self.ours = model
        self.model = pinocchio.buildModelFromXML(model.urdf)
        self.spread = np.zeros((self.model.nv, model.dof))
        self.offset = np.zeros(self.model.nv)
        joints = ElementTree.fromstring(model.urdf).findall('joint')
        mimics = {joint.get('name'): joint.find('mimic') for joint in joints}
        for name, joint in zip(self.model.names[1:], list(self.model.joints)[1:], strict=True):
            mimic = mimics[name]
            if mimic is None:
                if name in model.joint_index:
                    self.spread[joint.idx_v, model.joint_index[name]] = 1.0
            elif mimic.get('joint') in model.joint_index:
                self.spread[joint.idx_v, model.joint_index[mimic.get('joint')]] = float(mimic.get('multiplier', 1.0))
                self.offset[joint.idx_v] = float(mimic.get('offset', 0.0))
        for name, rotor in zip(model.joint_names, model.rotor_inertia, strict=True):
            self.model.armature[self.model.joints[self.model.getJointId(name)].idx_v] = rotor
        self.data = self.model.createData()

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """Our joint vector as theirs."""
        theirs = pinocchio.neutral(self.model)
        values = self.spread @ q + self.offset
        for joint in list(self.model.joints)[1:]:
            value = values[joint.idx_v]
            theirs[joint.idx_q:joint.idx_q + joint.nq] = (np.cos(value), np.sin(value)) if joint.nq == 2 else value
        return theirs

    def pose(self, q: np.ndarray, frame: str) -> np.ndarray:
        """Pose of a frame in the base frame of our model."""
        pinocchio.framesForwardKinematics(self.model, self.data, self.configuration(q))
        base = self.data.oMf[self.model.getFrameId(self.ours.base, pinocchio.BODY)]
        return (base.inverse() * self.data.oMf[self.model.getFrameId(frame, pinocchio.BODY)]).homogeneous

    def jacobian(self, q: np.ndarray, frame: str, in_tip_axes: bool) -> np.ndarray:
        """Jacobian (6, n) of a frame; the root link must be our base."""
        axes = pinocchio.LOCAL if in_tip_axes else pinocchio.LOCAL_WORLD_ALIGNED
        return pinocchio.computeFrameJacobian(self.model, self.data, self.configuration(q),
                                              self.model.getFrameId(frame, pinocchio.BODY), axes) @ self.spread

    def forces(self, wrenches: list[tuple[str, np.ndarray]]) -> pinocchio.StdVec_Force:
        """Forces and moments on links, at their origins in their axes, as forces on their joints."""
        total = [pinocchio.Force.Zero() for _ in range(self.model.njoints)]
        for link, wrench in wrenches:
            frame = self.model.frames[self.model.getFrameId(link, pinocchio.BODY)]
            total[frame.parentJoint] += frame.placement.act(pinocchio.Force(wrench[:3], wrench[3:]))
        return pinocchio.StdVec_Force(total)

    def inverse_dynamics(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray,
                         forces: pinocchio.StdVec_Force | None = None) -> np.ndarray:
        """Torques."""
        state = self.configuration(q), self.spread @ qd, self.spread @ qdd
        return self.spread.T @ pinocchio.rnea(self.model, self.data, *state, self.forces([]) if forces is None
                                              else forces)

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray,
                         forces: pinocchio.StdVec_Force | None = None) -> np.ndarray:
        """Accelerations: their articulated-body algorithm, or the reduced equations where joints are coupled."""
        if self.model.nv == self.ours.dof:
            return self.spread.T @ pinocchio.aba(self.model, self.data, self.configuration(q), self.spread @ qd,
                                                 self.spread @ tau, self.forces([]) if forces is None else forces)
        bias = self.inverse_dynamics(q, qd, np.zeros(self.ours.dof), forces)
        return np.linalg.solve(self.mass_matrix(q), tau - bias)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """Mass matrix."""
        matrix = pinocchio.crba(self.model, self.data, self.configuration(q))
        return self.spread.T @ (np.triu(matrix) + np.triu(matrix, 1).T) @ self.spread
