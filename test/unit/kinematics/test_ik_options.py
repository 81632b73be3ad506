"""Options of inverse kinematics: free and wide axes, tolerances, methods, objectives, time-out, projection."""

import time
from dataclasses import replace

import numpy as np
import pytest
from support.random_arms import build, generic_table
from support.robots import arm, random_joints
from support.solutions import contains, link_matrix, pose_distance, table_pose

from robokin_ros.errors import InputError
from robokin_ros.kinematics import (
    IkOptions,
    forward_kinematics,
    inverse_kinematics,
    jacobian,
    manipulability,
    project_pose,
    singularity,
)
from robokin_ros.model import dh_arm
from robokin_ros.spatial import rotation_vector

INF = np.inf


def error_in_goal_axes(model, q, pose):
    """Six components of the way from the wanted pose to the reached one, along and about the axes of the wanted one."""
    reached = forward_kinematics(model, q)
    turn = rotation_vector(reached[:3, :3] @ pose[:3, :3].T)
    return np.concatenate((pose[:3, :3].T @ (reached[:3, 3] - pose[:3, 3]), pose[:3, :3].T @ turn))


@pytest.mark.parametrize('name', ['puma560', 'ur5', 'panda', 'arm7', 'kinova'])
def test_numeric_search_finds_what_closed_forms_find(name):
    model = arm(name)
    for q in random_joints(model, 4, seed=110):
        pose = forward_kinematics(model, q)
        near = np.clip(q + 0.05, model.lower, model.upper)
        found = inverse_kinematics(model, pose, near, options=IkOptions(method='numeric'))
        assert found.status == 'OK'
        assert found.method == 'numeric'
        for s, residual in zip(found.solutions, found.residuals, strict=True):
            position, angle = pose_distance(forward_kinematics(model, s), pose)
            assert max(position, angle) <= 1e-6
            np.testing.assert_allclose(residual, (position, angle), atol=1e-7)
            assert np.all((s >= model.lower) & (s <= model.upper))
        assert np.all(np.diff(np.linalg.norm(found.solutions - near, axis=1)) >= -1e-9)
        if model.dof == 6:
            every = inverse_kinematics(model, pose, near)
            for s in found.solutions:
                assert contains(every.solutions, s, 1e-4)


@pytest.mark.parametrize('free', [(0,), (2,), (3,), (5,), (0, 1), (3, 4, 5), (0, 5), (0, 1, 2)])
@pytest.mark.parametrize('name', ['puma560', 'ur5', 'arm7'])
def test_free_axes_are_free_and_the_others_are_not(name, free):
    model = arm(name)
    tolerances = np.zeros(6)
    tolerances[list(free)] = INF
    asked = [i for i in range(6) if i not in free]
    pose = forward_kinematics(model, random_joints(model, 1, seed=111)[0])
    seed = random_joints(model, 1, seed=112)[0]
    found = inverse_kinematics(model, pose, seed, all_solutions=False, options=IkOptions(tolerances=tolerances))
    assert found.status == 'OK'
    missed = error_in_goal_axes(model, found.solutions[0], pose)
    if set(free) & {3, 4, 5} in (set(), {3, 4, 5}):  # rotations about one axis are not components of a rotation vector
        assert np.max(np.abs(missed[asked])) < 1e-5
    assert np.max(np.abs(missed[[i for i in asked if i < 3]]), initial=0.0) < 1e-5
    assert np.linalg.norm(missed) > 1e-3  # it used the freedom: the seed is far away


def test_free_turn_about_the_tool_axis():
    """A pose of a drill: any angle about z. Arms of five joints can do it."""
    model = dh_arm('motoman_l3')
    generator = np.random.default_rng(113)
    for q in generator.uniform([-2, -2, 0.3, -1, -2], [2, -0.5, 1.5, 1, 2], (4, 5)):
        pose = forward_kinematics(model, q) @ link_matrix(0.0, 0.0, 0.0, 1.0)
        found = inverse_kinematics(model, pose, options=IkOptions(tolerances=[0, 0, 0, 0, 0, INF]))
        assert found.status == 'OK'
        for s in found.solutions:
            reached = forward_kinematics(model, s)
            np.testing.assert_allclose(reached[:3, 3], pose[:3, 3], atol=1e-6)
            np.testing.assert_allclose(reached[:3, 2], pose[:3, 2], atol=1e-5)


@pytest.mark.parametrize('axis', range(6))
def test_wide_axes_stay_within_their_width(axis):
    model = arm('puma560')
    width = 0.02 if axis < 3 else 0.1
    tolerances = np.zeros(6)
    tolerances[axis] = width
    used = 0.0
    for q, seed in zip(random_joints(model, 5, seed=114), random_joints(model, 5, seed=115), strict=True):
        pose = forward_kinematics(model, q)
        found = inverse_kinematics(model, pose, seed, False, IkOptions(tolerances=tolerances))
        assert found.status == 'OK'
        missed = error_in_goal_axes(model, found.solutions[0], pose)
        assert abs(missed[axis]) <= width + 1e-5
        assert np.max(np.abs(np.delete(missed, axis))) <= 1e-5
        used = max(used, abs(missed[axis]))
    assert used > 1e-4


def test_a_wide_axis_reaches_what_is_just_out_of_reach():
    model = dh_arm('planar2r', l1=0.5, l2=0.3)
    pose = np.eye(4)
    pose[0, 3] = 0.81
    assert inverse_kinematics(model, pose, options=IkOptions(position_only=True)).status == 'UNREACHABLE'
    wide = inverse_kinematics(model, pose, options=IkOptions(tolerances=[0.02, 0, 0, INF, INF, INF]))
    assert wide.status == 'OK'
    np.testing.assert_allclose(forward_kinematics(model, wide.solutions[0])[:3, 3], [0.8, 0.0, 0.0], atol=1.1e-2)
    narrow = inverse_kinematics(model, pose, options=IkOptions(tolerances=[0.005, 0, 0, INF, INF, INF]))
    assert narrow.status == 'UNREACHABLE'


@pytest.mark.parametrize('name', ['puma560', 'panda', 'scara'])
def test_position_only_of_large_arms(name):
    model = arm(name)
    for q in random_joints(model, 3, seed=116):
        pose = forward_kinematics(model, q)
        turned = pose.copy()
        turned[:3, :3] = pose[:3, :3] @ link_matrix(0.9, 0.0, 0.0, 0.4)[:3, :3]
        found = inverse_kinematics(model, turned, options=IkOptions(position_only=True))
        assert found.status == 'OK'
        for s in found.solutions:
            np.testing.assert_allclose(forward_kinematics(model, s)[:3, 3], pose[:3, 3], atol=1e-6)


def test_tolerances_of_a_solution_are_kept():
    generator = np.random.default_rng(117)
    made = build(generic_table(generator, 6))
    pose = table_pose(made.table, made.joints(generator, 1)[0])
    for position, angle in ((1e-6, 1e-6), (1e-9, 1e-9), (1e-3, 1e-2)):
        options = IkOptions(position_tolerance=position, orientation_tolerance=angle)
        found = inverse_kinematics(made.model, pose, options=options)
        assert found.status == 'OK'
        assert np.all(found.residuals <= (position, angle))
        for s in found.solutions:
            assert pose_distance(table_pose(made.table, s), pose)[0] <= position * (1.0 + 1e-6) + 1e-12


def measure(model, name, q, seed):
    if name == 'seed':
        return -np.linalg.norm(q - seed)
    if name == 'middle':
        return -np.linalg.norm((q - model.middle()) / (model.upper - model.lower))
    if name == 'limits':
        room = (q - model.lower) * (model.upper - q) / (model.upper - model.lower) ** 2
        return np.sum(np.log(np.maximum(room, 1e-9)))
    return manipulability(jacobian(model, q))


@pytest.mark.parametrize('method', ['auto', 'numeric'])
@pytest.mark.parametrize('objective', ['seed', 'middle', 'limits', 'manipulability'])
def test_objectives_improve_their_measure(objective, method):
    """The same branch as without one, led along the null space."""
    model = arm('arm7')
    better = []
    for q, seed in zip(random_joints(model, 8, seed=118), random_joints(model, 8, seed=119), strict=True):
        pose = forward_kinematics(model, q)
        plain, led = (inverse_kinematics(model, pose, seed, False, IkOptions(method=method, objective=name))
                      for name in ('none', objective))
        assert led.status == 'OK'
        assert max(pose_distance(forward_kinematics(model, led.solutions[0]), pose)) < 1e-6
        assert np.all((led.solutions[0] >= model.lower) & (led.solutions[0] <= model.upper))
        better.append(measure(model, objective, led.solutions[0], seed)
                      - measure(model, objective, plain.solutions[0], seed))
    assert np.median(better) > 0.0
    assert np.min(better) > -1e-6


@pytest.mark.parametrize('name', ['arm7', 'panda', 'xarm7'])
def test_single_solution_of_a_redundant_arm_is_the_nearest(name):
    """"False: the nearest only": the first of all, whichever way it is asked for."""
    model = arm(name)
    for q, seed in zip(random_joints(model, 10, seed=118), random_joints(model, 10, seed=119), strict=True):
        pose = forward_kinematics(model, q)
        one, every = (inverse_kinematics(model, pose, seed, all_solutions) for all_solutions in (False, True))
        nearest, first = (np.linalg.norm(result.solutions[0] - seed) for result in (one, every))
        assert nearest <= first + 0.01


def test_objective_does_not_move_an_arm_without_freedom():
    model = arm('puma560')
    q = random_joints(model, 1, seed=120)[0]
    pose = forward_kinematics(model, q)
    plain = inverse_kinematics(model, pose, q, False, IkOptions(method='numeric'))
    led = inverse_kinematics(model, pose, q, False, IkOptions(method='numeric', objective='middle'))
    np.testing.assert_allclose(led.solutions, plain.solutions, atol=1e-6)


def test_time_out_is_kept():
    model = arm('panda')
    pose = np.eye(4)
    pose[:3, 3] = 0.9, 0.9, 0.9
    options = IkOptions(method='numeric', starts=100_000, timeout=0.1)
    inverse_kinematics(model, pose, options=replace(options, timeout=0.01))
    for every in (False, True):
        begin = time.monotonic()
        found = inverse_kinematics(model, pose, all_solutions=every, options=options)
        spent = time.monotonic() - begin
        assert found.status == 'UNREACHABLE'
        assert spent < 1.5, f'{spent:.2f} s'


def test_time_out_does_not_keep_a_solution_away():
    model = arm('puma560')
    q = random_joints(model, 1, seed=121)[0]
    for every in (False, True):
        options = IkOptions(method='numeric', timeout=1.0)
        found = inverse_kinematics(model, forward_kinematics(model, q), q, every, options)
        assert found.status == 'OK'
        np.testing.assert_allclose(found.solutions[0], q, atol=1e-5)


def test_more_values_of_the_free_joint_give_more_solutions():
    model = arm('arm7')
    q = random_joints(model, 1, seed=122)[0]
    pose = forward_kinematics(model, q)
    few, many = (inverse_kinematics(model, pose, q, options=IkOptions(samples=number)) for number in (6, 60))
    assert len(many.solutions) > 4 * len(few.solutions)
    np.testing.assert_allclose(few.solutions[0], q, atol=1e-6)
    np.testing.assert_allclose(many.solutions[0], q, atol=1e-6)


def test_closed_form_or_refuse():
    made = build(generic_table(np.random.default_rng(123), 6))
    with pytest.raises(InputError, match='There is no closed form: '):
        inverse_kinematics(made.model, np.eye(4), options=IkOptions(method='closed_form'))
    wide = IkOptions(method='closed_form', tolerances=[1, 0, 0, 0, 0, 0])
    with pytest.raises(InputError, match='no closed form'):
        inverse_kinematics(arm('puma560'), np.eye(4), options=wide)
    model = arm('ur5')
    pose = forward_kinematics(model, random_joints(model, 1, seed=124)[0])
    found = inverse_kinematics(model, pose, options=IkOptions(method='closed_form'))
    assert found.method == 'three parallel axes'


@pytest.mark.parametrize(('options', 'words'), [
    ({'method': 'magic'}, 'auto, closed_form, numeric'), ({'images': 'none'}, 'nearest, all'),
    ({'norm': 'l2'}, 'euclidean'), ({'objective': 'fun'}, 'none, seed, middle, limits, manipulability'),
    ({'position_tolerance': 0.0}, 'position_tolerance'), ({'orientation_tolerance': np.nan}, 'orientation_tolerance'),
    ({'timeout': 0.0}, 'timeout'), ({'starts': 0}, 'starts'), ({'samples': 0}, 'samples'),
    ({'tolerances': [0, 0, 0]}, 'six half-widths'), ({'tolerances': [-1, 0, 0, 0, 0, 0]}, 'six'),
    ({'tolerances': [np.nan, 0, 0, 0, 0, 0]}, 'six'), ({'tolerances': 'wide'}, 'not an array'),
    ({'tolerances': [INF] * 6}, 'nothing is asked'),
    ({'tolerances': [INF] * 3 + [0] * 3, 'position_only': True}, 'nothing'),
])
def test_bad_options_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        IkOptions(**options)


@pytest.mark.parametrize('weights', [[1, 1], [1, 1, 1, 1, 1, -1], [np.nan] * 6, [INF] * 6])
def test_bad_weights_are_refused(weights):
    model = arm('puma560')
    with pytest.raises(InputError, match='weights'):
        inverse_kinematics(model, forward_kinematics(model, model.middle()), options=IkOptions(weights=weights))


def test_batches_refuse_what_they_do_not_do():
    model = arm('puma560')
    poses = forward_kinematics(model, random_joints(model, 2, seed=125))
    for options in ({'images': 'all'}, {'weights': np.ones(6)}, {'norm': 'sum'}, {'project': True}):
        with pytest.raises(InputError, match='pose by pose'):
            inverse_kinematics(model, poses, options=IkOptions(**options))


def test_projection_is_opt_in_and_told():
    model = dh_arm('motoman_l3')
    pose = forward_kinematics(model, [0.4, -1.5, 1.0, 0.3, 0.2]) @ link_matrix(0.25, 0.0, 0.0, 0.0)
    refused = inverse_kinematics(model, pose)
    assert refused.status == 'OFF_SUBSPACE'
    assert refused.projected is None
    found = inverse_kinematics(model, pose, options=IkOptions(project=True))
    assert found.status == 'OK'
    assert found.reason.startswith('Projected into the subspace of the arm')
    distance, angle = pose_distance(found.projected, pose)
    np.testing.assert_allclose(found.given_up, (distance, angle), atol=1e-6)
    assert distance < 1e-6
    assert 0.0 < angle <= 0.25 + 1e-6
    pose = forward_kinematics(model, [0.4, -1.5, 1.0, 0.3, 0.2])
    on_it = inverse_kinematics(model, pose, options=IkOptions(project=True))
    assert on_it.projected is None
    assert on_it.given_up == (0.0, 0.0)


@pytest.mark.parametrize('name', ['spatial3r_33', 'spatial3r_34', 'twolink_39', 'polar_rp', 'planar2r',
                                  'planar_rpr_316', 'positioner_411', 'arm4r_416', 'motoman_l3', 'planar3r',
                                  'cylindrical_rpr'])
def test_poses_of_the_arm_are_their_own_projection(name):
    model = dh_arm(name)
    generator = np.random.default_rng(126)
    low, high = np.maximum(model.lower, -2.5), np.minimum(model.upper, 2.5)
    for q in generator.uniform(low, high, (4, model.dof)):
        found = project_pose(model, forward_kinematics(model, q))
        assert found.distance < 1e-6
        assert found.angle < 1e-5
        np.testing.assert_allclose(forward_kinematics(model, found.joints), found.pose, atol=1e-12)


def test_seed_of_joints_off_the_chain_is_kept():
    model = arm('panda')  # its eighth joint moves a finger
    q = random_joints(model, 1, seed=127)[0]
    found = inverse_kinematics(model, forward_kinematics(model, q), seed=q)
    assert len(model.chain_joints) == 7
    off = np.setdiff1d(np.arange(model.dof), model.chain_joints)
    np.testing.assert_array_equal(found.solutions[:, off], np.tile(q[off], (len(found.solutions), 1)))
    assert singularity(model, q).null_direction[off].tolist() == [0.0]
