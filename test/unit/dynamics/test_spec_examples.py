"""Dynamics of the specification's worked examples."""

import numpy as np
import pytest
from support.robots import arm, spec_examples

from robokin_ros.dynamics import (
    coriolis_torque,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    mass_matrix,
)
from robokin_ros.model import DhRow, Inertial, RobotModel

EXAMPLES = spec_examples('dynamics')


def point_mass(mass, x):
    return Inertial(mass, np.array([x, 0.0, 0.0]), np.zeros((3, 3)))


def planar2(example):
    (l1, l2), (m1, m2) = example['lengths'], example['masses']
    return RobotModel.from_dh([DhRow(inertial=point_mass(m1, l1)), DhRow(a=l1, inertial=point_mass(m2, l2))])


def assert_terms(model, example, gravity):
    q = np.radians(example['q_deg']) if 'q_deg' in example else np.array(example['q'])
    np.testing.assert_allclose(inverse_dynamics(model, q, example['qd'], example['qdd'], gravity), example['tau'],
                               atol=1e-7)
    np.testing.assert_allclose(mass_matrix(model, q), example['mass_matrix'], atol=1e-7)
    np.testing.assert_allclose(coriolis_torque(model, q, example['qd']), example['velocity'], atol=1e-7)
    np.testing.assert_allclose(gravity_torque(model, q, gravity), example['gravity_torque'], atol=1e-6)
    np.testing.assert_allclose(forward_dynamics(model, q, example['qd'], example['tau'], gravity), example['qdd'],
                               atol=1e-6)


def test_planar_arm_with_point_masses():
    example = EXAMPLES['planar2_point_masses']
    assert_terms(planar2(example), example, example['gravity'])


def test_planar_arm_of_the_programming_exercise():
    example = EXAMPLES['planar3']
    assert_terms(arm('planar_3r'), example, (0.0, 0.0, -example['gravity']))


def test_revolute_prismatic_arm():
    """Gravity acts in the plane of the turn; the slide leaves along the turned x axis."""
    example = EXAMPLES['rp']
    (m1, m2), (i1, i2) = example['masses'], example['izz']
    # the slide's z is -y of link 1: a quarter turn of joint 1 brings it to the textbook's x axis
    model = RobotModel.from_dh([
        DhRow(theta=np.pi / 2, inertial=Inertial(m1, np.array([0.0, -example['l1'], 0.0]), i1 * np.eye(3))),
        DhRow(alpha=np.pi / 2, type='prismatic', inertial=Inertial(m2, np.zeros(3), i2 * np.eye(3)))])
    torque = inverse_dynamics(model, example['q'], example['qd'], example['qdd'], (0.0, -example['gravity'], 0.0))
    np.testing.assert_allclose(torque, example['tau'], atol=1e-7)


def test_two_link_pendulum():
    example = EXAMPLES['pendulum']
    assert_terms(arm('two_link_pendulum'), example, (0.0, 0.0, -example['gravity']))


def test_pendulum_without_double_counted_inertia():
    """The seed's formulas, which count m r^2 twice, give (38.08, 8.15); its final formula (34.32, 7.56)."""
    example = EXAMPLES['pendulum']
    torque = inverse_dynamics(arm('two_link_pendulum'), example['q'], example['qd'], example['qdd'],
                              (0.0, 0.0, -example['gravity']))
    for wrong in ((38.08, 8.15), (34.32, 7.56)):
        assert np.max(np.abs(torque - wrong)) > 0.5


def test_planar_arm_falls_as_computed():
    example = EXAMPLES['planar3']
    qdd = forward_dynamics(arm('planar_3r'), np.radians(example['q_deg']), np.zeros(3), np.zeros(3),
                           (0.0, 0.0, -example['gravity']))
    np.testing.assert_allclose(qdd, example['fall']['qdd_at_rest'], atol=1e-6)


def test_tip_wrench_adds_the_transposed_jacobian():
    from robokin_ros.kinematics import jacobian
    model = arm('puma560')
    generator = np.random.default_rng(16)
    q, qd, qdd, wrench = (generator.uniform(-1.0, 1.0, size) for size in (6, 6, 6, 6))
    extra = inverse_dynamics(model, q, qd, qdd, tip_wrench=wrench) - inverse_dynamics(model, q, qd, qdd)
    np.testing.assert_allclose(extra, jacobian(model, q, 'tip').T @ wrench, atol=1e-12)


@pytest.mark.parametrize('name', ['puma560', 'arm7', 'panda'])
def test_kinetic_energy_changes_by_the_power_of_the_torques(name):
    """d/dt (qd M qd / 2) = qd (tau - G), by a central difference along the motion."""
    model = arm(name)
    generator = np.random.default_rng(17)
    q = model.middle() + generator.uniform(-0.1, 0.1, model.dof) * (model.upper - model.lower > 0.5)
    qd, tau, step = generator.uniform(-1, 1, model.dof), generator.uniform(-5, 5, model.dof), 1e-5
    qdd = forward_dynamics(model, q, qd, tau)

    def energy(t):
        rate = qd + t * qdd
        return 0.5 * rate @ mass_matrix(model, q + t * qd + 0.5 * t * t * qdd) @ rate

    change = (energy(step) - energy(-step)) / (2.0 * step)
    assert change == pytest.approx(qd @ (tau - gravity_torque(model, q)), rel=1e-6, abs=1e-6)
