"""Timing of given paths against the specification: TOP-01 to TOP-08, and the parts of CAP they stand on."""

import numpy as np
import pytest
from support.robots import spec_examples
from support.rr_sample import Line, case, limits, rr_arm

from robokin_ros.errors import LimitError
from robokin_ros.trajectory import TorqueLimits, time_optimal
from robokin_ros.trajectory.time_optimal import PathPlanner, one_switch
from robokin_ros.trajectory.time_optimal.phase_plane import phase_plane, zero_crossings
from robokin_ros.trajectory.time_optimal.planner import law_of

DATA = spec_examples('spec/TOP')
ARMS = spec_examples('rr_sample')
WEIGHTLESS = (0.0, 0.0, 0.0)
DIGITS = {'rtol': 0.0, 'atol': 1.01e-6}


def planner_of(name, payload, droop=True, clipped=False):
    given = case(ARMS, name)
    return PathPlanner(rr_arm(given, payload), Line(given, given['A'], given['B'], given['sigma']),
                       given['rate_limits'], given['acceleration_limits'], limits(given, droop, clipped),
                       gravity=WEIGHTLESS)


def motion_of(name, payload, droop, **options):
    given = case(ARMS, name)
    return time_optimal(rr_arm(given, payload), Line(given, given['A'], given['B'], given['sigma']),
                        given['rate_limits'], given['acceleration_limits'], limits(given, droop), gravity=WEIGHTLESS,
                        grid=options.pop('grid', 1000), **options)


def pair(row, name):
    return [row[f'{name}1'], row[f'{name}2']]


@pytest.mark.parametrize('name', ['CAP-02-E1'])
def test_the_reference_arm(name):
    expected, model = DATA[name]['expected'], rr_arm(ARMS['rr_sample'])
    np.testing.assert_allclose(model.constants[:, 12], [expected['m1'], expected['m2']], rtol=1e-8)
    np.testing.assert_allclose(model.constants[:, 21], [expected['I1T1'], expected['I2T2']], rtol=1e-8)


@pytest.mark.parametrize('name', ['CAP-04-E1', 'CAP-05-E1'])
def test_joints_along_the_line(name):
    given = case(ARMS, 'sample')
    line = Line(given, given['A'], given['B'])
    rows = DATA[name]['expected']['table']
    p = np.array([row['p'] for row in rows])
    if name == 'CAP-04-E1':
        np.testing.assert_allclose(line(p), [pair(row, 'theta') for row in rows], atol=1e-8)
        return
    for order, mark in ((1, "'"), (2, "''")):
        wanted = [[row[f'theta1{mark}'], row[f'theta2{mark}']] for row in rows]
        np.testing.assert_allclose(line.derivative(order)(p), wanted, atol=1.01e-8)


@pytest.mark.parametrize('name', ['CAP-06-E1', 'CAP-06-E2'])
def test_a_payload_adds_to_the_inertia_along_the_path(name):
    from robokin_ros.dynamics import mass_matrix
    at = np.array([DATA[name]['given']['p']])
    empty, loaded = planner_of('sample', 0.0), planner_of('sample', 5.0)
    expected = DATA[name]['expected']
    if name == 'CAP-06-E1':
        for row, planner in zip(expected['table'], (empty, loaded), strict=True):
            matrix = mass_matrix(planner.model, planner.curves(at)[0][0])
            np.testing.assert_allclose([matrix[0, 0], matrix[0, 1], matrix[1, 1]], [row['I11'], row['I12'], row['I22']],
                                       **DIGITS)
        return
    before, after = empty.points(at), loaded.points(at)
    np.testing.assert_allclose((after.a - before.a)[0], expected['a(5)-a(0)'], **DIGITS)
    np.testing.assert_allclose((after.b - before.b)[0], expected['b(5)-b(0)'], atol=1e-9)
    np.testing.assert_allclose((after.a - before.a)[0] / 5.0, expected["J^T R'"], **DIGITS)


@pytest.mark.parametrize('name', ['CAP-07-E1'])
def test_limits_of_a_motor(name):
    given, expected = DATA[name]['given'], DATA[name]['expected']
    for gear, wanted in ((1.0, expected['motor']), (given['gear_ratio'], expected['joint'])):
        motor = TorqueLimits.of_motor(given['K_T'], given['R'], given['V'], gear)
        assert motor.upper[0] == pytest.approx(wanted['torque_limit'])
        assert motor.droop[0] == pytest.approx(wanted['F'])
        assert motor.upper[0] / motor.droop[0] == pytest.approx(wanted['no_load_speed'], abs=1e-4)


@pytest.mark.parametrize('name', ['TOP-01-E1'])
def test_dynamics_along_the_path(name):
    for row in DATA[name]['expected']['table']:
        planner = planner_of('sample', row['M'])
        points, rows = planner.points([row['p']]), planner.rows([row['p']])
        np.testing.assert_allclose(points.a[0], pair(row, 'a'), **DIGITS)
        np.testing.assert_allclose(points.b[0], pair(row, 'b'), **DIGITS)
        np.testing.assert_allclose(rows.c[0, 2:], pair(row, 'c'), **DIGITS)  # the first two rows are accelerations
        np.testing.assert_array_equal(points.g[0], 0.0)


@pytest.mark.parametrize('name', ['TOP-02-E1'])
def test_admissible_accelerations(name):
    for row in DATA[name]['expected']['table']:
        s = np.array([row['p']])
        low, high = phase_plane(s, planner_of('sample', row['M']).rows(s)).accelerations(row['pd'])
        np.testing.assert_allclose([low[0], high[0]], [row['L'], row['U']], **DIGITS)


@pytest.mark.parametrize('name', ['TOP-03-E1', 'TOP-03-E2'])
def test_capability_region(name):
    given, expected = DATA[name]['given'], DATA[name]['expected']
    s = np.array([given['p']])
    plane = phase_plane(s, planner_of('sample', given['M']).rows(s))
    speeds, low, high = plane.region(0, 20001)
    np.testing.assert_allclose([low[0], high[0]], expected['d2_at_rest'], **DIGITS)
    assert plane.constant[0] == pytest.approx(expected['d1_at_d2_zero'], abs=1.01e-6)
    assert speeds[-1] == pytest.approx(expected['tip']['d1'], abs=1.01e-6)
    assert 0.5 * (low[-1] + high[-1]) == pytest.approx(expected['tip']['d2'], abs=2e-5)
    if 'largest_d2' in expected:
        most, least = np.argmax(high), np.argmin(low)
        assert high[most] == pytest.approx(expected['largest_d2']['d2'], abs=1e-4)  # a sharp tip, sampled
        assert speeds[most] == pytest.approx(expected['largest_d2']['d1'], abs=1e-4)
        assert low[least] == pytest.approx(expected['smallest_d2']['d2'], abs=1.01e-5)
        assert speeds[least] == pytest.approx(expected['smallest_d2']['d1'], abs=1e-4)


@pytest.mark.parametrize('name', ['TOP-04-E1'])
def test_maximum_velocity_curve(name):
    rows = DATA[name]['expected']['table']
    s = np.array([row['p'] for row in rows])
    for payload in DATA[name]['given']['M']:
        plane = phase_plane(s, planner_of('sample', payload).rows(s))
        np.testing.assert_allclose(plane.maximum, [row[f'y_mvc M={payload}'] for row in rows], **DIGITS)
        np.testing.assert_allclose(plane.rate_limit, [row['U_vel'] for row in rows], **DIGITS)
        np.testing.assert_allclose(plane.constant, [row['y_const'] for row in rows], **DIGITS)


@pytest.mark.parametrize('name', ['TOP-04-E2', 'TOP-04-E3'])
def test_zero_inertia_points(name):
    given, wanted = DATA[name]['given'], DATA[name]['expected']['zero_inertia_points']
    planner = planner_of(given['case'], given['M'])
    s = 0.5 * (1.0 - np.cos(np.pi * np.arange(1001) / 1000))
    found = zero_crossings(planner._factors, s, planner._factors(s), steps=6)
    for point in wanted:
        # q2' = 0 falls on a grid point: it is there already
        nearest = min(np.min(np.abs(found - point['p'])), np.min(np.abs(s - point['p'])))
        assert nearest < 1e-6
        if point['quantity'].startswith('a'):
            plane = phase_plane(np.array([point['p']]), planner.rows([point['p']]))
            column = 2 + int(point['quantity'][1]) - 1
            bound = _speed_of_row(plane.rows, column)
            assert bound == pytest.approx(point['y'], abs=1.01e-6)
            assert plane.maximum[0] <= bound * (1.0 + 1e-6)


def _speed_of_row(rows, r):
    """Largest y of lo <= B y^2 + C y <= hi."""
    found = []
    for sign, bound in ((1.0, rows.hi[0, r]), (-1.0, -rows.lo[0, r])):
        roots = np.roots([sign * rows.b[0, r], sign * rows.c[0, r], -bound])
        found += [root.real for root in np.atleast_1d(roots) if abs(root.imag) < 1e-9 and root.real > 0.0]
    return min(found)


@pytest.mark.parametrize('name', ['TOP-05-E1'])
def test_one_switch(name):
    planner = planner_of('sample', 0.0, droop=False)
    s, speed = one_switch(planner.rows, step=DATA[name]['given']['h'], points=DATA[name]['given']['n'])
    assert law_of(s, speed).duration == pytest.approx(DATA[name]['expected']['duration'], rel=1e-3)


def test_one_switch_says_where_it_is_not_enough():
    planner = planner_of('near_base', 0.0)
    with pytest.raises(LimitError, match='needs more switches'):
        one_switch(planner.rows)


@pytest.mark.parametrize('name', ['TOP-06-E1'])
@pytest.mark.parametrize('scheme', ['interpolation', 'collocation'])
def test_durations(name, scheme):
    for row in DATA[name]['expected']['table']:
        for droop in (False, True):
            motion = motion_of(row['case'], row['M'], droop, scheme=scheme)
            wanted = row['F = 4' if droop else 'F = 0']
            assert motion.duration == pytest.approx(wanted, rel=0.005), (row['case'], row['M'], droop)


@pytest.mark.parametrize('name', ['TOP-08-E1'])
def test_durations_of_toppra(name):
    for row in DATA[name]['table']:
        for scheme in ('collocation', 'interpolation'):
            motion = motion_of(row['case'], row['M'], False, grid=2000, scheme=scheme)
            assert motion.duration == pytest.approx(row[scheme], rel=0.002), (row['case'], row['M'], scheme)
