"""Moving the arm: the FollowJointTrajectory and MoveTo actions, pause, scaling, floating."""

import time

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from robokin_interfaces.action import MoveTo
from robokin_interfaces.msg import ErrorCode, JointReference
from robokin_interfaces.srv import SetSpeedScaling
from support.robots import arm
from support.suite import eventually
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robokin_ros.client import CallError
from robokin_ros.kinematics import forward_kinematics
from robokin_ros.nodes.conversions import duration_message, pose_message
from robokin_ros.trajectory import plan_joint

MODEL = arm('puma560')
HOME = MODEL.middle()
REST = np.zeros(6)
Result = FollowJointTrajectory.Result


@pytest.fixture(autouse=True)
def at_home(robot):
    if np.max(np.abs(robot.joints - HOME)) > 1e-3:
        robot.move_to(HOME)


def settled(robot, where, tolerance=2e-3):
    eventually(lambda: np.max(np.abs(robot.joints - where)) < tolerance, 3.0, f'reaching {where}')


def still(robot):
    eventually(lambda: np.max(np.abs(robot.velocities)) < 1e-3, 3.0, 'standing still')


@pytest.mark.parametrize('fields', ['positions', 'velocities', 'accelerations'])
def test_follow_joint_trajectory(robot, fields):
    goal = HOME + [0.2, -0.1, 0.15, 0.3, -0.2, 0.4]
    motion = plan_joint(MODEL, HOME, goal, 1.5)
    times = np.linspace(0.0, 1.5, 11)[1:]
    q, v, a = motion.sample(times)
    heard = []
    robot.follow_joint_trajectory(
        MODEL.joint_names, times.tolist(), q, v if fields != 'positions' else (),
        a if fields == 'accelerations' else (), feedback=heard.append)
    settled(robot, goal)
    assert len(heard) > 10
    last = heard[-1].feedback
    assert list(last.joint_names) == list(MODEL.joint_names)
    np.testing.assert_allclose(np.subtract(last.desired.positions, last.actual.positions), last.error.positions)
    assert max(np.max(np.abs(message.feedback.error.positions)) for message in heard) < 0.05


@pytest.mark.parametrize(('names', 'times', 'positions', 'code', 'words'), [
    (['elbow'], [1.0], [[0.0]], Result.INVALID_JOINTS, "no joint 'elbow'"),
    (MODEL.joint_names, [1.0], [HOME + 9.0], Result.INVALID_GOAL, "Joint 'joint_1' would reach position 9"),
    (MODEL.joint_names, [0.02], [HOME + 0.5], Result.INVALID_GOAL, 'would reach velocity'),
    (MODEL.joint_names, [1.0], [[float('nan')] * 6], Result.INVALID_GOAL, 'positions nan'),
    (MODEL.joint_names, [], [], Result.INVALID_GOAL, 'no points'),
])
def test_bad_goals_are_refused_and_nothing_moves(robot, names, times, positions, code, words):
    handle = robot.send_trajectory(names, times, positions)
    status, result = robot.result(handle, 10.0)
    assert status == GoalStatus.STATUS_ABORTED
    assert result.error_code == code
    assert words in result.error_string
    time.sleep(0.1)
    settled(robot, HOME, 1e-3)


def test_long_trajectories_start_smoothly(robot):
    """800 points: checking them takes time, which must not show as a jump."""
    times = np.linspace(0.0, 4.0, 801)[1:]
    motion = plan_joint(MODEL, HOME, HOME + 0.4, 4.0)
    q, v, _ = motion.sample(times)
    robot.follow_joint_trajectory(MODEL.joint_names, times.tolist(), q, v)
    settled(robot, HOME + 0.4)


def test_motions_that_do_not_end_at_rest_are_refused(robot):
    handle = robot.send_trajectory(MODEL.joint_names, [2.0], [HOME + 0.2], [REST + 0.1])
    _, result = robot.result(handle, 10.0)
    assert result.error_code == Result.INVALID_GOAL
    assert 'instead of at rest' in result.error_string


def test_wild_references_are_refused(puma, robot):
    publisher = robot.node.create_publisher(JointReference, 'joint_reference', 1)
    eventually(lambda: publisher.get_subscription_count() > 0)
    where = robot.joints
    for position in (where + 3.0, where + np.array([0, 0, 0, 0, 2.0, 0])):
        publisher.publish(JointReference(name=list(MODEL.joint_names), position=position.tolist(),
                                         velocity=[0.0] * 6, acceleration=[0.0] * 6))
        time.sleep(0.2)
    np.testing.assert_allclose(robot.joints, where, atol=1e-3)
    puma.hears('A joint reference was refused', 'dynamics_node', 2.0)


def test_cancel_holds_on_the_way(robot):
    handle = robot.send_trajectory(MODEL.joint_names, [4.0], [HOME + 0.5], [REST])
    eventually(lambda: np.all(robot.joints > HOME + 0.05))
    robot.wait_for(handle.cancel_goal_async(), 5.0, 'cancel')
    status, result = robot.result(handle, 5.0)
    assert status == GoalStatus.STATUS_CANCELED
    assert 'holding' in result.error_string
    still(robot)
    where = robot.joints
    assert np.all(where < HOME + 0.45)
    time.sleep(0.4)
    np.testing.assert_allclose(robot.joints, where, atol=1e-3)


def test_a_newer_goal_replaces_the_older(robot):
    first = robot.send_trajectory(MODEL.joint_names, [4.0], [HOME + 0.5], [REST])
    eventually(lambda: np.all(robot.joints > HOME + 0.05))
    second = robot.send_trajectory(MODEL.joint_names, [1.5], [HOME], [REST])
    status, result = robot.result(first, 5.0)
    assert status == GoalStatus.STATUS_ABORTED
    assert 'newer goal' in result.error_string
    assert robot.result(second, 10.0)[0] == GoalStatus.STATUS_SUCCEEDED
    settled(robot, HOME)


def test_path_tolerance_stops_the_motion(robot):
    goal = FollowJointTrajectory.Goal()
    goal.trajectory.joint_names = ['joint_1']
    goal.trajectory.points = [JointTrajectoryPoint(positions=[HOME[0] + 0.8], velocities=[0.0],
                                                   time_from_start=duration_message(2.0))]
    from control_msgs.msg import JointTolerance
    goal.path_tolerance = [JointTolerance(name='joint_1', position=0.01)]
    handle = robot.send_goal(robot._follow, goal)
    eventually(lambda: robot.joints[0] > HOME[0] + 0.1)
    robot.push({'joint_1': 90.0}, 0.5)
    status, result = robot.result(handle, 10.0)
    assert status == GoalStatus.STATUS_ABORTED
    assert result.error_code == Result.PATH_TOLERANCE_VIOLATED
    assert "Joint 'joint_1' is" in result.error_string
    still(robot)


def test_move_to_joints_and_pose(robot):
    goal = HOME + [0.3, 0.1, -0.2, 0.4, 0.5, -0.3]
    np.testing.assert_allclose(robot.move_to(goal), goal, atol=0.011)
    settled(robot, goal)
    target = HOME + [0.2, 0.2, -0.1, 0.3, 0.4, -0.2]
    robot.move_to(pose=forward_kinematics(MODEL, target))
    time.sleep(0.5)
    np.testing.assert_allclose(forward_kinematics(MODEL, robot.joints), forward_kinematics(MODEL, target), atol=2e-3)


@pytest.mark.parametrize(('goal', 'code'), [
    (MoveTo.Goal(position=[9.0] * 6), ErrorCode.GOAL_REFUSED),
    (MoveTo.Goal(position=[0.0] * 5), ErrorCode.BAD_INPUT),
    (MoveTo.Goal(position=HOME.tolist(), duration=1e-300), ErrorCode.BAD_INPUT),
    (MoveTo.Goal(), ErrorCode.UNREACHABLE),
    (MoveTo.Goal(position=HOME.tolist(), speed_scaling=3.0), ErrorCode.BAD_INPUT),
    (MoveTo.Goal(position=HOME.tolist(), joint_names=['a', 'b', 'c', 'd', 'e', 'f']), ErrorCode.UNKNOWN_JOINT),
])
def test_bad_move_goals(robot, goal, code):
    status, result = robot.result(robot.send_goal(robot._move, goal), 10.0)
    assert status == GoalStatus.STATUS_ABORTED
    assert result.error_code.val == code, result.message
    assert result.message


def test_unreachable_pose_is_told(robot):
    far = np.eye(4)
    far[0, 3] = 5.0
    with pytest.raises(CallError, match='No joint vector reaches') as caught:
        robot.move_to(pose=far)
    assert caught.value.code == ErrorCode.UNREACHABLE
    goal = MoveTo.Goal()
    goal.pose.pose = pose_message(far)
    goal.pose.header.frame_id = 'mars'
    _, result = robot.result(robot.send_goal(robot._move, goal), 10.0)
    assert result.error_code.val == ErrorCode.UNKNOWN_FRAME


def test_pause_resume_and_scaling(robot):
    with pytest.raises(CallError, match='No motion is under way'):
        robot.trigger('pause')
    handle = robot.send_trajectory(MODEL.joint_names, [2.0], [HOME + 0.4], [REST])
    eventually(lambda: np.all(robot.joints > HOME + 0.05))
    robot.trigger('pause')
    time.sleep(0.4)
    still(robot)
    where = robot.joints
    assert np.all(where < HOME + 0.39)
    time.sleep(0.3)
    np.testing.assert_allclose(robot.joints, where, atol=1e-3)
    robot.checked(SetSpeedScaling, 'set_speed_scaling', SetSpeedScaling.Request(scaling=0.5))
    robot.trigger('resume')
    assert robot.result(handle, 20.0)[0] == GoalStatus.STATUS_SUCCEEDED
    settled(robot, HOME + 0.4)
    robot.checked(SetSpeedScaling, 'set_speed_scaling', SetSpeedScaling.Request(scaling=1.0))


def test_trajectory_by_topic(robot):
    publisher = robot.node.create_publisher(JointTrajectory, 'joint_trajectory', 1)
    eventually(lambda: publisher.get_subscription_count() > 0)
    message = JointTrajectory(joint_names=['joint_2'])
    message.points = [JointTrajectoryPoint(positions=[HOME[1] + 0.1], time_from_start=duration_message(1.0))]
    publisher.publish(message)
    settled(robot, HOME + [0, 0.1, 0, 0, 0, 0], 1e-4)
    time.sleep(0.3)


def test_gravity_compensation_floats_and_refuses_goals(robot):
    still(robot)
    robot.set_control_mode('gravity_compensation')
    start = robot.joints
    time.sleep(0.5)
    np.testing.assert_allclose(robot.joints, start, atol=2e-3)
    robot.push({'joint_1': 12.0, 'joint_5': 1.0}, 0.4)
    time.sleep(0.5)
    assert robot.joints[0] > start[0] + 0.02
    assert abs(robot.joints[2] - start[2]) < 0.1
    status, result = robot.result(robot.send_trajectory(MODEL.joint_names, [1.0], [HOME]), 10.0)
    assert status == GoalStatus.STATUS_ABORTED
    assert 'gravity_compensation' in result.error_string
    assert robot.set_control_mode('pd_gravity') == 'gravity_compensation'
    still(robot)
