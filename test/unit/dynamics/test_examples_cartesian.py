"""Cartesian-space dynamics against the specification (DYN-11)."""

import numpy as np
import pytest
from support.robots import arm, spec_examples
from support.textbook_arms import (
    evaluate,
    examples,
    joints,
    random_parameters,
    random_state,
    symbols,
    textbook_arm,
)

from robokin_ros.dynamics import coriolis_torque, gravity_torque, inverse_dynamics, mass_matrix
from robokin_ros.dynamics.cartesian import cartesian_coriolis_matrices, cartesian_dynamics
from robokin_ros.kinematics import bias_acceleration, jacobian

CASES = spec_examples('spec/DYN-arms')
FORMS = spec_examples('spec/DYN-closed-forms')
FIELDS = ('mass', 'velocity', 'gravity', 'jacobian')
CLOSED = [name for name in FORMS if name.startswith('DYN-11') and name != 'DYN-11-answer-6-6']


def dynamics(case, model, q, qd, gravity):
    return cartesian_dynamics(model, q, qd, gravity=gravity, frame=case['frame'], rows=tuple(case['rows']))


@examples(CASES, 'DYN-11a', 'DYN-11b', 'DYN-11c')
def test_numbers(case):
    """In the tip's axes accelerations are derivatives of components, in the base's true ones."""
    model, gravity = textbook_arm(case['arm'], case['parameters'])
    found = dynamics(case, model, joints(case), case['qd'], gravity)
    assert found.regular
    for name, value in case['expected'].items():
        np.testing.assert_allclose(getattr(found, name), value, rtol=0.0, atol=1.01e-8, err_msg=name)
    np.testing.assert_allclose(found.mass @ found.mass_inverse, np.eye(2), atol=1e-10)


@examples(CASES, 'DYN-11a', 'DYN-11b', 'DYN-11c')
def test_closed_forms_give_the_numbers(case):
    """The data agree among themselves; none of our code."""
    form, nothing = FORMS[case['closed_form']], np.zeros(len(case['qd']))
    values = symbols(case['parameters'], joints(case), np.array(case['qd']), nothing)
    for name, expected in case['expected'].items():
        found = evaluate(form['expected'][name], values, form.get('short'))
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1.01e-8, err_msg=name)


@examples(FORMS, *CLOSED)
def test_closed_forms(case):
    """At random states and dimensions, away from singularities."""
    generator = np.random.default_rng(11)
    for _ in range(20):
        parameters = random_parameters(case['parameters'], generator)
        model, gravity = textbook_arm(case['arm'], parameters)
        q, qd, qdd = random_state(generator, 2)
        q[1] = generator.uniform(0.4, 1.6)
        found = dynamics(case, model, q, qd, gravity)
        values = symbols(parameters, q, qd, qdd)
        expected = {name: evaluate(form, values, case.get('short')) for name, form in case['expected'].items()}
        assert found.regular
        for name in FIELDS:
            if name in expected:
                np.testing.assert_allclose(getattr(found, name), expected[name], atol=1e-9, err_msg=name)
        if 'Bx' in expected:
            matrices = cartesian_coriolis_matrices(model, q, frame=case['frame'], rows=tuple(case['rows']))
            for matrix, name in zip(matrices, ('Bx', 'Cx'), strict=True):
                np.testing.assert_allclose(matrix, expected[name], atol=1e-9, err_msg=name)
        if 'friction' in expected:
            viscous = np.array([parameters['v1'], parameters['v2']]) * qd
            np.testing.assert_allclose(np.linalg.solve(found.jacobian.T, viscous), expected['friction'], atol=1e-9)


@examples(FORMS, 'DYN-11-answer-6-6')
def test_answer_of_exercise_6_6(case):
    """The printed matrix belongs to another arm."""
    model, gravity = textbook_arm(case['arm'], case['parameters'])
    mass = dynamics(case, model, joints(case), np.zeros(2), gravity).mass
    np.testing.assert_allclose(mass, case['expected']['mass'], rtol=0.0, atol=1.01e-5)
    assert np.min(np.abs(mass - case['expected']['printed'])) > 1.0


def test_force_at_the_tip_is_the_torque_of_the_joints():
    """tau = J^T (Mx xdd + Vx + Gx) along any motion of a six-joint arm, by default all six rows."""
    model = arm('puma560')
    generator = np.random.default_rng(12)
    q, qd, qdd = np.array([0.3, -0.5, 0.2, 0.1, 0.9, 0.4]), *generator.uniform(-1.0, 1.0, (2, 6))
    found = cartesian_dynamics(model, q, qd)
    matrix = jacobian(model, q)
    acceleration = matrix @ qdd + bias_acceleration(model, q, qd)
    force = found.mass @ acceleration + found.velocity + found.gravity
    np.testing.assert_allclose(matrix.T @ force, inverse_dynamics(model, q, qd, qdd), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(matrix.T @ found.gravity, gravity_torque(model, q), rtol=1e-8, atol=1e-8)


def test_torque_form():
    """J^T Vx = Bx [qd qd] + Cx [qd^2]; these differ from B and C."""
    model = arm('puma560')
    q, qd = np.array([0.3, -0.5, 0.2, 0.1, 0.9, 0.4]), np.array([0.7, -0.4, 0.2, -0.9, 0.5, 0.3])
    products, squares = cartesian_coriolis_matrices(model, q)
    assert products.shape == (6, 15)
    pairs = np.array([qd[i] * qd[k] for i in range(6) for k in range(i + 1, 6)])
    found = cartesian_dynamics(model, q, qd)
    torque = products @ pairs + squares @ qd**2
    np.testing.assert_allclose(torque, found.jacobian.T @ found.velocity, rtol=1e-8, atol=1e-8)
    assert np.max(np.abs(torque - coriolis_torque(model, q, qd))) > 1e-3


def test_redundant_arm():
    """Mx = (J M^-1 J^T)^-1."""
    model = arm('arm7')
    q, qd = np.array([0.3, -0.5, 0.2, 1.1, 0.4, 0.6, -0.2]), np.zeros(7)
    found, matrix = cartesian_dynamics(model, q, qd), jacobian(model, q)
    inverse = matrix @ np.linalg.solve(mass_matrix(model, q), matrix.T)
    np.testing.assert_allclose(found.mass_inverse, inverse, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.mass @ inverse, np.eye(6), atol=1e-8)


@pytest.mark.parametrize('frame', ['base', 'tip'])
def test_singular_arm_is_flagged(frame):
    """Stretched out, the mass in the lost direction is infinite; its inverse J M^-1 J^T stays finite."""
    case = CASES['DYN-11a']
    model, gravity = textbook_arm(case['arm'], case['parameters'])
    found = cartesian_dynamics(model, [0.4, 0.0], [0.1, 0.2], gravity=gravity, frame=frame, rows=(0, 1))
    assert not found.regular
    matrix = jacobian(model, [0.4, 0.0], frame)[:2]
    expected = matrix @ np.linalg.solve(mass_matrix(model, [0.4, 0.0]), matrix.T)
    np.testing.assert_allclose(found.mass_inverse, expected, atol=1e-12)
