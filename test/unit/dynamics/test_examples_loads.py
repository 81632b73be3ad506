"""Loads of the bodies and joints against the specification (DYN-05, DYN-20)."""

import numpy as np
import pytest
from support.robots import arm, spec_examples
from support.textbook_arms import examples, joints, pendulum, random_chain, random_state, textbook_arm

from robokin_ros.dynamics import inverse_dynamics
from robokin_ros.dynamics.loads import body_loads
from robokin_ros.model.robot_model import unpack_inertia

CASES = spec_examples('spec/DYN-arms')


@examples(CASES, 'DYN-05a')
def test_loads_of_the_planar_arm(case):
    model, gravity = textbook_arm(case['arm'], case['parameters'])
    loads = body_loads(model, joints(case), case['qd'], case['qdd'], gravity)
    expected = case['expected']
    np.testing.assert_allclose(loads.center_acceleration[1], expected['center_acceleration_2'], atol=1.01e-8)
    np.testing.assert_allclose(loads.force[0], expected['force_1'], atol=1.01e-8)
    np.testing.assert_allclose(loads.torque, expected['tau'], atol=1.01e-8)
    np.testing.assert_allclose(loads.moment[:, 2], expected['tau'], atol=1.01e-8)


@pytest.mark.parametrize('convention', ['modified', 'standard'])
@examples(CASES, 'DYN-20b')
def test_loads_of_the_pendulum(case, convention):
    """The axes of near and far frames are parallel, and these loads do not depend on their origins."""
    model = pendulum(case['parameters'], convention)
    loads = body_loads(model, case['q'], case['qd'], case['qdd'], (0.0, -case['parameters']['g'], 0.0))
    np.testing.assert_allclose(loads.center_acceleration, case['expected']['center_acceleration'], atol=1.01e-6)
    np.testing.assert_allclose(loads.force, case['expected']['force'], atol=1.01e-6)
    np.testing.assert_allclose(loads.torque, case['expected']['tau'], atol=1.01e-8)


@pytest.mark.parametrize('number', [1, 3, 7, 15])
def test_loads_obey_newton_and_euler(number):
    """F = m aC and N = I wdot + w x I w of every body; the torque is the load's part along the joint axis."""
    generator = np.random.default_rng(number)
    model, motion = random_chain(generator, number), random_state(generator, number)
    loads = body_loads(model, *motion)
    for i, row in enumerate(model.constants):
        tensor, w, change = unpack_inertia(row[16:22]), loads.angular_velocity[i], loads.angular_acceleration[i]
        center = loads.acceleration[i] + np.cross(change, row[13:16]) + np.cross(w, np.cross(w, row[13:16]))
        np.testing.assert_allclose(loads.center_acceleration[i], center, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(loads.inertial_force[i], row[12] * center, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(loads.inertial_moment[i], tensor @ change + np.cross(w, tensor @ w), rtol=1e-10,
                                   atol=1e-10)
    slides = model.topology[:, 1] == 1
    along = np.where(slides, loads.force[:, 2], loads.moment[:, 2])
    np.testing.assert_allclose(loads.torque, along, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(loads.torque, inverse_dynamics(model, *motion), rtol=1e-10, atol=1e-10)


def test_loads_at_rest_carry_the_weight():
    """The first joint carries all of it, whatever the pose; a held object adds its own."""
    model = arm('puma560')
    still = np.zeros(6)
    q = np.array([0.3, -0.5, 0.2, 0.1, 0.4, 0.0])
    loads = body_loads(model, q, still, still)
    assert np.linalg.norm(loads.force[0]) == pytest.approx(9.81 * model.constants[:, 12].sum())
    loaded = body_loads(model.with_payload(2.0), q, still, still)
    assert np.linalg.norm(loaded.force[0]) == pytest.approx(9.81 * (2.0 + model.constants[:, 12].sum()))
