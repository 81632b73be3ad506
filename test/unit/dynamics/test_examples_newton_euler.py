"""Torques and their terms against the specification: DYN-05, DYN-06, DYN-10, DYN-13, DYN-17, DYN-20."""

from dataclasses import replace

import numpy as np
import pytest
from support.robots import arm, spec_examples
from support.textbook_arms import (
    bars,
    evaluate,
    examples,
    joints,
    lump,
    pendulum,
    random_chain,
    random_parameters,
    random_state,
    symbols,
    textbook_arm,
)

from robokin_ros.dynamics import (
    coriolis_torque,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    mass_matrix,
)
from robokin_ros.kinematics import frame_poses, jacobian
from robokin_ros.model import DhRow, RobotModel
from robokin_ros.model.robot_model import unpack_inertia

CASES = spec_examples('spec/DYN-arms')
FORMS = spec_examples('spec/DYN-closed-forms')
CHAINS = spec_examples('spec/DYN-separate-bodies')
DIGIT = 1.01e-8
"""One unit of the eighth decimal."""
CLOSED = [name for name in FORMS if name.startswith('DYN-10')]


def friction(parameters, qd):
    """Viscous torque of the symbols v1, v2 or v."""
    return np.array([parameters.get(f'v{i}', parameters.get('v', 0.0)) * rate for i, rate in enumerate(qd, start=1)])


def assert_terms(model, gravity, case):
    """Whatever of tau, M, V and G the example has, and that forward dynamics goes back."""
    q, qd, qdd, expected = joints(case), np.array(case['qd'], float), np.array(case['qdd'], float), case['expected']
    tau = inverse_dynamics(model, q, qd, qdd, gravity)
    found = {'tau': tau + friction(case['parameters'], qd), 'M': mass_matrix(model, q),
             'V': coriolis_torque(model, q, qd), 'G': gravity_torque(model, q, gravity)}
    for name, value in found.items():
        if name in expected:
            np.testing.assert_allclose(value, expected[name], rtol=0.0, atol=DIGIT, err_msg=name)
    np.testing.assert_allclose(found['M'] @ qdd + found['V'] + found['G'], tau, atol=1e-12)
    np.testing.assert_allclose(forward_dynamics(model, q, qd, tau, gravity), qdd, atol=1e-9)
    np.linalg.cholesky(found['M'])


@examples(CASES, 'DYN-05a', 'DYN-05b', 'DYN-05c')
def test_torques(case):
    assert_terms(*textbook_arm(case['arm'], case['parameters']), case)


@examples(CASES, 'DYN-06a', 'DYN-06b')
def test_terms(case):
    assert_terms(*textbook_arm(case['arm'], case['parameters']), case)


@examples(CASES, 'DYN-05b', 'DYN-06b')
def test_the_shipped_planar_arm_is_the_books(case):
    """It stands upright: gravity is along -z of its base."""
    assert_terms(arm('planar_3r'), (0.0, 0.0, -case['parameters']['g']), case)


@examples(CASES, 'DYN-10a', 'DYN-10b', 'DYN-10c')
def test_numbers_of_closed_forms(case):
    assert_terms(*textbook_arm(case['arm'], case['parameters']), case)


@examples(FORMS, *CLOSED)
def test_closed_forms(case):
    """At random states and dimensions."""
    generator = np.random.default_rng(10)
    for _ in range(20):
        parameters = random_parameters(case['parameters'], generator)
        model, gravity = textbook_arm(case['arm'], parameters)
        q, qd, qdd = random_state(generator, model.dof)
        values = symbols(parameters, q, qd, qdd)
        found = {'tau': inverse_dynamics(model, q, qd, qdd, gravity) + friction(parameters, qd),
                 'M': mass_matrix(model, q), 'V': coriolis_torque(model, q, qd),
                 'G': gravity_torque(model, q, gravity)}
        for name, form in case['expected'].items():
            expected = evaluate(form, values, case.get('short'))
            np.testing.assert_allclose(found[name], expected, atol=1e-11, err_msg=name)


@examples(CASES, *(name for name, case in CASES.items() if 'tau' in case['expected']))
def test_closed_forms_give_the_numbers(case):
    """The data agree among themselves; none of our code."""
    parameters = bars(case['parameters']) if case['arm'] in ('planar2_boxes', 'pendulum') else case['parameters']
    qdd = np.array(case['qdd'], float)
    values = symbols(parameters, joints(case), np.array(case['qd'], float), qdd)
    form = FORMS[case['closed_form']]
    terms = {name: evaluate(part, values, form.get('short')) for name, part in form['expected'].items()}
    if 'M' in terms:
        terms['tau'] = terms['M'] @ qdd + terms['V'] + terms['G']
    for name in terms.keys() & case['expected'].keys():
        np.testing.assert_allclose(terms[name], case['expected'][name], rtol=0.0, atol=DIGIT, err_msg=name)


@examples(CASES, 'DYN-13a')
def test_reflected_inertia_of_a_motor(case):
    """At the joint N^2 Im + Ilink; seen from the motor 1/N^2 of it. The link's is about the joint axis."""
    ratio, offset, mass = case['gear_ratio'], 0.5, 2.0
    part = lump(mass, offset, case['link'] - mass * offset**2)
    model = replace(RobotModel.from_dh([DhRow(inertial=part)]), rotor_inertia=np.array([ratio**2 * case['motor']]))
    inertia = mass_matrix(model, [0.3])[0, 0]
    assert inertia / ratio**2 == pytest.approx(case['expected']['at_the_motor'], abs=1e-12)
    still = ([0.3], [0.0])
    torque = inverse_dynamics(model, *still, [1.5], (0.0, 0.0, 0.0))
    assert torque[0] == pytest.approx(1.5 * inertia)
    assert forward_dynamics(model, *still, torque, (0.0, 0.0, 0.0))[0] == pytest.approx(1.5)


@examples(CASES, 'DYN-20a')
def test_inertia_of_the_pendulum(case):
    for name, shifted in (('Icom_zz', False), ('Ijoint_zz', True)):
        model = pendulum(case['parameters'], shifted=shifted)
        np.testing.assert_allclose(model.constants[:, 21], case['expected'][name], atol=DIGIT)


@pytest.mark.parametrize('convention', ['modified', 'standard'])
@examples(CASES, 'DYN-20b')
def test_pendulum(case, convention):
    """Frames at the near and at the far ends of the links."""
    gravity = (0.0, -case['parameters']['g'], 0.0)
    assert_terms(pendulum(case['parameters'], convention), gravity, case)


@examples(CASES, 'DYN-20b')
def test_the_shipped_pendulum_is_the_books(case):
    assert_terms(arm('two_link_pendulum'), (0.0, 0.0, -case['parameters']['g']), case)


@examples(CASES, 'DYN-20b')
def test_pendulum_without_the_seeds_mistakes(case):
    """Tensors about the joints count m r^2 twice: 38.08, 8.15. The printed formula gives 34.32, 7.56."""
    motion, gravity = (case['q'], case['qd'], case['qdd']), (0.0, -case['parameters']['g'], 0.0)
    expected = case['expected']
    wrong = inverse_dynamics(pendulum(case['parameters'], shifted=True), *motion, gravity)
    np.testing.assert_allclose(wrong, expected['double_counting'], atol=0.0051)
    right = inverse_dynamics(pendulum(case['parameters']), *motion, gravity)
    for mistake in ('double_counting', 'printed_formula'):
        assert np.min(np.abs(right - expected[mistake])) > 0.5


@examples(CHAINS, 'DYN-17a', 'DYN-17b', 'DYN-17c')
def test_forward_dynamics_of_rods(case):
    model, _ = textbook_arm('rods', {'n': case['rods'], 'm': case['mass'], 'L': case['length']})
    found = forward_dynamics(model, case['q'], case['qd'], np.zeros(case['rods']), case['gravity'])
    np.testing.assert_allclose(found, case['expected']['qdd'], rtol=0.0, atol=1.01e-6 if model.dof == 10 else DIGIT)


@pytest.mark.parametrize('name', ['puma560', 'arm7', 'planar_3r', 'scara'])
def test_contact_adds_the_transposed_jacobian(name):
    """DYN-05: exactly J^T [f; n] of what the hand exerts on the environment."""
    model = arm(name)
    generator = np.random.default_rng(16)
    q, qd, qdd = (generator.uniform(-1.0, 1.0, model.dof) for _ in range(3))
    wrench = generator.uniform(-5.0, 5.0, 6)
    extra = inverse_dynamics(model, q, qd, qdd, tip_wrench=wrench) - inverse_dynamics(model, q, qd, qdd)
    np.testing.assert_allclose(extra, jacobian(model, q, 'tip').T @ wrench, atol=1e-12)


def test_pushes_on_links_take_their_transposed_jacobians_off():
    """What the environment exerts on a link, at its origin and in its axes, moves the arm by itself."""
    model = arm('puma560')
    generator = np.random.default_rng(18)
    q, qd, qdd = (generator.uniform(-1.0, 1.0, 6) for _ in range(3))
    pushes = {model.body_names[i]: generator.uniform(-5.0, 5.0, 6) for i in (1, 3, 5)}
    gone = sum(jacobian(model, q, link, link=link).T @ push for link, push in pushes.items())
    free = inverse_dynamics(model, q, qd, qdd)
    pushed = inverse_dynamics(model, q, qd, qdd, external_wrenches=pushes)
    np.testing.assert_allclose(free - pushed, gone, atol=1e-12)
    np.testing.assert_allclose(forward_dynamics(model, q, qd, pushed, external_wrenches=pushes), qdd, atol=1e-8)


@pytest.mark.parametrize('number', [1, 2, 5, 9, 14])
def test_mass_matrix_is_the_sum_over_the_bodies(number):
    """DYN-06: M = sum of m Jv^T Jv + Jw^T I Jw; symmetric and positive definite."""
    generator = np.random.default_rng(number)
    model = random_chain(generator, number)
    q, _, _ = random_state(generator, number)
    total = np.zeros((number, number))
    for i in range(number):
        link, row = f'link_{i + 1}', model.constants[i]
        matrix = jacobian(model, q, 'base', link, row[13:16])
        turn = frame_poses(model, q, [link])[0, :3, :3]
        tensor = turn @ unpack_inertia(row[16:22]) @ turn.T
        total += row[12] * matrix[:3].T @ matrix[:3] + matrix[3:].T @ tensor @ matrix[3:]
    found = mass_matrix(model, q)
    np.testing.assert_allclose(found, total, rtol=1e-11, atol=1e-11)
    np.testing.assert_array_equal(found, found.T)
    np.linalg.cholesky(found)


@pytest.mark.parametrize('number', [1, 3, 6, 12])
def test_terms_are_parts_of_the_recursion(number):
    """DYN-06: M column by column, V without gravity and acceleration, G without motion; V is quadratic in rates."""
    generator = np.random.default_rng(100 + number)
    model, (q, qd, _), none = random_chain(generator, number), random_state(generator, number), np.zeros(number)
    columns = [inverse_dynamics(model, q, none, unit, (0.0, 0.0, 0.0)) for unit in np.eye(number)]
    np.testing.assert_allclose(mass_matrix(model, q), np.transpose(columns), rtol=1e-10, atol=1e-10)
    velocity = coriolis_torque(model, q, qd)
    np.testing.assert_allclose(velocity, inverse_dynamics(model, q, qd, none, (0.0, 0.0, 0.0)), atol=1e-12)
    np.testing.assert_allclose(coriolis_torque(model, q, -3.0 * qd), 9.0 * velocity, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(gravity_torque(model, q), inverse_dynamics(model, q, none, none), atol=1e-11)


@pytest.mark.parametrize('number', range(1, 21))
def test_forward_dynamics_is_the_mass_matrix_solve(number):
    """DYN-18: to 1e-9 relative on chains of 1 to 20 revolute and sliding joints."""
    generator = np.random.default_rng(200 + number)
    model, (q, qd, _) = random_chain(generator, number), random_state(generator, number)
    tau = generator.uniform(-5.0, 5.0, number)
    bias = inverse_dynamics(model, q, qd, np.zeros(number))
    solved = np.linalg.solve(mass_matrix(model, q), tau - bias)
    found = forward_dynamics(model, q, qd, tau)
    assert np.linalg.norm(found - solved) <= 1e-9 * np.linalg.norm(solved)


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
