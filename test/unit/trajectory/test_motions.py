"""Motions through points, planning, limit checks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicHermiteSpline
from support.robots import arm, random_joints

from robokin_ros.errors import InputError, LimitError
from robokin_ros.trajectory import check_motion, motion_through_points, plan_joint

TIMES = np.array([0.0, 0.7, 1.5, 2.0])


def points(model, seed=30):
    generator = np.random.default_rng(seed)
    shape = (len(TIMES), model.dof)
    return random_joints(model, len(TIMES), seed), generator.uniform(-1, 1, shape), generator.uniform(-2, 2, shape)


def test_linear_through_positions():
    model = arm('puma560')
    q, _, _ = points(model)
    motion = motion_through_points(model, TIMES, q)
    t = np.linspace(0.0, 2.0, 41)
    expected = np.stack([np.interp(t, TIMES, q[:, i]) for i in range(6)], axis=1)
    np.testing.assert_allclose(motion.sample(t)[0], expected, atol=1e-12)


def test_cubic_is_scipys_hermite_spline():
    model = arm('puma560')
    q, v, _ = points(model)
    motion = motion_through_points(model, TIMES, q, v)
    spline = CubicHermiteSpline(TIMES, q, v)
    t = np.linspace(0.0, 2.0, 41)
    for order, ours in enumerate(motion.sample(t)[:2]):
        np.testing.assert_allclose(ours, spline(t, order), atol=1e-11)


def test_quintic_meets_every_point():
    model = arm('puma560')
    q, v, a = points(model)
    motion = motion_through_points(model, TIMES, q, v, a)
    for side in (0.0, -1e-12):
        for ours, given_values in zip(motion.sample(TIMES[1:-1] + side), (q, v, a), strict=True):
            np.testing.assert_allclose(ours, given_values[1:-1], atol=1e-8)


def test_cubic_of_example_7_1():
    """15 to 75 degrees in 3 s: at 1 s 30.555556 deg, 26.666667 deg/s, 13.333333 deg/s^2 (TRJ-02a)."""
    model = arm('two_link_pendulum')
    q = np.array([[15.0, 15.0], [75.0, 75.0]])
    motion = motion_through_points(model, np.array([0.0, 3.0]), q, np.zeros((2, 2)))
    np.testing.assert_allclose([part[0] for part in motion.sample(1.0)], [30.555556, 26.666667, 13.333333], atol=1e-6)


def test_held_before_and_after():
    model = arm('puma560')
    q, v, a = points(model)
    motion = motion_through_points(model, TIMES, q, v, a)
    for t, where in ((-1.0, q[0]), (9.0, q[-1])):
        position, velocity, acceleration = motion.sample(t)
        np.testing.assert_allclose(position, where, atol=1e-9)
        assert not velocity.any()
        assert not acceleration.any()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31), st.floats(0.05, 1.0))
def test_plans_keep_every_limit(seed, scaling):
    model = arm('puma560')
    start, goal = random_joints(model, 2, seed) * 0.9
    motion = plan_joint(model, start, goal, scaling=scaling)
    q, qd, _ = motion.sample(np.linspace(0.0, motion.duration, 500))
    np.testing.assert_allclose(q[[0, -1]], [start, goal], atol=1e-9)
    assert np.all(q >= model.lower - 1e-9)
    assert np.all(q <= model.upper + 1e-9)
    assert np.all(np.abs(qd) <= scaling * model.velocity_limit + 1e-9)
    assert np.all(np.abs(motion.torque(np.linspace(0.0, motion.duration, 200))) <= model.effort_limit)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**31))
def test_limit_check_finds_what_dense_sampling_finds(seed):
    model = arm('puma560')
    generator = np.random.default_rng(seed)
    q = random_joints(model, 3, seed)
    motion = motion_through_points(model, np.array([0.0, 1.0, 2.5]), q, generator.uniform(-2, 2, q.shape))
    position, velocity, _ = motion.sample(np.linspace(0.0, 2.5, 4001))
    excess = max(np.max(model.lower - position), np.max(position - model.upper),
                 np.max(np.abs(velocity) - model.velocity_limit))
    if excess > 1e-5:
        with pytest.raises(LimitError) as caught:
            check_motion(model, motion)
        error = caught.value
        assert error.joint in model.joint_names
        assert 0.0 <= error.time <= 2.5
        assert error.joint in str(error)
    elif excess < -1e-5:
        check_motion(model, motion)


@pytest.mark.parametrize(('arguments', 'words'), [
    ({'duration': 0.0}, 'must be in 0.001'), ({'duration': np.nan}, 'must be in 0.001'),
    ({'duration': 1e-300}, 'must be in'), ({'duration': 1e300}, 'must be in'),
    ({'scaling': 0.0}, r'\(0, 1\]'), ({'scaling': 1.5}, r'\(0, 1\]')])
def test_bad_requests(arguments, words):
    model = arm('puma560')
    with pytest.raises(InputError, match=words):
        plan_joint(model, model.middle(), model.middle(), **arguments)


def test_goal_beyond_a_limit_names_joint_and_limit():
    model = arm('puma560')
    goal = model.middle()
    goal[4] = 2.0
    with pytest.raises(LimitError, match=r"Joint 'joint_5' would reach position 2.0000 .* limit is 1.7453"):
        plan_joint(model, model.middle(), goal)


def test_too_short_a_duration_is_refused():
    model = arm('puma560')
    goal = model.middle() + 0.5
    with pytest.raises(LimitError, match='velocity'):
        plan_joint(model, model.middle(), goal, duration=0.1)


def test_a_joint_beyond_its_limit_can_be_moved_back_but_not_farther():
    model = arm('puma560')
    start = model.middle()
    start[4] = model.upper[4] + 0.01
    plan_joint(model, start, model.middle())
    with pytest.raises(LimitError, match='joint_5'):
        plan_joint(model, start, start + [0, 0, 0, 0, 0.01, 0])


def test_numbers_beyond_all_bounds_are_refused():
    model = arm('puma560')
    ends = np.stack([model.middle(), model.middle()])
    with pytest.raises(InputError, match='infinite numbers'):
        motion_through_points(model, np.array([0.0, 1e-9]), ends, np.full((2, 6), 1e308))
