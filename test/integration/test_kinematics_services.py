"""The services of kinematics_node: every branch, batches, options, frames of others, work frames, and every mistake."""

import json

import numpy as np
import pytest
from geometry_msgs.msg import Point, Pose, PoseArray, TransformStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from robokin_interfaces.msg import ErrorCode, IkOptions
from robokin_interfaces.srv import (
    ComputeFK,
    ComputeIK,
    ComputeIKBatch,
    ComputeJacobian,
    ComputeManipulability,
    ComputeWorkspaceSlice,
    Inspect,
    RecallPose,
    SetWorkFrame,
    TeachPose,
    Where,
)
from support.robots import arm, random_joints
from support.solutions import solutions
from support.suite import Suite, eventually
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from robokin_ros.kinematics import (
    forward_kinematics,
    inverse_kinematics,
    jacobian,
    singularity,
    velocity_ellipsoid,
    workspace_slice,
)
from robokin_ros.model import WorkFrames, load_robot
from robokin_ros.nodes.conversions import pose_message, pose_transform, set_transform
from robokin_ros.spatial import make_transform, matrix_from_rpy

MODEL = arm('puma560')
Q = [0.3, -1.2, 0.4, 0.5, 0.9, -0.7]
NAN, INF = float('nan'), float('inf')
LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
NODES = ('state_publisher', 'kinematics_node')


@pytest.fixture(scope='module')
def work_file(tmp_path_factory):
    path = tmp_path_factory.mktemp('work') / 'frames.yaml'
    frames = WorkFrames()
    frames.set_station('table', make_transform(matrix_from_rpy(0.0, 0.0, 0.4), (0.2, 0.1, -0.1)))
    frames.set_tool('pen', make_transform(matrix_from_rpy(0.1, 0.0, 0.0), (0.0, 0.0, 0.12)))
    frames.save(path)
    return path


@pytest.fixture(scope='module')
def suite(work_file):
    with Suite(NODES, {'kinematics_node': {'work_frames': str(work_file)}}) as running:
        running.hears('Inverse kinematics: spherical wrist', 'kinematics_node', 40.0)
        yield running


@pytest.fixture
def robot(suite):
    return suite.client


def ik_request(pose, frame='', **fields):
    options = {key: fields.pop(key) for key in list(fields) if key in IkOptions.get_fields_and_field_types()}
    request = ComputeIK.Request(**fields)
    request.pose.pose = pose_message(pose)
    request.pose.header.frame_id = frame
    request.options = [IkOptions(**options)] if options else []
    return request


def test_every_branch_equals_the_library(robot):
    pose = forward_kinematics(MODEL, Q)
    response = robot.checked(ComputeIK, 'compute_ik', ik_request(pose, all_solutions=True, seed=Q))
    expected = inverse_kinematics(MODEL, pose, Q)
    np.testing.assert_allclose(solutions(response), expected.solutions, atol=1e-9)
    np.testing.assert_allclose(response.limit_margins, expected.limit_margins, atol=1e-9)
    assert response.method == 'spherical wrist'
    assert len(response.projected) == 0


def test_every_turn_lists_more_than_the_nearest(robot):
    pose = forward_kinematics(MODEL, Q)
    nearest = robot.checked(ComputeIK, 'compute_ik', ik_request(pose, all_solutions=True))
    every = robot.checked(ComputeIK, 'compute_ik', ik_request(pose, all_solutions=True, every_turn=True))
    assert len(solutions(every)) >= len(solutions(nearest))
    for solution in solutions(every):
        np.testing.assert_allclose(forward_kinematics(MODEL, solution), pose, atol=1e-6)


def test_position_only_and_numeric(robot):
    pose = forward_kinematics(MODEL, Q)
    response = robot.checked(ComputeIK, 'compute_ik', ik_request(pose, position_only=True, method='numeric'))
    assert response.method == 'numeric'
    np.testing.assert_allclose(forward_kinematics(MODEL, solutions(response)[0])[:3, 3], pose[:3, 3], atol=1e-6)
    free = [0.0, 0.0, 0.0, 0.0, 0.0, INF]
    response = robot.checked(ComputeIK, 'compute_ik', ik_request(pose, tolerances=free))
    reached = forward_kinematics(MODEL, solutions(response)[0])
    np.testing.assert_allclose(reached[:3, 2], pose[:3, 2], atol=1e-5)


def test_batch_with_bad_poses_among_good_ones(robot):
    joints = random_joints(MODEL, 20, seed=90)
    poses = forward_kinematics(MODEL, joints)
    request = ComputeIKBatch.Request(poses=PoseArray(poses=[pose_message(pose) for pose in poses]), all_solutions=True)
    request.poses.poses[3].position.x = NAN
    request.poses.poses[4].orientation.w = 9.0
    request.poses.poses[5].position.x = 7.0
    response = robot.checked(ComputeIKBatch, 'compute_ik_batch', request)
    codes = [code.val for code in response.error_codes]
    assert codes[3:6] == [ErrorCode.BAD_INPUT, ErrorCode.BAD_INPUT, ErrorCode.UNREACHABLE]
    assert codes[:3] + codes[6:] == [ErrorCode.SUCCESS] * 17
    assert 'Pose 3: ' in response.message
    assert 'length' in response.message
    solutions = np.reshape(response.positions, (-1, 6))
    assert len(solutions) == sum(response.counts) == len(response.residuals) // 2
    first = 0
    for i, count in enumerate(response.counts):
        for q in solutions[first:first + count]:
            np.testing.assert_allclose(forward_kinematics(MODEL, q), poses[i], atol=1e-6)
        first += count


def test_batch_with_a_seed_per_pose(robot):
    joints = random_joints(MODEL, 6, seed=91)
    poses = [pose_message(pose) for pose in forward_kinematics(MODEL, joints)]
    request = ComputeIKBatch.Request(poses=PoseArray(poses=poses), seed=joints.ravel().tolist())
    response = robot.checked(ComputeIKBatch, 'compute_ik_batch', request)
    np.testing.assert_allclose(np.reshape(response.positions, (6, 6)), joints, atol=1e-6)


def test_stations_and_tools_of_the_file(robot, work_file):
    frames = WorkFrames.load(work_file)
    goal = np.linalg.inv(frames.stations['table']) @ forward_kinematics(MODEL, Q) @ frames.tools['pen']
    response = robot.checked(ComputeIK, 'compute_ik', ik_request(goal, 'table', tool='pen', seed=Q))
    np.testing.assert_allclose(solutions(response)[0], Q, atol=1e-6)
    where = robot.checked(Where, 'where', Where.Request(position=Q, tool='pen', station='table'))
    np.testing.assert_allclose(pose_transform(where.pose.pose), goal, atol=1e-9)
    assert where.pose.header.frame_id == 'table'


def test_goals_in_frames_of_tf_static(suite, robot):
    """A camera that hangs on a link, and a room above the base."""
    camera = make_transform(matrix_from_rpy(0.2, 0.3, 0.1), (0.1, 0.2, 0.3))
    room = make_transform(np.eye(3), (1.0, 2.0, 0.0))
    publisher = robot.node.create_publisher(TFMessage, '/tf_static', LATCHED)
    message = TFMessage()
    for parent, child, pose in (('base_link', 'camera', camera), ('room', 'base_link', room)):
        item = TransformStamped(child_frame_id=child)
        item.header.frame_id = parent
        set_transform(item.transform, pose)
        message.transforms.append(item)
    publisher.publish(message)
    tip = forward_kinematics(MODEL, Q)

    def solved(frame, pose):
        response = robot.call(ComputeIK, 'compute_ik', ik_request(pose, frame, seed=Q))
        return len(response.positions) > 0 and np.allclose(solutions(response)[0], Q, atol=1e-6)

    eventually(lambda: solved('camera', np.linalg.inv(camera) @ tip), 10.0, 'a goal in the camera')
    eventually(lambda: solved('room', room @ tip), 10.0, 'a goal in the room')
    response = robot.checked(ComputeFK, 'compute_fk', ComputeFK.Request(position=Q, frames=['tool0', 'camera'],
                                                                        reference_frame='camera'))
    np.testing.assert_allclose(pose_transform(response.poses[0].pose), np.linalg.inv(camera) @ tip, atol=1e-9)
    np.testing.assert_allclose(pose_transform(response.poses[1].pose), np.eye(4), atol=1e-9)


def test_tools_and_stations_set_at_run_time(suite, robot):
    heard = []
    robot.node.create_subscription(TFMessage, '/tf_static', lambda message: heard.extend(message.transforms), LATCHED)
    bench = make_transform(matrix_from_rpy(0.0, 0.0, 1.0), (0.4, 0.0, 0.0))
    answer = robot.checked(SetWorkFrame, 'set_station', SetWorkFrame.Request(name='bench', pose=pose_message(bench)))
    assert 'bench' in answer.known
    where = robot.checked(Where, 'where', Where.Request(position=Q))
    np.testing.assert_allclose(bench @ pose_transform(where.pose.pose), forward_kinematics(MODEL, Q), atol=1e-9)
    eventually(lambda: any(item.child_frame_id == 'bench' for item in heard), 10.0, 'the station on /tf_static')
    refused = robot.call(SetWorkFrame, 'set_tool', SetWorkFrame.Request(name='unknown', only_use=True))
    assert refused.error_code.val == ErrorCode.BAD_INPUT
    assert "no tool 'unknown'; known: pen" in refused.message
    flat = Pose()
    flat.orientation.w = 0.0
    bad = robot.call(SetWorkFrame, 'set_tool', SetWorkFrame.Request(name='bent', pose=flat))
    assert bad.error_code.val == ErrorCode.BAD_INPUT
    assert 'length 0' in bad.message
    for name in ('link_3', 'bench', 'a b'):
        taken = robot.call(SetWorkFrame, 'set_tool', SetWorkFrame.Request(name=name, pose=pose_message(bench)))
        assert taken.error_code.val == ErrorCode.BAD_INPUT
        assert f"'{name}' cannot name a tool" in taken.message
    robot.checked(SetWorkFrame, 'set_tool', SetWorkFrame.Request())
    robot.checked(SetWorkFrame, 'set_station', SetWorkFrame.Request())


def test_a_file_that_cannot_be_read_is_not_written_over(tmp_path):
    path = tmp_path / 'frames.yaml'
    text = 'tools: {precious: {xyz: [0, 0, 1]}, broken: {xyz: [0, 0]}}'
    path.write_text(text, encoding='utf-8')
    with Suite(NODES, {'kinematics_node': {'work_frames': str(path)}}) as suite:
        suite.hears('No tools and stations: .*broken', 'kinematics_node', 40.0)
        suite.hears('Inverse kinematics: spherical wrist', 'kinematics_node', 40.0)
        refused = suite.client.call(TeachPose, 'teach_pose', TeachPose.Request(name='home', position=Q))
        assert refused.error_code.val == ErrorCode.BAD_INPUT
        assert 'kept as it is' in refused.message
        assert path.read_text(encoding='utf-8') == text


def test_taught_poses_are_kept_in_the_file(robot, work_file):
    robot.checked(TeachPose, 'teach_pose', TeachPose.Request(name='home', position=Q))
    recalled = robot.checked(RecallPose, 'recall_pose', RecallPose.Request(name='home'))
    np.testing.assert_allclose(recalled.position, Q)
    np.testing.assert_allclose(WorkFrames.load(work_file).recall('home').joints, Q)
    unknown = robot.call(RecallPose, 'recall_pose', RecallPose.Request(name='moon'))
    assert 'home' in unknown.message


def test_jacobian_of_a_point_of_a_link(robot):
    request = ComputeJacobian.Request(position=Q, frame='link_2', link='link_3', point=Point(x=0.1, y=0.2, z=0.3))
    response = robot.checked(ComputeJacobian, 'compute_jacobian', request)
    expected = jacobian(MODEL, Q, 'link_2', 'link_3', (0.1, 0.2, 0.3))
    np.testing.assert_allclose(np.reshape(response.jacobian, (6, 6)), expected, atol=1e-12)
    assert not response.singular
    stretched = [0.3, -0.5, float(-np.arctan2(0.425, 0.02)), 0.2, 0.8, 0.1]
    response = robot.checked(ComputeJacobian, 'compute_jacobian', ComputeJacobian.Request(position=stretched))
    assert response.singular
    assert response.singularity == 'boundary'


def test_manipulability(robot):
    response = robot.checked(ComputeManipulability, 'compute_manipulability', ComputeManipulability.Request(position=Q))
    assert response.manipulability == pytest.approx(singularity(MODEL, Q).manipulability)
    ellipsoid = velocity_ellipsoid(MODEL, Q)
    np.testing.assert_allclose(response.velocity_lengths, ellipsoid.lengths)
    np.testing.assert_allclose(np.multiply(response.velocity_lengths, response.force_lengths), np.ones(3), atol=1e-12)


def test_workspace_slice_and_its_markers(suite, robot):
    heard = []
    robot.node.create_subscription(MarkerArray, 'workspace_markers', heard.append, LATCHED)
    request = ComputeWorkspaceSlice.Request(plane='xz', cells=40, samples=50_000)
    response = robot.checked(ComputeWorkspaceSlice, 'compute_workspace_slice', request)
    expected = workspace_slice(MODEL, 'xz', cells=40, count=50_000)
    np.testing.assert_array_equal(np.reshape(response.hits, (40, 40)), expected.hits)
    assert response.area == pytest.approx(expected.area)
    eventually(lambda: bool(heard), 10.0, 'markers of the workspace')
    assert len(heard[-1].markers[0].points) == len(response.points) == np.sum(expected.hits > 0)
    assert heard[-1].markers[0].header.frame_id == 'base_link'
    cloud = robot.checked(ComputeWorkspaceSlice, 'compute_workspace_slice', ComputeWorkspaceSlice.Request(samples=500))
    assert len(cloud.points) == 500


def test_inspect(robot):
    response = robot.checked(Inspect, 'inspect', Inspect.Request())
    assert response.arm_class == 'spherical wrist'
    assert response.closed_form
    report = json.loads(response.report)
    assert [joint['name'] for joint in report['joints']] == list(MODEL.joint_names)


@pytest.mark.parametrize(('kind', 'service', 'build', 'code', 'words'), [
    (ComputeIK, 'compute_ik', lambda: ik_request(np.eye(4), method='magic'), ErrorCode.BAD_INPUT, "method is 'magic'"),
    (ComputeIK, 'compute_ik', lambda: ik_request(np.eye(4), tolerances=[1.0]), ErrorCode.BAD_INPUT, 'six half-widths'),
    (ComputeIK, 'compute_ik', lambda: ik_request(np.eye(4), tolerances=[INF] * 6), ErrorCode.BAD_INPUT,
     'nothing is asked'),
    (ComputeIK, 'compute_ik', lambda: ik_request(np.eye(4), position_tolerance=-1.0), ErrorCode.BAD_INPUT, '-1.0'),
    (ComputeIK, 'compute_ik', lambda: ik_request(np.eye(4), timeout=-2.0), ErrorCode.BAD_INPUT, 'timeout is -2.0'),
    (ComputeIK, 'compute_ik', lambda: ik_request(forward_kinematics(MODEL, Q), weights=[1.0]), ErrorCode.BAD_INPUT,
     'weights needs the shape (..., 6)'),
    (ComputeIK, 'compute_ik', lambda: ik_request(np.eye(4), tool='hammer'), ErrorCode.BAD_INPUT, "no tool 'hammer'"),
    (ComputeIK, 'compute_ik', lambda: ik_request(np.eye(4), 'mars'), ErrorCode.UNKNOWN_FRAME, "no frame 'mars'"),
    (ComputeIK, 'compute_ik', lambda: ik_request(np.eye(4), seed=[NAN] * 6), ErrorCode.BAD_INPUT, 'is nan'),
    (ComputeIKBatch, 'compute_ik_batch', lambda: ComputeIKBatch.Request(
        poses=PoseArray(poses=[Pose()] * 3), seed=[0.0] * 13), ErrorCode.BAD_INPUT, '13 values'),
    (ComputeJacobian, 'compute_jacobian', lambda: ComputeJacobian.Request(position=Q, link='hand'),
     ErrorCode.UNKNOWN_FRAME, "no frame 'hand'"),
    (ComputeJacobian, 'compute_jacobian', lambda: ComputeJacobian.Request(position=Q, point=Point(x=NAN)),
     ErrorCode.BAD_INPUT, 'point contains NaN'),
    (ComputeManipulability, 'compute_manipulability', lambda: ComputeManipulability.Request(position=[NAN] * 6),
     ErrorCode.BAD_INPUT, 'is nan'),
    (ComputeWorkspaceSlice, 'compute_workspace_slice', lambda: ComputeWorkspaceSlice.Request(plane='ab'),
     ErrorCode.BAD_INPUT, "plane is 'ab'"),
    (ComputeWorkspaceSlice, 'compute_workspace_slice', lambda: ComputeWorkspaceSlice.Request(samples=-5),
     ErrorCode.BAD_INPUT, 'samples is -5'),
    (ComputeWorkspaceSlice, 'compute_workspace_slice', lambda: ComputeWorkspaceSlice.Request(plane='xy', at=NAN),
     ErrorCode.BAD_INPUT, 'nan'),
    (Where, 'where', lambda: Where.Request(position=Q, station='moon'), ErrorCode.BAD_INPUT, "no station 'moon'"),
    (TeachPose, 'teach_pose', lambda: TeachPose.Request(position=Q), ErrorCode.BAD_INPUT, 'needs a name'),
])
def test_mistakes_get_code_and_sentence(suite, robot, kind, service, build, code, words):
    response = robot.call(kind, service, build())
    assert response.error_code.val == code, response.message
    assert words in response.message
    assert not suite.said('Traceback|A callback failed', 'kinematics_node')


def test_a_small_arm_projects_when_asked():
    with Suite(NODES, robot='motoman_l3') as suite:
        suite.hears('Inverse kinematics: orientation first', 'kinematics_node', 40.0)
        model = load_robot('motoman_l3')
        pose = forward_kinematics(model, [0.2, -1.0, 0.9, 0.3, 0.1])
        pose[:3, :3] = pose[:3, :3] @ matrix_from_rpy(0.3, 0.0, 0.0)
        refused = suite.client.call(ComputeIK, 'compute_ik', ik_request(pose))
        assert refused.error_code.val == ErrorCode.OFF_SUBSPACE
        assert 'rad away' in refused.message
        response = suite.client.checked(ComputeIK, 'compute_ik', ik_request(pose, project=True))
        reached = forward_kinematics(model, solutions(response)[0])
        np.testing.assert_allclose(reached, pose_transform(response.projected[0].pose), atol=1e-6)
        np.testing.assert_allclose(reached[:3, 3], pose[:3, 3], atol=1e-6)
        assert 0.0 < response.projected[0].angle < 0.31
