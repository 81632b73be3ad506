"""Links, frames and the textbook's arms against the specification (KIN-14 to KIN-17 and KIN-19)."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import spec_cases, spec_examples
from support.solutions import link_matrix, table_pose

from robokin_ros.errors import InputError, LimitError, ModelError, UnknownNameError
from robokin_ros.kinematics import forward_kinematics, frame_poses
from robokin_ros.model import (
    DhRow,
    MotomanActuators,
    RobotModel,
    dh_arm,
    dh_arm_names,
    dh_of_axes,
    link_of_lines,
    link_of_transform,
    load_robot,
)

QUICK = settings(max_examples=100, deadline=None, derandomize=True)
SEEDS = st.integers(0, 2**31)
MOTOMAN = {key.lower(): value for key, value in spec_examples('spec/KIN-19')['KIN-19-E2']['input']['constants'].items()}


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-14'))
def test_link_parameters(given_values, expected, tolerance):
    if 'bearings' in given_values:  # two such links, the second turned by some angle about the axis between them
        alpha, a, d = np.radians(expected['alpha_deg']), expected['a'], expected[
            'd2_when_two_such_links_are_joined_face_to_face']
        second = link_matrix(alpha, a, d, 0.3)
        third = second @ link_matrix(alpha, a, 0.0, 0.0)
        axes = [np.eye(4), second, third]
        found = link_of_lines(second[:3, 3], second[:3, 2], third[:3, 3], third[:3, 2])
        np.testing.assert_allclose(found, (a, alpha), atol=1e-12)
        chain = dh_of_axes([pose[:3, 3] for pose in axes], [pose[:3, 2] for pose in axes])
        np.testing.assert_allclose(chain.a[1:], [a, a], atol=1e-12)
        np.testing.assert_allclose(chain.alpha[1:], [alpha, alpha], atol=1e-12)
        np.testing.assert_allclose(chain.d[1], d, atol=1e-12)
    elif 'p' in given_values:
        length, twist = link_of_lines(*(given_values[name] for name in 'pmqn'))
        assert length == pytest.approx(expected['a'], abs=tolerance['m'])
        assert np.degrees(twist) == pytest.approx(expected['alpha_deg'], abs=tolerance['deg'])
    elif expected.get('is_dh_link', True):
        row = link_of_transform(given_values['T'])
        np.testing.assert_allclose(np.degrees((row.alpha, row.theta)), (expected['alpha_deg'], expected['theta_deg']),
                                   atol=tolerance['deg'])
        np.testing.assert_allclose((row.a, row.d), (expected['a'], expected['d']), atol=tolerance['m'])
    else:
        with pytest.raises(ModelError, match=re.escape(f'{expected["T[1,3]"]:.6g}')):
            link_of_transform(given_values['T'])


@QUICK
@given(st.floats(-np.pi + 1e-3, np.pi), st.floats(-2, 2), st.floats(-2, 2), st.floats(-np.pi + 1e-3, np.pi))
def test_every_link_is_recognised_from_its_transform(alpha, a, d, theta):
    row = link_of_transform(link_matrix(alpha, a, d, theta))
    np.testing.assert_allclose((row.alpha, row.a, row.d, row.theta), (alpha, a, d, theta), atol=1e-9)


@QUICK
@given(SEEDS, st.floats(-1.0, 1.0))
def test_length_and_twist_of_lines_do_not_depend_on_frame_and_points(seed, slide):
    generator = np.random.default_rng(seed)
    alpha, a = generator.uniform(-3.1, 3.1), generator.uniform(0.01, 1.0)
    place = link_matrix(*generator.uniform(-2.0, 2.0, 4)) @ link_matrix(*generator.uniform(-2.0, 2.0, 4))
    link = place @ link_matrix(alpha, a, 0.0, generator.uniform(-3, 3))
    found = link_of_lines(place[:3, 3] + slide * place[:3, 2], 2.0 * place[:3, 2],
                          link[:3, 3] - 3.0 * slide * link[:3, 2], 0.1 * link[:3, 2])
    np.testing.assert_allclose(found, (a, alpha), atol=1e-9)


def test_meeting_and_nearly_parallel_lines():
    assert link_of_lines([0, 0, 1], [0, 0, 1], [0, 2, 0], [0, 1, 0]) == pytest.approx((0.0, np.pi / 2))
    tilted = [0.0, 1e-5, 1.0]
    exact = link_of_lines([0, 0, 0], [0, 0, 1], [0.3, 0.4, 0], tilted)
    assert exact == pytest.approx((0.3, -1e-5), abs=1e-9)
    as_parallel = link_of_lines([0, 0, 0], [0, 0, 1], [0.3, 0.4, 0], tilted, parallel=1e-4)
    assert as_parallel == pytest.approx((0.5, 0.0))
    with pytest.raises(InputError, match='no direction'):
        link_of_lines([0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, 1])
    with pytest.raises(InputError):
        link_of_lines([0, 0, np.nan], [0, 0, 1], [1, 0, 0], [0, 0, 1])


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-15'))
def test_frame_attachment(given_values, expected, tolerance):
    points, directions = np.swapaxes(np.array(given_values['axes_point_dir']), 0, 1)
    chain = dh_of_axes(points, directions, hint=given_values['hint_X'])
    np.testing.assert_allclose(np.degrees(chain.alpha), expected['alpha_{i-1}_deg'], atol=tolerance['deg'])
    np.testing.assert_allclose(chain.a, expected['a_{i-1}'], atol=tolerance['m'])
    np.testing.assert_allclose(chain.d, expected['d_i'], atol=tolerance['m'])
    np.testing.assert_allclose(np.degrees(chain.theta), expected['theta_i_deg'], atol=tolerance['deg'])


@QUICK
@given(SEEDS, st.lists(st.sampled_from(['skew', 'meeting', 'parallel', 'opposite', 'same']), min_size=1, max_size=7))
def test_attached_frames_move_the_tip_like_the_axes(seed, relations):
    """The acceptance test of KIN-15: the same tip for random joints, from products of motions about the axes."""
    generator = np.random.default_rng(seed)
    points, directions = [generator.uniform(-1, 1, 3)], [generator.normal(size=3)]
    for relation in relations:
        p, z = points[-1], directions[-1]
        across = np.cross(z, generator.normal(size=3))
        if relation == 'meeting':
            points.append(p + generator.uniform(-1, 1) * z)
            directions.append(generator.normal(size=3))
        elif relation == 'skew':
            points.append(generator.uniform(-1, 1, 3))
            directions.append(generator.normal(size=3))
        else:
            points.append(p + generator.uniform(-1, 1) * z + (0.0 if relation == 'same' else 1.0) * across)
            directions.append(z * generator.uniform(0.5, 2.0) * (-1.0 if relation == 'opposite' else 1.0))
    slides = generator.random(len(points)) < 0.25
    tip = link_matrix(*generator.uniform(-1, 1, 4)) @ link_matrix(*generator.uniform(-1, 1, 4))
    chain = dh_of_axes(points, directions, slides, tip=tip)
    q = generator.uniform(-2, 2, len(points))
    expected = np.eye(4)
    for p, z, value, slide in zip(points, directions, q, slides, strict=True):
        expected = expected @ motion_about(p, z / np.linalg.norm(z), value, slide)
    found = chain.base @ table_pose(chain.table(), chain.sign * q, slides) @ chain.tool
    np.testing.assert_allclose(found, expected @ tip, atol=1e-8)


def motion_about(point, axis, value, slides):
    """Turn about a line, or shift along it, in the base frame; Rodrigues."""
    pose = np.eye(4)
    if slides:
        pose[:3, 3] = value * axis
        return pose
    skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    pose[:3, :3] += np.sin(value) * skew + (1.0 - np.cos(value)) * skew @ skew
    pose[:3, 3] = point - pose[:3, :3] @ point
    return pose


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-16'))
def test_forward_kinematics_of_a_chain(given_values, expected, tolerance):
    numbers = {name: text.split(',') for name, text in re.findall(r'(\w+)=\[(.*?)\]', given_values['dh'])}
    turn, slide, last = given_values['q']
    q = np.array([np.radians(turn), slide, np.radians(last)])
    rows = []
    for i in range(3):
        alpha, a, d, theta = (numbers[name][i] for name in ('alpha', 'a', 'd', 'theta'))
        fixed = [0.0 if value[0] in 'dt' else float(value) for value in (d, theta)]
        rows.append(DhRow(np.radians(float(alpha)), float(a), *fixed, type='prismatic' if d[0] == 'd' else 'revolute'))
    assert [row.type for row in rows] == ['revolute', 'prismatic', 'revolute']
    l2 = float(numbers['d'][2])
    for model in (RobotModel.from_dh(rows), dh_arm('cylindrical_rpr', l2=l2), load_robot('cylindrical_rpr', l2=l2)):
        np.testing.assert_allclose(forward_kinematics(model, q), expected['T_0_3'], atol=tolerance)


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-17'))
def test_arms_of_the_textbook(given_values, expected, tolerance):
    if 'P_tip' in expected:
        model = dh_arm('twolink_39', l1=given_values['l1'], l2=given_values['l2'])
        pose = forward_kinematics(model, np.radians(given_values['q_deg']))
        np.testing.assert_allclose(pose[:3, 3], expected['P_tip'], atol=tolerance)
    elif 'l1' in given_values:
        model = dh_arm('spatial3r_33', l1=given_values['l1'], l2=given_values['l2'])
        pose = forward_kinematics(model, np.radians(given_values['q_deg']))
        np.testing.assert_allclose(pose, expected['T_0_3'], atol=tolerance)
    else:
        d = given_values['d_i']
        model = dh_arm('puma_prismatic', d2=d[1], a3=given_values['a_{i-1}'][3], d4=d[3])
        q = np.radians(given_values['q'])
        q[2] = given_values['q'][2]
        np.testing.assert_allclose(forward_kinematics(model, q), expected['T_0_6'], atol=tolerance)
        np.testing.assert_allclose(frame_poses(model, q, ['link_3'])[0], expected['T_0_3'], atol=tolerance)


def closed_forms():
    """Forward kinematics as KIN-17 and KIN-19 print it: name, dimensions, (q -> position, rotation)."""
    c, s = np.cos, np.sin

    def turn(*columns):
        return np.column_stack(columns)

    return {
        'planar3r': ({'l1': 0.5, 'l2': 0.4}, lambda q: (
            (0.5 * c(q[0]) + 0.4 * c(q[0] + q[1]), 0.5 * s(q[0]) + 0.4 * s(q[0] + q[1]), 0.0),
            turn((c(q.sum()), s(q.sum()), 0), (-s(q.sum()), c(q.sum()), 0), (0, 0, 1)))),
        'cylindrical_rpr': ({'l2': 0.2}, lambda q: (
            ((q[1] + 0.2) * s(q[0]), -(q[1] + 0.2) * c(q[0]), 0.0),
            turn((c(q[0]) * c(q[2]), s(q[0]) * c(q[2]), s(q[2])), (-c(q[0]) * s(q[2]), -s(q[0]) * s(q[2]), c(q[2])),
                 (s(q[0]), -c(q[0]), 0)))),
        'spatial3r_33': ({'l1': 1.5, 'l2': 1.0}, lambda q: (
            ((1.5 + c(q[1])) * c(q[0]), (1.5 + c(q[1])) * s(q[0]), s(q[1])),
            turn((c(q[0]) * c(q[1] + q[2]), s(q[0]) * c(q[1] + q[2]), s(q[1] + q[2])),
                 (-c(q[0]) * s(q[1] + q[2]), -s(q[0]) * s(q[1] + q[2]), c(q[1] + q[2])), (s(q[0]), -c(q[0]), 0)))),
        'twolink_39': ({'l1': 0.5, 'l2': 0.3}, lambda q: (
            ((0.5 + 0.3 * c(q[1])) * c(q[0]), (0.5 + 0.3 * c(q[1])) * s(q[0]), 0.3 * s(q[1])), None)),
        'polar_rp': ({}, lambda q: (
            (-q[1] * s(q[0]), q[1] * c(q[0]), 0.0),
            turn((c(q[0]), s(q[0]), 0), (0, 0, -1), (-s(q[0]), c(q[0]), 0)))),
        'positioner_411': ({'l1': 0.4, 'l2': 0.2, 'h1': 0.5}, lambda q: (
            (0.2 * s(q[0]) + 0.4, 0.0, 0.2 * c(q[0]) + 0.5),
            turn((c(q[0]) * c(q[1]), s(q[1]), -s(q[0]) * c(q[1])), (-c(q[0]) * s(q[1]), c(q[1]), s(q[0]) * s(q[1])),
                 (s(q[0]), 0, c(q[0]))))),
        'motoman_l3': ({'l2': 0.8, 'l3': 0.67}, lambda q: (
            (c(q[0]) * (0.8 * c(q[1]) + 0.67 * c(q[1] + q[2])), s(q[0]) * (0.8 * c(q[1]) + 0.67 * c(q[1] + q[2])),
             -0.8 * s(q[1]) - 0.67 * s(q[1] + q[2])),
            turn((c(q[0]) * c(q[1:4].sum()) * c(q[4]) - s(q[0]) * s(q[4]),
                  s(q[0]) * c(q[1:4].sum()) * c(q[4]) + c(q[0]) * s(q[4]), -s(q[1:4].sum()) * c(q[4])),
                 (-c(q[0]) * c(q[1:4].sum()) * s(q[4]) - s(q[0]) * c(q[4]),
                  -s(q[0]) * c(q[1:4].sum()) * s(q[4]) + c(q[0]) * c(q[4]), s(q[1:4].sum()) * s(q[4])),
                 (c(q[0]) * s(q[1:4].sum()), s(q[0]) * s(q[1:4].sum()), c(q[1:4].sum()))))),
    }


@pytest.mark.parametrize('name', closed_forms())
def test_catalogue_agrees_with_the_printed_formulas(name):
    dimensions, formula = closed_forms()[name]
    model = dh_arm(name, **dimensions)
    for q in np.random.default_rng(60).uniform(-3.0, 3.0, (20, model.dof)):
        position, rotation = formula(q)
        pose = forward_kinematics(model, q)
        np.testing.assert_allclose(pose[:3, 3], position, atol=1e-12)
        if rotation is not None:
            np.testing.assert_allclose(pose[:3, :3], rotation, atol=1e-12)


TABLES = {  # alpha [deg], a, d, theta [deg] of KIN-17 and KIN-18 for arms without a printed formula; slides
    'spatial3r_34': ([0, 90, 0], [0, 0, 0.4], [0.5, 0, 0], [0, 0, 0], [0, 0, 0]),
    'puma_prismatic': ([0, -90, 90, 0, 90, -90], [0, 0, 0, 0.02, 0, 0], [0, 0.15, 0, 0.43, 0, 0], [0, 0, 180, 0, 0, 0],
                       [0, 0, 1, 0, 0, 0]),
    'planar_rpr_316': ([0, 90, -90], [0, 0.5, 0], [0, 0, 0], [0, 0, 0], [0, 1, 0]),
    'arm4r_416': ([0, 0, 45, 0], [0, 1, 0, 2**0.5], [0, 0, 2**0.5, 0], [0] * 4, [0] * 4),
    'arm4r_417': ([0, -90, 45, 0], [0, 0, 0, 1], [0, 1, 1, 0], [0] * 4, [0] * 4),
    'puma560_dh': ([0, -90, 0, -90, 90, -90], [0, 0, 0.425, 0.02, 0, 0], [0, 0, 0.1225, 0.425, 0, 0], [0] * 6, [0] * 6),
}


@pytest.mark.parametrize('name', TABLES)
def test_catalogue_agrees_with_the_printed_tables(name):
    alpha, a, d, theta, slides = TABLES[name]
    model = dh_arm(name)
    assert [kind == 'prismatic' for kind in model.joint_types] == [bool(slide) for slide in slides]
    table = np.column_stack((np.radians(alpha), a, d, np.radians(theta)))
    for q in np.random.default_rng(61).uniform(-3.0, 3.0, (10, model.dof)):
        np.testing.assert_allclose(forward_kinematics(model, q), table_pose(table, q, np.array(slides, dtype=bool)),
                                   atol=1e-12)


def test_every_arm_of_the_catalogue_is_compared_with_the_specification():
    assert set(closed_forms()) | set(TABLES) | {'planar2r'} == set(dh_arm_names())


def test_unknown_arms_and_dimensions_list_the_known():
    with pytest.raises(UnknownNameError, match='known: planar2r, planar3r, cylindrical_rpr'):
        dh_arm('irb140')
    with pytest.raises(UnknownNameError, match="no dimension of planar2r 'l3'; known: l1, l2"):
        dh_arm('planar2r', l3=1.0)
    with pytest.raises(InputError, match='l1 of planar2r is nan'):
        dh_arm('planar2r', l1=np.nan)
    with pytest.raises(UnknownNameError):
        load_robot('puma560', a2=0.4)


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-19'))
def test_motoman(given_values, expected, tolerance):
    if 'q_deg' in given_values:
        model = dh_arm('motoman_l3', l2=given_values['l2'], l3=given_values['l3'])
        np.testing.assert_allclose(forward_kinematics(model, np.radians(given_values['q_deg'])), expected['T_0_5'],
                                   atol=tolerance)
    else:
        actuators = MotomanActuators.from_degrees(given_values['constants'])
        joints = actuators.to_joints(given_values['A'])
        np.testing.assert_allclose(np.degrees(joints), expected['theta_deg'], atol=tolerance['deg'])
        np.testing.assert_allclose(forward_kinematics(dh_arm('motoman_l3'), joints)[:3, 3], expected['T_0_5_position'],
                                   atol=tolerance['m'])
        np.testing.assert_allclose(actuators.to_counts(joints), given_values['A'], atol=1e-6)


@QUICK
@given(SEEDS)
def test_actuator_map_is_its_own_inverse(seed):
    actuators = MotomanActuators.from_degrees(MOTOMAN)
    counts = np.random.default_rng(seed).uniform([0, 5000, 5000, 0, 0], [8000, 20000, 20000, 20000, 50000], (4, 5))
    joints = actuators.to_joints(counts)
    assert joints.shape == (4, 5)
    np.testing.assert_allclose(actuators.to_counts(joints), counts, rtol=1e-9, atol=1e-6)


@QUICK
@given(SEEDS)
def test_actuators_straight_to_the_wrist(seed):
    """Exercise 3.10: position of the wrist from actuator counts by the law of cosines, without joint angles."""
    a1, a2, a3 = np.random.default_rng(seed).uniform([0, 5000, 5000], [8000, 20000, 20000])
    m = MOTOMAN
    theta1 = np.radians(m['k1'] * a1 + m['lam1'])
    parts = []
    for i, count, constant in ((2, a2, np.arctan2(m['phi2'], m['gam2']) + np.radians(m['om2'] - 270.0)),
                               (3, a3, np.arctan2(m['phi3'], m['gam3']) - np.pi / 2)):
        side, al, be = m[f'k{i}'] * count + m[f'lam{i}'], m[f'al{i}'], m[f'be{i}']
        cosine = (al**2 + be**2 - side**2) / (2.0 * al * be)
        sine = np.sqrt(1.0 - cosine**2)
        turn = cosine + 1j * sine  # of psi, then psi + C
        parts.append(turn * np.exp(1j * constant))
    wrist = 0.8 * parts[0] + 0.67 * parts[1]
    expected = (np.cos(theta1) * wrist.real, np.sin(theta1) * wrist.real, -wrist.imag)
    joints = MotomanActuators.from_degrees(m).to_joints([a1, a2, a3, 1000.0, 2000.0])
    np.testing.assert_allclose(forward_kinematics(dh_arm('motoman_l3'), joints)[:3, 3], expected, atol=1e-9)


def test_actuators_refuse_what_cannot_be():
    with pytest.raises(InputError, match="'k1' is missing"):
        MotomanActuators.from_degrees({key: value for key, value in MOTOMAN.items() if key != 'k1'})
    with pytest.raises(UnknownNameError, match='k9'):
        MotomanActuators.from_degrees({**MOTOMAN, 'k9': 1.0})
    for key, value in (('k2', 0.0), ('al2', -1.0), ('lam5', np.nan)):
        with pytest.raises(InputError, match=key):
            MotomanActuators.from_degrees({**MOTOMAN, key: value})
    actuators = MotomanActuators.from_degrees(MOTOMAN)
    with pytest.raises(InputError, match='Actuator 2 would have the length'):
        actuators.to_joints([0, 40000, 9000, 6000, 14000])
    with pytest.raises(InputError, match='Actuator 3 would have the length'):
        actuators.to_joints([0, 12000, -27000, 6000, 14000])
    with pytest.raises(InputError):
        actuators.to_joints([0, 0, 0, 0])


def test_coupled_limits_of_the_actuators():
    actuators = MotomanActuators.from_degrees(MOTOMAN)
    actuators.check([0, 12000, 9000, 6000, 30000])
    for counts, name in (([0, 12000, 2000, 6000, 30000], 'actuator_3'), ([0, 12000, 15000, 6000, 30000], 'actuator_3'),
                         ([0, 12000, 9000, 6000, 26000], 'actuator_5'), ([0, 12000, 9000, 6000, 55000], 'actuator_5')):
        with pytest.raises(LimitError) as caught:
            actuators.check(counts)
        assert caught.value.joint == name
