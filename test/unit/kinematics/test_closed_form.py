"""Inverse kinematics in closed form: classes of arms, completeness on real and random arms, limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import OWN_ARMS, REAL_ARMS, arm, random_joints

from robokin_ros.kinematics import classify_arm, forward_kinematics, inverse_kinematics
from robokin_ros.model import DhRow, RobotModel, dh_of_model
from robokin_ros.spatial import screw, wrap_angle


def dh_arm(alpha_deg, a, d, theta=None):
    theta = np.zeros(len(a)) if theta is None else theta
    rows = zip(np.radians(alpha_deg), a, d, theta, strict=True)
    return RobotModel.from_dh([DhRow(*row) for row in rows])


def contains(solutions, q, tolerance=1e-5):
    """Whether one of the solutions is q, up to whole turns."""
    return len(solutions) > 0 and np.min(np.max(np.abs(wrap_angle(solutions - q)), axis=1)) < tolerance


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
    ('ur5', 'three parallel axes'), ('ur10', 'three parallel axes'), ('so100', 'three parallel axes'),
    ('panda', 'redundant, spherical shoulder'), ('xarm7', 'redundant, spherical shoulder'),
    ('arm7', 'redundant, spherical wrist'), ('z1', 'redundant, three parallel axes'),
    ('talos_arm', 'redundant, spherical middle'), ('baxter', 'redundant, one-variable search'),
    ('scara', 'orientation first'), ('planar_3r', 'orientation first'), ('two_link_pendulum', 'orientation first')])
def test_classes_of_real_arms(name, expected):
    found = classify_arm(arm(name))
    assert found.name == expected
    assert found.closed_form
    assert found.searches == ('one-variable' in expected)
    assert (found.lock >= 0) == expected.startswith('redundant')
    assert found.reason.endswith('.')


def test_classes_of_all_arms_are_expected():
    marks = test_classes_of_real_arms.pytestmark[0].args[1]
    assert {name for name, _ in marks} == {*REAL_ARMS, *OWN_ARMS}


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
