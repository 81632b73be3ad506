"""The simulated plant: the specification's falls, energy, friction, brakes, stops, pushes."""

from dataclasses import replace

import numpy as np
import pytest
from support.robots import arm, spec_examples

from robokin_ros.dynamics import gravity_torque, mass_matrix
from robokin_ros.errors import InputError, NoDynamicsError
from robokin_ros.model import RobotModel
from robokin_ros.simulation import Plant

CASES = spec_examples('spec/DYN-simulation')
START = np.radians(CASES['DYN-14b']['q_deg'])
GRAVITY = (0.0, 0.0, -CASES['DYN-14b']['parameters']['g'])


def free_planar(damping):
    """The planar arm without stops."""
    model = arm('planar_3r')
    return replace(model, damping=np.full(3, float(damping)), lower=np.full(3, -np.inf), upper=np.full(3, np.inf))


def fall(damping, seconds, step):
    plant = Plant(free_planar(damping), START, step=step, gravity=GRAVITY)
    plant.advance(np.zeros(3), seconds)
    return np.concatenate((plant.position, plant.velocity))


@pytest.mark.parametrize('seconds', ['0.1', '0.2'])
def test_free_fall_converges_to_the_specification(seconds):
    """First order: a tenth of the step, a tenth of the error."""
    exact = np.array(CASES['DYN-14b']['expected']['accurate'][seconds])
    coarse = np.max(np.abs(fall(0.0, float(seconds), 1e-4) - exact))
    fine = np.max(np.abs(fall(0.0, float(seconds), 1e-5) - exact))
    assert fine < 2e-4
    assert fine < 0.2 * coarse


def test_fall_with_friction_comes_to_rest():
    case = CASES['DYN-14c']
    for seconds, step, tolerance in (('0.5', 1e-5, 2e-4), ('10', 1e-4, 2e-3)):
        expected = case['expected']['accurate'][seconds]
        np.testing.assert_allclose(fall(case['viscous'], float(seconds), step), expected, atol=tolerance)


def test_hanging_arm_stays():
    plant = Plant(free_planar(0.0), np.radians([-90.0, 0.0, 0.0]), gravity=GRAVITY)
    plant.advance(np.zeros(3), 2.0)
    np.testing.assert_allclose(plant.position, np.radians([-90.0, 0.0, 0.0]), atol=1e-9)


def test_energy_of_a_frictionless_arm_is_kept():
    model = replace(arm('arm7'), damping=np.zeros(7), lower=np.full(7, -np.inf), upper=np.full(7, np.inf))
    plant = Plant(model, model.middle(), step=1e-5, gravity=(0.0, 0.0, 0.0))
    plant.velocity[:] = 0.5
    before = 0.5 * plant.velocity @ mass_matrix(model, plant.position) @ plant.velocity
    plant.advance(np.zeros(7), 0.5)
    after = 0.5 * plant.velocity @ mass_matrix(model, plant.position) @ plant.velocity
    assert after == pytest.approx(before, rel=1e-3)


def test_coulomb_friction_holds_below_its_level():
    model = replace(arm('puma560'), friction=np.full(6, 2.0))
    plant = Plant(model)
    hold = gravity_torque(model, plant.position)
    start = plant.position.copy()
    plant.advance(hold + 1.5, 0.2)
    assert np.max(np.abs(plant.position - start)) < 1e-3
    plant.advance(hold + 4.0, 0.5)
    assert np.max(np.abs(plant.position - start)) > 0.05


def test_brakes_stop_a_falling_arm_and_hold_it():
    plant = Plant(arm('puma560'), arm('puma560').middle() + 0.4)
    plant.advance(np.zeros(6), 0.4)
    assert np.max(np.abs(plant.velocity)) > 0.1
    plant.brake(True)
    plant.advance(np.full(6, 50.0), 0.3)
    held = plant.position.copy()
    assert not plant.velocity.any()
    plant.advance(np.full(6, 50.0), 1.0)
    np.testing.assert_array_equal(plant.position, held)


def test_joint_stops():
    model = arm('scara')
    plant = Plant(model)
    plant.advance(np.array([0.0, 0.0, -150.0, 0.0]), 1.0)
    assert plant.position[2] == model.lower[2]
    assert plant.velocity[2] == 0.0


def test_push_ends_when_it_should():
    model = replace(arm('scara'), damping=np.zeros(4))
    plant = Plant(model, gravity=(0.0, 0.0, 0.0))
    plant.push([0.0, 0.0, 0.0, 1e-3], 0.05)
    plant.advance(np.zeros(4), 0.05)
    speed = plant.velocity.copy()
    plant.advance(np.zeros(4), 0.1)
    np.testing.assert_allclose(plant.velocity[3], speed[3], rtol=1e-6)
    assert speed[3] > 0.0


def test_time_is_exact_on_average():
    plant = Plant(arm('puma560'))
    plant.brake(True)
    for _ in range(1000):
        plant.advance(np.zeros(6), 0.0017)
    assert plant.time == pytest.approx(1.7, abs=1.1e-3)


def test_refusals():
    bare = RobotModel.from_urdf('<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
                                '<parent link="a"/><child link="b"/></joint></robot>')
    with pytest.raises(NoDynamicsError, match="link 'b'"):
        Plant(bare)
    with pytest.raises(InputError, match='step'):
        Plant(arm('puma560'), step=0.0)
    with pytest.raises(InputError, match='torque'):
        Plant(arm('puma560')).push([np.nan] * 6, 0.1)


def test_friction_takes_energy_where_a_joint_is_pushed_through_rest():
    """Joint 2 turns round within the step, against its friction."""
    model = replace(free_planar(0.0), friction=np.full(3, 0.3))
    for step in (1e-3, 1e-4):
        plant = Plant(model, [-0.474, -0.089, -0.0976], step=step, gravity=GRAVITY)
        smooth = Plant(free_planar(0.0), plant.position, step=step, gravity=GRAVITY)
        for one in (plant, smooth):
            one.velocity[:] = -7.56, -0.0626, 0.6645
        before = plant.energy
        plant.advance(np.zeros(3), 1e-3)
        smooth.advance(np.zeros(3), 1e-3)
        assert plant.energy < smooth.energy
        assert plant.energy - before < 0.02


def test_an_arm_cannot_start_beyond_its_limits():
    model = arm('puma560')
    with pytest.raises(InputError, match=r"'joint_1' cannot be put at .* limits are"):
        Plant(model, model.upper + 1.0)


def test_a_joint_taken_off_its_stop_is_free():
    model = arm('scara')
    plant = Plant(model)
    plant.advance(np.array([0.0, 0.0, -150.0, 0.0]), 1.0)
    plant.position[2] = model.lower[2] + 0.05
    plant.advance(np.array([0.0, 0.0, -150.0, 0.0]), 0.002)
    assert plant.velocity[2] < 0.0
    plant.reset(model.middle(), np.full(4, 0.1))
    np.testing.assert_array_equal(plant.velocity, 0.1)


@pytest.mark.parametrize(('torque', 'duration'), [
    (np.zeros(2), 0.1), (np.full(6, np.nan), 0.1), (np.zeros((2, 6)), 0.1), (np.zeros(6), -1.0), (np.zeros(6), np.nan),
    (np.zeros(6), np.inf)])
def test_a_plant_takes_only_sensible_commands(torque, duration):
    plant = Plant(arm('puma560'))
    with pytest.raises(InputError):
        plant.advance(torque, duration)
    assert plant.time == 0.0
    with pytest.raises(InputError, match='gravity'):
        Plant(arm('puma560'), gravity=[0.0, 0.0])
