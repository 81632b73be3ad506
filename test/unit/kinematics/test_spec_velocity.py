"""Velocities, Jacobians, singularities and static forces against the specification (VEL-01 to VEL-15)."""

from dataclasses import replace

import numpy as np
import pytest
from support.pinocchio_oracle import PinocchioArm
from support.robots import OWN_ARMS, REAL_ARMS, arm, random_joints, spec_examples

from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.kinematics import (
    bias_acceleration,
    force_ellipsoid,
    forward_kinematics,
    frame_poses,
    jacobian,
    jacobian_derivative,
    joint_torques,
    link_velocities,
    manipulability,
    servo_rates,
    singularity,
    static_forces,
    tip_velocity,
    tip_wrench,
    velocities,
    velocity_ellipsoid,
    verify_jacobian,
)
from robokin_ros.kinematics.singularity import arm_reach
from robokin_ros.model import DhRow, RobotModel, dh_arm, dh_arm_names
from robokin_ros.spatial import (
    angular_velocity,
    axis_angle_matrix,
    elementary_rotation,
    point_velocity,
    rotation_vector,
    transform_twist,
)

CASES = spec_examples('spec/VEL-arms')
PLANE = (0, 1)
PUMA = CASES['VEL-06b']['dimensions']


def example(*names):
    """Parameters of a test that runs these examples."""
    return pytest.mark.parametrize('case', [pytest.param(CASES[name], id=name) for name in names])


def robot(case):
    return dh_arm(case['arm'], **case['dimensions'])


def joints(case):
    return np.array(case['q']) if 'q' in case else np.radians(case['q_deg'])


def rp_arm(a1):
    """Exercise 5.19: P = (a1 c1 - d2 s1, a1 s1 + d2 c1)."""
    return RobotModel.from_dh([DhRow(), DhRow(alpha=-np.pi / 2, a=a1, type='prismatic')])


@example('VEL-01b')
def test_relative_velocities(case):
    """Velocities in other axes and relative to other bodies; the car heads somewhere, the motion is along X of {U}."""
    expected, turn = case['expected'], np.eye(4)
    turn[:3, :3] = elementary_rotation('z', np.radians(case['heading_of_car_deg']))
    to_car = turn[:3, :3].T
    still = np.zeros(3)
    car = point_velocity(np.eye(4), [case['car_kmh'], 0, 0], still, still)
    np.testing.assert_allclose(car, expected['car_in_U_kmh'])
    train = np.array([case['train_kmh'], 0.0, 0.0])
    in_car_axes = transform_twist(np.linalg.inv(turn), [*train, 0, 0, 0])[:3]
    np.testing.assert_allclose(in_car_axes, to_car @ expected['train_in_U_axes_of_C_kmh'], atol=1e-12)
    # what moves in {U} with the car's velocity moves in the train's frame with the difference
    relative = point_velocity(np.eye(4), -train, still, still, car)
    np.testing.assert_allclose(to_car @ relative, to_car @ expected['car_relative_to_train_in_U_kmh'], atol=1e-12)


@example('VEL-02a')
def test_angular_velocity_of_a_turning_matrix(case):
    for angle in case['angles']:
        c, s = np.cos(angle), np.sin(angle)
        rate = case['rate'] * np.array([[-s, -c, 0], [c, -s, 0], [0, 0, 0]])
        found = angular_velocity(elementary_rotation(case['axis'], angle), rate)
        np.testing.assert_allclose(found, case['expected'], atol=1e-12)
    with pytest.raises(InputError, match='does not belong'):
        angular_velocity(np.eye(3), np.diag([0.1, 0.0, 0.0]))


@example('VEL-04a')
def test_velocity_propagation(case):
    model, q, qd = robot(case), joints(case), np.array(case['qd'])
    twist = tip_velocity(model, q, qd)
    np.testing.assert_allclose(twist[:2], case['expected']['v_tip'], atol=1e-8)
    np.testing.assert_allclose(twist[2:], [0, 0, 0, case['expected']['w_z']], atol=1e-12)
    rotation = forward_kinematics(model, q)[:3, :3]
    np.testing.assert_allclose((rotation @ twist[:3])[:2], case['expected']['v_base'], atol=1e-8)
    first, second = link_velocities(model, q, qd)
    np.testing.assert_allclose(first, [0, 0, 0, 0, 0, qd[0]], atol=1e-12)
    l1 = case['dimensions']['l1']
    np.testing.assert_allclose(second, [l1 * qd[0] * np.sin(q[1]), l1 * qd[0] * np.cos(q[1]), 0, 0, 0, qd.sum()],
                               atol=1e-12)


@pytest.mark.parametrize('name', [*OWN_ARMS, *REAL_ARMS])
def test_propagated_velocities_are_the_jacobians(name):
    model = arm(name)
    generator = np.random.default_rng(80)
    for q in random_joints(model, 5, seed=80):
        qd = generator.normal(size=model.dof)
        np.testing.assert_allclose(tip_velocity(model, q, qd), jacobian(model, q, 'tip') @ qd, atol=1e-12)
        for body, twist in zip(model.body_names, link_velocities(model, q, qd), strict=True):
            matrix = jacobian(model, q, link=body)  # the same origin as the body's frame, other axes
            assert np.linalg.norm(twist[:3]) == pytest.approx(np.linalg.norm(matrix[:3] @ qd), abs=1e-12)
            assert np.linalg.norm(twist[3:]) == pytest.approx(np.linalg.norm(matrix[3:] @ qd), abs=1e-12)


def test_a_moving_base_carries_the_arm():
    model = dh_arm('puma560_dh')
    q, base = np.array([0.2, -0.4, 0.6, 0.1, 0.9, -0.3]), np.array([0.1, -0.2, 0.3, 0.4, 0.5, -0.6])
    still = tip_velocity(model, q, np.zeros(6), base)
    np.testing.assert_allclose(still, transform_twist(np.linalg.inv(forward_kinematics(model, q)), base), atol=1e-12)
    both = tip_velocity(model, q, np.ones(6), base)
    np.testing.assert_allclose(both, still + tip_velocity(model, q, np.ones(6)), atol=1e-12)
    first = link_velocities(model, q, np.zeros(6), base)[0]
    np.testing.assert_allclose(first[3:], elementary_rotation('z', -0.2) @ base[3:], atol=1e-12)


@example('VEL-05a', 'VEL-05b')
def test_jacobians(case):
    model, q = robot(case), joints(case)
    rows = case.get('rows', PLANE)
    in_tip = jacobian(model, q, 'tip')[list(rows)]
    np.testing.assert_allclose(in_tip, case['expected']['J_tip'], atol=1e-8)
    if 'J_base' in case['expected']:
        np.testing.assert_allclose(jacobian(model, q)[list(rows)], case['expected']['J_base'], atol=1e-8)
    if 'determinant' in case['expected']:
        assert np.linalg.det(in_tip) == pytest.approx(case['expected']['determinant'], abs=1e-7)
        for frame in ('base', 'tip', 'link_2'):
            found = singularity(model, q, frame, rows=rows)
            assert found.determinant == pytest.approx(case['expected']['determinant'], abs=1e-7)


@pytest.mark.parametrize('name', ['puma560', 'ur5', 'panda', 'baxter', 'scara'])
def test_expression_frame_and_reference_point_are_separate(name):
    """Any point of any link in the axes of any other: against Pinocchio and the rule for another point."""
    model = arm(name)
    oracle, generator = PinocchioArm(model), np.random.default_rng(81)
    for q in random_joints(model, 4, seed=81):
        link, axes = generator.choice(model.frame_names, 2)
        point = generator.uniform(-0.5, 0.5, 3)
        place, turn = frame_poses(model, q, [link, axes])
        at_origin = oracle.jacobian(q, link, in_tip_axes=False)
        np.testing.assert_allclose(jacobian(model, q, link=link), at_origin, atol=1e-12)
        np.testing.assert_allclose(jacobian(model, q, 'tip', link=link), oracle.jacobian(q, link, in_tip_axes=True),
                                   atol=1e-12)
        moved = at_origin.copy()
        moved[:3] -= np.cross(place[:3, :3] @ point, at_origin[3:].T).T
        expected = np.vstack((turn[:3, :3].T @ moved[:3], turn[:3, :3].T @ moved[3:]))
        np.testing.assert_allclose(jacobian(model, q, axes, link=link, point=point), expected, atol=1e-12)
        batch = jacobian(model, np.array([q, q]), axes, link=link, point=point)
        np.testing.assert_allclose(batch, [expected, expected], atol=1e-12)


def test_joints_behind_a_link_do_not_move_it():
    model = dh_arm('puma560_dh')
    matrix = jacobian(model, [0.3, 0.4, 0.5, 0.6, 0.7, 0.8], link='link_3', point=[0.1, 0.2, 0.3])
    assert np.all(matrix[:, 3:] == 0.0)
    assert np.all(np.linalg.norm(matrix[:, :3], axis=0) > 0.1)


def test_bad_frames_links_and_points_are_refused():
    model = dh_arm('puma560_dh')
    for options in ({'frame': 'world'}, {'link': 'hand'}):
        with pytest.raises(UnknownNameError):
            jacobian(model, np.zeros(6), **options)
    for point in ([0, 0], [0, 0, np.nan], [[0, 0, 0], [1, 1, 1]]):
        with pytest.raises(InputError):
            jacobian(model, np.zeros(6), point=point)
    with pytest.raises(InputError, match="q of joint 'joint_2' is nan"):
        jacobian_derivative(model, [0, np.nan, 0, 0, 0, 0], np.zeros(6))


def puma_jacobian(q, a2, a3, d3, d4):
    """VEL-06, exercise 5.5."""
    (_, c2, c3, c4, c5, c6), (_, _, s3, s4, s5, s6) = np.cos(q), np.sin(q)
    c23, s23 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
    k1, k2, k3 = a2 * c2 + a3 * c23 - d4 * s23, c4 * c5 * c6 - s4 * s6, c4 * c5 * s6 + s4 * c6
    k4, k5, k6, k7 = a3 + a2 * c3, d4 - a2 * s3, s4 * c5 * c6 + c4 * s6, -s4 * c5 * s6 + c4 * c6
    k8, k9, k10, k11 = s5 * c6, s5 * s6, s4 * s5, c4 * s5
    columns = [
        [-k1 * k6 - d3 * (c23 * k2 - s23 * k8), -k1 * k7 - d3 * (-c23 * k3 + s23 * k9),
         k1 * k10 + d3 * (c23 * k11 + s23 * c5), -s23 * k2 - c23 * k8, s23 * k3 + c23 * k9, s23 * k11 - c23 * c5],
        [k4 * k8 - k5 * k2, -k4 * k9 + k5 * k3, k4 * c5 + k5 * k11, -k6, -k7, k10],
        [a3 * k8 - d4 * k2, -a3 * k9 + d4 * k3, a3 * c5 + d4 * k11, -k6, -k7, k10],
        [0, 0, 0, k8, -k9, c5], [0, 0, 0, -s6, -c6, 0], [0, 0, 0, 0, 0, 1]]
    return np.array(columns).T, -a2 * (a3 * s3 + d4 * c3) * k1 * s5


@example('VEL-06a', 'VEL-06b', 'VEL-06c')
def test_jacobians_of_the_books_robots(case):
    model, q = robot(case), joints(case)
    expected = case['expected']
    if 'J_tip_linear' in expected:
        matrix = jacobian(model, q, 'tip')[:3]
        np.testing.assert_allclose(matrix, expected['J_tip_linear'], atol=1e-8)
        assert singularity(model, q, rows=range(3)).determinant == pytest.approx(expected['determinant'], abs=1e-8)
    elif 'J_tip' in expected:
        np.testing.assert_allclose(jacobian(model, q, 'tip'), expected['J_tip'], atol=1e-6)
        assert singularity(model, q).determinant == pytest.approx(expected['determinant'], abs=1e-7)
    else:
        matrix = jacobian(model, q, point=case['point'])[:3]
        np.testing.assert_allclose(matrix, expected['J_base_linear'], atol=1e-8)


def test_closed_forms_of_jacobians_on_random_joints():
    generator = np.random.default_rng(82)
    for _ in range(40):
        l1, l2, l3 = generator.uniform(0.1, 1.0, 3)
        t1, t2, t3 = q = generator.uniform(-np.pi, np.pi, 3)
        c, s = np.cos, np.sin
        spatial = dh_arm('spatial3r_33', l1=l1, l2=l2, l3=l3)
        reach = l1 + l2 * c(t2) + l3 * c(t2 + t3)
        np.testing.assert_allclose(jacobian(spatial, q, 'tip')[:3], [
            [0, l2 * s(t3), 0], [0, l2 * c(t3) + l3, l3], [-reach, 0, 0]], atol=1e-12)
        assert singularity(spatial, q, rows=range(3)).determinant == pytest.approx(-l2 * l3 * s(t3) * reach, abs=1e-12)
        middle = l1 + l2 * c(t2)
        np.testing.assert_allclose(jacobian(spatial, q, link='link_3')[:3], [
            [-middle * s(t1), -l2 * c(t1) * s(t2), 0], [middle * c(t1), -l2 * s(t1) * s(t2), 0], [0, l2 * c(t2), 0]],
            atol=1e-12)
        rpr, length = dh_arm('cylindrical_rpr', l2=l2), q[1] + l2 + l3
        np.testing.assert_allclose(jacobian(rpr, q, point=[0, 0, l3])[:3], [
            [length * c(t1), s(t1), 0], [length * s(t1), -c(t1), 0], [0, 0, 0]], atol=1e-12)
        polar, d2 = rp_arm(l1), q[1]
        np.testing.assert_allclose(jacobian(polar, q[:2])[:2], [
            [-l1 * s(t1) - d2 * c(t1), -s(t1)], [l1 * c(t1) - d2 * s(t1), c(t1)]], atol=1e-12)
        assert singularity(polar, q[:2], rows=PLANE).determinant == pytest.approx(-d2, abs=1e-12)
        planar = dh_arm('planar3r', l1=l1, l2=l2)
        np.testing.assert_allclose(jacobian(planar, q, 'tip')[[0, 1, 5]], [
            [l1 * s(t2 + t3) + l2 * s(t3), l2 * s(t3), 0], [l1 * c(t2 + t3) + l2 * c(t3), l2 * c(t3), 0], [1, 1, 1]],
            atol=1e-12)
        assert singularity(planar, q, rows=(0, 1, 5)).determinant == pytest.approx(l1 * l2 * s(t2), abs=1e-12)


def test_closed_form_of_the_pumas_jacobian_on_random_joints():
    model = dh_arm('puma560_dh', **PUMA)
    for q in np.random.default_rng(83).uniform(-np.pi, np.pi, (40, 6)):
        matrix, determinant = puma_jacobian(q, **PUMA)
        np.testing.assert_allclose(jacobian(model, q, 'tip'), matrix, atol=1e-12)
        assert singularity(model, q).determinant == pytest.approx(determinant, abs=1e-12)


def test_jacobian_of_a_cartesian_arm_is_the_identity():
    text = '<robot name="gantry"><link name="base"/>'
    for before, after, axis in (('base', 'x', '1 0 0'), ('x', 'y', '0 1 0'), ('y', 'z', '0 0 1')):
        text += (f'<link name="{after}"/><joint name="slide_{after}" type="prismatic"><parent link="{before}"/>'
                 f'<child link="{after}"/><axis xyz="{axis}"/>'
                 '<limit lower="-9" upper="9" effort="1" velocity="1"/></joint>')
    model = RobotModel.from_urdf(text + '</robot>')
    for q in np.random.default_rng(84).uniform(-9, 9, (3, 3)):
        np.testing.assert_allclose(jacobian(model, q), np.vstack((np.eye(3), np.zeros((3, 3)))), atol=1e-15)


@pytest.mark.parametrize('name', ['puma560', 'ur5', 'panda', 'scara', 'talos_arm', 'baxter', *dh_arm_names()])
def test_three_derivations_agree(name):
    model = dh_arm(name) if name in dh_arm_names() else arm(name)
    for q in random_joints(model, 3, seed=85):
        size = max(1.0, np.max(np.abs(jacobian(model, q))))
        assert verify_jacobian(model, q) < 1e-6 * size


@pytest.mark.parametrize('part', ['jacobian', 'tip_velocity', 'static_forces', 'forward_kinematics'])
def test_verification_notices_when_one_of_them_is_wrong(monkeypatch, part):
    model, q = dh_arm('puma560_dh'), np.array([0.3, -0.7, 0.5, 1.1, -0.4, 0.9])
    right = getattr(velocities, part)

    def wrong(*arguments):
        answer = right(*arguments)
        if part == 'static_forces':
            return type(answer)(answer.wrenches, 1.01 * answer.torques)
        answer = answer.copy()
        answer[..., 3 if part == 'forward_kinematics' else 0] *= 1.01
        return answer

    monkeypatch.setattr(velocities, part, wrong)
    assert verify_jacobian(model, q) > 1e-4


@example('VEL-08a')
def test_acceleration_without_joint_accelerations(case):
    model, q, qd = robot(case), joints(case), np.array(case['qd'])
    found = bias_acceleration(model, q, qd)
    np.testing.assert_allclose(found[:2], case['expected'], atol=1e-8)
    np.testing.assert_allclose(found[2:], 0.0, atol=1e-12)
    np.testing.assert_allclose(jacobian_derivative(model, q, qd) @ qd, found, atol=1e-12)


@pytest.mark.parametrize('name', ['puma560', 'panda', 'scara', 'baxter', 'talos_arm'])
def test_jacobian_derivative_is_the_derivative(name):
    model, step = arm(name), 1e-6
    generator = np.random.default_rng(86)
    for q in random_joints(model, 4, seed=86):
        qd = generator.normal(size=model.dof)
        link, point = generator.choice(model.frame_names), generator.uniform(-0.3, 0.3, 3)
        for where in ({}, {'link': link}, {'link': link, 'point': point}):
            ahead, behind = (jacobian(model, q + sign * step * qd, **where) for sign in (1, -1))
            found = jacobian_derivative(model, q, qd, **where)
            np.testing.assert_allclose(found, (ahead - behind) / (2.0 * step), atol=1e-7)
            np.testing.assert_allclose(bias_acceleration(model, q, qd, **where), found @ qd, atol=1e-12)
        batch = jacobian_derivative(model, np.array([q, -q]), qd)
        np.testing.assert_allclose(batch[0], jacobian_derivative(model, q, qd), atol=1e-14)
        np.testing.assert_allclose(batch[1], jacobian_derivative(model, -q, qd), atol=1e-14)


def test_jdot_qd_is_the_second_derivative_of_the_position():
    model, step = dh_arm('puma560_dh'), 1e-4
    generator = np.random.default_rng(87)
    for _ in range(5):
        q, qd, qdd = generator.normal(size=(3, 6))
        ahead, here, behind = (forward_kinematics(model, q + qd * t + 0.5 * qdd * t * t)[:3, 3]
                               for t in (step, 0.0, -step))
        measured = (ahead - 2.0 * here + behind) / step**2
        found = (jacobian(model, q) @ qdd + bias_acceleration(model, q, qd))[:3]
        np.testing.assert_allclose(found, measured, atol=1e-5)


@example('VEL-09a')
def test_stretched_puma(case):
    model, q = robot(case), joints(case)
    d4, a3 = case['dimensions']['d4'], case['dimensions']['a3']
    assert np.degrees(-np.arctan2(d4, a3)) == pytest.approx(case['q_deg'][2], abs=1e-5)
    q[2] = -np.arctan2(d4, a3)
    found = singularity(model, q)
    assert found.singular is case['expected']['singular']
    assert found.kind == case['expected']['kind']
    assert not singularity(model, q + [0, 0, 0.3, 0, 0, 0]).singular
    rounded = singularity(model, joints(case))
    assert rounded.near
    assert rounded.ratio < 1e-6


@example('VEL-09b')
def test_determinant_of_the_planar_arm(case):
    model = robot(case)
    l1, l2 = case['dimensions']['l1'], case['dimensions']['l2']
    assert case['expected']['determinant'] == 'l1 l2 s2'
    for q in np.radians(case['q_deg']):
        for frame in ('tip', 'base'):
            found = singularity(model, q, frame, rows=PLANE)
            assert found.determinant == pytest.approx(l1 * l2 * np.sin(q[1]), abs=1e-12)
            assert found.singular == (abs(np.sin(q[1])) < 1e-9)


def shoulder_angle(q3, a2, a3, d4):
    """theta2 with a2 c2 + a3 c23 - d4 s23 = 0."""
    return np.arctan2(a2 + a3 * np.cos(q3) - d4 * np.sin(q3), a3 * np.sin(q3) + d4 * np.cos(q3))


def singular_table():
    """VEL-09: arm, rows of the task, joints, class."""
    planar, cubic, whole = PLANE, (0, 1, 2), range(6)
    a2, a3, d4 = PUMA['a2'], PUMA['a3'], PUMA['d4']
    puma, stretched = dh_arm('puma560_dh', **PUMA), -np.arctan2(d4, a3)
    spatial = dh_arm('spatial3r_33', l1=0.4, l2=0.35, l3=0.25)
    short = dh_arm('spatial3r_33', l1=0.2, l2=0.35, l3=0.25)
    on_axis = np.arccos(-(0.2 + 0.35 * np.cos(1.9)) / 0.25) - 1.9  # l1 + l2 c2 + l3 c23 = 0 with theta2 = 1.9
    return {
        'planar2 stretched': (dh_arm('planar2r'), planar, [0.7, 0.0], 'boundary'),
        'planar2 folded': (dh_arm('planar2r'), planar, [0.7, np.pi], 'boundary'),
        'planar3 stretched': (dh_arm('planar3r', l1=0.5, l2=0.4), (0, 1, 5), [0.7, 0.0, -0.4], 'boundary'),
        'planar3 folded': (dh_arm('planar3r', l1=0.5, l2=0.4), (0, 1, 5), [0.7, np.pi, -0.4], 'boundary'),
        'spatial3 stretched': (spatial, cubic, [0.4, -0.6, 0.0], 'boundary'),
        'spatial3 folded': (spatial, cubic, [0.4, -0.6, np.pi], 'boundary'),
        'spatial3 on axis 1': (short, cubic, [0.4, 1.9, on_axis], 'interior'),
        'rp of exercise 5.19': (rp_arm(0.3), planar, [0.4, 0.0], 'interior'),
        'rp_polar at its axis': (dh_arm('polar_rp'), planar, [0.4, 0.0], 'interior'),
        'puma wrist': (puma, whole, [0.2, -0.5, 0.4, 0.7, 0.0, 0.3], 'interior'),
        'puma wrist turned round': (puma, whole, [0.2, -0.5, 0.4, 0.7, np.pi, 0.3], 'interior'),
        'puma elbow stretched': (puma, whole, [0.2, -0.5, stretched, 0.7, 0.6, 0.3], 'boundary'),
        'puma elbow folded': (puma, whole, [0.2, -0.5, stretched + np.pi, 0.7, 0.6, 0.3], 'boundary'),
        'puma shoulder': (puma, whole, [0.2, shoulder_angle(0.4, a2, a3, d4), 0.4, 0.7, 0.6, 0.3], 'interior'),
    }


@pytest.mark.parametrize('name', singular_table())
def test_singularity_table(name):
    model, rows, q, kind = singular_table()[name]
    for frame in ('base', 'tip'):
        found = singularity(model, q, frame, rows=rows)
        assert found.singular
        assert found.near
        assert found.kind == kind
        assert found.rank == len(rows) - 1
        matrix = jacobian(model, q, frame)[list(rows)]
        np.testing.assert_allclose(matrix @ found.null_direction, 0.0, atol=1e-9)
        assert np.linalg.norm(found.null_direction) == pytest.approx(1.0)
        assert np.linalg.norm(found.lost_direction) == pytest.approx(1.0)
    beside = singularity(model, np.array(q) + 0.3 * np.sin(np.arange(len(q)) + 1.0), rows=rows)
    assert not beside.singular
    assert beside.kind == ''
    assert beside.rank == len(rows)


@pytest.mark.parametrize('name', singular_table())
def test_lost_direction_needs_no_torque(name):
    model, rows, q, _ = singular_table()[name]
    found = singularity(model, q, rows=rows)
    wrench = np.zeros(6)
    # a twist that cannot be made is orthogonal to the columns of J where angles are lengths: the scale enters twice
    wrench[list(rows)] = found.lost_direction * np.where(np.array(rows) < 3, 1.0, arm_reach(model) ** 2)
    np.testing.assert_allclose(joint_torques(model, q, wrench, frame='base'), 0.0, atol=1e-9)


def test_thresholds_of_nearness():
    model = dh_arm('planar2r')
    found = singularity(model, [0.2, 0.1], rows=PLANE)
    ratio = found.values[-1] / found.values[0]
    assert found.ratio == pytest.approx(ratio)
    assert singularity(model, [0.2, 0.1], rows=PLANE, near=1.01 * ratio).near
    assert not singularity(model, [0.2, 0.1], rows=PLANE, near=0.99 * ratio).near
    for rows in ((), (0, 0), (0, 6)):
        with pytest.raises(InputError, match='rows are different numbers'):
            singularity(model, [0.2, 0.1], rows=rows)


@example('VEL-10a')
def test_resolved_rates_grow_towards_the_singularity(case):
    model = robot(case)
    for theta2, expected in zip(case['theta2_deg'], case['expected'], strict=True):
        q = np.radians([case['theta1_deg'], theta2])
        matrix = jacobian(model, q)[list(PLANE)]
        np.testing.assert_allclose(np.linalg.solve(matrix, case['twist'][:2]), expected, rtol=1e-6)
        found = servo_rates(unlimited(model), q, case['twist'], rows=PLANE, near=0.0)
        np.testing.assert_allclose(found.rates, expected, rtol=1e-6)
        np.testing.assert_allclose(found.achieved[:2], case['twist'][:2], atol=1e-9)
        assert not found.damped
        assert found.scaled == 1.0
        limited = servo_rates(model, q, case['twist'], rows=PLANE, near=0.0)
        assert np.max(np.abs(limited.rates)) <= np.max(model.velocity_limit) + 1e-12
        np.testing.assert_allclose(limited.rates, limited.scaled * np.array(expected), rtol=1e-6)


def unlimited(model):
    free = np.full(model.dof, np.inf)
    return replace(model, lower=-free, upper=free.copy(), velocity_limit=free.copy())


@example('VEL-11a')
def test_static_forces(case):
    model, q = robot(case), joints(case)
    wrench = [*case['force_tip'], 0, 0, 0, 0]
    found = static_forces(model, q, wrench)
    np.testing.assert_allclose(found.torques, case['expected'], atol=1e-8)
    np.testing.assert_allclose(joint_torques(model, q, wrench), case['expected'], atol=1e-8)
    fx, fy = case['force_tip']
    l1, l2 = case['dimensions']['l1'], case['dimensions']['l2']
    s2, c2 = np.sin(q[1]), np.cos(q[1])
    np.testing.assert_allclose(found.wrenches[1], [fx, fy, 0, 0, 0, l2 * fy], atol=1e-12)
    np.testing.assert_allclose(found.wrenches[0], [c2 * fx - s2 * fy, s2 * fx + c2 * fy, 0, 0, 0,
                                                   l1 * s2 * fx + (l2 + l1 * c2) * fy], atol=1e-12)


@pytest.mark.parametrize('name', [*OWN_ARMS, *REAL_ARMS])
def test_static_forces_are_the_transposed_jacobian(name):
    model = arm(name)
    generator = np.random.default_rng(88)
    for q in random_joints(model, 5, seed=88):
        wrench = generator.normal(size=6)
        expected = PinocchioArm(model).jacobian(q, model.tip, in_tip_axes=True).T @ wrench
        np.testing.assert_allclose(static_forces(model, q, wrench).torques, expected, atol=1e-12)
        np.testing.assert_allclose(joint_torques(model, q, wrench), expected, atol=1e-12)
        rotation = forward_kinematics(model, q)[:3, :3]
        turned = np.concatenate((rotation @ wrench[:3], rotation @ wrench[3:]))
        np.testing.assert_allclose(joint_torques(model, q, turned, 'base'), expected, atol=1e-12)


@example('VEL-12a', 'VEL-12b')
def test_transposed_jacobian(case):
    model, q = robot(case), joints(case)
    if 'force_base' in case:
        found = joint_torques(model, q, [*case['force_base'], 0, 0, 0, 0], frame='base')
        np.testing.assert_allclose(found, case['expected'], atol=1e-9)
    else:
        found = tip_wrench(model, q, case['torques'], rows=PLANE)
        np.testing.assert_allclose(found, [*case['expected'], 0, 0, 0, 0], atol=1e-8)
        np.testing.assert_allclose(joint_torques(model, q, found), case['torques'], atol=1e-12)
        l1, l2 = case['dimensions']['l1'], case['dimensions']['l2']
        s2, c2 = np.sin(q[1]), np.cos(q[1])
        inverse = np.array([[l2, -l1 * c2 - l2], [0.0, l1 * s2]]) / (l1 * l2 * s2)
        np.testing.assert_allclose(found[:2], inverse @ case['torques'], atol=1e-12)


def test_wrench_of_torques_is_refused_where_it_is_not_known():
    model = dh_arm('planar2r')
    with pytest.raises(InputError, match='singular here'):
        tip_wrench(model, [0.3, 0.0], [1.0, 1.0], rows=PLANE)
    with pytest.raises(InputError, match='name the rows'):
        tip_wrench(model, [0.3, 1.0], [1.0, 1.0])
    puma, q = dh_arm('puma560_dh'), np.array([0.3, -0.7, 0.5, 1.1, -0.4, 0.9])
    wrench = np.array([1.0, -2.0, 3.0, 0.4, 0.5, -0.6])
    for frame in ('tip', 'base'):
        np.testing.assert_allclose(tip_wrench(puma, q, joint_torques(puma, q, wrench, frame), frame), wrench, atol=1e-9)


@example('VEL-15a')
def test_isotropic_point(case):
    model = robot(case)
    for theta1 in case['theta1_deg']:
        for sign in (1.0, -1.0):
            q = np.radians([theta1, sign * case['theta2_deg']])
            found = singularity(model, q, rows=PLANE)
            assert found.ratio == pytest.approx(1.0, abs=1e-12)
            assert found.manipulability == pytest.approx(1.0, abs=1e-12)
            if sign > 0.0:
                np.testing.assert_allclose(jacobian(model, q, 'tip')[:2], case['expected'], atol=1e-12)
            ellipsoid = velocity_ellipsoid(model, q)
            np.testing.assert_allclose(ellipsoid.lengths, [1.0, 1.0, 0.0], atol=1e-12)
    assert singularity(model, np.radians([0.0, 130.0]), rows=PLANE).ratio < 0.99


def test_manipulability_and_ellipsoids_of_random_poses():
    model = arm('puma560')
    for q in random_joints(model, 10, seed=89):
        matrix = jacobian(model, q)
        assert manipulability(matrix) == pytest.approx(abs(np.linalg.det(matrix)), rel=1e-9)
        yoshikawa = np.sqrt(np.linalg.det(matrix @ matrix.T))
        assert singularity(model, q).manipulability == pytest.approx(yoshikawa, rel=1e-6)
        moves, forces = velocity_ellipsoid(model, q), force_ellipsoid(model, q)
        linear = matrix[:3]
        for axis, length in zip(moves.axes.T, moves.lengths, strict=True):
            # the longest velocity along an axis for rates of length 1
            assert np.linalg.norm(linear.T @ axis) == pytest.approx(length, abs=1e-12)
        np.testing.assert_allclose(moves.axes.T @ moves.axes, np.eye(3), atol=1e-12)
        assert np.all(np.diff(moves.lengths) <= 0.0)
        assert np.all(np.diff(forces.lengths) <= 0.0)
        for axis, length in zip(forces.axes.T, forces.lengths, strict=True):
            assert np.linalg.norm(linear.T @ (axis * length)) == pytest.approx(1.0, abs=1e-9)


def test_two_samples_of_a_rotation_give_its_velocity():
    """VEL-02: log(R(t + dt) R(t)^T) / dt."""
    omega, step = np.array([0.3, -0.5, 0.8]), 1e-3
    start = elementary_rotation('x', 0.7)
    angle = np.linalg.norm(omega)
    later = axis_angle_matrix(omega / angle, angle * step) @ start
    np.testing.assert_allclose(rotation_vector(later @ start.T) / step, omega, atol=1e-9)
