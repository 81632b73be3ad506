"""Joints of the plant that truly stick, and how they break loose."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.robots import arm
from support.textbook_arms import lump

from robokin_ros.dynamics import gravity_torque
from robokin_ros.errors import InputError
from robokin_ros.model import DhRow, RobotModel
from robokin_ros.simulation import Plant

DRY = np.array([2.0, 3.0, 1.5, 0.5, 0.4, 0.3])
NOWHERE = (0.0, 0.0, 0.0)


@cache
def dry_puma():
    return replace(arm('puma560'), friction=DRY, damping=np.full(6, 0.1))


@cache
def wheel(friction=0.5, damping=0.0, inertia=2.0):
    """One joint, its mass centre on the axis."""
    model = RobotModel.from_dh([DhRow(inertial=lump(1.0, 0.0, inertia))])
    return replace(model, friction=np.array([friction]), damping=np.array([damping]), lower=np.array([-np.inf]),
                   upper=np.array([np.inf]))


@pytest.mark.parametrize('sign', [1.0, -1.0])
@pytest.mark.parametrize('stiction', [1.0, 1.6])
def test_below_its_friction_an_arm_does_not_move_at_all(sign, stiction):
    """Five seconds under its weight and 99.9 % of what all joints hold: not by the last bit."""
    plant = Plant(dry_puma(), stiction=stiction)
    start = plant.position.copy()
    torque = gravity_torque(dry_puma(), start) + sign * 0.999 * stiction * DRY
    for _ in range(50):
        plant.advance(torque, 0.1)
        assert not plant.velocity.any()
    np.testing.assert_array_equal(plant.position, start)
    assert plant.time == pytest.approx(5.0)


@pytest.mark.parametrize('sign', [1.0, -1.0])
@pytest.mark.parametrize('stiction', [1.0, 1.6])
@pytest.mark.parametrize('joint', range(6))
def test_only_the_joint_above_its_friction_breaks_loose(joint, stiction, sign):
    """At 100.1 % it starts, the way it is driven; the others, at 50 %, stay for the first millisecond."""
    plant = Plant(dry_puma(), stiction=stiction)
    start = plant.position.copy()
    share = np.full(6, 0.5)
    share[joint] = 1.001
    plant.advance(gravity_torque(dry_puma(), start) + sign * share * stiction * DRY, 1e-3)
    moved = plant.position - start
    assert sign * moved[joint] > 0.0
    assert not np.delete(moved, joint).any()


@pytest.mark.parametrize('torque', [0.49, 0.51, 0.99, 1.01, 1.6])
def test_more_at_rest_than_in_motion(torque):
    """Friction 0.5 moving, twice that at rest: between them it stays until pushed, and then goes on."""
    plant = Plant(wheel(), stiction=2.0, gravity=NOWHERE)
    plant.advance(np.array([torque]), 1.0)
    if torque > 1.0:
        assert plant.velocity[0] == pytest.approx((torque - 0.5) / 2.0, rel=1e-9)
        return
    assert plant.position[0] == 0.0
    plant.push([1.0], 0.1)
    plant.advance(np.array([torque]), 0.1)
    pushed = (torque + 0.5) / 2.0 * 0.1
    assert plant.velocity[0] == pytest.approx(pushed, rel=1e-9)
    plant.advance(np.array([torque]), 0.1)
    assert plant.velocity[0] == pytest.approx(pushed + (torque - 0.5) / 2.0 * 0.1, rel=1e-9)


def test_a_rolling_wheel_stops_when_and_where_it_should_and_stays():
    """v = v0 - f t / I: at rest after v0 I / f, at v0^2 I / (2 f); then exactly still, not to and fro."""
    plant = Plant(wheel(), step=1e-4, gravity=NOWHERE)
    plant.velocity[:] = 0.3
    plant.advance(np.zeros(1), 1.1)
    assert plant.velocity[0] == pytest.approx(0.3 - 0.25 * 1.1, rel=1e-6)
    plant.advance(np.zeros(1), 0.2)
    assert plant.velocity[0] == 0.0
    assert plant.position[0] == pytest.approx(0.3**2 * 2.0 / (2.0 * 0.5), rel=1e-3)
    held = plant.position.copy()
    plant.advance(np.array([0.4]), 5.0)
    np.testing.assert_array_equal(plant.position, held)


def test_a_torque_that_turns_has_to_overcome_friction_again():
    """Moving up, driven down below static friction: it comes to rest and stays there."""
    plant = Plant(wheel(), stiction=1.5, gravity=NOWHERE)
    plant.velocity[:] = 0.2
    plant.advance(np.array([-0.7]), 5.0)
    assert plant.velocity[0] == 0.0
    assert plant.position[0] > 0.0
    plant.advance(np.array([-0.8]), 0.5)
    assert plant.velocity[0] == pytest.approx(-(0.8 - 0.5) / 2.0 * 0.5, rel=1e-9)


def test_viscous_friction_limits_the_speed():
    plant = Plant(wheel(damping=0.25), gravity=NOWHERE)
    plant.advance(np.array([1.5]), 200.0)
    assert plant.velocity[0] == pytest.approx((1.5 - 0.5) / 0.25, rel=1e-6)


def test_friction_never_adds_energy():
    """An arm let go: what it loses it does not get back, and in the end it stands still."""
    plant = Plant(dry_puma(), arm('puma560').middle() + 0.3)
    energies = [plant.energy]
    for _ in range(600):
        plant.advance(np.zeros(6), 0.01)
        energies.append(plant.energy)
    assert energies[0] - energies[-1] > 1.0
    assert np.max(np.diff(energies)) < 1e-3  # first order: the error of integration
    assert not plant.velocity.any()
    weight = np.abs(gravity_torque(dry_puma(), plant.position))
    inside = (plant.position > plant.model.lower) & (plant.position < plant.model.upper)
    assert np.all(weight[inside] <= DRY[inside] * (1.0 + 1e-9))


@pytest.mark.parametrize('name', ['puma560', 'panda'])
def test_runs_are_identical_to_the_last_bit(name):
    """Twice the same, and in any pieces; the panda has a mimic joint."""
    model = replace(arm(name), friction=np.full(arm(name).dof, 0.3))
    torque = gravity_torque(model, model.middle()) + np.linspace(-3.0, 3.0, model.dof)
    ends = []
    for pieces in (1, 1, 300):
        plant = Plant(model, stiction=1.2)
        for _ in range(pieces):
            plant.advance(torque, 0.6 / pieces)
        ends.append(np.concatenate((plant.position, plant.velocity)))
    assert np.max(np.abs(ends[0][:model.dof] - model.middle())) > 0.05
    np.testing.assert_array_equal(ends[1], ends[0])
    np.testing.assert_array_equal(ends[2], ends[0])


@pytest.mark.parametrize('stiction', [0.99, -1.0, np.inf, np.nan])
def test_impossible_stiction_is_refused(stiction):
    with pytest.raises(InputError, match='at rest'):
        Plant(dry_puma(), stiction=stiction)
