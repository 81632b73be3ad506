"""Inverse kinematics at the edges: free joints and limits, forks, huge seeds, no joints, imagined joints."""

import os

import numpy as np
import pytest
from support.robots import REAL_ARMS, arm, random_joints, real_arm_path

from robokin_ros.errors import InputError
from robokin_ros.kinematics import (
    IkOptions,
    classify_arm,
    forward_kinematics,
    inverse_kinematics,
    singularity,
)
from robokin_ros.model import DhRow, RobotModel
from robokin_ros.spatial import wrap_angle

FIXED = '<robot name="post"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/>' \
        '<child link="b"/></joint></robot>'


def test_a_singular_branch_is_kept_within_limits():
    """The free joint moves to where its partner is legal."""
    limits = [3.1, 3.1, 3.1, 3.1, 3.1, 1.0]
    rows = zip(np.radians([0, -90, 0, -90, 90, -90]), [0, 0, 0.425, 0.02, 0, 0], [0, 0, 0.12, 0.425, 0, 0], limits,
               strict=True)
    model = RobotModel.from_dh([DhRow(alpha, a, d, lower=-most, upper=most) for alpha, a, d, most in rows])
    pose = forward_kinematics(model, [0.3, 0.4, 0.5, 2.0, 0.0, 0.9])
    for result in (inverse_kinematics(model, pose), inverse_kinematics(model, pose, [0.0, 0.0, 0.0, 3.0, 0.0, 0.0])):
        assert result.status == 'SINGULAR'
        kept = np.max(np.abs(result.solutions[:, [0, 1, 2, 4]] - [0.3, 0.4, 0.5, 0.0]), axis=1) < 1e-6
        assert np.any(kept)
        assert np.all(np.abs(result.solutions) <= np.array(limits) + 1e-9)


def test_huge_seeds_are_refused_and_large_ones_do_no_harm():
    model = arm('puma560')
    pose = forward_kinematics(model, random_joints(model, 1, seed=130)[0])
    with pytest.raises(InputError, match='1e\\+09'):
        inverse_kinematics(model, pose, seed=np.full(6, 1e9))
    result = inverse_kinematics(model, pose, seed=np.full(6, 1e5))
    for q in result.solutions:
        np.testing.assert_allclose(forward_kinematics(model, q), pose, atol=1e-9)


def test_a_batch_after_a_fork():
    model = arm('puma560')
    poses = forward_kinematics(model, random_joints(model, 6000, seed=131))
    expected = inverse_kinematics(model, poses, options=IkOptions(threads=2)).counts.sum()
    child = os.fork()
    if child == 0:
        same = inverse_kinematics(model, poses, options=IkOptions(threads=2)).counts.sum() == expected
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_robot_without_joints():
    model = RobotModel.from_urdf(FIXED)
    assert inverse_kinematics(model, np.eye(4)).status == 'OK'
    away = np.eye(4)
    away[0, 3] = 0.5
    assert inverse_kinematics(model, away).status == 'UNREACHABLE'
    assert inverse_kinematics(model, away, options=IkOptions(project=True)).status == 'UNREACHABLE'
    with pytest.raises(InputError, match='no singularities'):
        singularity(model, [])


@pytest.mark.parametrize('rows', [
    [(-1.2, -0.3, 0.2), (np.pi / 2, 0.4, -0.15), (0.0, 0.4, 0.0), (-1.2, 0.0, 0.0), (0.7, 0.0, 0.0)],  # 3, 4, 5 meet
    [(0.0, 0.0, 0.3), (1.2, 0.0, 0.0), (-1.0, 0.0, 0.3), (1.1, 0.1, 0.2)],  # 1, 2, 3 meet
    [(0.0, 0.0, 0.3), (1.2, 0.2, 0.1), (-1.0, 0.3, 0.0), (1.1, 0.0, 0.2)],  # 3, 4 meet
])
def test_imagined_joints_are_not_in_the_way(rows):
    model = RobotModel.from_dh([DhRow(*row) for row in rows])
    generator = np.random.default_rng(132)
    joints = generator.uniform(-3.0, 3.0, (40, model.dof))
    batch = inverse_kinematics(model, forward_kinematics(model, joints))
    assert batch.method != 'numeric'
    for q, solutions, count in zip(joints, batch.solutions, batch.counts, strict=True):
        assert np.min(np.max(np.abs(wrap_angle(solutions[:count] - q)), axis=1)) < 1e-4


def test_part_of_a_real_arm():
    model = RobotModel.from_urdf(real_arm_path('panda'), tip='panda_link4')
    assert 'panda' in REAL_ARMS
    assert classify_arm(model).closed_form
    for q in random_joints(model, 20, seed=133):
        result = inverse_kinematics(model, forward_kinematics(model, q), q)
        assert result.method != 'numeric'
        np.testing.assert_allclose(result.solutions[0], q, atol=1e-5)


def test_closed_form_only_never_searches():
    model = arm('puma560')
    pose = np.eye(4)
    pose[:3, 3] = 0.859, 0.1, 0.0
    wide = {'position_tolerance': 0.2, 'orientation_tolerance': 0.2}
    assert inverse_kinematics(model, pose, options=IkOptions(**wide)).method == 'numeric'
    assert inverse_kinematics(model, pose, options=IkOptions(method='closed_form', **wide)).status == 'UNREACHABLE'


def test_every_turn_includes_the_nearest_of_endless_joints():
    model = RobotModel.from_dh([(0.0, 0.0, 0.0, 0.0), (0.0, 0.5, 0.0, 0.0)], tool=np.diag([1.0, 1.0, 1.0, 1.0]))
    pose = forward_kinematics(model, [0.3, 0.5])
    nearest = inverse_kinematics(model, pose, seed=[10.0, 10.0])
    every = inverse_kinematics(model, pose, seed=[10.0, 10.0], options=IkOptions(images='all'))
    np.testing.assert_allclose(every.solutions, nearest.solutions)


@pytest.mark.parametrize('fields', [
    {'objective': [1]}, {'position_tolerance': 'a'}, {'starts': 2.5}, {'threads': 1.5}, {'method': 3}, {'threads': 0}])
def test_options_of_the_wrong_kind_are_refused(fields):
    with pytest.raises(InputError):
        IkOptions(**fields)


def test_numbers_that_are_none():
    assert inverse_kinematics(arm('puma560'), [[10**400] * 4] * 4).status == 'BAD_INPUT'
