"""Inverse kinematics of random arms of every class: it finds where a pose came from, and never says what is not so."""

from itertools import product

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support.random_arms import build, generic_table, seven_joints, six_joints, small_chain
from support.robots import arm, random_joints
from support.solutions import apart, circle, contains, pose_distance, table_pose

from robokin_ros.kinematics import (
    IkOptions,
    classify_arm,
    forward_kinematics,
    images_within_limits,
    inverse_kinematics,
    jacobian,
    joint_distance,
    singularity,
)
from robokin_ros.model import RobotModel

SEEDS = st.integers(0, 2**31)
STATUS = {'OK', 'SINGULAR', 'UNREACHABLE', 'OFF_SUBSPACE', 'OUT_OF_LIMITS', 'BAD_INPUT'}


def examples(number):
    # a smaller seed is no simpler arm: nothing to shrink
    return settings(max_examples=number, deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate])


def check(made, pose, solutions, residuals, seed, tolerance=1e-6):
    """What holds for every answer: numbers, within limits, at the pose by another forward kinematics, nearest first."""
    model = made.model
    assert np.all(np.isfinite(solutions))
    assert np.all(solutions >= model.lower - 1e-9)
    assert np.all(solutions <= model.upper + 1e-9)
    for q, residual in zip(solutions, residuals, strict=True):
        position, angle = pose_distance(table_pose(made.table, q, made.slides), pose)
        assert position <= tolerance
        assert angle <= tolerance
        np.testing.assert_allclose(residual, (position, angle), atol=1e-7)
    assert np.all(np.diff(np.linalg.norm(solutions - seed, axis=1)) >= -1e-9)
    for i, q in enumerate(solutions):
        assert len(apart(solutions[:i], q, made.slides)) == 0 or np.min(apart(solutions[:i], q, made.slides)) > 1e-7


def assert_contains_its_origin(made, joints, threshold=0.0, tolerance=1e-5):
    """Each joint vector is among the solutions of its pose; misses only where the ratio is below the threshold."""
    model = made.model
    poses = np.array([table_pose(made.table, q, made.slides) for q in joints])
    np.testing.assert_allclose(forward_kinematics(model, joints), poses, atol=1e-12)
    batch = inverse_kinematics(model, poses)
    missed = 0
    for q, pose, solutions, residuals, count in zip(joints, poses, batch.solutions, batch.residuals, batch.counts,
                                                    strict=True):
        check(made, pose, solutions[:count], residuals[:count], model.middle())
        assert count <= 16
        if not contains(solutions[:count], q, tolerance, made.slides):
            missed += 1
            ratio = singularity(model, q).ratio
            assert ratio < threshold, f'{q.tolist()} is missing; ratio of singular values {ratio:.2g}'
    return missed


@pytest.mark.parametrize('axis', [1, 2, 3, 4])
@examples(100)
@given(seed=SEEDS)
def test_three_meeting_axes(axis, seed):
    generator = np.random.default_rng(seed)
    made = six_joints(generator, 'meet 3', axis)
    name = {1: 'spherical shoulder', 4: 'spherical wrist'}.get(axis, 'spherical middle')
    assert classify_arm(made.model).name == name
    assert_contains_its_origin(made, made.joints(generator, 8), tolerance=1e-4)


@pytest.mark.parametrize('axis', [1, 2, 3, 4])
@examples(100)
@given(seed=SEEDS)
def test_three_parallel_axes(axis, seed):
    generator = np.random.default_rng(seed)
    made = six_joints(generator, 'parallel 3', axis)
    assert classify_arm(made.model).name == 'three parallel axes'
    assert_contains_its_origin(made, made.joints(generator, 8), tolerance=1e-4)


@pytest.mark.parametrize('kind', ['meet 2', 'parallel 2'])
@pytest.mark.parametrize('axis', [1, 2, 3, 4, 5])
@examples(25)
@given(seed=SEEDS)
def test_two_special_axes(axis, kind, seed):
    """A search in one variable: it may miss where two solutions are about to merge, that is near singular poses."""
    generator = np.random.default_rng(seed)
    made = six_joints(generator, kind, axis)
    found = classify_arm(made.model)
    assert found.name == 'one-variable search'
    assert found.searches
    assert assert_contains_its_origin(made, made.joints(generator, 6), threshold=2e-3) <= 1


@examples(400)
@given(number=st.integers(1, 5), seed=SEEDS)
def test_small_chains(number, seed):
    generator = np.random.default_rng(seed)
    made = small_chain(generator, number)
    model, found = made.model, classify_arm(made.model)
    for q in made.joints(generator, 2):
        pose = table_pose(made.table, q, made.slides)
        result = inverse_kinematics(model, pose)
        assert result.status in ('OK', 'SINGULAR'), (found.name, result.reason)
        check(made, pose, result.solutions, result.residuals, model.middle())
        seen = np.linalg.svd(jacobian(model, q), compute_uv=False)
        if result.method != 'numeric' and seen[-1] > 1e-3 * seen[0]:
            assert contains(result.solutions, q, 1e-4, made.slides), (found.name, q)
        batch = inverse_kinematics(model, pose[None])
        assert batch.counts[0] > 0, (found.name, batch.status)


NARROW = {  # alpha [deg], a, d, theta [deg] of square arms, and a regular pose of each
    'axes 1 and 2': ([[0, 0, -0.0436, 180], [90, 0, 0, 0], [90, 0.0939, -0.3877, 180], [90, -0.0818, 0, 90],
                      [90, 0, 0, 0], [-90, 0.4427, 0, -90]], [-2.762, -0.616, -0.379, 1.102, -2.155, -0.826]),
    'axes 5 and 6': ([[180, 0, -0.2987, 0], [-90, 0, 0, 90], [90, 0.0654, 0, 90], [-90, -0.1444, 0, 180],
                      [90, 0.4623, 0.0112, 180], [-90, 0, 0, 180]], [-0.083, -0.414, 1.74, -0.489, -2.728, -0.511]),
    'some branches': ([[-90, -0.4629, 0.3453, -90], [-90, 0, 0, 0], [180, -0.1906, -0.0675, 0], [-90, -0.2082, 0, 0],
                       [90, 0, 0, 0], [90, 0.0921, 0, 90]], [1.243, -2.907, 0.137, -1.839, -2.751, 0.97]),
}


@pytest.mark.parametrize('name', NARROW)
def test_narrow_windows_of_the_searched_joint(name):
    """Poses whose solutions exist only within less than 0.02 rad of the joint that is searched."""
    rows, q = NARROW[name]
    table, q = np.array(rows), np.array(q)
    table[:, [0, 3]] = np.radians(table[:, [0, 3]])
    made = build(table)
    assert singularity(made.model, q).ratio > 0.02
    result = inverse_kinematics(made.model, table_pose(table, q))
    assert result.status == 'OK', result.reason
    assert contains(result.solutions, q, 1e-4)


@examples(40)
@given(seed=SEEDS)
def test_four_joints_whose_last_two_axes_meet(seed):
    """Axes 3 and 4 meet: an imagined wrist must not stand in that point, where joint 3 would not move it."""
    generator = np.random.default_rng(seed)
    table = generic_table(generator, 4)
    table[3, 1] = 0.0
    made = build(table)
    assert classify_arm(made.model).closed_form
    for q in made.joints(generator, 3):
        pose = table_pose(table, q)
        result = inverse_kinematics(made.model, pose)
        assert result.status == 'OK', result.reason
        check(made, pose, result.solutions, result.residuals, made.model.middle())
        assert contains(result.solutions, q, 1e-4)


@examples(20)
@given(seed=SEEDS, number=st.integers(4, 5))
def test_redundant_planar_arms(seed, number):
    """Four and five parallel joints have infinitely many solutions (KIN-21); some are found."""
    generator = np.random.default_rng(seed)
    table = generic_table(generator, number)
    table[:, 0] = 0.0
    made = build(table)
    for q in made.joints(generator, 2):
        pose = table_pose(table, q)
        result = inverse_kinematics(made.model, pose)
        assert result.status in ('OK', 'SINGULAR'), result.reason
        check(made, pose, result.solutions, result.residuals, made.model.middle())


@pytest.mark.parametrize('kind', ['SRS', 'wrist', 'rail'])
@examples(15)
@given(seed=SEEDS)
def test_seven_joints(kind, seed):
    generator = np.random.default_rng(seed)
    made = seven_joints(generator, kind)
    found = classify_arm(made.model)
    assert found.name.startswith('redundant')
    for q in made.joints(generator, 3):
        pose = table_pose(made.table, q, made.slides)
        result = inverse_kinematics(made.model, pose, seed=q)
        assert result.status == 'OK', result.reason
        assert len(result.free_joints) == 1
        assert apart(result.solutions[0], q, made.slides) < 1e-4
        check(made, pose, result.solutions, result.residuals, q)
        nearest = inverse_kinematics(made.model, pose, seed=q, all_solutions=False)
        assert apart(nearest.solutions[0], q, made.slides) < 1e-4


@examples(60)
@given(seed=SEEDS, kind=st.sampled_from(['meet 3', 'parallel 3']), axis=st.integers(1, 4))
def test_limits_take_away_what_they_forbid_and_nothing_else(seed, kind, axis):
    generator = np.random.default_rng(seed)
    free = six_joints(generator, kind, axis)
    middle, width = generator.uniform(-np.pi, np.pi, 6), generator.uniform(1.0, 4.0, 6)
    made = build(free.table, None, middle - width, middle + width)
    for q in made.joints(generator, 2):
        pose = table_pose(made.table, q)
        if singularity(made.model, q).ratio < 1e-3:
            continue
        every, legal = inverse_kinematics(free.model, pose), inverse_kinematics(made.model, pose, seed=q)
        np.testing.assert_allclose(legal.solutions[0], q, atol=1e-5)
        check(made, pose, legal.solutions, legal.residuals, q)
        expected = [s for s in every.solutions if all(
            len(images_within_limits(value, low, high)) for value, low, high in zip(s, middle - width, middle + width,
                                                                                  strict=True))]
        assert len(legal.solutions) == len(expected)
        for s in expected:
            assert contains(legal.solutions, s, 1e-5)


@examples(60)
@given(seed=SEEDS)
def test_all_images_are_every_whole_turn_within_limits(seed):
    generator = np.random.default_rng(seed)
    table = six_joints(generator, 'meet 3', 4).table
    upper = generator.uniform(np.pi, 3.0 * np.pi, 6)
    made = build(table, None, -upper, upper)
    q = generator.uniform(-np.pi, np.pi, 6)
    pose = table_pose(table, q)
    if singularity(made.model, q).ratio < 1e-3:
        return
    seed_joints = generator.uniform(-3, 3, 6)
    once = inverse_kinematics(made.model, pose, seed=seed_joints)
    result = inverse_kinematics(made.model, pose, seed=seed_joints, options=IkOptions(images='all'))
    rows = []
    for solution in once.solutions:
        turns = [[value + 2.0 * np.pi * k for k in range(-3, 4) if abs(value + 2.0 * np.pi * k) <= limit + 1e-9]
                 for value, limit in zip(solution, upper, strict=True)]
        rows += list(product(*turns))
    assert len(result.solutions) == len(rows)
    in_order = np.array(sorted(np.round(rows, 6).tolist()))
    np.testing.assert_allclose(sorted(np.round(result.solutions, 6).tolist()), in_order, atol=2e-6)
    check_images(made, pose, result, seed_joints)
    for solution in once.solutions:  # 'nearest' takes the whole turn of each joint that is nearest to the seed
        same = result.solutions[np.max(circle(result.solutions - solution), axis=1) < 1e-6]
        best = np.min(np.abs(same - seed_joints), axis=0)
        np.testing.assert_allclose(np.abs(solution - seed_joints), best, atol=1e-6)


def check_images(made, pose, result, seed):
    assert np.all(np.diff(np.linalg.norm(result.solutions - seed, axis=1)) >= -1e-9)
    assert result.residuals.shape == (len(result.solutions), 2)
    assert result.limit_margins.shape == (len(result.solutions),)
    margins = np.min(np.minimum(result.solutions - made.model.lower, made.model.upper - result.solutions), axis=1)
    np.testing.assert_allclose(result.limit_margins, margins, atol=1e-12)
    for q in result.solutions[:20]:
        assert max(pose_distance(table_pose(made.table, q), pose)) < 1e-6


@examples(25)
@given(seed=SEEDS, norm=st.sampled_from(['euclidean', 'sum', 'max']), weighted=st.booleans())
def test_order_follows_norm_and_weights(seed, norm, weighted):
    generator = np.random.default_rng(seed)
    made = six_joints(generator, 'meet 3', 4)
    weights = generator.uniform(0.0, 5.0, 6) if weighted else None
    near = generator.uniform(-3, 3, 6)
    pose = table_pose(made.table, made.joints(generator, 1)[0])
    result = inverse_kinematics(made.model, pose, near, options=IkOptions(norm=norm, weights=weights))
    steps = np.abs(result.solutions - near) * (1.0 if weights is None else weights)
    costs = {'sum': steps.sum(axis=1), 'max': steps.max(axis=1), 'euclidean': np.sqrt((steps**2).sum(axis=1))}[norm]
    assert np.all(np.diff(costs) >= -1e-9)
    np.testing.assert_allclose(joint_distance(result.solutions, near, weights, norm), costs, atol=1e-12)
    usual = inverse_kinematics(made.model, pose, near)
    assert len(result.solutions) == len(usual.solutions)
    best = inverse_kinematics(made.model, pose, near, False, IkOptions(norm=norm, weights=weights))
    np.testing.assert_array_equal(best.solutions, result.solutions[:1])


@examples(120)
@given(seed=SEEDS, size=st.floats(0.0, 4.0),
       kind=st.sampled_from(['meet 3', 'parallel 3', 'meet 2', 'small', 'SRS', 'generic']))
def test_any_pose_gets_an_answer_and_never_a_wrong_one(seed, size, kind):
    generator = np.random.default_rng(seed)
    if kind == 'small':
        made = small_chain(generator, int(generator.integers(1, 6)))
    elif kind == 'SRS':
        made = seven_joints(generator, kind)
    elif kind == 'generic':
        made = build(generic_table(generator, 6))
    else:
        made = six_joints(generator, kind, int(generator.integers(1, 5)))
    pose = table_pose(generic_table(generator, 4), generator.uniform(-3, 3, 4))
    pose[:3, 3] *= size
    result = inverse_kinematics(made.model, pose, options=IkOptions(starts=20))
    assert result.status in STATUS - {'BAD_INPUT'}
    assert (len(result.solutions) > 0) == (result.status in ('OK', 'SINGULAR'))
    assert result.status == 'OK' or result.reason.endswith('.')
    check(made, pose, result.solutions, result.residuals, made.model.middle())


def bad_poses():
    good = np.eye(4)
    nan, infinite, mirrored, sheared, stretched, last = (good.copy() for _ in range(6))
    nan[0, 3], infinite[1, 1] = np.nan, np.inf
    mirrored[0, 0], sheared[0, 1], stretched[:3, :3], last[3, 0] = -1.0, 0.1, 2.0 * np.eye(3), 0.5
    return {'nan': nan, 'infinite': infinite, 'mirrored': mirrored, 'sheared': sheared, 'stretched': stretched,
            'last row': last, 'zeros': np.zeros((4, 4)), '3x3': np.eye(3), 'vector': np.zeros(16), 'number': 1.0,
            'text': 'up', 'none': None, 'ragged': [[1, 2], [3]],
            'objects': [[object()] * 4] * 4}


ONE_OF_EACH = ('puma560', 'ur5', 'scara', 'panda', 'planar_3r', 'kinova', 'so100', 'arm7', 'z1')


@pytest.mark.parametrize('name', ONE_OF_EACH)
@pytest.mark.parametrize('kind', bad_poses())
def test_bad_poses_get_a_status_and_no_exception(name, kind):
    pose = bad_poses()[kind]
    result = inverse_kinematics(arm(name), pose)
    assert result.status == 'BAD_INPUT'
    assert result.reason.endswith('.')
    assert result.solutions.shape == (0, arm(name).dof)
    assert result.residuals.shape == (0, 2)
    if np.shape(np.asarray(pose, dtype=object)) == (4, 4) and kind != 'objects':
        batch = inverse_kinematics(arm(name), np.array([pose, pose]), options=IkOptions(starts=5))
        assert batch.status.tolist() == ['BAD_INPUT', 'BAD_INPUT']
        assert batch.counts.tolist() == [0, 0]


@pytest.mark.parametrize('name', ONE_OF_EACH)
def test_far_poses_are_unreachable(name):
    pose = np.eye(4)
    pose[:3, 3] = 30.0, 0.0, 0.0
    result = inverse_kinematics(arm(name), pose)
    assert result.status in ('UNREACHABLE', 'OFF_SUBSPACE')
    assert ' m and ' in result.reason
    pose[:3, 3] = 1e12, -1e12, 0.0
    assert inverse_kinematics(arm(name), pose).status in ('UNREACHABLE', 'OFF_SUBSPACE')


@pytest.mark.parametrize('name', ['puma560', 'kinova', 'ur3', 'ur5', 'ur10', 'scara', 'panda', 'arm7', 'xarm7',
                                  'planar_3r', 'z1', 'so100'])
@pytest.mark.parametrize('every', [True, False])
def test_batches_are_single_calls(name, every):
    model = arm(name)
    joints = random_joints(model, 4, seed=90)
    seeds = random_joints(model, 5, seed=91)
    poses = np.concatenate((forward_kinematics(model, joints), [np.eye(4)]))
    poses[4, :3, 3] = 9.0
    batch = inverse_kinematics(model, poses, seeds, all_solutions=every)
    assert batch.solutions.shape == (5, batch.counts.max(), model.dof)
    for i, pose in enumerate(poses):
        single = inverse_kinematics(model, pose, seeds[i], all_solutions=every)
        count = batch.counts[i]
        told = 'UNREACHABLE' if single.status == 'OFF_SUBSPACE' else single.status
        assert batch.status[i] == told
        assert np.all(np.isnan(batch.solutions[i, count:]))
        if classify_arm(model).lock >= 0:  # single calls lead the nearest solution to the best place of the null space
            assert (count > 0) == (len(single.solutions) > 0)
            if count:
                ours, theirs = (np.linalg.norm(s[0] - seeds[i]) for s in (single.solutions, batch.solutions[i]))
                assert ours <= theirs + 1e-6
        else:
            np.testing.assert_array_equal(batch.solutions[i, :count], single.solutions)
            np.testing.assert_array_equal(batch.residuals[i, :count], single.residuals)
        for q in batch.solutions[i, :count]:
            assert max(pose_distance(forward_kinematics(model, q), pose)) < 1e-6


CLASSES = [('meet 3', 1), ('meet 3', 2), ('meet 3', 3), ('meet 3', 4), ('parallel 3', 1), ('parallel 3', 2),
           ('parallel 3', 3), ('parallel 3', 4), ('meet 2', 1), ('meet 2', 3), ('parallel 2', 2), ('parallel 2', 5)]


@pytest.mark.parametrize(('kind', 'axis'), CLASSES)
def test_batches_are_single_calls_of_every_class(kind, axis):
    generator = np.random.default_rng(97)
    made = six_joints(generator, kind, axis)
    joints = made.joints(generator, 6)
    poses = np.array([table_pose(made.table, q) for q in joints])
    poses[3, :3, 3] *= 40.0
    batch = inverse_kinematics(made.model, poses)
    assert batch.method == classify_arm(made.model).name
    for pose, status, count, solutions, residuals in zip(poses, batch.status, batch.counts, batch.solutions,
                                                         batch.residuals, strict=True):
        single = inverse_kinematics(made.model, pose)
        assert status == single.status
        np.testing.assert_array_equal(solutions[:count], single.solutions)
        np.testing.assert_array_equal(residuals[:count], single.residuals)


@pytest.mark.parametrize('options', [IkOptions(method='numeric', starts=30), IkOptions(position_only=True, starts=30),
                                     IkOptions(tolerances=[0, 0, 0, 0, 0, np.inf], starts=30)])
def test_batches_with_options_are_single_calls(options):
    generator = np.random.default_rng(98)
    three = generic_table(generator, 3)
    for made in (build(generic_table(generator, 6)), six_joints(generator, 'meet 3', 4), build(three)):
        poses = np.array([table_pose(made.table, q) for q in made.joints(generator, 3)])
        batch = inverse_kinematics(made.model, poses, options=options)
        for i, pose in enumerate(poses):
            single = inverse_kinematics(made.model, pose, options=options)
            assert batch.status[i] == single.status
            np.testing.assert_array_equal(batch.solutions[i, :batch.counts[i]], single.solutions)


def test_parallel_slides_with_a_turn_between_them():
    """Two slides along one direction: infinitely many solutions, and no number that is none."""
    rows = np.array([[0.0, 0.45, -0.14, 2.86], [np.pi, 0.14, -0.06, 1.95], [0.0, 0.35, 0.0, -0.53],
                     [0.0, -0.08, 0.41, -0.83]])
    made = build(rows, np.array([True, False, True, False]))
    pose = table_pose(made.table, np.array([0.3, 0.8, -0.2, 1.1]), made.slides)
    for method in ('auto', 'numeric'):
        result = inverse_kinematics(made.model, pose, options=IkOptions(method=method))
        assert result.status in ('OK', 'SINGULAR')
        check(made, pose, result.solutions, result.residuals, made.model.middle())


def test_one_seed_for_all_or_one_for_each():
    model = arm('puma560')
    poses = forward_kinematics(model, random_joints(model, 3, seed=92))
    seed = random_joints(model, 1, seed=93)[0]
    one, each = inverse_kinematics(model, poses, seed), inverse_kinematics(model, poses, np.tile(seed, (3, 1)))
    np.testing.assert_array_equal(one.solutions, each.solutions)


def test_generic_arms_are_searched():
    generator = np.random.default_rng(94)
    made = build(generic_table(generator, 6))
    assert classify_arm(made.model).name == 'numeric'
    for q in made.joints(generator, 3):
        pose = table_pose(made.table, q)
        result = inverse_kinematics(made.model, pose, seed=q + 0.01)
        assert result.status == 'OK'
        assert result.method == 'numeric'
        assert contains(result.solutions, q, 1e-4)
        check(made, pose, result.solutions, result.residuals, q + 0.01)


def test_tilted_by_rounding_is_still_closed_form():
    """Descriptions round angles; an arm whose axes miss by 1e-6 m and 1e-6 rad is solved as the exact one."""
    generator = np.random.default_rng(95)
    table = six_joints(generator, 'meet 3', 4).table
    table[4:, 1] += 1e-7
    table[4, 2] += 1e-7
    made = build(table)
    assert classify_arm(made.model).name == 'spherical wrist'
    assert_contains_its_origin(made, made.joints(generator, 20), tolerance=1e-4)


def test_models_from_tables_and_urdf_have_the_same_solutions():
    generator = np.random.default_rng(96)
    for kind, axis in (('meet 3', 4), ('parallel 3', 2), ('meet 3', 1)):
        made = six_joints(generator, kind, axis)
        other = RobotModel.from_urdf(made.model.urdf, tip='tip')
        assert classify_arm(other).name == classify_arm(made.model).name
        pose = table_pose(made.table, made.joints(generator, 1)[0])
        ours, theirs = inverse_kinematics(made.model, pose), inverse_kinematics(other, pose)
        assert len(ours.solutions) == len(theirs.solutions)
        for q in ours.solutions:
            assert contains(theirs.solutions, q, 1e-6)
