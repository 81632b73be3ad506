"""MuJoCo on the same URDF text, with joints in our order: an oracle of dynamics and of simulated motion."""

from __future__ import annotations

from xml.etree import ElementTree

import mujoco
import numpy as np

from robokin_ros.model import RobotModel


class MujocoArm:
    """MuJoCo on the same description, free of friction, contacts, limits and meshes."""

    def __init__(self, model: RobotModel) -> None:
        robot = ElementTree.fromstring(model.urdf)
        for link in robot.findall('link'):
            for part in (*link.findall('visual'), *link.findall('collision')):
                link.remove(part)
        settings = ElementTree.SubElement(ElementTree.SubElement(robot, 'mujoco'), 'compiler')
        settings.attrib.update(fusestatic='false', balanceinertia='false', strippath='true')
        self.model = mujoco.MjSpec.from_string(ElementTree.tostring(robot, encoding='unicode')).compile()
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
        self.model.dof_damping[:] = 0.0
        self.model.dof_frictionloss[:] = 0.0
        self.order = [self.model.joint(name).dofadr[0] for name in model.joint_names]
        for index, rotor in zip(self.order, model.rotor_inertia, strict=True):
            self.model.dof_armature[index] = rotor
        self.data = mujoco.MjData(self.model)

    def torque(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """Inverse dynamics."""
        self.data.qpos[self.order], self.data.qvel[self.order], self.data.qacc[self.order] = q, qd, qdd
        mujoco.mj_inverse(self.model, self.data)
        return self.data.qfrc_inverse[self.order].copy()

    def acceleration(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Forward dynamics."""
        self.data.qpos[self.order], self.data.qvel[self.order] = q, qd
        self.data.qfrc_applied[self.order] = tau
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc[self.order].copy()

    def run(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, step: float, steps: int,
            integrator: mujoco.mjtIntegrator) -> tuple[np.ndarray, np.ndarray]:
        """Positions and rates (steps + 1, n) under constant torque."""
        self.model.opt.timestep, self.model.opt.integrator = step, integrator
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self.order], self.data.qvel[self.order] = q, qd
        self.data.qfrc_applied[self.order] = tau
        positions, rates = [np.array(q)], [np.array(qd)]
        for _ in range(steps):
            mujoco.mj_step(self.model, self.data)
            positions.append(self.data.qpos[self.order].copy())
            rates.append(self.data.qvel[self.order].copy())
        return np.array(positions), np.array(rates)
