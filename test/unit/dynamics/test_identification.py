"""Parameters and friction found again in motions of an arm that the model does not describe."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.example_robots import distance, robot

from robokin_ros.dynamics import (
    base_parameters,
    identify,
    inertial_parameters,
    inverse_dynamics,
    predicted_torques,
)
from robokin_ros.errors import InputError
from robokin_ros.model.robot_model import pack_body, unpack_inertia

NAMES = ('puma560', 'two_link_pendulum', 'arm7', 'ur_description/urdf/ur5_robot', 'panda_description/urdf/panda')
TILTED = (1.0, -2.0, -9.0)
named = pytest.mark.parametrize('name', NAMES)


def swing(model, seed, samples=400, seconds=10.0):
    """Sines of five frequencies on every joint."""
    generator = np.random.default_rng(seed)
    t = np.linspace(0.0, seconds, samples)[:, None, None]
    rate = 2.0 * np.pi / seconds * np.arange(1, 6)
    size, phase = generator.uniform(-0.5, 0.5, (model.dof, 5)), generator.uniform(0.0, 6.0, (model.dof, 5))
    waves = size * np.sin(rate * t + phase), size * rate * np.cos(rate * t + phase)
    return waves[0].sum(axis=2), waves[1].sum(axis=2), (-waves[0] * rate**2).sum(axis=2)


def other_arm(model, seed=1):
    """Masses, centres and moments up to a fifth away from those of the model, tensors turned, and friction."""
    generator, constants = np.random.default_rng(seed), model.constants.copy()
    for row in constants:
        turn = Rotation.from_rotvec(generator.uniform(-0.3, 0.3, 3)).as_matrix()
        tensor = generator.uniform(0.8, 1.2) * turn @ unpack_inertia(row[16:22]) @ turn.T
        row[12:22] = pack_body(generator.uniform(0.8, 1.2) * row[12], generator.uniform(0.8, 1.2, 3) * row[13:16],
                               0.5 * (tensor + tensor.T))
    true = replace(model, constants=constants)
    return true, inertial_parameters(true), generator.uniform(0.1, 2.0, model.dof), generator.uniform(
        0.2, 3.0, model.dof)


def torques(true, motion, viscous=0.0, coulomb=0.0, gravity=(0.0, 0.0, -9.81)):
    return inverse_dynamics(true, *motion, gravity) + viscous * motion[1] + coulomb * np.sign(motion[1])


@pytest.mark.parametrize('gravity', [(0.0, 0.0, -9.81), TILTED])
@named
def test_everything_is_found_without_noise(name, gravity):
    model = robot(name)
    true, parameters, viscous, coulomb = other_arm(model)
    motion = swing(model, 2)
    found = identify(model, *motion, torques(true, motion, viscous, coulomb, gravity), gravity=gravity)
    expected = base_parameters(model, gravity).combination @ parameters
    assert distance(found.values, expected) < 1e-8
    np.testing.assert_allclose(found.viscous, viscous, rtol=1e-7)
    np.testing.assert_allclose(found.coulomb, coulomb, rtol=1e-7)
    assert np.all(found.residual < 1e-8)
    assert np.all(found.unexplained_by_model > 0.05)
    np.testing.assert_allclose(found.expected, base_parameters(model, gravity).combination @ inertial_parameters(model))
    assert distance(found.values, found.expected) > 1e-2


@named
def test_without_friction(name):
    model = robot(name)
    true, parameters, _, _ = other_arm(model)
    motion = swing(model, 3)
    found = identify(model, *motion, torques(true, motion), friction=False)
    assert distance(found.values, base_parameters(model).combination @ parameters) < 1e-8
    assert len(found.viscous) == len(found.coulomb) == 0
    fresh = swing(model, 4)
    np.testing.assert_allclose(predicted_torques(found, model, *fresh), torques(true, fresh), atol=1e-6)


@named
def test_noise_shows_in_the_deviations(name):
    """Errors in standard deviations are 1 on average over several recordings, none above 5."""
    model, noise = robot(name), 0.2
    true, parameters, viscous, coulomb = other_arm(model)
    motion = swing(model, 5, samples=1500)
    clean, expected = torques(true, motion, viscous, coulomb), base_parameters(model).combination @ parameters
    errors = []
    for seed in range(6):
        measured = clean + np.random.default_rng(seed).normal(0.0, noise, clean.shape)
        found = identify(model, *motion, measured)
        errors.append((found.values - expected) / found.deviations)
        np.testing.assert_allclose(found.residual, noise, rtol=0.15)
    assert np.max(np.abs(errors)) < 5.0
    assert 0.7 < np.sqrt(np.mean(np.square(errors))) < 1.4
    fresh = swing(model, 7)
    left = predicted_torques(found, model, *fresh) - torques(true, fresh, viscous, coulomb)
    assert np.sqrt(np.mean(left**2)) < 0.5 * noise
    before = inverse_dynamics(model, *fresh) - torques(true, fresh, viscous, coulomb)
    assert np.sqrt(np.mean(left**2)) < 0.2 * np.sqrt(np.mean(before**2))


def test_a_scara_too():
    model = robot('scara')
    true, _, viscous, coulomb = other_arm(model)
    motion = swing(model, 2)
    assert np.all(identify(model, *motion, torques(true, motion, viscous, coulomb)).residual < 1e-8)


def test_an_exciting_motion_says_so():
    model = robot('two_link_pendulum')
    motion = swing(model, 8)
    found = identify(model, *motion, torques(model, motion))
    assert found.exciting
    assert 'does not excite' not in found.report()
    assert found.samples == 400


@pytest.mark.parametrize('kind', ['one joint', 'nothing'])
@pytest.mark.parametrize('name', ['puma560', 'arm7'])
def test_a_poor_motion_is_reported(name, kind):
    """It explains its own torques all the same; nothing is said of the accuracy."""
    model = robot(name)
    true, _, viscous, coulomb = other_arm(model)
    q, qd, qdd = swing(model, 9)
    if kind == 'one joint':
        only = np.arange(model.dof) == 2
        q, qd, qdd = q * only, qd * only, qdd * only
    else:
        q, qd, qdd = np.tile(q[:1], (len(q), 1)), 0.0 * qd, 0.0 * qdd
    found = identify(model, q, qd, qdd, torques(true, (q, qd, qdd), viscous, coulomb))
    assert not found.exciting
    assert 'the motion does not excite every parameter' in found.report()
    assert np.all(found.residual < 1e-5)
    assert np.all(np.isinf(found.deviations))
    assert np.all(np.isfinite(found.values))


def slow_motion(model, noise):
    """Through the same poses ten thousand times slower: moments of inertia are not felt."""
    q, qd, qdd = swing(model, 9)
    qd, qdd = 1e-4 * qd, 1e-8 * qdd
    measured = inverse_dynamics(model, q, qd, qdd)
    return identify(model, q, qd, qdd, measured + np.random.default_rng(1).normal(0.0, noise, measured.shape))


@pytest.mark.parametrize('name', ['puma560', 'arm7'])
def test_a_slow_motion_leaves_large_deviations(name):
    found = slow_motion(robot(name), noise=0.1)
    moments = [i for i, words in enumerate(found.names) if words.startswith('Izz')]
    assert np.all(found.deviations[moments] > 100.0 * np.abs(found.expected[moments]))


@pytest.mark.parametrize('name', ['puma560', 'arm7'])
def test_a_slow_motion_is_not_exciting(name):
    assert not slow_motion(robot(name), noise=0.1).exciting


def test_the_report_names_everything():
    model = robot('two_link_pendulum')
    true, _, viscous, coulomb = other_arm(model)
    motion = swing(model, 10)
    found = identify(model, *motion, torques(true, motion, viscous, coulomb))
    text = found.report()
    assert f'viscous {viscous[1]:.4g}, Coulomb {coulomb[1]:.4g}' in text
    assert all(name[:57] in text for name in found.names)


def test_rotors_are_taken_from_the_model():
    model = replace(robot('two_link_pendulum'), rotor_inertia=np.array([0.7, 0.4]))
    true, parameters, _, _ = other_arm(model)
    motion = swing(model, 11)
    found = identify(model, *motion, torques(true, motion))
    assert distance(found.values, base_parameters(model).combination @ parameters) < 1e-9
    fresh = swing(model, 12)
    np.testing.assert_allclose(predicted_torques(found, model, *fresh), torques(true, fresh), atol=1e-8)


def test_too_few_samples_are_refused():
    model = robot('puma560')
    motion = swing(model, 13, samples=15)
    with pytest.raises(InputError, match='at least 16 are needed'):
        identify(model, *motion, torques(model, motion))
    motion = swing(model, 13, samples=16)
    identify(model, *motion, torques(model, motion))


@pytest.mark.parametrize('field', ['q', 'qd', 'qdd', 'tau'])
def test_gaps_in_a_recording_are_named(field):
    model = robot('puma560')
    motion = swing(model, 14)
    given = dict(zip(('q', 'qd', 'qdd', 'tau'), (*motion, torques(model, motion)), strict=True))
    given[field] = given[field].copy()
    given[field][7, 3] = np.nan
    with pytest.raises(InputError, match=f"{field} of joint 'joint_4'"):
        identify(model, *given.values())
