"""Simulated and prescribed motions of the specification: DYN-12, DYN-14, DYN-19, DYN-21."""

import numpy as np
import pytest
from support.robots import arm, spec_examples
from support.textbook_arms import examples, joints, lump, textbook_arm

from robokin_ros.dynamics import forward_dynamics, gravity_torque, inverse_dynamics, mass_matrix, torque_parts
from robokin_ros.dynamics.friction import Friction
from robokin_ros.model import DhRow, RobotModel
from robokin_ros.simulation import simulate, update
from robokin_ros.trajectory import motion_through_points

CASES = spec_examples('spec/DYN-simulation')
COARSE = {'1': 1.01e-5, '10': 1.01e-6}
"""One unit of the last digit where fewer than six decimals are given, by the time of the state."""


def fall(case, seconds, **options):
    """State at the end of a run without torque from rest."""
    model, gravity = textbook_arm(case['arm'], case['parameters'])
    still = np.zeros(model.dof)
    friction = Friction(np.full(model.dof, float(case['viscous'])), still) if 'viscous' in case else None
    run = simulate(model, joints(case), still, still, seconds, gravity=gravity, friction=friction, **options)
    assert run.time[-1] == pytest.approx(seconds, abs=1e-9)
    return run, np.concatenate((run.position[-1], run.velocity[-1]))


@pytest.mark.parametrize('method', ['book', 'semi_implicit', 'rk4', 'adaptive'])
@examples(CASES, 'DYN-14a')
def test_hanging_arm_stays(case, method):
    run, _ = fall(case, 2.0, step=1e-3, method=method)
    within = case['expected']['within']
    np.testing.assert_allclose(run.position, np.broadcast_to(joints(case), run.position.shape), atol=within)
    np.testing.assert_allclose(run.velocity, 0.0, atol=within)


@examples(CASES, 'DYN-14b')
def test_first_acceleration(case):
    model, gravity = textbook_arm(case['arm'], case['parameters'])
    still = np.zeros(3)
    found = forward_dynamics(model, joints(case), still, still, gravity)
    np.testing.assert_allclose(found, case['expected']['qdd'], rtol=0.0, atol=1.01e-6)


@pytest.mark.parametrize('method', ['rk4', 'adaptive'])
@examples(CASES, 'DYN-14b', 'DYN-14c')
def test_accurate_states(case, method):
    for seconds, expected in case['expected']['accurate'].items():
        _, state = fall(case, float(seconds), step=1e-3, method=method)
        np.testing.assert_allclose(state, expected, rtol=0.0, atol=COARSE.get(seconds, 1.01e-6), err_msg=seconds)


@pytest.mark.parametrize('method', ['rk4', 'adaptive'])
@examples(CASES, 'DYN-14b')
def test_energy_is_constant(case, method):
    run, _ = fall(case, 1.0, step=1e-3, method=method)
    np.testing.assert_allclose(run.energy, case['expected']['energy'], rtol=0.0, atol=1.01e-6)


@examples(CASES, 'DYN-14b')
def test_step_of_the_book(case):
    """Its error at 1 s is real."""
    for seconds, expected in case['expected']['book'].items():
        _, state = fall(case, float(seconds), step=1e-3, method='book')
        np.testing.assert_allclose(state, expected, rtol=0.0, atol=1.01e-4 if seconds == '1' else 1.01e-6)
    accurate = np.array(case['expected']['accurate']['1'])
    assert np.max(np.abs(state - accurate)) > 0.05


@pytest.mark.parametrize('period', [0.1, 0.005, 0.0013])
@examples(CASES, 'DYN-14b')
def test_update_of_the_exercise(case, period):
    """The period of the caller is not the step inside; a period that is no multiple of it is kept all the same."""
    model, gravity = textbook_arm(case['arm'], case['parameters'])
    position, velocity, steps = joints(case), np.zeros(3), round(0.1 / period)
    for _ in range(steps):
        position, velocity = update(model, np.zeros(3), period, position, velocity, step=1e-3, gravity=gravity)
    state = np.concatenate((position, velocity))
    if steps * period == pytest.approx(0.1, abs=1e-12):
        np.testing.assert_allclose(state, case['expected']['book']['0.1'], rtol=0.0, atol=1.01e-6)
    else:
        _, exact = fall(case, steps * period, step=1e-4, method='rk4')
        np.testing.assert_allclose(state, exact, atol=5e-3)


@examples(CASES, 'DYN-14c')
def test_friction_brings_the_arm_to_rest(case):
    """Joint 3 ends where it started: its centre is on its axis."""
    _, state = fall(case, 30.0, step=2e-3, method='rk4')
    np.testing.assert_allclose(np.degrees(state[:3]), case['expected']['rest_deg'], atol=1e-4)
    np.testing.assert_allclose(state[3:], 0.0, atol=1e-5)


def test_friction_holds_a_resting_joint():
    """DYN-12: below static friction it stays, above it goes."""
    model = RobotModel.from_dh([DhRow(inertial=lump(1.0, 0.0, 1.0))])
    friction = Friction([0.1], [0.5], static=[0.6])
    moved = [simulate(model, [0.0], [0.0], [torque], 1.0, step=1e-4, method='semi_implicit',
                      friction=friction).position[-1, 0] for torque in (0.5, -0.5, 0.8)]
    np.testing.assert_allclose(moved[:2], 0.0, atol=5e-3)
    assert moved[2] > 0.05


@examples(CASES, 'DYN-19a')
def test_falling_rods(case):
    expected = case['expected']
    run, state = fall(case, 0.1, step=0.01, method='adaptive', rtol=expected['rtol'])
    np.testing.assert_allclose(state, expected['position_at_0.1'] + expected['velocity_at_0.1'], rtol=0.0, atol=1.01e-6)
    np.testing.assert_allclose(run.energy, expected['energy'], rtol=0.0, atol=1.01e-6)


@examples(CASES, 'DYN-19a')
def test_falling_rods_keep_their_energy(case):
    """Over the whole demonstration; the motion itself is chaotic."""
    expected = case['expected']
    run, _ = fall(case, float(expected['duration']), step=0.05, method='adaptive', rtol=expected['rtol'])
    drift = np.max(np.abs(run.energy / expected['energy'] - 1.0))
    assert drift < expected['drift']


def assert_report(case, model, gravity):
    ends, rest = np.radians([case['start_deg'], case['end_deg']]), np.zeros((2, 2))
    motion = motion_through_points(model, np.array([0.0, case['duration']]), ends, rest, rest)
    for t, *row in case['expected']['rows']:
        q, qd, qdd = motion.sample(t)
        torque = inverse_dynamics(model, q, qd, qdd, gravity)
        np.testing.assert_allclose(np.concatenate((q, qd, qdd, torque)), row, rtol=0.0, atol=1.01e-6, err_msg=str(t))
        inertia = [inverse_dynamics(model, q, np.zeros(2), unit, np.zeros(3)) for unit in np.eye(2)]
        np.testing.assert_allclose(np.transpose(inertia), mass_matrix(model, q), atol=1e-12)
        parts = torque_parts(model, q, qd, qdd, gravity)
        np.testing.assert_allclose(parts.total, torque, atol=1e-12)
        np.testing.assert_allclose(parts.inertial + parts.velocity + parts.gravity, torque, atol=1e-12)
        np.testing.assert_allclose(parts.inertial, np.transpose(inertia) @ qdd, atol=1e-12)
        np.testing.assert_allclose(parts.gravity, gravity_torque(model, q, gravity), atol=1e-12)


@examples(CASES, 'DYN-21a')
def test_pendulum_along_the_quintic(case):
    assert_report(case, *textbook_arm(case['arm'], case['parameters']))


@examples(CASES, 'DYN-21a')
def test_the_shipped_pendulum_along_the_quintic(case):
    assert_report(case, arm('two_link_pendulum'), np.array([0.0, 0.0, -case['parameters']['g']]))
