"""Rigid joint stops of the plant: never passed, felt by the other joints, and let go of."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.robots import arm
from support.textbook_arms import lump, random_chain

from robokin_ros.dynamics import forward_dynamics, gravity_torque, kinetic_energy, mass_matrix
from robokin_ros.model import DhRow, RobotModel
from robokin_ros.simulation import Plant

NOWHERE = (0.0, 0.0, 0.0)
STEP = 1e-3


@cache
def smooth(name):
    """Without friction."""
    model = random_chain(np.random.default_rng(5), 5) if name == 'chain' else arm(name)
    n = model.dof
    narrow = {'lower': np.full(n, -0.4), 'upper': np.full(n, 0.3)} if name == 'chain' else {}
    return replace(model, friction=np.zeros(n), damping=np.zeros(n), **narrow)


def inside(plant):
    return np.all(plant.position >= plant.model.lower) and np.all(plant.position <= plant.model.upper)




def test_two_stops_in_one_step():
    """A folded arm: the blow on joint 1 turns joint 2, which is at its own stop by then, and not beyond it."""
    model = RobotModel.from_dh([DhRow(inertial=lump(4.6, 0.5)), DhRow(a=0.5, inertial=lump(2.3, 0.3))])
    model = replace(model, lower=np.array([-3.0, -3.0]), upper=np.array([0.0, 2.8]))
    plant = Plant(model, model.upper - 5e-4, gravity=NOWHERE)
    plant.velocity[:] = 5.0, 1.0
    before, hit = before_the_blow(plant, np.zeros(2), NOWHERE)
    assert list(hit) == [0, 1]
    plant.advance(np.zeros(2), STEP)
    assert plant.velocity[0] == 0.0
    assert plant.velocity[1] < -1.0 < 0.9 < before[1]
    np.testing.assert_array_equal(plant.position, model.upper)


@pytest.mark.parametrize('friction', [0.0, 0.2])
@pytest.mark.parametrize('name', ['puma560', 'arm7', 'scara', 'panda', 'chain'])
def test_no_joint_is_ever_beyond_its_stops(name, friction):
    """At any millisecond of a run with random torques that throw every joint about."""
    model = replace(smooth(name), friction=np.full(smooth(name).dof, friction))
    generator, plant, hits = np.random.default_rng(3), Plant(model, gravity=(1.0, 2.0, -9.0)), 0
    for _ in range(40):
        torque = generator.uniform(-30.0, 30.0, model.dof) * np.diag(mass_matrix(model, plant.position))
        for _ in range(50):
            plant.advance(torque, STEP)
            assert inside(plant)
            hits += np.sum((plant.position == model.lower) | (plant.position == model.upper))
    assert hits > 100


@pytest.mark.parametrize('side', [-1, 1])
@pytest.mark.parametrize('joint', range(6))
def test_pressed_it_stays_and_pulled_it_goes(joint, side):
    """Exactly at the limit while pressed; free at once when the torque turns, and nothing holds it back."""
    model = smooth('puma560')
    position = model.middle()
    position[joint] = (model.lower if side < 0 else model.upper)[joint] - side * 1e-3
    plant = Plant(model, position, gravity=NOWHERE)
    torque = np.zeros(6)
    torque[joint] = side * 5.0
    plant.advance(torque, 0.2)
    limit = (model.lower if side < 0 else model.upper)[joint]
    assert plant.position[joint] == limit
    others = np.arange(6) != joint
    plant.velocity[others] = 0.0  # of the blow: then nothing moves any more
    for _ in range(100):
        plant.advance(torque, STEP)
        assert plant.position[joint] == limit
        assert plant.velocity[joint] == 0.0
    q, qd = plant.position.copy(), plant.velocity.copy()
    plant.advance(-torque, STEP)
    np.testing.assert_allclose(plant.velocity, qd + STEP * forward_dynamics(model, q, qd, -torque, NOWHERE), rtol=1e-9,
                               atol=1e-12)
    assert side * (plant.position[joint] - limit) < 0.0


def before_the_blow(plant, torque, gravity):
    """Rates at the end of the next step if there were no stops, and the joints that meet theirs."""
    rates = plant.velocity + STEP * forward_dynamics(plant.model, plant.position, plant.velocity, torque, gravity)
    there = plant.position + STEP * rates
    return rates, np.flatnonzero((there > plant.model.upper) | (there < plant.model.lower))


def thrown(name, seed):
    """A plant in any pose, one joint of which meets its stop within some milliseconds."""
    model, generator = smooth(name), np.random.default_rng(seed)
    position = generator.uniform(*np.clip([model.lower, model.upper], -1.0, 1.0))
    velocity = generator.uniform(-2.0, 2.0, model.dof)
    joint = seed % model.dof
    limit = (model.upper if velocity[joint] > 0.0 else model.lower)[joint]
    position[joint] = limit - 3.4 * STEP * velocity[joint]
    plant = Plant(model, position, gravity=NOWHERE)
    plant.velocity[:] = velocity
    return plant


@pytest.mark.parametrize('name', ['puma560', 'arm7', 'scara', 'chain'])
def test_a_stop_gives_a_blow_to_its_own_joint_alone(name):
    """M(q) (qd+ - qd-) has one component; the joint stands, energy is lost, and the others change their rates."""
    alone = 0
    for seed in range(40):
        plant = thrown(name, seed)
        model, torque = plant.model, np.zeros(plant.model.dof)
        for _ in range(10):
            before, hit = before_the_blow(plant, torque, NOWHERE)
            plant.advance(torque, STEP)
            if len(hit):
                break
        if len(hit) != 1:
            continue
        alone += 1
        joint = hit[0]
        assert plant.velocity[joint] == 0.0
        blow = mass_matrix(model, plant.position) @ (plant.velocity - before)
        assert blow[joint] * before[joint] < 0.0
        assert np.max(np.abs(np.delete(blow, joint))) < 1e-9 * abs(blow[joint])
        coupled = np.delete(mass_matrix(model, plant.position)[joint], joint)
        if np.max(np.abs(coupled)) > 1e-3:
            assert np.max(np.abs(np.delete(plant.velocity - before, joint))) > 1e-6
        assert (kinetic_energy(model, plant.position, plant.velocity)
                < kinetic_energy(model, plant.position, before))
    assert alone > 30


@pytest.mark.parametrize('name', ['puma560', 'arm7', 'chain'])
def test_blows_push_and_never_pull(name):
    """While other joints lean on their stops: these bear their part of the blow, or are lifted off by it.

    So short a step that nothing but the blow matters: to 1e-3 of it.
    """
    model, short = smooth(name), 1e-7
    borne = lifted = 0
    for seed in range(60):
        generator = np.random.default_rng(seed)
        first, second = generator.choice(model.dof, 2, replace=False)
        sides = generator.choice([-1.0, 1.0], model.dof)
        ends = np.where(sides > 0.0, model.upper, model.lower)
        position = generator.uniform(*np.clip([model.lower, model.upper], -1.0, 1.0))
        position[first], position[second] = ends[first], ends[second] - sides[second] * 0.5 * short
        plant = Plant(model, position, step=short, gravity=NOWHERE)
        lean = np.zeros(model.dof)
        lean[first] = sides[first] * 1e-3
        plant.advance(lean, short)
        assert plant.position[first] == ends[first]
        before = plant.velocity.copy()
        plant.velocity[second] = before[second] = sides[second]
        plant.advance(lean, short)
        impulse = sides * (mass_matrix(model, plant.position) @ (plant.velocity - before))
        size = 1e-3 * np.max(np.abs(impulse))
        assert plant.position[second] == ends[second]
        assert impulse[second] < -size
        assert np.all(np.abs(np.delete(impulse, [first, second])) < size)
        assert impulse[first] < size
        if impulse[first] < -size:
            borne += 1
            assert plant.velocity[first] == 0.0
        elif sides[first] * plant.velocity[first] < -1e-3:
            lifted += 1
            assert abs(impulse[first]) < size
    assert borne > 0
    assert lifted > 3


def test_leaning_on_a_stop_does_not_disturb_the_others():
    """With joint 1 pressed against its stop, joint 2 falls as if joint 1 were welded there."""
    model = smooth('puma560')
    position = model.middle()
    position[0] = model.upper[0]
    plant = Plant(model, position)
    torque = gravity_torque(model, position) + np.array([50.0, 2.0, 0.0, 0.0, 0.0, 0.0])
    plant.advance(torque, STEP)
    assert plant.position[0] == model.upper[0]
    welded = replace(model, rotor_inertia=model.rotor_inertia + np.array([1e9, 0.0, 0.0, 0.0, 0.0, 0.0]))
    expected = STEP * forward_dynamics(welded, position, np.zeros(6), torque)
    np.testing.assert_allclose(plant.velocity[1:], expected[1:], rtol=1e-6, atol=1e-9)


def test_a_stop_at_the_start_is_a_stop():
    """Without ever having moved."""
    model = smooth('scara')
    plant = Plant(model, [0.0, 0.0, model.lower[2], 0.0])
    plant.advance(np.zeros(4), 1.0)
    assert plant.position[2] == model.lower[2]
    assert plant.velocity[2] == 0.0
