"""Random motions: they end where they should, and keep their limits on dense resampling."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import arm, random_joints

from robokin_ros.dynamics import Friction
from robokin_ros.errors import InputError, LimitError, NoDynamicsError, RobokinError
from robokin_ros.kinematics import forward_kinematics
from robokin_ros.trajectory import (
    Execution,
    PathProblem,
    TorqueLimits,
    automatic_plan,
    blend_plan,
    check_motion,
    passing_plan,
    plan_cartesian,
    plan_joint,
    slow_down_factor,
    slowed,
    time_optimal,
)
from robokin_ros.trajectory.plan import TIMINGS

ARMS = ('puma560', 'ur5', 'panda', 'scara')
DENSE = 3001
BETWEEN_GRID_POINTS = 0.01
SEEDS = st.integers(0, 10_000)


def away_from_limits(model, count, seed):
    """Joint vectors well within the limits."""
    q = random_joints(model, count, seed)
    middle = model.middle()
    return middle + 0.8 * (q - middle)


def assert_consistent(motion, tolerance=2e-2):
    """Rates are the slopes of positions, accelerations those of rates, corners aside."""
    t = np.linspace(0.0, motion.duration, DENSE)
    q, qd, qdd = motion.sample(t)
    assert np.all(np.isfinite(q))
    assert np.all(np.isfinite(qdd))
    h = t[1] - t[0]
    slope = (q[2:] - q[:-2]) / (2.0 * h)
    scale = np.max(np.abs(qd)) + 1e-9
    assert np.max(np.abs(slope - qd[1:-1])) < tolerance * scale + h * np.max(np.abs(qdd))


@pytest.mark.parametrize('timing', TIMINGS)
@settings(max_examples=12, deadline=None)
@given(name=st.sampled_from(ARMS), seed=SEEDS, scaling=st.floats(0.05, 1.0))
def test_moves_of_joints(timing, name, seed, scaling):
    model = arm(name)
    start, goal = away_from_limits(model, 2, seed)
    try:
        motion = plan_joint(model, start, goal, scaling=scaling, timing=timing)
    except LimitError as error:  # the arm is too weak for this place
        assert 'torque' in str(error)
        return
    t = np.linspace(0.0, motion.duration, DENSE)
    q, qd, _ = motion.sample(t)
    np.testing.assert_allclose(q[0], start, atol=1e-9)
    np.testing.assert_allclose(q[-1], goal, atol=1e-7)
    np.testing.assert_allclose(qd[[0, -1]], 0.0, atol=1e-6)
    assert np.all(np.abs(qd) <= scaling * model.velocity_limit * (1.0 + 1e-6) + 1e-9)
    assert np.all(np.abs(motion.torque(t)) <= model.effort_limit * (1.0 + BETWEEN_GRID_POINTS))
    assert_consistent(motion)
    check_motion(model, motion)


@settings(max_examples=25, deadline=None)
@given(name=st.sampled_from(ARMS), seed=SEEDS, points=st.integers(2, 6), limited=st.booleans(),
       friction=st.floats(0.0, 0.05))
def test_time_optimal_motions(name, seed, points, limited, friction):
    model = arm(name)
    path = away_from_limits(model, points, seed)
    # dry friction is planned with as it is ideally, at once in full: let it rise as quickly here
    rubbed = Friction(friction * np.ones(model.dof), friction * model.effort_limit, crossing=1e-7)
    acceleration = 6.0 if limited else np.inf
    try:
        motion = time_optimal(model, path, acceleration_limit=acceleration, friction=rubbed)
    except LimitError as error:  # or the spline swings beyond a limit between the waypoints
        assert 'hold itself' in str(error) or 'The path leads joint' in str(error)
        return
    t = np.linspace(0.0, motion.duration, DENSE)
    q, qd, qdd = motion.sample(t)
    np.testing.assert_allclose(q[0], path[0], atol=1e-9)
    np.testing.assert_allclose(q[-1], path[-1], atol=1e-6)
    assert np.max(np.abs(qd) / model.velocity_limit) <= 1.0 + 1e-3
    assert np.max(np.abs(qdd)) <= acceleration * (1.0 + BETWEEN_GRID_POINTS)
    assert np.max(np.abs(motion.torque(t)) / model.effort_limit) <= 1.0 + BETWEEN_GRID_POINTS
    # at the grid points the limits hold exactly, with the acceleration of the cell before and of the one behind
    u = 0.5 * np.diff(motion.speed**2) / np.diff(motion.s)
    for s, y, a in ((motion.s[:-1], motion.speed[:-1], u), (motion.s[1:], motion.speed[1:], u)):
        assert np.max(motion.planner.excess(s, y, a)) <= 1e-6
    assert_consistent(motion, 5e-2)


@settings(max_examples=10, deadline=None)
@given(name=st.sampled_from(('puma560', 'panda')), seed=SEEDS)
def test_nothing_is_faster(name, seed):
    """Some drive, or some joint, is at its limit at almost every instant."""
    model = arm(name)
    path = away_from_limits(model, 4, seed)
    none = Friction(np.zeros(model.dof), np.zeros(model.dof))
    try:
        motion = time_optimal(model, path, friction=none)
    except LimitError:
        return
    t = np.linspace(0.0, motion.duration, DENSE)[1:-1]
    used = np.maximum(np.max(np.abs(motion.torque(t)) / model.effort_limit, axis=1),
                      np.max(np.abs(motion.sample(t)[1]) / model.velocity_limit, axis=1))
    assert np.mean(used > 0.97) > 0.9


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, smoothing=st.floats(0.02, 0.5))
def test_smoothed_motions(seed, smoothing):
    model = arm('puma560')
    path = away_from_limits(model, 4, seed)
    try:
        sharp = time_optimal(model, path)
    except LimitError:
        return
    motion = time_optimal(model, path, smoothing=smoothing)
    assert motion.duration > sharp.duration
    t = np.linspace(0.0, motion.duration, DENSE)
    q, qd, _ = motion.sample(t)
    np.testing.assert_allclose(q[-1], path[-1], atol=1e-6)
    assert np.max(np.abs(motion.torque(t)) / model.effort_limit) <= 1.0 + BETWEEN_GRID_POINTS
    assert np.max(np.abs(qd) / model.velocity_limit) <= 1.0 + 1e-3
    _, rate, acceleration = motion.progress(t)
    jump = np.max(np.abs(np.diff(acceleration)))
    assert jump < 60.0 * np.max(rate) / smoothing**2 * (t[1] - t[0]) + 1e-6  # no jumps: bounded jerk


@settings(max_examples=25, deadline=None)
@given(name=st.sampled_from(('puma560', 'ur5', 'panda')), seed=SEEDS, kind=st.sampled_from(('line', 'corner', 'arc')),
       timing=st.sampled_from(('trapezoid', 'jerk_limited', 'time_optimal')), size=st.floats(0.01, 0.3))
def test_cartesian_motions(name, seed, kind, timing, size):
    model = arm(name)
    start = away_from_limits(model, 1, seed)[0]
    generator = np.random.default_rng(seed)
    pose = forward_kinematics(model, start)
    first, second = pose.copy(), pose.copy()
    first[:3, 3] += size * generator.uniform(-1, 1, 3)
    second[:3, 3] += size * generator.uniform(-1, 1, 3)
    goal, options = {'line': (first, {}), 'corner': (np.array([first, second]), {'blend': 0.002}),
                     'arc': (second, {'via': first[:3, 3]})}[kind]
    try:
        motion = plan_cartesian(model, start, goal, timing=timing, **options)
    except (PathProblem, LimitError):
        return
    except InputError as error:  # two random poses may be too near, three in line
        assert 'blend radius' in str(error) or 'on one line' in str(error)
        return
    t = np.linspace(0.0, motion.duration, 301)
    q, qd, _ = motion.sample(t)
    np.testing.assert_allclose(q[0], start, atol=1e-6)
    reached, wanted = forward_kinematics(model, q), motion.poses(t)
    assert np.max(np.abs(reached[:, :3, 3] - wanted[:, :3, 3])) < 2e-4
    assert np.max(np.abs(reached[:, :3, :3] - wanted[:, :3, :3])) < 2e-3
    assert np.max(np.abs(qd) / model.velocity_limit) <= 1.0 + 6e-3
    assert np.all(q >= model.lower - 1.01e-4)
    assert np.all(q <= model.upper + 1.01e-4)
    assert np.max(np.abs(motion.torque(t)) / model.effort_limit) <= 1.0
    np.testing.assert_allclose(qd[[0, -1]], 0.0, atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(points=st.lists(st.floats(-3.0, 3.0), min_size=2, max_size=6), acceleration=st.floats(0.5, 50.0),
       passed=st.booleans())
def test_blends_are_continuous_and_end_at_rest(points, acceleration, passed):
    q = np.array(points)[:, None]
    if np.ptp(q) < 1e-3:
        return
    marks = np.zeros(len(q), dtype=bool)
    marks[1:-1] = passed
    plan = automatic_plan(q, 1.0, acceleration, passed=marks if passed and len(q) > 2 else None)
    curves = plan.curves()
    t = np.linspace(0.0, plan.duration, 4001)
    position, velocity, bend = (part[:, 0] for part in curves.sample(t))
    assert position[0] == pytest.approx(q[0, 0], abs=1e-9)
    assert position[-1] == pytest.approx(q[-1, 0], abs=1e-6)
    assert abs(velocity[0]) < 1e-6 + acceleration * 1e-6
    assert abs(velocity[-1]) < 1e-4
    assert np.max(np.abs(np.diff(velocity))) <= acceleration * (t[1] - t[0]) * 1.01 + 1e-7
    assert np.max(np.abs(bend)) <= acceleration * (1.0 + 1e-6)
    if passed and len(q) > 2:
        given_times = [0.0]
        for length in plan.durations:
            given_times.append(given_times[-1] + length)
        inner = curves.sample(0.5 * (np.array(given_times[1:-1:2]) + np.array(given_times[2:-1:2])))[0][:, 0]
        np.testing.assert_allclose(inner, q[1:-1, 0], atol=1e-6)


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, duration=st.floats(0.05, 0.5))
def test_the_least_slowing_down(seed, duration):
    model = arm('puma560')
    start, goal = away_from_limits(model, 2, seed)
    from robokin_ros.trajectory import motion_through_points
    fast = motion_through_points(model, np.array([0.0, duration]), np.stack((start, goal)), np.zeros((2, 6)))
    try:
        factor = slow_down_factor(model, fast)
    except LimitError:
        return
    motion = slowed(fast, factor)
    t = np.linspace(0.0, motion.duration, DENSE)
    share = max(np.max(np.abs(motion.torque(t)) / model.effort_limit),
                np.max(np.abs(motion.sample(t)[1]) / model.velocity_limit))
    assert share <= 1.0 + 1e-3
    if factor > 1.0 + 1e-6:
        assert share > 0.995


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, when=st.floats(0.1, 0.9))
def test_the_quickest_stop_keeps_the_torques(seed, when):
    model = arm('puma560')
    start, goal = away_from_limits(model, 2, seed)
    try:
        motion = plan_joint(model, start, goal, timing='time_optimal')
    except LimitError:
        return
    execution = Execution(motion, 0.0)
    now = 0.0
    while now < when * motion.duration:
        execution.advance(now)
        now += 0.004
    limits = TorqueLimits(model.effort_limit)
    execution.choose_ramp(limits)
    chosen = execution.ramp
    execution.stop()
    worst = 0.0
    while not execution.at_rest:
        q, qd, qdd = execution.advance(now)
        from robokin_ros.dynamics import inverse_dynamics
        worst = max(worst, float(np.max(np.abs(inverse_dynamics(model, q, qd, qdd)) / model.effort_limit)))
        now += 0.004
    assert now - when * motion.duration <= chosen + 0.05
    assert worst <= 1.1 or chosen == 1.0


BAD = [
    (lambda m: time_optimal(m, [[0.0] * m.dof]), InputError, 'two different waypoints'),
    (lambda m: time_optimal(m, [[0.0] * m.dof] * 3), InputError, 'two different waypoints'),
    (lambda m: time_optimal(m, [[0.0] * m.dof, [float('nan')] * m.dof]), InputError, 'nan'),
    (lambda m: time_optimal(m, lambda s: s), InputError, 'derivative'),
    (lambda m: time_optimal(m, np.eye(m.dof), grid=1), InputError, 'grid'),
    (lambda m: time_optimal(m, np.eye(m.dof), scheme='guess'), InputError, 'scheme'),
    (lambda m: time_optimal(m, np.eye(m.dof), velocity_limit=-1.0), InputError, 'velocity_limit'),
    (lambda m: time_optimal(m, np.eye(m.dof), torque_limit=0.0), InputError, 'Torque limits'),
    (lambda m: time_optimal(m, 0.1 * np.eye(m.dof), start_speed=1e3), LimitError, 'start_speed'),
    (lambda m: time_optimal(m, 0.1 * np.eye(m.dof), end_speed=1e3), LimitError, 'end_speed'),
    (lambda m: time_optimal(m, 0.1 * np.eye(m.dof), torque_limit=1.0), LimitError, 'cannot hold itself'),
    (lambda m: plan_joint(m, m.middle(), m.middle(), timing='warp'), InputError, 'timing'),
    (lambda m: plan_joint(m, m.middle(), m.upper + 1.0), LimitError, 'position'),
    (lambda m: plan_joint(m, m.middle(), m.middle() + 0.1, duration=float('nan')), InputError, 'duration'),
    (lambda m: blend_plan([[0.0], [1.0]], [0.0], 1.0), InputError, 'Durations'),
    (lambda m: blend_plan([[0.0], [1.0]], [1.0], -1.0), InputError, 'Accelerations'),
    (lambda m: blend_plan([[0.0]], [1.0], 1.0), InputError, 'two points'),
    (lambda m: passing_plan([0.0, 1.0, 0.0], [0.2, 0.2], 60.0, [0, 1]), InputError, 'marks'),
    (lambda m: slowed(plan_joint(m, m.middle(), m.middle() + 0.1), 0.5), InputError, 'factor'),
    (lambda m: plan_cartesian(m, m.middle(), np.eye(3)), InputError, 'goal'),
    (lambda m: plan_cartesian(m, m.middle(), np.eye(4), timing='warp'), InputError, 'timing'),
    (lambda m: plan_cartesian(m, m.middle(), np.eye(4), speed=0.0), InputError, 'speed'),
]


@pytest.mark.parametrize(('call', 'kind', 'words'), BAD)
def test_bad_input_is_refused_with_a_sentence(call, kind, words):
    with pytest.raises(kind, match='(?i)' + words) as caught:
        call(arm('puma560'))
    assert isinstance(caught.value, RobokinError)


def test_arms_without_inertia_need_another_limit():
    from robokin_ros.model import DhRow, RobotModel
    model = RobotModel.from_dh([DhRow(lower=-1, upper=1, velocity=1.0, effort=1.0)] * 2)
    with pytest.raises(NoDynamicsError):
        time_optimal(model, [[0.0, 0.0], [0.5, 0.5]])
    motion = time_optimal(model, [[0.0, 0.0], [0.5, 0.5]], acceleration_limit=2.0, torque_limit=np.inf)
    assert motion.duration == pytest.approx(1.0, abs=1e-3)  # 2 sqrt(d / a)


def test_start_and_end_speeds():
    model = arm('puma560')
    path = model.middle() + np.outer(np.linspace(0.0, 1.0, 5), [0.4, 0.2, -0.3, 0.5, 0.2, 0.1])
    motion = time_optimal(model, path, start_speed=0.5, end_speed=0.3)
    _, rate, _ = motion.progress(np.array([0.0, motion.duration]))
    np.testing.assert_allclose(rate, [0.5, 0.3], atol=1e-9)
    assert motion.duration < time_optimal(model, path).duration


def test_the_branch_that_can_follow_is_named():
    model = arm('puma560')
    advised = 0
    for seed in range(60):
        start = random_joints(model, 1, seed)[0]
        pose = forward_kinematics(model, start)
        goal = pose.copy()
        goal[:3, 3] += np.random.default_rng(seed).uniform(-0.3, 0.3, 3)
        try:
            plan_cartesian(model, start, goal)
        except PathProblem as problem:
            if problem.better_start is not None:
                advised += 1
                assert 'move there first' in str(problem)
                np.testing.assert_allclose(forward_kinematics(model, problem.better_start), pose, atol=1e-6)
                plan_cartesian(model, problem.better_start, goal)
        except LimitError as error:
            assert 'torque' in str(error)
    assert advised >= 5
