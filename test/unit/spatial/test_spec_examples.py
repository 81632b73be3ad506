"""The specification's examples KIN-02 to KIN-12 and those of twists and wrenches."""

import re

import numpy as np
import pytest
from support.robots import spec_cases, spec_examples

from robokin_ros.errors import InputError, RepairWarning
from robokin_ros.spatial import (
    FrameGraph,
    angle_rate_matrix,
    angle_rates,
    angles_from_matrix,
    axis_angle,
    axis_angle_matrix,
    cayley_matrix,
    cayley_parameters,
    check_rotation,
    elementary_rotation,
    frame_from_points,
    invert_transform,
    make_transform,
    matrix_from_angles,
    matrix_from_quaternion,
    planar_invert,
    planar_multiply,
    planar_transform,
    planar_twist,
    planar_user_form,
    point_from_cylindrical,
    point_from_spherical,
    point_velocity,
    quaternion_from_matrix,
    rotate_vector,
    rotation_about_line,
    transform_point,
    transform_twist,
    transform_vector,
    transform_wrench,
)

VEL = spec_examples('spec/VEL-spatial')


def turn(text):
    """'Rz(30 deg)' as a matrix."""
    axis, degrees = re.fullmatch(r'R([xyz])\((-?\d+) deg\)', text).groups()
    return elementary_rotation(axis, np.radians(float(degrees)))


def turns(sequence):
    product = np.eye(3)
    for axis, degrees in sequence:
        product = product @ elementary_rotation(axis, np.radians(degrees))
    return product


@pytest.mark.parametrize(('given', 'expected', 'tolerance'), spec_cases('KIN-02'))
def test_rotation_matrices(given, expected, tolerance):
    if 'axis' in given:
        matrix = elementary_rotation(given['axis'], np.radians(given['angle_deg']))
        np.testing.assert_allclose(matrix, expected['R'], atol=tolerance)
        np.testing.assert_allclose(matrix @ given['B_P'], expected['A_P'], atol=tolerance)
    elif 'improper' in given:
        with pytest.raises(InputError, match='not a rotation'):
            check_rotation(given['improper'])
        with pytest.warns(RepairWarning, match='re-orthonormalised'):
            repaired = check_rotation(given['rounded'])
        np.testing.assert_allclose(repaired, expected['rounded_orthonormalised'], atol=tolerance)
        np.testing.assert_allclose(repaired.T @ repaired, np.eye(3), atol=1e-14)
    else:
        matrix = cayley_matrix(given['s'])
        np.testing.assert_allclose(matrix, expected['R'], atol=tolerance)
        np.testing.assert_allclose(cayley_parameters(matrix), given['s'], atol=1e-12)


@pytest.mark.parametrize(('given', 'expected', 'tolerance'), spec_cases('KIN-03'))
def test_operators(given, expected, tolerance):
    if 'A' in given:
        a, b = turn(given['A']), turn(given['B'])
        np.testing.assert_allclose(a @ b, expected['A*B'], atol=tolerance)
        np.testing.assert_allclose(b @ a, expected['B*A'], atol=tolerance)
    else:
        np.testing.assert_allclose(turns(given['sequence'][::-1]), expected['R'], atol=tolerance)


@pytest.mark.parametrize(('given', 'expected', 'tolerance'), spec_cases('KIN-04'))
def test_transforms(given, expected, tolerance):
    transform = make_transform(turn(given['R']), given['p'])
    if 'B_P' in given:
        np.testing.assert_allclose(transform_point(transform, given['B_P']), expected['A_P'], atol=tolerance)
    elif 'B_V' in given:
        np.testing.assert_allclose(transform_vector(transform, given['B_V']), expected['A_V'], atol=tolerance)
        as_point = expected['same numbers treated (wrongly) as a point']
        np.testing.assert_allclose(transform_point(transform, given['B_V']), as_point, atol=tolerance)
    else:
        np.testing.assert_allclose(invert_transform(transform), expected['inverse'], atol=tolerance)


@pytest.mark.parametrize(('given', 'expected', 'tolerance'), spec_cases('KIN-05'))
def test_transform_equations(given, expected, tolerance):
    graph = FrameGraph()
    graph.set('A', 'B', given['A_T_B'])
    graph.set('A', 'C', given['A_T_C'])
    np.testing.assert_allclose(graph.get('B', 'C'), expected['B_T_C'], atol=tolerance)
    np.testing.assert_allclose(graph.get('C', 'A'), expected['C_T_A'], atol=tolerance)
    np.testing.assert_allclose(graph.solve_edge(['A', 'B', 'C'], ('B', 'C')), expected['B_T_C'], atol=tolerance)


@pytest.mark.parametrize(('given', 'expected', 'tolerance'), spec_cases('KIN-06'))
def test_angle_sets_to_matrices(given, expected, tolerance):
    angles = given.get('alpha_beta_gamma_deg') or given['first_second_third_deg']
    matrix = matrix_from_angles(given['set'], np.radians(angles))
    np.testing.assert_allclose(matrix, expected['R'], atol=tolerance)
    if 'equals' in expected:
        name, numbers = expected['equals'].split(' with ')
        other = np.radians([float(number) for number in re.findall(r'\d+', numbers)])
        np.testing.assert_allclose(matrix_from_angles(name, other), matrix, atol=1e-12)


@pytest.mark.parametrize(('given', 'expected', 'tolerance'), spec_cases('KIN-07'))
def test_matrices_to_angle_sets(given, expected, tolerance):
    found = angles_from_matrix(given['set'], given['R'])
    assert bool(found.degenerate) is expected['degenerate']
    solutions = [found.first] if found.degenerate else [found.first, found.second]
    np.testing.assert_allclose(np.degrees(solutions), expected['solutions_deg'], atol=tolerance['deg'])


@pytest.mark.parametrize(('given', 'expected', 'tolerance'), spec_cases('KIN-08'))
def test_axis_and_angle(given, expected, tolerance):
    if 'point' in given:
        moved = rotation_about_line(given['axis'], np.radians(given['angle_deg']), given['point'])
        np.testing.assert_allclose(moved, expected['A_T_B'], atol=tolerance)
    elif 'Q' in given:
        rotated = rotate_vector(given['Q'], given['axis'], np.radians(given['angle_deg']))
        np.testing.assert_allclose(rotated, expected['Q_rotated'], atol=tolerance)
    elif 'axis' in given:
        matrix = axis_angle_matrix(given['axis'], np.radians(given['angle_deg']))
        np.testing.assert_allclose(matrix, expected['R'], atol=tolerance)
    else:
        found = axis_angle(given['R'])
        within = tolerance if isinstance(tolerance, float) else tolerance['deg']
        assert np.degrees(found.angle) == pytest.approx(expected['angle_deg'], abs=within)
        assert bool(found.defined) is expected.get('axis_defined', True)
        axis = expected.get('axis', expected.get('axis_up_to_sign'))
        if axis:
            np.testing.assert_allclose(found.axis, axis, atol=tolerance['axis'])


@pytest.mark.parametrize(('given', 'expected', 'tolerance'), spec_cases('KIN-09'))
def test_euler_parameters(given, expected, tolerance):
    if 'axis' in given:
        matrix = axis_angle_matrix(given['axis'], np.radians(given['angle_deg']))
        np.testing.assert_allclose(quaternion_from_matrix(matrix), expected['e1_e2_e3_e4'], atol=tolerance)
    elif 'R' in given:
        found = quaternion_from_matrix(given['R'])
        np.testing.assert_allclose(found, expected['e1_e2_e3_e4_up_to_sign'], atol=tolerance)
    else:
        matrix = matrix_from_quaternion(given['e1_e2_e3_e4'])
        np.testing.assert_allclose(matrix, expected['R'], atol=tolerance)


@pytest.mark.parametrize(('given', 'expected', 'tolerance'), spec_cases('KIN-10'))
def test_points_and_taught_frames(given, expected, tolerance):
    if 'theta_deg' in given:
        point = point_from_cylindrical(np.radians(given['theta_deg']), given['r'], given['z'])
        np.testing.assert_allclose(point, expected['P'], atol=tolerance)
    elif 'alpha_deg' in given:
        point = point_from_spherical(np.radians(given['alpha_deg']), np.radians(given['beta_deg']), given['r'])
        np.testing.assert_allclose(point, expected['P'], atol=tolerance)
    else:
        frame = frame_from_points(given['P1'], given['P2'], given['P3'])
        np.testing.assert_allclose(frame, expected['U_T_A'], atol=tolerance)


def in_radians(user):
    return [*user[:2], np.radians(user[2])]


@pytest.mark.parametrize(('given', 'expected', 'tolerance'), spec_cases('KIN-12'))
def test_planar_frames(given, expected, tolerance):
    if 'brela' in given:
        brela, crelb = in_radians(given['brela']), in_radians(given['crelb'])
        np.testing.assert_allclose(planar_multiply(brela, crelb), in_radians(expected['crela']), atol=tolerance)
        np.testing.assert_allclose(planar_invert(brela), in_radians(expected['TINVERT(brela)']), atol=tolerance)
    else:
        transform = planar_transform(in_radians(given['user']))
        np.testing.assert_allclose(transform, expected['internal_3x3'], atol=tolerance)
        np.testing.assert_allclose(planar_user_form(transform), in_radians(expected['user_back']), atol=tolerance)


def example(*names):
    """Parameters of a test that runs these examples."""
    return pytest.mark.parametrize('case', [pytest.param(VEL[name], id=name) for name in names])


@example('VEL-01a')
def test_velocity_of_a_point_in_a_moving_frame(case):
    transform = make_transform(turns(case['rotation']), np.zeros(3))
    found = point_velocity(transform, case['origin_velocity'], case['omega'], case['point'], case['velocity'])
    np.testing.assert_allclose(found, case['expected'], atol=1e-12)


@example('VEL-03a', 'VEL-03b')
def test_rates_of_angle_sets(case):
    omega = angle_rate_matrix(case['set'], case['angles']) @ case['rates']
    np.testing.assert_allclose(omega, case['expected'], atol=1e-6)
    np.testing.assert_allclose(angle_rates(case['set'], case['angles'], omega), case['rates'], atol=1e-12)


@example('VEL-13a')
def test_twists_between_frames(case):
    a_t_b = make_transform(case['R'], case['P'])
    found = transform_twist(invert_transform(a_t_b), case['A_V'])
    np.testing.assert_allclose(found, case['expected'], atol=1e-3)


@example('VEL-13b')
def test_planar_twists_between_frames(case):
    np.testing.assert_allclose(planar_twist(case['frame'], case['A_V']), case['expected'], atol=1e-7)


@example('VEL-14a', 'VEL-14b')
def test_wrench_of_a_sensor_at_the_tool(case):
    s_t_t = make_transform(turns(case['rotation']), case['P'])
    np.testing.assert_allclose(transform_wrench(invert_transform(s_t_t), case['S_F']), case['expected'], atol=1e-8)
