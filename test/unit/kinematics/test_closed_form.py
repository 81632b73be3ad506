"""Inverse kinematics in closed form: the specification's branches, completeness on random arms, singular poses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import REAL_ARMS, arm, random_joints, spec_cases

from robokin_ros.kinematics import classify_arm, forward_kinematics, inverse_kinematics
from robokin_ros.model import DhRow, RobotModel, dh_of_model
from robokin_ros.spatial import screw, wrap_angle


def dh_arm(alpha_deg, a, d, theta=None):
    theta = np.zeros(len(a)) if theta is None else theta
    rows = zip(np.radians(alpha_deg), a, d, theta, strict=True)
    return RobotModel.from_dh([DhRow(*row) for row in rows])


def endless_puma():
    return dh_arm([0, -90, 0, -90, 90, -90], [0, 0, 0.425, 0.02, 0, 0], [0, 0, 0.1225, 0.425, 0, 0])


def contains(solutions, q, tolerance=1e-5):
    """Whether one of the solutions is q, up to whole turns."""
    return len(solutions) > 0 and np.min(np.max(np.abs(wrap_angle(solutions - q)), axis=1)) < tolerance


def assert_same_set(solutions, expected, tolerance):
    assert len(solutions) == len(expected)
    for q in expected:
        assert contains(solutions, q, tolerance)


@pytest.mark.parametrize('name', ['puma560', 'planar_3r', 'scara', 'arm7', *REAL_ARMS])
def test_detected_dh_parameters_give_the_same_poses(name):
    model = arm(name)
    chain = dh_of_model(model)
    for q in random_joints(model, 5, seed=50):
        moved = chain.sign * q[chain.joints]
        pose = chain.base
        for i in range(len(chain.a)):
            slide, turn = (moved[i], 0.0) if chain.prismatic[i] else (0.0, moved[i])
            pose = (pose @ screw([1, 0, 0], chain.a[i], chain.alpha[i])
                    @ screw([0, 0, 1], chain.d[i] + slide, chain.theta[i] + turn))
        np.testing.assert_allclose(pose @ chain.tool, forward_kinematics(model, q), atol=1e-12)


@pytest.mark.parametrize(('name', 'expected'), [
    ('puma560', 'spherical wrist'), ('kinova', 'spherical wrist'), ('ur3', 'three parallel axes'),
    ('ur5', 'three parallel axes'), ('ur10', 'three parallel axes'), ('panda', 'numeric'), ('scara', 'numeric')])
def test_classes_of_real_arms(name, expected):
    found = classify_arm(arm(name))
    assert found.name == expected
    assert found.reason.endswith('.')


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'),
                         [case for case in spec_cases('KIN-25') if case.id in ('KIN-25-E2', 'KIN-25-E3')])
def test_pieper_arms_of_the_specification(given_values, expected, tolerance):
    dh = given_values['dh']
    model = dh_arm(dh['alpha_{i-1}_deg'], dh['a_{i-1}'], dh['d_i'])
    result = inverse_kinematics(model, given_values['T_0_6'])
    assert result.status == 'OK'
    assert_same_set(result.solutions, np.radians(expected['solutions_deg']), np.radians(2 * tolerance['deg']))


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-27'))
def test_puma_of_the_specification(given_values, expected, tolerance):
    model = arm('puma560')
    if 'inside_limits_deg' in expected:
        free = inverse_kinematics(endless_puma(), given_values['T_0_6'])
        assert_same_set(free.solutions, np.radians(expected['solutions_deg']), np.radians(2 * tolerance['deg']))
        result = inverse_kinematics(model, given_values['T_0_6'])
        inside = np.radians(expected['inside_limits_deg'])
        assert len(result.solutions) == len(inside)
        for q in inside:
            assert np.min(np.max(np.abs(result.solutions - q), axis=1)) < np.radians(2 * tolerance['deg'])
    elif expected.get('singular'):
        seed = np.radians(expected['branch_deg']) + [0.05, 0.05, 0.05, 0.0, 0.05, 0.3]
        result = inverse_kinematics(model, given_values['T_0_6'], seed=seed)
        assert result.status == 'SINGULAR'
        assert result.free_joints == ('joint_4',)
        np.testing.assert_allclose(np.degrees(result.solutions[0]), expected['branch_deg'], atol=1e-3)
    else:
        for position in (given_values['p_a'], given_values['p_b']):
            pose = np.eye(4)
            pose[:3, 3] = position
            assert inverse_kinematics(model, pose).status == 'UNREACHABLE'


@pytest.mark.parametrize('name', ['puma560', 'ur3', 'ur5', 'ur10', 'kinova'])
def test_every_random_pose_of_real_arms_is_solved_completely(name):
    model = arm(name)
    joints = random_joints(model, 3000, seed=51)
    poses = forward_kinematics(model, joints)
    batch = inverse_kinematics(model, poses)
    assert set(batch.status.tolist()) == {'OK'}
    assert np.nanmax(batch.residuals) < 1e-9
    for q, solutions, count in zip(joints, batch.solutions, batch.counts, strict=True):
        assert contains(solutions[:count], q)
        assert np.all((solutions[:count] >= model.lower) & (solutions[:count] <= model.upper))


def random_arm(generator, kind):
    """A 6R arm of a class with arbitrary twists and lengths."""
    alpha, a, d = generator.uniform(20, 160, 6), generator.uniform(-0.5, 0.5, 6), generator.uniform(-0.5, 0.5, 6)
    alpha *= generator.choice([-1.0, 1.0], 6)
    if kind == 'spherical wrist':
        a[4] = a[5] = d[4] = 0.0
    elif kind == 'spherical shoulder':
        a[1] = a[2] = d[1] = 0.0
    else:
        alpha[[2, 3]] = 0.0
        alpha[[1, 4, 5]] = generator.choice([-90.0, 90.0], 3)
        a[4] = a[5] = 0.0
        a[[2, 3]] = generator.uniform(0.2, 0.6, 2)
    return dh_arm(alpha, a, d, generator.uniform(-np.pi, np.pi, 6))


@pytest.mark.parametrize('kind', ['spherical wrist', 'spherical shoulder', 'three parallel axes'])
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_random_arms_contain_the_joints_they_came_from(kind, seed):
    generator = np.random.default_rng(seed)
    model = random_arm(generator, kind)
    assert classify_arm(model).name == kind
    joints = generator.uniform(-np.pi, np.pi, (40, 6))
    batch = inverse_kinematics(model, forward_kinematics(model, joints))
    for q, solutions, count in zip(joints, batch.solutions, batch.counts, strict=True):
        assert contains(solutions[:count], q, 1e-4)
        assert not np.any(np.isnan(solutions[:count]))


def test_batch_and_single_agree_and_bad_poses_are_told():
    model = arm('ur5')
    poses = forward_kinematics(model, random_joints(model, 6, seed=52))
    poses[1] = np.nan
    poses[2, :3, :3] *= -1.0
    poses[3, :3, 3] = 5.0
    batch = inverse_kinematics(model, poses)
    assert batch.status.tolist()[1:4] == ['BAD_INPUT', 'BAD_INPUT', 'UNREACHABLE']
    for i in (0, 4, 5):
        single = inverse_kinematics(model, poses[i])
        np.testing.assert_array_equal(batch.solutions[i, :batch.counts[i]], single.solutions)
        nearest = inverse_kinematics(model, poses[i], all_solutions=False)
        np.testing.assert_array_equal(nearest.solutions, single.solutions[:1])
    empty = inverse_kinematics(model, np.empty((0, 4, 4)))
    assert empty.solutions.shape == (0, 0, 6)


def test_blocked_branches_name_their_joints():
    far = RobotModel.from_dh([DhRow(np.radians(al), a, d, lower=-0.1, upper=0.1) for al, a, d in zip(
        [0, -90, 0, -90, 90, -90], [0, 0, 0.425, 0.02, 0, 0], [0, 0, 0.1225, 0.425, 0, 0], strict=True)])
    pose = forward_kinematics(far, [0.5, -1.0, 0.2, 0.3, 0.4, 0.5])
    result = inverse_kinematics(far, pose)
    assert result.status == 'OUT_OF_LIMITS'
    assert result.reason.startswith('8 branches reach the pose, none within the joint limits: joint_')


def test_images_stay_within_limits_and_near_the_seed():
    model = arm('ur5')
    q = np.array([4.0, -1.0, 2.5, -4.0, 1.0, 6.0])
    result = inverse_kinematics(model, forward_kinematics(model, q), seed=q)
    np.testing.assert_allclose(result.solutions[0], q, atol=1e-9)
