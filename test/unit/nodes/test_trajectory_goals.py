"""FollowJointTrajectory goals: which are taken, how they are interpolated, why others are refused."""

import numpy as np
import pytest
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import arm
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robokin_ros.nodes.conversions import duration_message
from robokin_ros.nodes.trajectory_goals import GoalRules, Refusal, motion_of, tolerances_of

MODEL = arm('puma560')
HERE = MODEL.middle()
RULES = GoalRules(True, 0.1, 0.2, 0.01, 1.0)
NOW = 1000.0
Result = FollowJointTrajectory.Result


def trajectory(times, positions, velocities=None, accelerations=None, names=MODEL.joint_names, stamp=0.0):
    message = JointTrajectory(joint_names=list(names))
    message.header.stamp.sec, message.header.stamp.nanosec = int(stamp), int(1e9 * (stamp - int(stamp)))
    for i, t in enumerate(times):
        point = JointTrajectoryPoint(positions=list(positions[i]), time_from_start=duration_message(t))
        if velocities is not None:
            point.velocities = list(velocities[i])
        if accelerations is not None:
            point.accelerations = list(accelerations[i])
        message.points.append(point)
    return message


def motion(message, rules=RULES):
    return motion_of(MODEL, message, HERE, np.zeros(6), NOW, rules)


@pytest.mark.parametrize(('fields', 'degree'), [(1, 1), (2, 3), (3, 5)])
def test_interpolation_follows_what_the_points_say(fields, degree):
    goal = HERE + 0.2
    parts = [[goal], [np.zeros(6)], [np.zeros(6)]][:fields]
    result, start = motion(trajectory([2.0], *parts))
    assert start == NOW
    assert np.flatnonzero(np.abs(result.coefficients[0, :, 0]) > 1e-9).max() == degree
    np.testing.assert_allclose(result.sample(2.0)[0], goal)
    np.testing.assert_allclose(result.sample(0.0)[0], HERE)


def test_partial_goals_hold_the_other_joints():
    result, _ = motion(trajectory([1.0], [[HERE[2] + 0.1]], names=['joint_3']))
    expected = HERE.copy()
    expected[2] += 0.1
    np.testing.assert_allclose(result.sample(1.0)[0], expected)


def test_joint_order_of_the_message():
    result, _ = motion(trajectory([1.0], [(HERE + np.arange(6) * 0.01)[::-1]], names=MODEL.joint_names[::-1]))
    np.testing.assert_allclose(result.sample(1.0)[0], HERE + np.arange(6) * 0.01)


def test_start_in_the_future_and_in_the_past():
    assert motion(trajectory([1.0], [HERE], stamp=NOW + 3.0))[1] == NOW + 3.0
    result, start = motion(trajectory([1.0, 3.0], [HERE, HERE + 0.1], stamp=NOW - 2.0))
    assert start == NOW
    assert result.duration == pytest.approx(1.0)


NAN = float('nan')


@pytest.mark.parametrize(('message', 'code', 'words'), [
    (trajectory([], []), Result.INVALID_GOAL, 'no points'),
    (trajectory([1.0], [HERE], names=['a', *MODEL.joint_names[1:]]), Result.INVALID_JOINTS, "no joint 'a'"),
    (trajectory([1.0], [HERE[:2]], names=['joint_1', 'joint_1']), Result.INVALID_JOINTS, 'named twice'),
    (trajectory([1.0], [[]], names=[]), Result.INVALID_JOINTS, 'names no joints'),
    (trajectory([1.0, 1.0], [HERE, HERE]), Result.INVALID_GOAL, 'Point 1 has time 1 s, which does not increase'),
    (trajectory([0.0], [HERE]), Result.INVALID_GOAL, 'no time to move'),
    (trajectory([1.0], [HERE[:3]]), Result.INVALID_GOAL, r'\[3\] positions; each needs 6'),
    (trajectory([1.0], [[]]), Result.INVALID_GOAL, 'no positions'),
    (trajectory([1.0], [[*HERE[:5], NAN]]), Result.INVALID_GOAL, "positions nan for joint 'joint_6'"),
    (trajectory([1.0], [HERE], None, [HERE]), Result.INVALID_GOAL, 'accelerations but no velocities'),
    (trajectory([1.0], [HERE], stamp=NOW - 5.0), Result.OLD_HEADER_TIMESTAMP, r'ended 4.000 s ago'),
    (trajectory([0.0, 1.0], [HERE + 0.3, HERE]), Result.INVALID_GOAL, 'tolerance 0.1'),
    (trajectory([2.0], [HERE + [0, 0, 0, 0, 0, 9]]), Result.INVALID_GOAL, "Joint 'joint_6' would reach position 9"),
    (trajectory([0.05], [HERE + 0.2]), Result.INVALID_GOAL, 'would reach velocity'),
])
def test_refusals_carry_code_and_sentence(message, code, words):
    with pytest.raises(Refusal, match=words) as caught:
        motion(message)
    assert caught.value.code == code


def test_partial_goals_can_be_forbidden():
    with pytest.raises(Refusal, match='lacks joint joint_2'):
        motion(trajectory([1.0], [[0.0]], names=['joint_1']), GoalRules(False, 0.1, 0.2, 0.01, 1.0))


def test_tolerances_of_the_goal_win():
    goal = FollowJointTrajectory.Goal()
    goal.path_tolerance = [JointTolerance(name='joint_2', position=0.05), JointTolerance(name='joint_3', position=-1.0)]
    tolerances = tolerances_of(MODEL, goal, RULES)
    assert tolerances.path.tolist() == [0.2, 0.05, np.inf, 0.2, 0.2, 0.2]
    assert tolerances.goal.tolist() == [0.01] * 6
    assert tolerances.time == 1.0
    goal.goal_tolerance = [JointTolerance(name='elbow', position=0.1)]
    with pytest.raises(Refusal, match="no joint 'elbow'"):
        tolerances_of(MODEL, goal, RULES)


CORRUPTIONS = {
    'nan': (Result.INVALID_GOAL, lambda m, i, j, x: m.points[i].positions.__setitem__(j, float('nan'))),
    'infinity': (Result.INVALID_GOAL, lambda m, i, j, x: m.points[i].velocities.__setitem__(j, -float('inf'))),
    'beyond a limit': (Result.INVALID_GOAL, lambda m, i, j, x: m.points[i].positions.__setitem__(
        j, MODEL.upper[j] + 0.01 + abs(x))),
    'too fast': (Result.INVALID_GOAL, lambda m, i, j, x: m.points[i].velocities.__setitem__(
        j, MODEL.velocity_limit[j] * (1.01 + abs(x)))),
    'too short': (Result.INVALID_GOAL, lambda m, i, j, x: m.points[i].positions.pop()),
    'unknown joint': (Result.INVALID_JOINTS, lambda m, i, j, x: m.joint_names.__setitem__(j, f'joint_{x}')),
    'twice': (Result.INVALID_JOINTS, lambda m, i, j, x: m.joint_names.__setitem__(j, m.joint_names[j - 1])),
    'no points': (Result.INVALID_GOAL, lambda m, i, j, x: m.points.clear()),
    'same time': (Result.INVALID_GOAL, lambda m, i, j, x: setattr(
        m.points[i], 'time_from_start', m.points[i - 1 if i else 1].time_from_start)),
    'moving at the end': (Result.INVALID_GOAL, lambda m, i, j, x: m.points[-1].velocities.__setitem__(
        j, 0.01 + 0.1 * abs(x))),
    'in the past': (Result.OLD_HEADER_TIMESTAMP, lambda m, i, j, x: setattr(
        m.header.stamp, 'sec', int(NOW - 100.0 - 50.0 * abs(x)))),
}


@pytest.mark.parametrize('kind', CORRUPTIONS)
@settings(max_examples=20, deadline=None)
@given(point=st.integers(0, 3), joint=st.integers(0, 5), size=st.floats(-2.0, 2.0), seed=st.integers(0, 1000))
def test_whatever_is_wrong_is_refused_with_its_code(kind, point, joint, size, seed):
    generator = np.random.default_rng(seed)
    positions = HERE + np.cumsum(generator.uniform(-0.1, 0.1, (4, 6)), axis=0)
    good = trajectory([1.0, 2.0, 3.0, 4.0], positions.tolist(), np.zeros((4, 6)).tolist())
    motion(good)
    code, corrupt = CORRUPTIONS[kind]
    corrupt(good, point, joint, size)
    with pytest.raises(Refusal) as caught:
        motion(good)
    assert caught.value.code == code
    assert str(caught.value)


def test_a_goal_that_replaces_a_motion_goes_on_with_its_velocity():
    velocity = np.array([0.3, -0.2, 0.1, 0.0, 0.2, -0.1])
    for fields in (1, 2, 3):
        rows = [[HERE + 0.3, HERE], np.zeros((2, 6)), np.zeros((2, 6))][:fields]
        bridged, _ = motion_of(MODEL, trajectory([1.5, 3.0], *rows), HERE, velocity, NOW, RULES)
        for t, wanted in ((0.0, (HERE, velocity)), (1.5, (HERE + 0.3,)), (3.0, (HERE,))):
            for found, value in zip(bridged.sample(t), wanted, strict=False):
                np.testing.assert_allclose(found, value, atol=1e-9)
        _, rates, _ = bridged.sample(np.linspace(0.0, 1.5, 500))
        assert np.max(np.abs(np.diff(rates, axis=0))) < 0.02
