"""Control laws in closed loop with the simulated plant."""

from dataclasses import replace

import numpy as np
import pytest
from support.robots import arm, random_joints

from robokin_ros.control import (
    ComputedTorque,
    GravityCompensation,
    JointReference,
    JointState,
    PdGravity,
    saturate,
)
from robokin_ros.errors import InputError
from robokin_ros.simulation import Plant
from robokin_ros.trajectory import plan_joint

PERIOD = 2e-3


def follow(model, law, motion, plant, seconds):
    """Errors (k, n) of a sampled loop at 500 Hz."""
    errors = []
    for t in np.arange(0.0, seconds, PERIOD):
        reference = JointReference(*motion.sample(t))
        state = JointState(plant.position.copy(), plant.velocity.copy())
        torque, _ = saturate(law.update(state, reference, PERIOD), model.effort_limit)
        plant.advance(torque, PERIOD)
        errors.append(motion.sample(t + PERIOD)[0] - plant.position)
    return np.array(errors)


@pytest.mark.parametrize('name', ['puma560', 'arm7', 'scara', 'planar_3r'])
def test_computed_torque_tracks(name):
    model = arm(name)
    start = model.middle()
    goal = np.clip(start + 0.2, model.lower, model.upper)
    motion = plan_joint(model, start, goal, scaling=0.5)
    errors = follow(model, ComputedTorque(model, 40.0), motion, Plant(model, start), motion.duration + 1.0)
    assert np.sqrt(np.mean(errors**2, axis=0)).max() < 2e-3
    assert np.max(np.abs(errors[-1])) < 1e-4


def test_computed_torque_decays_as_designed():
    """An initial error answers like a critically damped unit mass: e(t) = e0 (1 + w t) exp(-w t)."""
    model = replace(arm('arm7'), damping=np.zeros(7))
    start = model.middle() + 0.3
    offset = 0.02
    motion = plan_joint(model, start, start, 1.0)
    errors = follow(model, ComputedTorque(model, 10.0), motion, Plant(model, start + offset), 0.6)
    t = np.arange(PERIOD, 0.6 + PERIOD / 2, PERIOD)[:len(errors)]
    expected = -offset * (1.0 + 10.0 * t) * np.exp(-10.0 * t)
    assert np.max(np.abs(errors[:, 0] - expected)) < 0.1 * offset


def test_pd_with_gravity_holds_without_offset():
    model = arm('puma560')
    start = model.middle() + 0.2
    motion = plan_joint(model, start, start, 1.0)
    errors = follow(model, PdGravity(model, 20.0), motion, Plant(model, start + 0.02), 3.0)
    assert np.max(np.abs(errors[-1])) < 1e-4


@pytest.mark.parametrize('name', ['puma560', 'arm7', 'planar_3r', 'two_link_pendulum', 'scara', 'panda'])
def test_gravity_compensation_floats_everywhere(name):
    model = arm(name)
    law = GravityCompensation(model)
    for q in random_joints(model, 5, seed=40) * 0.9:
        plant = Plant(model, np.clip(q, model.lower, model.upper))
        start = plant.position.copy()
        rest = JointReference(start, 0.0 * start, 0.0 * start)
        for _ in range(100):
            plant.advance(law.update(JointState(plant.position.copy(), plant.velocity.copy()), rest, PERIOD), PERIOD)
        assert np.max(np.abs(plant.position - start)) < 1e-9


def test_reference_is_bridged_at_constant_acceleration():
    model = arm('puma560')
    motion = plan_joint(model, model.middle(), model.middle() + 0.3, 2.0)
    bridged = JointReference(*motion.sample(0.8)).after(0.004)
    position, velocity, _ = motion.sample(0.804)
    np.testing.assert_allclose(bridged.position, position, atol=1e-7)
    np.testing.assert_allclose(bridged.velocity, velocity, atol=1e-4)


def test_saturation_tells_which_joints():
    torque, cut = saturate(np.array([5.0, -9.0, 1.0]), np.array([4.0, 4.0, 4.0]))
    assert torque.tolist() == [4.0, -4.0, 1.0]
    assert cut.tolist() == [True, True, False]


@pytest.mark.parametrize('law', [PdGravity, ComputedTorque])
@pytest.mark.parametrize('gains', [(0.0, 1.0), (10.0, -1.0), (np.nan, 1.0), (np.inf, 1.0)])
def test_bad_gains(law, gains):
    with pytest.raises(InputError, match='must be positive'):
        law(arm('puma560'), *gains)
