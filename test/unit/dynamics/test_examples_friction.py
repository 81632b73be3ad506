"""Friction against the specification (DYN-12)."""

import numpy as np
import pytest
from support.robots import arm, spec_examples
from support.textbook_arms import examples, joints, textbook_arm

from robokin_ros.dynamics import inverse_dynamics
from robokin_ros.dynamics.friction import Friction

CASES = spec_examples('spec/DYN-arms')


@examples(CASES, 'DYN-12a')
def test_coulomb_and_viscous_friction(case):
    for rate, expected in zip(case['qd'], case['expected'], strict=True):
        friction = Friction([case['viscous']], [case['coulomb']])
        np.testing.assert_allclose(friction.torque([rate]), [expected], rtol=0.0, atol=1e-6)
    both = Friction(np.full(2, case['viscous']), np.full(2, case['coulomb']))
    np.testing.assert_allclose(both.torque(case['qd']), case['expected'], rtol=0.0, atol=1e-6)


@examples(CASES, 'DYN-10a')
def test_friction_adds_to_the_torque(case):
    model, gravity = textbook_arm(case['arm'], case['parameters'])
    friction = Friction([case['parameters']['v1'], case['parameters']['v2']], np.zeros(2))
    found = inverse_dynamics(model, joints(case), case['qd'], case['qdd'], gravity) + friction.torque(case['qd'])
    np.testing.assert_allclose(found, case['expected']['tau'], rtol=0.0, atol=1.01e-8)


@pytest.mark.parametrize('static', [None, np.array([0.8, 0.0, 1.5])])
def test_friction_is_passive_odd_and_of_its_own_joint(static):
    friction = Friction(np.array([0.2, 0.1, 0.0]), np.array([0.5, 0.0, 1.0]), static=static)
    rates = np.random.default_rng(12).uniform(-1.0, 1.0, (200, 3)) * np.logspace(-6.0, 1.0, 200)[:, None]
    torque = friction.torque(rates)
    assert np.all(torque * rates >= 0.0)
    np.testing.assert_allclose(friction.torque(-rates), -torque, atol=1e-15)
    np.testing.assert_array_equal(friction.torque(np.zeros(3)), np.zeros(3))
    other = rates.copy()
    other[:, 1:] = 7.0
    np.testing.assert_array_equal(friction.torque(other)[:, 0], torque[:, 0])


def test_it_takes_more_to_start_than_to_move():
    """Static friction above Coulomb's, and no trace of it at speed."""
    friction = Friction([0.0], [0.5], static=[0.8])
    slow = np.linspace(0.0, 1.0, 100001)
    torque = friction.torque(slow[:, None])[:, 0]
    assert 0.5 < np.max(torque) <= 0.8 + 1e-9
    assert friction.torque([10.0])[0] == pytest.approx(0.5, abs=1e-6)


def test_friction_of_a_model():
    model = arm('puma560')
    qd = np.array([1.0, -2.0, 0.5, 1.5, -0.7, 3.0])
    expected = model.damping * qd + model.friction * np.sign(qd)
    np.testing.assert_allclose(Friction.of_model(model).torque(qd), expected, atol=1e-6)
