"""Linear control design against the specification: CTL-01 to CTL-09."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from support.robots import spec_examples

from robokin_ros.control import (
    JointDrive,
    SecondOrder,
    largest_integral_gain,
    longest_period,
    regulation_gains,
    resonance,
    sampled_radius,
    sampling_rate,
    steady_error,
    unit_gains,
)
from robokin_ros.errors import InputError

CASES = spec_examples('spec/CTL-linear')
DIGIT = 1.01e-6


def example(*names):
    return pytest.mark.parametrize(('given', 'expected'), [
        pytest.param(CASES[name]['given'], CASES[name]['expected'], id=name) for name in names])


def at(series):
    return np.array([float(t) for t in series]), np.array(list(series.values()))


@example('CTL-01-a', 'CTL-01-b', 'CTL-01-c', 'CTL-01-d', 'CTL-01-e')
def test_free_response(given, expected):
    system, start = SecondOrder(*given['system']), given['start']
    assert system.kind == expected['kind']
    assert system.stable
    t, x = at(expected['x'])
    np.testing.assert_allclose(system.response(t, *start), x, rtol=0.0, atol=DIGIT)
    if 'poles' in expected:
        np.testing.assert_allclose(system.poles, expected['poles'])
    if 'amplitude' in expected:
        wave = expected['amplitude'] * np.exp(-0.5 * t) * np.cos(
            expected['frequency'] * t + np.radians(expected['phase_deg']))
        np.testing.assert_allclose(system.response(t, *start), wave, atol=1e-5)


@pytest.mark.parametrize('system', [(1, 5, 6), (1, 1, 1), (1, 4, 4), (2, 0.1, 7), (1, 3, 0), (1, 1, -2), (3, -1, 2)])
def test_response_solves_the_equation(system):
    m, b, k = system
    t = np.linspace(0.0, 3.0, 31)
    run = solve_ivp(lambda _, y: [y[1], -(b * y[1] + k * y[0]) / m], (0.0, 3.0), [0.7, -0.4], t_eval=t, rtol=1e-10,
                    atol=1e-12)
    np.testing.assert_allclose(SecondOrder(*system).response(t, 0.7, -0.4), run.y[0], rtol=1e-7, atol=1e-9)
    assert SecondOrder(*system).stable == (b > 0 and k > 0)


@example('CTL-02-a', 'CTL-02-b')
def test_regulation(given, expected):
    plant = SecondOrder(*given['system'])
    k_p, k_v = regulation_gains(plant, given['stiffness'])
    np.testing.assert_allclose([k_p, k_v], expected['gains'])
    assert SecondOrder(plant.mass, plant.damping + k_v, plant.stiffness + k_p).kind == 'critical'


@example('CTL-03-a')
def test_partitioned_gains(given, expected):
    np.testing.assert_allclose(unit_gains(given['bandwidth']), expected['gains'])


@example('CTL-05-a', 'CTL-05-b')
def test_disturbances(given, expected):
    (k_p, k_v, k_i), load = given['gains'], given['load']
    t, wanted = at(expected['e'])
    run = solve_ivp(lambda _, y: [y[1], y[2], -k_v * y[2] - k_p * y[1] - k_i * y[0] + load], (0.0, 5.0),
                    [0.0, 0.0, 0.0], t_eval=t, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(run.y[1], wanted, rtol=0.0, atol=DIGIT)
    assert steady_error(k_p, load, k_i=k_i) == pytest.approx(expected['steady'])
    if 'largest_k_i' in expected:
        limit = largest_integral_gain(k_p, k_v)
        assert limit == expected['largest_k_i']
        for gain, stable in ((limit - 1.0, True), (limit + 1.0, False)):
            assert (np.max(np.roots([1.0, k_v, k_p, gain]).real) < 0.0) == stable


@example('CTL-06-a', 'CTL-06-b', 'CTL-06-c')
def test_sampling(given, expected):
    if 'rate' in expected:
        assert sampling_rate(**given) == pytest.approx(expected['rate'])
        return
    assert longest_period(*given['gains']) == pytest.approx(expected['longest'])
    for period, radius in expected['radius'].items():
        assert sampled_radius(*given['gains'], float(period)) == pytest.approx(radius, abs=1e-5)
    assert sampled_radius(*given['gains'], 0.999 * expected['longest']) < 1.0
    assert sampled_radius(*given['gains'], 1.001 * expected['longest']) > 1.0


@example('CTL-07-a')
def test_effective_inertia(given, expected):
    found = [JointDrive(load, given['motor'], given['gear']).inertia for load in given['load']]
    np.testing.assert_allclose(found, expected['inertia'])


@example('CTL-07-c')
def test_another_inertia_than_designed_for(given, expected):
    drive, gains = JointDrive(given['alpha']), given['gains']
    for plant in (15, 11):
        t, wanted = at(expected[str(plant)])
        loop = drive.closed_loop(*gains, plant)
        np.testing.assert_allclose(1.0 - loop.response(t, 1.0), wanted, rtol=0.0, atol=DIGIT)
    assert drive.closed_loop(*gains, 11).damping_ratio == pytest.approx(expected['zeta_at_11'], abs=1e-5)
    other = JointDrive(11).closed_loop(*gains, 15)
    assert other.damping_ratio == pytest.approx(expected['designed_for_11']['zeta'], abs=DIGIT)
    assert 100.0 * other.overshoot == pytest.approx(expected['designed_for_11']['overshoot_percent'], abs=1e-3)


@example('CTL-08-a', 'CTL-08-b', 'CTL-08-c', 'CTL-08-e')
def test_resonances(given, expected):
    stiffness, shaft, gear = given['stiffness'], given.get('shaft_inertia', 0.0), given.get('gear', 1.0)
    if given.get('stiffness_before_gear'):
        stiffness *= gear**2
    found = resonance(stiffness, given['inertia'], shaft, gear)
    assert found == pytest.approx(expected['resonance'], rel=1e-5)
    if 'hertz' in expected:
        assert found / (2.0 * np.pi) == pytest.approx(expected['hertz'], rel=1e-5)
    if 'whole_shaft' in expected:
        whole = resonance(stiffness, given['inertia'], shaft, gear, whole_shaft=True)
        assert whole == pytest.approx(expected['whole_shaft'], rel=1e-5)


@example('CTL-09-a', 'CTL-09-b')
def test_joint_controller(given, expected):
    drive = JointDrive(given['load'], given.get('motor', 0.0), given.get('gear', 1.0))
    assert drive.inertia == pytest.approx(expected['alpha'])
    lowest = given['resonance'] if 'resonance' in given else resonance(given['stiffness'], given['load'])
    if 'resonance' in expected:
        assert lowest == pytest.approx(expected['resonance'], rel=1e-5)
    np.testing.assert_allclose(drive.gains(lowest), expected['gains'], rtol=1e-5)
    gains = drive.gains(lowest)
    step = drive.largest_linear_step(10.0, gains[0])
    assert drive.torque(0.0, step, 0.0, 0.0, gains) == pytest.approx(10.0)


@pytest.mark.parametrize('call', [
    lambda: SecondOrder(0.0, 1.0, 1.0), lambda: SecondOrder(1.0, float('nan'), 1.0),
    lambda: regulation_gains(SecondOrder(1, 1, 1), -1.0), lambda: unit_gains(0.0), lambda: unit_gains(1.0, -1.0),
    lambda: sampling_rate(-1.0), lambda: longest_period(0.0, 1.0), lambda: sampled_radius(1.0, 1.0, 0.0),
    lambda: JointDrive(-1.0), lambda: JointDrive(1.0, -0.1), lambda: JointDrive(1.0).gains(0.0),
    lambda: resonance(0.0, 1.0), lambda: resonance(1.0, [1.0, 0.0]), lambda: steady_error(0.0, 1.0),
])
def test_impossible_data_are_refused(call):
    with pytest.raises(InputError):
        call()
