"""Forward kinematics against the specification's numbers and Pinocchio."""

import numpy as np
import pytest
from support.pinocchio_oracle import PinocchioArm
from support.robots import OWN_ARMS, REAL_ARMS, arm, random_joints, spec_examples

from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.kinematics import forward_kinematics, frame_poses
from robokin_ros.model import RobotModel


@pytest.mark.parametrize('example', spec_examples('puma560')['forward'], ids=lambda example: example['id'])
def test_puma_poses_of_the_textbook(example):
    pose = forward_kinematics(arm('puma560'), np.radians(example['q_deg']))
    np.testing.assert_allclose(pose, example['pose'], atol=1e-6)


@pytest.mark.parametrize('name', [*OWN_ARMS, *REAL_ARMS])
def test_every_link_is_where_pinocchio_has_it(name):
    model = arm(name)
    oracle = PinocchioArm(model)
    for q in random_joints(model, 5, seed=1):
        for frame, ours in zip(model.frame_names, frame_poses(model, q), strict=True):
            np.testing.assert_allclose(ours, oracle.pose(q, frame), atol=1e-12, err_msg=frame)


@pytest.mark.parametrize('name', [*OWN_ARMS, *REAL_ARMS])
def test_batches_equal_single_calls(name):
    model = arm(name)
    joints = random_joints(model, 12, seed=2).reshape(3, 4, model.dof)
    poses = forward_kinematics(model, joints)
    assert poses.shape == (3, 4, 4, 4)
    for index in np.ndindex(3, 4):
        np.testing.assert_allclose(poses[index], forward_kinematics(model, joints[index]), atol=1e-14)
    np.testing.assert_allclose(poses[1, 2], frame_poses(model, joints[1, 2], [model.tip])[0], atol=1e-14)


def test_subchain_is_part_of_the_whole():
    whole = arm('baxter')
    part = RobotModel.from_urdf(whole.urdf, base='left_upper_shoulder', tip='left_gripper')
    assert part.dof == 6
    q = random_joints(whole, 1, seed=3)[0]
    ours = forward_kinematics(part, q[whole.order_of(part.joint_names)])
    base, tip = frame_poses(whole, q, ['left_upper_shoulder', 'left_gripper'])
    np.testing.assert_allclose(ours, np.linalg.inv(base) @ tip, atol=1e-12)


@pytest.mark.parametrize(('q', 'words'), [
    ([0.0] * 5, 'needs 6 values'), ([0.0] * 7, 'needs 6 values'), (0.0, 'needs 6 values'),
    ([0.0, 0.0, np.nan, 0.0, 0.0, 0.0], "q of joint 'joint_3' is nan"), (['a'] * 6, 'not an array of numbers'),
    ([[0.0] * 6, [0.0, np.inf, 0.0, 0.0, 0.0, 0.0]], "q of joint 'joint_2' (row 1) is inf"),
])
def test_bad_joints_are_named(q, words):
    with pytest.raises(InputError) as caught:
        forward_kinematics(arm('puma560'), q)
    assert words in str(caught.value)


def test_unknown_frame_lists_the_known():
    with pytest.raises(UnknownNameError, match="no frame 'hand'; known: base_link, link_1"):
        frame_poses(arm('puma560'), np.zeros(6), ['hand'])
