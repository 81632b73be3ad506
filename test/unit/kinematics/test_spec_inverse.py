"""Forward and inverse kinematics of the specification's arms: KIN-18 and KIN-20 to KIN-31."""

from dataclasses import replace

import numpy as np
import pytest
from support.robots import arm, spec_cases, spec_examples
from support.solutions import assert_same_set, link_matrix, table_pose

from robokin_ros.kinematics import (
    IkOptions,
    calibrate_tool,
    classify_arm,
    computed_point_error,
    forward_kinematics,
    images_within_limits,
    inverse_kinematics,
    is_reachable,
    joint_distance,
    project_pose,
    solve,
    table_angles,
    taught_point_error,
    visit_goals,
    where,
    wrist_goal,
)
from robokin_ros.model import DhRow, MotomanActuators, RobotModel, WorkFrames, dh_arm, load_robot
from robokin_ros.spatial import make_transform, rotation_vector

POSITION = IkOptions(position_only=True)


def endless(alpha_deg, a, d, tool=None, limits=None):
    """A revolute arm of a modified DH table, without joint limits or with those given [deg]."""
    rows = [DhRow(float(np.radians(al)), float(length), float(offset))
            for al, length, offset in zip(alpha_deg, a, d, strict=True)]
    if limits is not None:
        rows = [replace(row, lower=float(np.radians(low)), upper=float(np.radians(high)))
                for row, (low, high) in zip(rows, limits, strict=True)]
    return RobotModel.from_dh(rows, tool=tool)


def planar(x, y, phi_deg):
    """Frame (x, y, phi) of the plane as a pose."""
    angle = np.radians(phi_deg)
    c, s = np.cos(angle), np.sin(angle)
    return make_transform([[c, -s, 0], [s, c, 0], [0, 0, 1]], (x, y, 0.0))


def planar_frames(tool, station):
    frames = WorkFrames()
    frames.set_tool('tool', planar(*tool))
    frames.set_station('station', planar(*station))
    frames.use('tool', 'station')
    return frames


def assert_planar(pose, expected, tolerance):
    np.testing.assert_allclose(pose[:2, 3], expected[:2], atol=tolerance['m'])
    np.testing.assert_allclose(pose, planar(*expected), atol=max(tolerance['m'], np.radians(tolerance['deg'])))


def at(*points):
    """Poses at points, without a turn."""
    return [make_transform(np.eye(3), point) for point in points]


def puma_closed_form(q, a2, a3, d3, d4):
    """The twelve formulas of KIN-18."""
    (c1, c2, _, c4, c5, c6), (s1, s2, _, s4, s5, s6) = np.cos(q), np.sin(q)
    c23, s23 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
    first, second = c4 * c5 * c6 - s4 * s6, s4 * c5 * c6 + c4 * s6
    third, fourth = -c4 * c5 * s6 - s4 * c6, c4 * c6 - s4 * c5 * s6
    reach = a2 * c2 + a3 * c23 - d4 * s23
    return np.array([
        [c1 * (c23 * first - s23 * s5 * c6) + s1 * second, c1 * (c23 * third + s23 * s5 * s6) + s1 * fourth,
         -c1 * (c23 * c4 * s5 + s23 * c5) - s1 * s4 * s5, c1 * reach - d3 * s1],
        [s1 * (c23 * first - s23 * s5 * c6) - c1 * second, s1 * (c23 * third + s23 * s5 * s6) - c1 * fourth,
         -s1 * (c23 * c4 * s5 + s23 * c5) + c1 * s4 * s5, s1 * reach + d3 * c1],
        [-s23 * first - c23 * s5 * c6, -s23 * third + c23 * s5 * s6, s23 * c4 * s5 - c23 * c5,
         -a3 * s23 - a2 * s2 - d4 * c23],
        [0, 0, 0, 1]])


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-18'))
def test_puma_forward(given_values, expected, tolerance):
    lengths = {key: given_values[key] for key in ('a2', 'a3', 'd3', 'd4') if key in given_values}
    q = np.radians(given_values['q_deg'])
    for model in (dh_arm('puma560_dh', **lengths), arm('puma560')):
        np.testing.assert_allclose(forward_kinematics(model, q), expected['T_0_6'], atol=tolerance)


def test_puma_forward_is_the_closed_form():
    for a2, a3, d3, d4 in ((0.425, 0.02, 0.1225, 0.425), (0.4318, 0.0203, 0.1244, 0.4318), (1.0, -0.3, 0.2, 0.7)):
        model = dh_arm('puma560_dh', a2=a2, a3=a3, d3=d3, d4=d4)
        for q in np.random.default_rng(70).uniform(-np.pi, np.pi, (50, 6)):
            np.testing.assert_allclose(forward_kinematics(model, q), puma_closed_form(q, a2, a3, d3, d4), atol=1e-12)


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-20'))
def test_where(given_values, expected, tolerance):
    q = np.radians(given_values['q_deg'])
    if 'l1' in given_values:
        model = dh_arm('planar3r', l1=given_values['l1'], l2=given_values['l2'])
        frames = planar_frames(given_values['W_T_T'], given_values['B_T_S'])
        found = where(model, q, frames)
        assert_planar(found, expected['S_T_T'], tolerance)
    else:
        model = arm('puma560')
        frames = WorkFrames()
        frames.set_tool('tool', given_values['W_T_T'])
        frames.set_station('station', given_values['B_T_S'])
        frames.use('tool', 'station')
        found = where(model, q, frames)
        np.testing.assert_allclose(found, expected['S_T_T'], atol=tolerance)
    # calibration: the tool that touches what WHERE says is the tool in use
    np.testing.assert_allclose(calibrate_tool(model, q, found, frames), frames.tool_frame(), atol=1e-9)
    np.testing.assert_allclose(wrist_goal(found, frames), forward_kinematics(model, q), atol=1e-9)
    np.testing.assert_allclose(where(model, q), forward_kinematics(model, q), atol=1e-15)


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-21'))
def test_selection(given_values, expected, tolerance):
    if 'theta_deg' in given_values:
        found = images_within_limits(np.radians(given_values['theta_deg']), *np.radians(given_values['limits_deg']))
        np.testing.assert_allclose(np.degrees(found), expected['legal_images_deg'], atol=tolerance['deg'])
        return
    current, candidates = np.radians(given_values['current_deg']), np.radians(given_values['candidates_deg'])
    names = ('unweighted', 'weighted')
    indices = expected['index_unweighted'], expected['index_weighted_10_1_1']
    for weights, name, chosen in zip(given_values['weights'], names, indices, strict=True):
        costs = joint_distance(candidates, current, weights, 'sum')
        np.testing.assert_allclose(np.degrees(costs), expected[f'cost_sum_abs_{name}_deg'], atol=tolerance['deg'])
        assert np.argmin(costs) == chosen
        model = dh_arm('planar3r')
        options = IkOptions(weights=weights, norm='sum')
        found = inverse_kinematics(model, forward_kinematics(model, candidates[0]), current, options=options)
        np.testing.assert_allclose(found.solutions[0], candidates[chosen], atol=np.radians(tolerance['deg']))
        single = inverse_kinematics(model, forward_kinematics(model, candidates[0]), current, all_solutions=False,
                                    options=options)
        np.testing.assert_array_equal(single.solutions, found.solutions[:1])


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-22'))
def test_workspace(given_values, expected, tolerance):
    if 'forearm_h' in expected:
        assert_reach_of_the_wrist(given_values, expected, tolerance)
        return
    points = [[*point, 0.0][:3] for point in given_values['points']]
    if 'l1' in given_values:
        model = dh_arm('planar2r', l1=given_values['l1'], l2=given_values['l2'])
        assert_counts(model, points, expected['reachable'], expected['number_of_solutions'])
    elif 'position_only_solutions' in expected:
        model = dh_arm('spatial3r_33', l1=15.0, l2=10.0, l3=3.0)
        assert_counts(model, points, expected['reachable'], expected['position_only_solutions'])
    else:
        model = endless([0, 0], [0, 2.0], [0, 0], tool=at((1.0, 0.0, 0.0))[0], limits=[(0, 180), (-90, 180)])
        for pose, solutions in zip(at(*points), expected['solutions_deg'], strict=True):
            found = inverse_kinematics(model, pose, options=POSITION)
            assert_same_set(found.solutions, np.radians(solutions), np.radians(tolerance['deg']))
            assert found.status == ('OK' if solutions else 'OUT_OF_LIMITS')


def assert_counts(model, points, reachable, counts):
    assert is_reachable(model, points).tolist() == reachable
    for pose, number in zip(at(*points), counts, strict=True):
        found = inverse_kinematics(model, pose, options=POSITION)
        assert found.method == 'position of a point'
        assert len(found.solutions) == number, f'{pose[:3, 3]}: {np.degrees(found.solutions)}'
        assert found.status == ('OK' if number else 'UNREACHABLE')


def assert_reach_of_the_wrist(lengths, expected, tolerance):
    """Extremes of the PUMA's wrist centre, from joints and by asking for points just inside and just outside."""
    h = np.hypot(lengths['a3'], lengths['d4'])
    assert h == pytest.approx(expected['forearm_h'], abs=tolerance)
    rows = [DhRow(alpha=float(np.radians(al)), a=a, d=d) for al, a, d in zip(
        [0, -90, 0, -90, 90, -90], [0, 0, lengths['a2'], lengths['a3'], 0, 0],
        [0, 0, lengths['d3'], lengths['d4'], 0, 0], strict=True)]
    model = RobotModel.from_dh(rows)
    stretched = -np.arctan2(lengths['d4'], lengths['a3'])
    for q3, least in ((stretched, 'max'), (stretched + np.pi, 'min')):
        name = f'{least}_distance_from_base_origin'
        pose = forward_kinematics(model, [0.3, -0.4, q3, 0.1, 0.5, 0.2])
        distance = np.linalg.norm(pose[:3, 3])
        assert distance == pytest.approx(expected[name], abs=tolerance)
        outwards = 1.0 if name.startswith('max') else -1.0
        for step, status in ((-1e-3, ('OK', 'SINGULAR')), (1e-3, ('UNREACHABLE',))):
            moved = pose.copy()
            moved[:3, 3] *= 1.0 + outwards * step / distance
            assert inverse_kinematics(model, moved).status in status, (name, step)
    axis = expected['min_distance_from_axis_1']
    inside, outside = (inverse_kinematics(model, make_transform(np.eye(3), (factor * axis, 0.0, 0.5)))
                       for factor in (0.99, 1.01))
    assert inside.status == 'UNREACHABLE'
    assert outside.status == 'OK'


@pytest.mark.filterwarnings('ignore:A rotation matrix')  # given to six digits
@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-23'))
def test_subspaces(given_values, expected, tolerance):
    x, y = given_values['x'], given_values['y']
    if 'T_0_2' in expected:
        model, pose = dh_arm('polar_rp'), np.array(expected['T_0_2'])
    else:
        model, pose = dh_arm('cylindrical_rpr'), np.array(expected['T_0_3'])
    found = inverse_kinematics(model, pose)
    assert found.status == 'OK'
    assert len(found.solutions) == 1
    np.testing.assert_allclose(forward_kinematics(model, found.solutions[0]), pose, atol=max(tolerance, 2e-6))
    # the subspace is given by x, y (and theta3) alone: the same frame from a pose with another orientation, projected
    turned = pose.copy()
    turned[:3, :3] = turned[:3, :3] @ link_matrix(0.2, 0.0, 0.0, 0.0)[:3, :3]
    assert inverse_kinematics(model, turned).status == 'OFF_SUBSPACE'
    nearest = project_pose(model, turned)
    np.testing.assert_allclose(nearest.pose[:3, 3], (x, y, 0.0), atol=1e-6)
    if 'theta_deg' in given_values:
        np.testing.assert_allclose(np.degrees(found.solutions[0, 2]), given_values['theta_deg'], atol=1e-4)
    else:
        np.testing.assert_allclose(nearest.pose, pose, atol=1e-6)
        np.testing.assert_allclose(np.degrees(nearest.angle), np.degrees(0.2), atol=1e-6)


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-24'))
def test_planar_arm(given_values, expected, tolerance):
    pose = planar(given_values['x'], given_values['y'], given_values['phi_deg'])
    model = endless([0, 0, 0], [0, 0.5, 0.5], [0, 0, 0])
    if 'free_joint' in expected:
        seed = np.radians([given_values['current_theta1_deg'], 100.0, -100.0])
        found = inverse_kinematics(model, pose, seed)
        assert found.status == 'SINGULAR'
        assert found.free_joints == (model.joint_names[expected['free_joint'] - 1],)
        np.testing.assert_allclose(np.degrees(found.solutions[0, 1]), expected['theta2_deg'], atol=tolerance['deg'])
        assert_same_set(found.solutions, np.radians([expected['with_current']]), np.radians(tolerance['deg']))
        return
    found = inverse_kinematics(model, pose)
    wanted = expected['solutions_deg']
    assert found.status == ('OK' if wanted else 'UNREACHABLE')
    within = tolerance['deg'] if isinstance(tolerance, dict) else 1e-9
    assert_same_set(found.solutions, np.radians(wanted).reshape(-1, 3), np.radians(within))


def test_planar_arm_says_what_is_off_its_plane():
    model = dh_arm('planar3r')
    pose = planar(0.6, 0.3, 75)
    above = pose.copy()
    above[2, 3] = 0.01
    tilted = pose @ link_matrix(0.1, 0.0, 0.0, 0.0)
    assert inverse_kinematics(model, pose).status == 'OK'
    for off, words in ((above, '0.01 m'), (tilted, '0.1 rad')):
        result = inverse_kinematics(model, off)
        assert result.status == 'OFF_SUBSPACE'
        assert words in result.reason
    nearest = project_pose(model, tilted)  # phi = Atan2(r21 - r12, r11 + r22)
    angle = np.arctan2(tilted[1, 0] - tilted[0, 1], tilted[0, 0] + tilted[1, 1])
    np.testing.assert_allclose(nearest.pose, planar(0.6, 0.3, np.degrees(angle)), atol=1e-6)


def test_planar_arm_drops_what_its_limits_forbid():
    """INVKIN: limits of +-170 degrees."""
    model = dh_arm('planar3r')
    both = endless([0, 0, 0], [0, 0.5, 0.5], [0, 0, 0])
    for x, y, phi in np.random.default_rng(71).uniform([-0.9, -0.9, -180], [0.9, 0.9, 180], (60, 3)):
        pose = planar(x, y, phi)
        every, legal = inverse_kinematics(both, pose), inverse_kinematics(model, pose)
        inside = [q for q in every.solutions if np.all(np.abs(q) <= np.radians(170.0))]
        assert_same_set(legal.solutions, np.array(inside).reshape(-1, 3), 1e-9)
        if not inside:
            assert legal.status == ('OUT_OF_LIMITS' if len(every.solutions) else 'UNREACHABLE')


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-25'))
def test_three_meeting_axes(given_values, expected, tolerance):
    if 'dh' in given_values:
        dh = given_values['dh']
        model = endless(dh['alpha_{i-1}_deg'], dh['a_{i-1}'], dh['d_i'])
        found = inverse_kinematics(model, given_values['T_0_6'])
        assert found.status == 'OK'
        assert len(found.solutions) == expected['count']
        assert_same_set(found.solutions, np.radians(expected['solutions_deg']), np.radians(tolerance['deg']))
        return
    g = given_values
    point = make_transform(np.eye(3), (g['a3'], 0.0, 0.0))
    assert g['d4'] == 0
    three = endless([0, g['alpha1_deg'], g['alpha2_deg']], [0, g['a1'], g['a2']], [0, g['d2'], g['d3']], tool=point)
    for model in (three, dh_arm('arm4r_416')):
        found = inverse_kinematics(model, make_transform(np.eye(3), g['P']), options=POSITION)
        assert found.method == 'position of a point'
        assert_same_set(found.solutions[:, :3], np.radians(expected['theta1_theta2_theta3_deg']),
                        np.radians(tolerance['deg']))
        thirds = np.unique(np.round(np.degrees(found.solutions[:, 2]), 3))
        np.testing.assert_allclose(thirds, expected['theta3_deg'], atol=tolerance['deg'])


def test_goal_just_beyond_the_boundary_is_a_matter_of_tolerance():
    """The example of KIN-25: arm4r_417 misses P = (0, 1, 1.414) by 2e-4 m."""
    model, pose = dh_arm('arm4r_417'), make_transform(np.eye(3), (0.0, 1.0, 1.414))
    assert inverse_kinematics(model, pose, options=POSITION).status == 'UNREACHABLE'
    wide = inverse_kinematics(model, pose, options=IkOptions(position_only=True, position_tolerance=1e-3))
    assert wide.status in ('OK', 'SINGULAR')
    reached = forward_kinematics(model, wide.solutions[0])
    assert 1e-6 < np.linalg.norm(reached[:3, 3] - pose[:3, 3]) <= 1e-3


def wrist_arm(alpha4, alpha5):
    """A PUMA with another wrist, and the joints 1 to 3 that its wrists are tried at."""
    table = np.array([[0, 0, 0, 0], [-90, 0, 0, 0], [0, 0.425, 0.1225, 0], [-90, 0.02, 0.425, 0], [alpha4, 0, 0, 0],
                      [alpha5, 0, 0, 0]], dtype=float)
    table[:, 0] = np.radians(table[:, 0])
    return RobotModel.from_dh([DhRow(*(float(value) for value in row)) for row in table]), table


def wrist_solutions(alpha4, alpha5, rotation):
    """(status, joints 4 to 6) for a given rotation of {6} in the frame that Rz(theta4) turns, at one arm posture."""
    model, table = wrist_arm(alpha4, alpha5)
    first = np.array([0.3, -0.8, 0.4])
    pose = table_pose(table[:3], first) @ link_matrix(*table[3, :3], 0.0)
    pose[:3, :3] = pose[:3, :3] @ rotation
    found = inverse_kinematics(model, pose)
    same = np.max(np.abs(found.solutions[:, :3] - first), axis=1) < 1e-6
    return found, found.solutions[same][:, 3:]


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-26'))
def test_wrists(given_values, expected, tolerance):
    twists = given_values['alpha4_deg'], given_values['alpha5_deg']
    rotation = np.array(given_values.get('W', given_values.get('W_for_lean_75')))
    wanted = expected.get('theta4_5_6_deg', expected.get('theta4_5_6_deg_for_lean_75'))
    found, wrist = wrist_solutions(*twists, rotation)
    assert found.status == 'OK'
    assert found.method == 'spherical wrist'
    # the orientation is given to 8 digits
    assert_same_set(wrist, np.radians(wanted), np.radians(tolerance['deg']))
    for lean, reachable in zip(given_values.get('lean_deg', ()), expected.get('reachable', ()), strict=True):
        for around in (-2.0, 0.0, 1.0):
            turned = (link_matrix(0, 0, 0, around) @ link_matrix(np.radians(lean), 0, 0, 0.7))[:3, :3]
            assert np.degrees(np.arccos(turned[2, 2])) == pytest.approx(lean)
            assert (len(wrist_solutions(*twists, turned)[1]) > 0) is reachable


def test_lean_of_oblique_wrists_is_limited_as_printed():
    """Exercise 4.12: the lean of axis 6 from axis 4 lies between | |al4| - |al5| | and min(sum, 360 - sum)."""
    generator = np.random.default_rng(72)
    for alpha4, alpha5 in [(90, 90), (90, -90), (60, 120), (40, 50), (-70, 100), (130, 80)]:
        low = abs(abs(alpha4) - abs(alpha5))
        high = min(abs(alpha4) + abs(alpha5), 360 - abs(alpha4) - abs(alpha5))
        for lean in generator.uniform(1, 179, 12):
            if min(abs(lean - low), abs(lean - high)) < 0.1:
                continue
            turned = (link_matrix(0, 0, 0, 0.4) @ link_matrix(np.radians(lean), 0, 0, -1.0))[:3, :3]
            number = len(wrist_solutions(alpha4, alpha5, turned)[1])
            assert number == (2 if low < lean < high else 0), (alpha4, alpha5, lean)


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-27'))
def test_puma_inverse(given_values, expected, tolerance):
    limited = dh_arm('puma560_dh')
    free = endless([0, -90, 0, -90, 90, -90], [0, 0, 0.425, 0.02, 0, 0], [0, 0, 0.1225, 0.425, 0, 0])
    if 'count' in expected:
        found = inverse_kinematics(free, given_values['T_0_6'])
        assert len(found.solutions) == expected['count']
        assert_same_set(found.solutions, np.radians(expected['solutions_deg']), np.radians(tolerance['deg']))
        inside = np.radians(expected['inside_limits_deg'])
        legal = inverse_kinematics(limited, given_values['T_0_6'])
        assert len(legal.solutions) == len(inside)
        for q in inside:  # not modulo whole turns: the limits decide
            assert np.min(np.max(np.abs(legal.solutions - q), axis=1)) < np.radians(tolerance['deg'])
    elif expected.get('singular'):
        seed = np.radians(given_values['generated_from_deg']) + 0.02
        seed[3] = np.radians(given_values['current_theta4_deg'])
        found = inverse_kinematics(limited, given_values['T_0_6'], seed)
        assert found.status == 'SINGULAR'
        assert 'joint_4' in found.free_joints
        np.testing.assert_allclose(np.degrees(found.solutions[0]), expected['branch_deg'], atol=tolerance['deg'])
    else:
        assert given_values['R'] == 'identity'
        for pose, name in zip(at(given_values['p_a'], given_values['p_b']), 'ab', strict=True):
            found = inverse_kinematics(limited, pose)
            assert expected[name].startswith('no solution')
            assert found.status == 'UNREACHABLE'
            assert len(found.solutions) == 0


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-28'))
def test_motoman(given_values, expected, tolerance):
    if 'T_0_5' in given_values:
        model = endless([0, -90, 0, 0, 90], [0, 0, given_values['l2'], given_values['l3'], 0], [0] * 5)
        seed = np.radians(expected['solution_deg']) + 0.05
        found = inverse_kinematics(model, given_values['T_0_5'], seed)
        assert found.status == 'OK'
        assert_same_set(found.solutions, np.radians(expected['all_branches_deg']), np.radians(tolerance['deg']))
        np.testing.assert_allclose(np.degrees(found.solutions[0]), expected['solution_deg'], atol=tolerance['deg'])
    elif 'goal' in given_values:
        model = dh_arm('motoman_l3')
        refused = inverse_kinematics(model, given_values['goal'])
        angle = np.radians(abs(expected['rotation_applied_deg']))
        assert refused.status == 'OFF_SUBSPACE'
        assert f'{angle:.4g} rad' in refused.reason
        nearest = project_pose(model, given_values['goal'])
        np.testing.assert_allclose(nearest.pose, expected['goal_projected'], atol=tolerance)
        assert np.degrees(nearest.angle) == pytest.approx(abs(expected['rotation_applied_deg']), abs=tolerance)
        assert nearest.distance < tolerance
        found = inverse_kinematics(model, given_values['goal'], options=IkOptions(project=True))
        assert found.status == 'OK'
        np.testing.assert_allclose(found.projected, expected['goal_projected'], atol=tolerance)
        np.testing.assert_allclose(found.given_up, (0.0, angle), atol=tolerance)
        for q in found.solutions:
            np.testing.assert_allclose(forward_kinematics(model, q), expected['goal_projected'], atol=tolerance)
    else:
        for a5, legal in zip(given_values['A5_candidates'], expected['legal_A5'], strict=True):
            np.testing.assert_array_equal(MotomanActuators.legal_turns(given_values['A4'], a5), legal)


def project_by_the_book(goal):
    """KIN-28: the tool axis is turned into the vertical plane through axis 1 and the tool point."""
    x, y = goal[:2, 3]
    m = np.array([-y, x, 0.0]) / np.hypot(x, y)
    k = np.cross(m, goal[:3, 2])
    k /= np.linalg.norm(k)
    z = np.cross(k, m)
    cosine, sine = goal[:3, 2] @ z, np.cross(goal[:3, 2], z) @ k
    ty = goal[:3, 1]
    side = cosine * ty + sine * np.cross(k, ty) + (1.0 - cosine) * (k @ ty) * k
    return make_transform(np.column_stack((np.cross(side, z), side, z)), goal[:3, 3])


def test_projection_of_random_goals_is_the_books():
    model = dh_arm('motoman_l3')
    generator = np.random.default_rng(73)
    for _ in range(12):
        goal = forward_kinematics(model, generator.uniform([-3, -2.5, 0.3, -2, -3], [3, -0.5, 2.0, 2, 3]))
        goal[:3, :3] = goal[:3, :3] @ (link_matrix(*(generator.uniform(-0.9, 0.9), 0.0, 0.0), 0.3))[:3, :3]
        nearest = project_pose(model, goal)
        np.testing.assert_allclose(nearest.pose, project_by_the_book(goal), atol=1e-5)
        turn = rotation_vector(goal[:3, :3].T @ nearest.pose[:3, :3])
        assert nearest.angle == pytest.approx(np.linalg.norm(turn), abs=1e-9)


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-29'))
def test_solve(given_values, expected, tolerance):
    driver = spec_examples('spec/KIN-29')['KIN-29-E1']['input']  # the second goal has the same tool and station
    frames = planar_frames(driver['W_T_T'], driver['B_T_S'])
    model = dh_arm('planar3r', l1=driver['l1'], l2=driver['l2'])
    goal = planar(*given_values['goal_S_T_T'])
    assert_planar(wrist_goal(goal, frames), expected['B_T_W'], tolerance)
    found = solve(model, goal, np.radians(given_values['current_deg']), frames)
    assert (found.status == 'OK') is expected['sol']
    legal = [expected['near_deg']] + ([expected['far_deg']] if 'far_deg' in expected else [])
    np.testing.assert_allclose(np.degrees(found.solutions), legal, atol=tolerance['deg'])
    for q in found.solutions:
        np.testing.assert_allclose(where(model, q, frames), goal, atol=1e-6)
    if 'both_mathematical_deg' in expected:
        both = endless([0, 0, 0], [0, driver['l1'], driver['l2']], [0, 0, 0])
        assert_same_set(solve(both, goal, frames=frames).solutions, np.radians(expected['both_mathematical_deg']),
                        np.radians(tolerance['deg']))


def test_visiting_goals_goes_on_after_one_that_fails():
    cases = spec_examples('spec/KIN-29')
    first, second = cases['KIN-29-E1'], cases['KIN-29-E2']
    frames = planar_frames(first['input']['W_T_T'], first['input']['B_T_S'])
    model = dh_arm('planar3r')
    far = planar(5.0, 0.0, 0.0)
    goals = [planar(*first['input']['goal_S_T_T']), far, planar(*second['input']['goal_S_T_T'])]
    visits = visit_goals(model, goals, np.zeros(3), frames)
    assert [visit.reached for visit in visits] == [True, False, True]
    assert visits[1].result.status == 'UNREACHABLE'
    np.testing.assert_array_equal(visits[1].joints, visits[0].joints)
    np.testing.assert_allclose(np.degrees(visits[0].joints), first['expected']['near_deg'], atol=1e-3)
    np.testing.assert_allclose(np.degrees(visits[2].joints), second['expected']['near_deg'], atol=1e-3)
    assert len(visit_goals(model, goals, np.zeros(3), frames, stop_at_first_failure=True)) == 2


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-30'))
def test_small_arms(given_values, expected, tolerance):
    if 'v_in_table' in given_values:
        found = table_angles(given_values['v_in_table'])
        assert found.free is (expected['theta2'] == 'free')
        assert found.angles.shape == (1, 2)
        assert np.degrees(found.angles[0, 0]) == pytest.approx(expected['theta1_deg'], abs=1e-12)
    elif 'P' in given_values:
        model = dh_arm('spatial3r_33', l1=given_values['l1'], l2=given_values['l2'], l3=given_values['l3'])
        found = inverse_kinematics(model, make_transform(np.eye(3), given_values['P']), options=POSITION)
        assert found.status == 'OK'
        assert_same_set(found.solutions, np.radians(expected['theta_deg']), np.radians(tolerance['deg']))
    elif 'd2' in expected:
        found = inverse_kinematics(dh_arm('cylindrical_rpr'), given_values['T_0_3'])
        assert len(found.solutions) == 1
        np.testing.assert_allclose(np.degrees(found.solutions[0, [0, 2]]),
                                   [expected['theta1_deg'], expected['theta3_deg']], atol=tolerance['deg'])
        assert found.solutions[0, 1] == pytest.approx(expected['d2'], abs=tolerance['m'])
    else:
        found = inverse_kinematics(dh_arm('spatial3r_33'), given_values['T_0_3'])
        assert found.status == 'OK'
        assert_same_set(found.solutions, np.radians([expected['theta_deg']]), np.radians(tolerance['deg']))


@pytest.mark.parametrize('name', ['spatial3r_33', 'cylindrical_rpr', 'planar3r', 'polar_rp', 'twolink_39',
                                  'planar_rpr_316', 'spatial3r_34', 'positioner_411', 'motoman_l3', 'arm4r_416',
                                  'arm4r_417', 'planar2r'])
def test_small_arms_solve_their_own_poses_and_refuse_others(name):
    model = load_robot(name)
    assert classify_arm(model).closed_form, classify_arm(model).reason
    generator = np.random.default_rng(74)
    low, high = np.maximum(model.lower, -3.0), np.minimum(model.upper, 3.0)
    for q in generator.uniform(low + 0.1, high - 0.1, (10, model.dof)):
        pose = forward_kinematics(model, q)
        found = inverse_kinematics(model, pose)
        assert found.status == 'OK', (q, found.reason)
        assert np.min(np.max(np.abs(found.solutions - q), axis=1)) < 1e-5
        off = pose @ link_matrix(0.3, 0.0, 0.0, 0.2) @ link_matrix(0.3, 0.0, 0.0, 0.0)
        refused = inverse_kinematics(model, off)
        assert refused.status == 'OFF_SUBSPACE', refused.reason
        assert 'rad' in refused.reason
        assert len(refused.solutions) == 0


def test_positioner_turns_any_direction_up():
    model = dh_arm('positioner_411')
    for direction in np.random.default_rng(75).normal(size=(30, 3)):
        found = table_angles(direction)
        assert not found.free
        assert found.angles.shape == (2, 2)
        for q in found.angles:
            up = forward_kinematics(model, q)[:3, :3] @ direction
            np.testing.assert_allclose(up, (0.0, 0.0, np.linalg.norm(direction)), atol=1e-9)
    down = table_angles([0.0, 0.0, -2.0])
    assert down.free
    assert down.angles[0, 0] == pytest.approx(np.pi)


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-31'))
def test_accuracy(given_values, expected, tolerance):
    nominal = dh_arm('puma560_dh')
    actual = dh_arm('puma560_dh', a2=0.425 + given_values['delta_a2'], d4=0.425 + given_values['delta_d4'])
    q = np.radians(given_values['q_deg'])
    errors = computed_point_error(nominal, actual, forward_kinematics(nominal, q), seed=q)
    np.testing.assert_allclose(errors.vectors, [expected['error_vector_m']], atol=tolerance)
    assert errors.mean == pytest.approx(expected['error_norm_m'], abs=tolerance)
    assert errors.largest == pytest.approx(expected['error_norm_m'], abs=tolerance)
    taught = taught_point_error(actual, q)
    assert taught.largest == expected['taught_point_error_m']


QUARTER = np.pi / 2
SLIDE = {'lower': -5.0, 'upper': 5.0, 'type': 'prismatic'}
OUTWARDS = SLIDE | {'lower': 0.0}
FIGURES = {  # arms of the types that KIN-30 names, generic and orthogonal; number of position solutions
    'RRR': ([DhRow(), DhRow(alpha=QUARTER), DhRow(a=0.5)], (0.4, 0.0, 0.0), 4),
    'RRP': ([DhRow(), DhRow(alpha=-QUARTER, d=0.2), DhRow(alpha=QUARTER, **OUTWARDS)], (0.0, 0.0, 0.0), 2),
    'RPP': ([DhRow(), DhRow(**SLIDE), DhRow(alpha=-QUARTER, **OUTWARDS)], (0.0, 0.0, 0.0), 1),
    'PRR': ([DhRow(**SLIDE), DhRow(), DhRow(a=0.5)], (0.4, 0.0, 0.0), 2),
    'PPP': ([DhRow(**SLIDE), DhRow(alpha=QUARTER, theta=QUARTER, **SLIDE), DhRow(alpha=QUARTER, **SLIDE)],
            (0.0, 0.0, 0.0), 1),
}


@pytest.mark.parametrize('kind', FIGURES)
def test_counts_of_position_solutions_of_the_lost_figures(kind):
    """Exercises 4.18 to 4.22: "only the position is given", without limits on the angles, slides outwards only."""
    rows, tip, number = FIGURES[kind]
    model = RobotModel.from_dh(rows, tool=at(tip)[0])
    for q in np.random.default_rng(76).uniform(0.5, 1.2, (5, 3)):
        pose = make_transform(np.eye(3), forward_kinematics(model, q)[:3, 3])
        found = inverse_kinematics(model, pose, options=POSITION)
        assert len(found.solutions) == number, (found.method, found.solutions)
        assert np.min(np.max(np.abs(found.solutions - q), axis=1)) < 1e-5
