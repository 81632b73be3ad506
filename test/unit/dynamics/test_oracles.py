"""Dynamics against Pinocchio and MuJoCo on real robots, at random states."""

import mujoco
import numpy as np
import pytest
from support.pinocchio_oracle import PinocchioArm
from support.robots import OWN_ARMS, REAL_ARMS, arm, random_joints

from robokin_ros.dynamics import (
    coriolis_torque,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    mass_matrix,
)

ARMS = (*OWN_ARMS, *REAL_ARMS)


def random_motion(model, count, seed):
    generator = np.random.default_rng(seed)
    q = random_joints(model, count, seed)
    return q, generator.uniform(-2.0, 2.0, q.shape), generator.uniform(-5.0, 5.0, q.shape)


def assert_close(ours, theirs):
    """Agreement to 1e-9 relative to the size of the vector."""
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * max(1.0, float(np.max(np.abs(theirs)))))


@pytest.mark.parametrize('name', ARMS)
def test_inverse_dynamics_agrees_with_pinocchio(name):
    model = arm(name)
    oracle = PinocchioArm(model)
    q, qd, qdd = random_motion(model, 50, seed=11)
    for row, torque in enumerate(inverse_dynamics(model, q, qd, qdd)):
        assert_close(torque, oracle.inverse_dynamics(q[row], qd[row], qdd[row]))


@pytest.mark.parametrize('name', ARMS)
def test_forward_dynamics_agrees_with_pinocchio(name):
    model = arm(name)
    oracle = PinocchioArm(model)
    q, qd, qdd = random_motion(model, 50, seed=12)
    torque = inverse_dynamics(model, q, qd, qdd) + 0.1 * qdd
    for row, acceleration in enumerate(forward_dynamics(model, q, qd, torque)):
        assert_close(acceleration, oracle.forward_dynamics(q[row], qd[row], torque[row]))


@pytest.mark.parametrize('name', ARMS)
def test_mass_matrix_agrees_with_pinocchio_and_is_positive(name):
    model = arm(name)
    oracle = PinocchioArm(model)
    q = random_joints(model, 20, seed=13)
    for row, matrix in enumerate(mass_matrix(model, q)):
        assert_close(matrix, oracle.mass_matrix(q[row]))
        np.testing.assert_allclose(matrix, matrix.T, atol=1e-14 * np.max(matrix))
        np.linalg.cholesky(matrix)


@pytest.mark.parametrize('name', ARMS)
def test_parts_add_up_and_forward_inverts_inverse(name):
    model = arm(name)
    q, qd, qdd = random_motion(model, 20, seed=14)
    torque = inverse_dynamics(model, q, qd, qdd)
    parts = (np.einsum('mij,mj->mi', mass_matrix(model, q), qdd) + coriolis_torque(model, q, qd)
             + gravity_torque(model, q))
    assert_close(parts, torque)
    np.testing.assert_allclose(forward_dynamics(model, q, qd, torque), qdd, rtol=1e-7, atol=1e-6)


class MujocoArm:
    """MuJoCo on the same description, free of friction, contacts and meshes."""

    def __init__(self, model):
        text = model.urdf.replace('</robot>', '<mujoco><compiler discardvisual="true" fusestatic="false" '
                                  'balanceinertia="false" strippath="true"/></mujoco></robot>')
        specification = mujoco.MjSpec.from_string(text)
        self.model = specification.compile()
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
        self.model.dof_damping[:] = 0.0
        self.model.dof_frictionloss[:] = 0.0
        self.order = [self.model.joint(name).dofadr[0] for name in model.joint_names]
        for index, rotor in zip(self.order, model.rotor_inertia, strict=True):
            self.model.dof_armature[index] = rotor
        self.data = mujoco.MjData(self.model)

    def torque(self, q, qd, qdd):
        self.data.qpos[self.order], self.data.qvel[self.order], self.data.qacc[self.order] = q, qd, qdd
        mujoco.mj_inverse(self.model, self.data)
        return self.data.qfrc_inverse[self.order].copy()

    def acceleration(self, q, qd, tau):
        self.data.qpos[self.order], self.data.qvel[self.order] = q, qd
        self.data.qfrc_applied[self.order] = tau
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc[self.order].copy()


@pytest.mark.parametrize('name', ['puma560', 'two_link_pendulum', 'scara', 'arm7'])
def test_agrees_with_mujoco(name):
    model = arm(name)
    oracle = MujocoArm(model)
    q, qd, qdd = random_motion(model, 30, seed=15)
    torque = inverse_dynamics(model, q, qd, qdd)
    for row in range(len(q)):
        assert_close(torque[row], oracle.torque(q[row], qd[row], qdd[row]))
        np.testing.assert_allclose(oracle.acceleration(q[row], qd[row], torque[row]), qdd[row], rtol=1e-6, atol=1e-6)
