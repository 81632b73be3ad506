"""Energies, and the Lagrangian formulation they give, against the specification (DYN-09)."""

import numpy as np
import pytest
from support.robots import spec_examples
from support.textbook_arms import examples, joints, random_chain, random_state, textbook_arm

from robokin_ros.dynamics import gravity_torque, inverse_dynamics, mass_matrix
from robokin_ros.dynamics.energy import kinetic_energy, potential_energy, total_energy
from robokin_ros.kinematics import frame_poses

CASES = spec_examples('spec/DYN-simulation')
NUMBERS = [1, 2, 5, 10]


@examples(CASES, 'DYN-14b', 'DYN-19a')
def test_energy_at_rest(case):
    """Height 0 is the base's origin."""
    model, gravity = textbook_arm(case['arm'], case['parameters'])
    still = np.zeros(model.dof)
    expected = pytest.approx(case['expected']['energy'], abs=1.01e-6)
    assert potential_energy(model, joints(case), gravity) == expected
    assert total_energy(model, joints(case), still, gravity) == expected
    assert kinetic_energy(model, joints(case), still) == 0.0


@pytest.mark.parametrize('number', NUMBERS)
def test_energies_of_the_bodies(number):
    """k = 1/2 qd M qd; u = -sum m g . P, with any gravity."""
    generator = np.random.default_rng(number)
    model, (q, qd, _) = random_chain(generator, number), random_state(generator, number)
    gravity = generator.uniform(-10.0, 10.0, 3)
    kinetic = kinetic_energy(model, q, qd)
    assert kinetic == pytest.approx(0.5 * qd @ mass_matrix(model, q) @ qd, rel=1e-11)
    poses = frame_poses(model, q, [f'link_{i + 1}' for i in range(number)])
    centers = [(pose @ [*row[13:16], 1.0])[:3] for pose, row in zip(poses, model.constants, strict=True)]
    potential = -sum(row[12] * gravity @ center for row, center in zip(model.constants, centers, strict=True))
    assert potential_energy(model, q, gravity) == pytest.approx(potential, rel=1e-11, abs=1e-11)
    assert total_energy(model, q, qd, gravity) == pytest.approx(kinetic + potential, rel=1e-11, abs=1e-11)


def slope(function, x, step=1e-3):
    """Gradient, sixth order."""
    steps = step * np.eye(len(x))
    return np.array([sum(weight * (function(x + side * e) - function(x - side * e))
                         for side, weight in ((1, 45.0), (2, -9.0), (3, 1.0))) for e in steps]) / (60.0 * step)


@pytest.mark.parametrize('number', NUMBERS)
def test_lagrangian_formulation_agrees(number):
    """d/dt(dk/dqd) - dk/dq + du/dq = tau; the gravity torque is du/dq."""
    generator = np.random.default_rng(30 + number)
    model, (q, qd, qdd) = random_chain(generator, number), random_state(generator, number)
    weight = slope(lambda x: potential_energy(model, x), q)
    torque = gravity_torque(model, q)
    np.testing.assert_allclose(weight, torque, rtol=1e-8, atol=1e-8 * max(1.0, np.max(np.abs(torque))))
    momentum_rate = mass_matrix(model, q) @ qdd + slope(
        lambda t: mass_matrix(model, q + t[0] * qd) @ qd, np.zeros(1))[0]
    lagrange = momentum_rate - slope(lambda x: kinetic_energy(model, x, qd), q) + weight
    expected = inverse_dynamics(model, q, qd, qdd)
    np.testing.assert_allclose(lagrange, expected, rtol=1e-8, atol=1e-8 * max(1.0, np.max(np.abs(expected))))
