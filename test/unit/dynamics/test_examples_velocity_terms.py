"""Forms of the velocity terms against the specification (DYN-07, DYN-08)."""

from itertools import combinations

import numpy as np
import pytest
from support.robots import arm, spec_examples
from support.textbook_arms import examples, joints, random_chain, random_state, textbook_arm

from robokin_ros.dynamics import coriolis_torque, forward_dynamics, gravity_torque, mass_matrix
from robokin_ros.dynamics.velocity_terms import christoffel_matrix, coriolis_matrices, mass_matrix_rate

CASES = spec_examples('spec/DYN-arms')
NUMBERS = [1, 2, 4, 7, 12]


@examples(CASES, 'DYN-07a')
def test_configuration_space_form(case):
    model, _ = textbook_arm(case['arm'], case['parameters'])
    products, squares = coriolis_matrices(model, joints(case))
    np.testing.assert_allclose(products, case['expected']['B'], rtol=0.0, atol=1.01e-8)
    np.testing.assert_allclose(squares, case['expected']['C'], rtol=0.0, atol=1.01e-8)


@examples(CASES, 'DYN-08a')
def test_matrix_form(case):
    model, _ = textbook_arm(case['arm'], case['parameters'])
    found = christoffel_matrix(model, joints(case), case['qd']), mass_matrix_rate(model, joints(case), case['qd'])
    np.testing.assert_allclose(found[0], case['expected']['Vm'], rtol=0.0, atol=1.01e-6)
    np.testing.assert_allclose(found[1], case['expected']['Mdot'], rtol=0.0, atol=1.01e-6)


@pytest.mark.parametrize('number', NUMBERS)
def test_all_forms_are_the_same_torque(number):
    """Products in the order (1,2), (1,3), ..., (n-1,n)."""
    generator = np.random.default_rng(number)
    model, (q, qd, _) = random_chain(generator, number), random_state(generator, number)
    products, squares = coriolis_matrices(model, q)
    assert products.shape == (number, number * (number - 1) // 2)
    pairs = np.array([qd[i] * qd[k] for i, k in combinations(range(number), 2)])
    expected = coriolis_torque(model, q, qd)
    scale = max(1.0, np.max(np.abs(expected)))
    np.testing.assert_allclose(products @ pairs + squares @ qd**2, expected, atol=1e-11 * scale)
    np.testing.assert_allclose(christoffel_matrix(model, q, qd) @ qd, expected, atol=1e-10 * scale)


@pytest.mark.parametrize('number', NUMBERS)
def test_passivity(number):
    """Mdot - 2 Vm is skew; Mdot is the derivative of M along the motion."""
    generator = np.random.default_rng(50 + number)
    model, (q, qd, _), step = random_chain(generator, number), random_state(generator, number), 1e-4
    rate = mass_matrix_rate(model, q, qd)
    scale = max(1.0, np.max(np.abs(rate)))
    ahead, behind = (mass_matrix(model, q + side * step * qd) - mass_matrix(model, q - side * step * qd)
                     for side in (1, 2))
    np.testing.assert_allclose(rate, (8.0 * ahead - behind) / (12.0 * step), atol=1e-8 * scale)
    skew = rate - 2.0 * christoffel_matrix(model, q, qd)
    np.testing.assert_allclose(skew, -skew.T, atol=1e-9 * scale)
    x = generator.uniform(-1.0, 1.0, number)
    assert x @ skew @ x == pytest.approx(0.0, abs=1e-9 * scale)


@pytest.mark.parametrize('name', ['puma560', 'arm7'])
def test_power_of_the_torques_goes_into_kinetic_energy(name):
    """d/dt (qd M qd / 2) = qd (tau - G)."""
    model = arm(name)
    generator = np.random.default_rng(19)
    q, qd, tau = (generator.uniform(-1.0, 1.0, model.dof) for _ in range(3))
    qdd = forward_dynamics(model, q, qd, tau)
    change = qd @ mass_matrix(model, q) @ qdd + 0.5 * qd @ mass_matrix_rate(model, q, qd) @ qd
    assert change == pytest.approx(qd @ (tau - gravity_torque(model, q)), rel=1e-8, abs=1e-8)
