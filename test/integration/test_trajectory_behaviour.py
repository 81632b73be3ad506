"""What users of joint_trajectory_controller rely on, under torque and under position control."""

import time
from itertools import pairwise

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration, Time
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance, JointTrajectoryControllerState
from robokin_interfaces.srv import SetSpeedScaling
from support.robots import arm
from support.suite import Suite, eventually
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robokin_ros.nodes.conversions import duration_message
from robokin_ros.trajectory import plan_joint

MODEL = arm('puma560')
NAMES = list(MODEL.joint_names)
HOME = MODEL.middle()
REST = np.zeros(6)
Result = FollowJointTrajectory.Result
NAN, INF = float('nan'), float('inf')


@pytest.fixture(scope='module', params=['computed_torque', 'position'])
def robot(request):
    with Suite(controller=request.param) as suite:
        client = suite.ready().client
        client.mode = request.param
        client.states = []
        client.node.create_subscription(JointTrajectoryControllerState, 'trajectory_node/controller_state',
                                        client.states.append, 10)
        yield client


@pytest.fixture(autouse=True)
def at_home(robot):
    if np.max(np.abs(robot.joints - HOME)) > 3e-3:
        robot.move_to(HOME)
    eventually(lambda: np.max(np.abs(robot.velocities)) < 2e-3, 5.0, 'standing still')


def goal_of(times, positions, velocities=(), accelerations=(), names=NAMES, stamp=0.0):
    goal = FollowJointTrajectory.Goal()
    goal.trajectory.joint_names = list(names)
    goal.trajectory.header.stamp = Time(sec=int(stamp), nanosec=int((stamp % 1.0) * 1e9))
    for i, instant in enumerate(times):
        point = JointTrajectoryPoint(positions=[float(v) for v in positions[i]])
        if instant is not None:
            point.time_from_start = duration_message(instant) if instant >= 0.0 else Duration(sec=int(instant))
        for field, values in (('velocities', velocities), ('accelerations', accelerations)):
            if len(values):
                setattr(point, field, [float(v) for v in values[i]])
        goal.trajectory.points.append(point)
    return goal


def run(robot, goal, seconds=20.0):
    return robot.result(robot.send_goal(robot._follow, goal), seconds)


def now(robot):
    return robot.node.get_clock().now().nanoseconds * 1e-9


def settled(robot, where, tolerance=0.01):
    eventually(lambda: np.max(np.abs(robot.joints - where)) < tolerance, 3.0, f'reaching {where}')


def refused(robot, goal, code, *words):
    before = robot.joints
    status, result = run(robot, goal)
    assert status == GoalStatus.STATUS_ABORTED
    assert result.error_code == code, result.error_string
    for word in words:
        assert word in result.error_string
    time.sleep(0.05)
    np.testing.assert_allclose(robot.joints, before, atol=2e-3)


TARGET = HOME + [0.2, -0.1, 0.15, 0.3, -0.2, 0.4]


# Accepted

def test_jumbled_order(robot):
    order = [3, 0, 5, 1, 4, 2]
    status, result = run(robot, goal_of([1.5], [TARGET[order]], [REST], names=[NAMES[i] for i in order]))
    assert status == GoalStatus.STATUS_SUCCEEDED, result.error_string
    settled(robot, TARGET)


def test_partial_joints_hold_the_others(robot):
    status, result = run(robot, goal_of([1.0], [[HOME[1] - 0.2, HOME[4] + 0.2]], [[0.0, 0.0]],
                                        names=[NAMES[1], NAMES[4]]))
    assert status == GoalStatus.STATUS_SUCCEEDED, result.error_string
    settled(robot, HOME + [0, -0.2, 0, 0, 0.2, 0])


def test_future_start(robot):
    began = time.monotonic()
    handle = robot.send_goal(robot._follow, goal_of([0.5], [HOME + 0.1], [REST], stamp=now(robot) + 0.8))
    time.sleep(0.5)
    np.testing.assert_allclose(robot.joints, HOME, atol=3e-3)
    status, _ = robot.result(handle, 10.0)
    assert status == GoalStatus.STATUS_SUCCEEDED
    assert time.monotonic() - began > 1.2


def test_past_points_are_dropped(robot):
    began = time.monotonic()
    goal = goal_of([0.5, 1.0, 2.0], [HOME + 0.05, HOME + 0.1, HOME + 0.2], [REST, REST, REST], stamp=now(robot) - 0.7)
    status, result = run(robot, goal)
    assert status == GoalStatus.STATUS_SUCCEEDED, result.error_string
    assert time.monotonic() - began < 2.2
    settled(robot, HOME + 0.2)


def test_several_points_with_velocities_and_accelerations(robot):
    motion = plan_joint(MODEL, robot.joints, TARGET, 1.5)
    t = np.linspace(0.0, 1.5, 9)
    status, result = run(robot, goal_of(t, *motion.sample(t)))
    assert status == GoalStatus.STATUS_SUCCEEDED, result.error_string
    settled(robot, TARGET)


def test_topic_goal(robot):
    publisher = robot.node.create_publisher(JointTrajectory, 'joint_trajectory', 1)
    eventually(lambda: publisher.get_subscription_count() > 0)
    publisher.publish(goal_of([1.0], [HOME + 0.1], [REST]).trajectory)
    settled(robot, HOME + 0.1)
    publisher.publish(goal_of([1.0], [HOME + 99.0], [REST]).trajectory)
    time.sleep(0.3)
    np.testing.assert_allclose(robot.joints, HOME + 0.1, atol=0.01)
    robot.node.destroy_publisher(publisher)


def test_feedback_and_state_topic(robot):
    heard = []
    robot.states.clear()
    handle = robot.send_goal(robot._follow, goal_of([1.5], [TARGET], [REST]), heard.append)
    status, _ = robot.result(handle, 10.0)
    assert status == GoalStatus.STATUS_SUCCEEDED
    assert 15 < len(heard) < 60  # 20 Hz
    middle = heard[len(heard) // 2].feedback
    np.testing.assert_allclose(np.subtract(middle.desired.positions, middle.actual.positions), middle.error.positions)
    assert 0.0 < middle.desired.time_from_start.sec + 1e-9 * middle.desired.time_from_start.nanosec < 1.5
    moving = [state for state in robot.states if np.any(np.abs(state.reference.velocities) > 0.05)]
    assert len(moving) > 20
    for state in moving:
        assert list(state.joint_names) == NAMES
        np.testing.assert_allclose(np.subtract(state.reference.positions, state.feedback.positions),
                                   state.error.positions, atol=1e-9)
        assert state.speed_scaling_factor == pytest.approx(1.0)


# Refused, and nothing moves

@pytest.mark.parametrize(('goal', 'code', 'words'), [
    (goal_of([], []), Result.INVALID_GOAL, ('no points',)),
    (goal_of([1.0], [[0.0]], names=['elbow']), Result.INVALID_JOINTS, ("'elbow'", 'joint_1')),
    (goal_of([1.0], [[0.0]], names=[]), Result.INVALID_JOINTS, ('names no joints',)),
    (goal_of([1.0], [[0.0] * 2], names=[NAMES[0]] * 2), Result.INVALID_JOINTS, ('twice',)),
    (goal_of([1.0], [HOME[:5]]), Result.INVALID_GOAL, ('positions', '6')),
    (goal_of([1.0], [HOME], [REST[:3]]), Result.INVALID_GOAL, ('velocities',)),
    (goal_of([1.0], [HOME], [REST], [REST[:1]]), Result.INVALID_GOAL, ('accelerations',)),
    (goal_of([1.0], [HOME], (), [REST]), Result.INVALID_GOAL, ('no velocities',)),
    (goal_of([1.0], [[]]), Result.INVALID_GOAL, ('no positions',)),
    (goal_of([1.0], [[NAN] * 6]), Result.INVALID_GOAL, ('nan', 'joint_1')),
    (goal_of([1.0], [[*HOME[:2], INF, *HOME[3:]]]), Result.INVALID_GOAL, ('inf', 'joint_3')),
    (goal_of([1.0], [HOME], [[*REST[:5], NAN]]), Result.INVALID_GOAL, ('velocities nan', 'joint_6')),
    (goal_of([1.0, 1.0], [HOME, HOME]), Result.INVALID_GOAL, ('Point 1', 'does not increase')),
    (goal_of([2.0, 1.0], [HOME, HOME]), Result.INVALID_GOAL, ('Point 1', '2 s before')),
    (goal_of([-1.0], [HOME]), Result.INVALID_GOAL, ('negative time',)),
    (goal_of([0.0], [HOME]), Result.INVALID_GOAL, ('no time to move',)),
    (goal_of([0.0, 1.0], [HOME + 0.5, HOME]), Result.INVALID_GOAL, ('starts with joint', 'tolerance 0.1')),
    (goal_of([2.0], [HOME + [9, 0, 0, 0, 0, 0]]), Result.INVALID_GOAL, ("'joint_1'", 'position', 'limit')),
    (goal_of([0.05], [HOME + 0.5]), Result.INVALID_GOAL, ('velocity', 'limit')),
    (goal_of([1.0, 2.0], [HOME, HOME], [REST + 6.0, REST]), Result.INVALID_GOAL, ('velocity',)),
    (goal_of([2.0], [HOME + 0.2], [REST + 0.1]), Result.INVALID_GOAL, ('instead of at rest',)),
    (goal_of([0.1, 0.2, 0.3, 0.4], [HOME + [0, d, 0, 0, 0, 0] for d in (0.06, 0.0, 0.06, 0.0)],
             [REST] * 4), Result.INVALID_GOAL, ('torque', 'limit')),
    (goal_of([1.0], [HOME], stamp=1.0), Result.OLD_HEADER_TIMESTAMP, ('ended',)),
], ids=['empty', 'unknown joint', 'no names', 'twice', 'few positions', 'few velocities', 'few accelerations',
        'accelerations alone', 'no positions', 'nan', 'inf', 'nan velocity', 'same time', 'back in time',
        'negative time', 'only time 0', 'starts elsewhere', 'position limit', 'velocity limit', 'velocity of a point',
        'ends moving', 'torque limit', 'wholly past'])
def test_refusals(robot, goal, code, words):
    refused(robot, goal, code, *words)


@pytest.mark.parametrize('field', ['path_tolerance', 'goal_tolerance'])
def test_tolerance_of_an_unknown_joint(robot, field):
    goal = goal_of([1.0], [HOME + 0.1], [REST])
    setattr(goal, field, [JointTolerance(name='elbow', position=0.1)])
    refused(robot, goal, Result.INVALID_JOINTS, "'elbow'")


# Tolerances

def test_path_violation_aborts_and_holds(robot):
    goal = goal_of([2.0], [HOME + [0.8, 0, 0, 0, 0, 0]], [REST])
    goal.path_tolerance = [JointTolerance(name=NAMES[0], position=0.004)]
    handle = robot.send_goal(robot._follow, goal)
    time.sleep(0.3)  # the drives' own position servos lag behind: they leave the path by themselves
    robot.push({NAMES[0]: 90.0}, 0.5)
    status, result = robot.result(handle, 10.0)
    assert status == GoalStatus.STATUS_ABORTED
    assert result.error_code == Result.PATH_TOLERANCE_VIOLATED
    assert NAMES[0] in result.error_string
    assert 'tolerance 0.004' in result.error_string
    eventually(lambda: np.max(np.abs(robot.velocities)) < 2e-3, 5.0)


def test_a_tolerance_of_minus_one_checks_nothing(robot):
    goal = goal_of([1.5], [HOME + [0.4, 0, 0, 0, 0, 0]], [REST])
    goal.path_tolerance = [JointTolerance(name=NAMES[0], position=-1.0)]
    goal.goal_tolerance = [JointTolerance(name=NAMES[0], position=-1.0)]
    handle = robot.send_goal(robot._follow, goal)
    robot.push({NAMES[0]: 60.0}, 0.2)
    assert robot.result(handle, 10.0)[0] == GoalStatus.STATUS_SUCCEEDED


def test_goal_tolerance_in_time(robot):
    goal = goal_of([1.0], [HOME + [0.2, 0, 0, 0, 0, 0]], [REST])
    goal.goal_tolerance = [JointTolerance(name=NAMES[0], position=1e-9)]
    goal.goal_time_tolerance = Duration(nanosec=300_000_000)
    began = time.monotonic()
    status, result = run(robot, goal)
    assert status == GoalStatus.STATUS_ABORTED
    assert result.error_code == Result.GOAL_TOLERANCE_VIOLATED
    assert 'joint_' in result.error_string
    assert 1.2 < time.monotonic() - began < 2.5


# Under way

def test_cancel_holds_on_the_path(robot):
    handle = robot.send_goal(robot._follow, goal_of([4.0], [HOME + 0.5], [REST]))
    eventually(lambda: np.all(robot.joints > HOME + 0.05))
    robot.wait_for(handle.cancel_goal_async(), 5.0, 'cancel')
    status, result = robot.result(handle, 5.0)
    assert status == GoalStatus.STATUS_CANCELED
    assert 'holding' in result.error_string
    eventually(lambda: np.max(np.abs(robot.velocities)) < 2e-3, 3.0)
    where = robot.joints
    assert np.ptp(where - HOME) < 0.01  # all joints are equally far: still on the line
    assert np.all(where < HOME + 0.45)


def test_cancel_before_a_future_start(robot):
    handle = robot.send_goal(robot._follow, goal_of([1.0], [HOME + 0.2], [REST], stamp=now(robot) + 5.0))
    time.sleep(0.2)
    robot.wait_for(handle.cancel_goal_async(), 5.0, 'cancel')
    assert robot.result(handle, 5.0)[0] == GoalStatus.STATUS_CANCELED
    np.testing.assert_allclose(robot.joints, HOME, atol=3e-3)


@pytest.mark.parametrize('fields', [1, 2, 3])
def test_a_newer_goal_goes_on_without_a_jump(robot, fields):
    first = robot.send_goal(robot._follow, goal_of([3.0], [HOME + 0.5], [REST]))
    eventually(lambda: np.all(robot.joints > HOME + 0.1))
    robot.states.clear()
    newer = goal_of([1.5, 2.5], [HOME + 0.2, HOME], *[[REST, REST]] * (fields - 1))
    second = robot.send_goal(robot._follow, newer)
    status, result = robot.result(first, 5.0)
    assert status == GoalStatus.STATUS_ABORTED
    assert 'newer goal' in result.error_string
    assert robot.result(second, 10.0)[0] == GoalStatus.STATUS_SUCCEEDED
    settled(robot, HOME)
    states = [(state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec, state.reference.velocities[0])
              for state in robot.states]
    until = states[0][0] + 1.0  # lines between points have corners later on
    steps = [abs(b[1] - a[1]) for a, b in pairwise(states) if b[0] < until]
    assert max(steps) < 0.08


def test_a_goal_for_later_does_not_disturb_the_running_one(robot):
    first = robot.send_goal(robot._follow, goal_of([1.5], [HOME + 0.2], [REST]))
    status, result = run(robot, goal_of([1.0], [HOME], [REST], stamp=now(robot) + 5.0))
    assert status == GoalStatus.STATUS_ABORTED
    assert 'under way' in result.error_string
    assert robot.result(first, 10.0)[0] == GoalStatus.STATUS_SUCCEEDED


def test_pause_keeps_the_goal_alive(robot):
    handle = robot.send_goal(robot._follow, goal_of([2.0], [HOME + 0.4], [REST]))
    eventually(lambda: np.all(robot.joints > HOME + 0.05))
    robot.trigger('pause')
    eventually(lambda: np.max(np.abs(robot.velocities)) < 2e-3, 3.0)
    where = robot.joints
    assert np.all(where < HOME + 0.39)
    time.sleep(0.4)
    np.testing.assert_allclose(robot.joints, where, atol=3e-3)
    assert handle.status == GoalStatus.STATUS_EXECUTING
    robot.trigger('resume')
    assert robot.result(handle, 20.0)[0] == GoalStatus.STATUS_SUCCEEDED
    settled(robot, HOME + 0.4)


def test_cancel_while_paused(robot):
    handle = robot.send_goal(robot._follow, goal_of([2.0], [HOME + 0.4], [REST]))
    eventually(lambda: np.all(robot.joints > HOME + 0.05))
    robot.trigger('pause')
    time.sleep(0.5)
    robot.wait_for(handle.cancel_goal_async(), 5.0, 'cancel')
    assert robot.result(handle, 5.0)[0] == GoalStatus.STATUS_CANCELED


def test_speed_scaling(robot):
    def scale(value):
        robot.checked(SetSpeedScaling, 'set_speed_scaling', SetSpeedScaling.Request(scaling=value))
    began = time.monotonic()
    handle = robot.send_goal(robot._follow, goal_of([1.2], [HOME + 0.3], [REST]))
    scale(0.4)
    time.sleep(0.6)
    scale(0.0)
    eventually(lambda: np.max(np.abs(robot.velocities)) < 2e-3, 3.0)
    where = robot.joints
    time.sleep(0.3)
    np.testing.assert_allclose(robot.joints, where, atol=3e-3)
    scale(1.0)
    assert robot.result(handle, 20.0)[0] == GoalStatus.STATUS_SUCCEEDED
    assert time.monotonic() - began > 1.9
    settled(robot, HOME + 0.3)


@pytest.mark.parametrize('value', [-0.1, 1.1, NAN])
def test_bad_scaling_is_refused(robot, value):
    response = robot.call(SetSpeedScaling, 'set_speed_scaling', SetSpeedScaling.Request(scaling=value))
    assert response.error_code.val != 0
    assert 'from 0 to 1' in response.message


def test_pause_without_a_motion(robot):
    from robokin_ros.client import CallError
    with pytest.raises(CallError, match='No motion is under way'):
        robot.trigger('pause')


def test_an_emergency_stop_aborts_the_goal(robot):
    handle = robot.send_goal(robot._follow, goal_of([3.0], [HOME + 0.3], [REST]))
    eventually(lambda: np.all(robot.joints > HOME + 0.03))
    robot.trigger('emergency_stop')
    status, result = robot.result(handle, 5.0)
    assert status == GoalStatus.STATUS_ABORTED
    assert 'emergency_stop' in result.error_string
    refused(robot, goal_of([1.0], [HOME], [REST]), Result.INVALID_GOAL, 'emergency_stop')
    robot.trigger('reset')
    robot.trigger('enable')
    robot.wait_until_ready(10.0)
