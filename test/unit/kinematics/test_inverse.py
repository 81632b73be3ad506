"""Inverse kinematics: the textbook's branches, round trips on many arms, and what is said when there is none."""

import numpy as np
import pytest
from support.robots import arm, random_joints, spec_examples

from robokin_ros.errors import InputError
from robokin_ros.kinematics import forward_kinematics, inverse_kinematics
from robokin_ros.model import RobotModel
from robokin_ros.spatial import rotation_vector

ARMS = ('puma560', 'ur5', 'panda', 'arm7', 'kinova', 'xarm7', 'z1')


def miss(model, q, pose):
    reached = forward_kinematics(model, q)
    turn = rotation_vector(reached[:3, :3].T @ pose[:3, :3])
    return np.linalg.norm(reached[:3, 3] - pose[:3, 3]), np.linalg.norm(turn)


def test_puma_branches_within_limits():
    example = spec_examples('puma560')['inverse']
    pose = np.array(example['pose'])
    pose[:3, :3] = np.linalg.qr(pose[:3, :3])[0] * np.sign(np.diag(np.linalg.qr(pose[:3, :3])[1]))
    result = inverse_kinematics(arm('puma560'), pose)
    assert result.status == 'OK'
    expected = np.radians(example['inside_limits_deg'])
    for branch in expected:
        assert np.min(np.max(np.abs(result.solutions - branch), axis=1)) < np.radians(1e-3)


@pytest.mark.parametrize('name', ARMS)
def test_round_trip(name):
    model = arm(name)
    seed = model.middle()
    for q in random_joints(model, 15, seed=6):
        pose = forward_kinematics(model, q)
        result = inverse_kinematics(model, pose, seed=seed)
        assert result.status == 'OK', result.reason
        assert np.all(result.solutions >= model.lower)
        assert np.all(result.solutions <= model.upper)
        distance = np.linalg.norm(result.solutions - seed, axis=1)
        assert np.all(np.diff(distance) >= 0.0)
        for solution, residual in zip(result.solutions, result.residuals, strict=True):
            position, angle = miss(model, solution, pose)
            assert position <= 1e-6
            assert angle <= 1e-6
            np.testing.assert_allclose(residual, (position, angle), atol=1e-9)


def test_one_solution_starts_at_the_seed():
    model = arm('panda')
    q = random_joints(model, 1, seed=7)[0]
    near = np.clip(q + 0.02, model.lower, model.upper)
    result = inverse_kinematics(model, forward_kinematics(model, q), seed=near, all_solutions=False)
    assert result.solutions.shape == (1, model.dof)
    assert np.max(np.abs(result.solutions[0] - near)) < 0.1


def test_batch_is_padded_with_nan():
    model = arm('puma560')
    poses = forward_kinematics(model, random_joints(model, 4, seed=8))
    poses[2, :3, 3] = 9.0
    batch = inverse_kinematics(model, poses)
    assert batch.status.tolist() == ['OK', 'OK', 'UNREACHABLE', 'OK']
    assert batch.counts[2] == 0
    assert batch.solutions.shape == (4, batch.counts.max(), 6)
    for i, count in enumerate(batch.counts):
        assert np.all(np.isfinite(batch.solutions[i, :count]))
        assert np.all(np.isnan(batch.solutions[i, count:]))


@pytest.mark.parametrize('position', spec_examples('puma560')['unreachable']['positions'])
def test_unreachable_positions_of_the_textbook(position):
    pose = np.eye(4)
    pose[:3, 3] = position
    result = inverse_kinematics(arm('puma560'), pose)
    assert result.status == 'UNREACHABLE'
    assert 'm and' in result.reason
    assert len(result.solutions) == 0


def test_out_of_limits_is_told_from_unreachable():
    down = forward_kinematics(arm('scara'), [0.0, 0.3, -0.1, 0.2])
    down[2, 3] += 0.25
    result = inverse_kinematics(arm('scara'), down)
    assert result.status == 'OUT_OF_LIMITS'
    assert '2 branches reach the pose, none within the joint limits: joint_3 at 0.1500' in result.reason


def test_orientation_off_the_subspace_of_a_small_arm():
    model = arm('scara')
    pose = forward_kinematics(model, [0.2, 0.3, -0.1, 0.4])
    pose[:3, :3] = pose[:3, :3] @ np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    result = inverse_kinematics(model, pose)
    assert result.status == 'OFF_SUBSPACE'
    assert 'reach the position, but not this orientation: the nearest is 1.571 rad away' in result.reason


@pytest.mark.parametrize(('pose', 'words'), [
    (np.full((4, 4), np.nan), 'NaN'), (np.zeros((4, 4)), 'last row'), (np.eye(3), '4x4'),
    (np.diag([2.0, 1.0, 1.0, 1.0]), 'not a rotation'), (np.diag([-1.0, 1.0, 1.0, 1.0]), 'not a rotation'),
])
def test_bad_poses_get_a_status_not_an_exception(pose, words):
    result = inverse_kinematics(arm('puma560'), pose)
    assert result.status == 'BAD_INPUT'
    assert words in result.reason


def test_endless_joints_are_not_wound_up():
    model = RobotModel.from_dh([(0, 0, 0, 0), (0, 0.5, 0, 0), (0, 0.4, 0, 0)])
    q = np.array([0.5, 1.0, -0.4])
    result = inverse_kinematics(model, forward_kinematics(model, q))
    assert len(result.solutions) == 2
    assert np.all(np.abs(result.solutions) <= np.pi)


def test_odd_shapes_and_absurd_poses():
    model = arm('arm7')
    for pose in (np.zeros((2, 3, 4, 4)), 'text', [[1, 2], [3]]):
        assert inverse_kinematics(model, pose).status == 'BAD_INPUT'
    far = np.eye(4)
    far[0, 3] = 1e6
    assert inverse_kinematics(model, far).status == 'UNREACHABLE'
    assert inverse_kinematics(model, np.empty((0, 4, 4))).status.shape == (0,)
    assert inverse_kinematics(model, np.asfortranarray(forward_kinematics(model, model.middle() + 0.3))).status == 'OK'


def test_bad_seed_is_refused():
    with pytest.raises(InputError, match="seed of joint 'joint_2' is nan"):
        inverse_kinematics(arm('puma560'), np.eye(4), seed=[0, np.nan, 0, 0, 0, 0])
