"""All branches in one compiled call: the same as the general way gives, and None where that must explain."""

import numpy as np
import pytest
from support.robots import arm, random_joints

from robokin_ros.kernels import direct
from robokin_ros.kinematics import IkOptions, forward_kinematics, inverse_kinematics
from robokin_ros.kinematics.branches import direct_solver
from robokin_ros.spatial import quaternion_from_matrix

ARMS = ('puma560', 'ur5', 'scara')


@pytest.mark.parametrize('name', ARMS)
def test_same_answer_as_the_general_way(name):
    model = arm(name)
    general = IkOptions()
    for q in random_joints(model, 60, 5):
        pose = forward_kinematics(model, q)
        for seed in (None, q):
            for every in (True, False):
                ours = inverse_kinematics(model, pose, seed, every)
                theirs = inverse_kinematics(model, pose, seed, every, general)
                for field in ('status', 'reason', 'free_joints', 'method'):
                    assert getattr(ours, field) == getattr(theirs, field)
                for field in ('solutions', 'residuals', 'limit_margins'):
                    np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field))


def test_singular_poses_name_their_free_joints():
    model = arm('puma560')
    pose = forward_kinematics(model, [0.3, -1.2, -1.0, 0.4, 0.0, 0.2])
    result = inverse_kinematics(model, pose)
    assert result.status == 'SINGULAR'
    assert result.free_joints == inverse_kinematics(model, pose, options=IkOptions()).free_joints == (
        'joint_4', 'joint_6')


def test_a_quaternion_gives_the_same_branches():
    model = arm('puma560')
    solver = direct_solver(model)
    for q in random_joints(model, 40, 6):
        pose = forward_kinematics(model, q)
        given = np.concatenate((pose[:3, 3], quaternion_from_matrix(pose[:3, :3])))
        row, other = solver.of_quaternion(given, q), solver.of_matrix(pose, q)
        assert row[0] == other[0]
        count = int(row[0])
        np.testing.assert_allclose(row[3:3 + 6 * count], other[3:3 + 6 * count], atol=1e-7)
        np.testing.assert_allclose(solver.of_quaternion(np.append(given[:3], -given[3:]), q)[:9], row[:9], atol=1e-12)


def test_what_needs_an_explanation_is_left_to_the_general_way():
    assert direct.DirectCall is not None, 'the extension module was not built'
    model = arm('puma560')
    solver, seed = direct_solver(model), model.middle()
    good = forward_kinematics(model, seed)
    assert solver.of_matrix(good, seed) is not None
    skewed, far, bad = good.copy(), good.copy(), good.copy()
    skewed[0, 0] += 1e-3
    far[0, 3] = 5.0
    bad[1, 3] = np.nan
    for pose in (skewed, far, bad, -good, good[:3], good.tolist(), None):
        assert solver.of_matrix(pose, seed) is None
    for other in (seed[:5], seed * np.nan, seed + 1e9, None):
        assert solver.of_matrix(good, other) is None
    turn = np.array([0.3, 0.1, 0.4, 0.0, 0.0, 0.0, 1.0])
    for wrong in (turn * 1.1, np.append(turn[:3], [0.0] * 4), turn * np.nan, turn[:6]):
        assert solver.of_quaternion(wrong, seed) is None
    assert inverse_kinematics(model, far).status == 'UNREACHABLE'
    assert inverse_kinematics(model, bad).status == 'BAD_INPUT'


def test_arms_without_a_table_of_six_have_no_direct_call():
    model = arm('arm7')
    solver = direct_solver(model)
    assert solver.of_matrix(forward_kinematics(model, model.middle()), model.middle()) is None
