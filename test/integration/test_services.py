"""The services of a running suite: same numbers as the library, and a code and sentence for every mistake."""

import numpy as np
import pytest
from rcl_interfaces.srv import DescribeParameters, SetParameters
from rclpy.parameter import Parameter
from robokin_interfaces.msg import ErrorCode
from robokin_interfaces.srv import (
    ApplyDisturbance,
    ComputeFK,
    ComputeForwardDynamics,
    ComputeIK,
    ComputeInverseDynamics,
    ComputeJacobian,
    GetDynamicsTerms,
    SetControlMode,
    SetPayload,
    SetSpeedScaling,
)
from support.robots import arm
from support.solutions import solutions

from robokin_ros.dynamics import (
    coriolis_torque,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    mass_matrix,
)
from robokin_ros.kinematics import forward_kinematics, frame_poses, jacobian
from robokin_ros.nodes.conversions import pose_message, pose_transform

MODEL = arm('puma560')
Q = [0.3, -1.2, 0.4, 0.5, 0.9, -0.7]
QD = [0.5, -0.4, 0.3, 0.2, -0.1, 0.6]
QDD = [1.0, 2.0, -1.0, 0.5, 0.3, -2.0]
NAN = float('nan')


def test_forward_kinematics_of_any_frames(robot):
    request = ComputeFK.Request(position=Q, frames=['link_3', 'tool0'], reference_frame='link_1')
    response = robot.checked(ComputeFK, 'compute_fk', request)
    poses = frame_poses(MODEL, Q, ['link_1', 'link_3', 'tool0'])
    for ours, expected in zip(response.poses, np.linalg.inv(poses[0]) @ poses[1:], strict=True):
        assert ours.header.frame_id == 'link_1'
        np.testing.assert_allclose(pose_transform(ours.pose), expected, atol=1e-12)


def test_inverse_kinematics_gives_every_branch_it_finds(robot):
    request = ComputeIK.Request(all_solutions=True, seed=Q)
    request.pose.pose = pose_message(forward_kinematics(MODEL, Q))
    response = robot.checked(ComputeIK, 'compute_ik', request)
    assert list(response.joint_names) == list(MODEL.joint_names)
    assert len(solutions(response)) >= 2
    np.testing.assert_allclose(solutions(response)[0], Q, atol=1e-6)
    assert np.max(response.residuals) < 1e-6
    for solution in solutions(response):
        reached = forward_kinematics(MODEL, solution)
        np.testing.assert_allclose(reached, forward_kinematics(MODEL, Q), atol=1e-5)


def test_inverse_kinematics_in_the_frame_of_a_link(robot):
    request = ComputeIK.Request(seed=Q)
    request.pose.header.frame_id = 'link_1'
    link, tip = frame_poses(MODEL, Q, ['link_1', 'tool0'])
    request.pose.pose = pose_message(np.linalg.inv(link) @ tip)
    solution = solutions(robot.checked(ComputeIK, 'compute_ik', request))[0]
    np.testing.assert_allclose(solution, Q, atol=1e-6)


def test_jacobian(robot):
    response = robot.checked(ComputeJacobian, 'compute_jacobian', ComputeJacobian.Request(position=Q, frame='tip'))
    np.testing.assert_allclose(np.reshape(response.jacobian, (6, 6)), jacobian(MODEL, Q, 'tip'), atol=1e-12)


def test_dynamics(robot):
    torque = robot.checked(ComputeInverseDynamics, 'compute_inverse_dynamics', ComputeInverseDynamics.Request(
        position=Q, velocity=QD, acceleration=QDD)).effort
    np.testing.assert_allclose(torque, inverse_dynamics(MODEL, Q, QD, QDD), atol=1e-10)
    response = robot.checked(ComputeForwardDynamics, 'compute_forward_dynamics', ComputeForwardDynamics.Request(
        joint_names=MODEL.joint_names[::-1], position=Q[::-1], velocity=QD[::-1], effort=torque[::-1]))
    np.testing.assert_allclose(response.acceleration, forward_dynamics(MODEL, Q, QD, torque), atol=1e-9)
    terms = robot.checked(GetDynamicsTerms, 'get_dynamics_terms', GetDynamicsTerms.Request(position=Q, velocity=QD))
    np.testing.assert_allclose(np.reshape(terms.mass_matrix, (6, 6)), mass_matrix(MODEL, Q), atol=1e-12)
    np.testing.assert_allclose(terms.velocity_torque, coriolis_torque(MODEL, Q, QD), atol=1e-12)
    np.testing.assert_allclose(terms.gravity_torque, gravity_torque(MODEL, Q), atol=1e-12)


def test_payload_changes_the_dynamics_and_can_be_removed(robot):
    def gravity():
        request = GetDynamicsTerms.Request(position=Q)
        return np.array(robot.checked(GetDynamicsTerms, 'get_dynamics_terms', request).gravity_torque)

    empty = gravity()
    robot.checked(SetPayload, 'set_payload', SetPayload.Request(mass=2.0))
    np.testing.assert_allclose(gravity(), gravity_torque(MODEL.with_payload(2.0), Q), atol=1e-10)
    robot.checked(SetPayload, 'set_payload', SetPayload.Request(mass=0.0))
    np.testing.assert_allclose(gravity(), empty, atol=1e-12)


def ik_request(**fields):
    request = ComputeIK.Request()
    request.pose.pose.orientation.w = fields.pop('w', 1.0)
    request.pose.header.frame_id = fields.pop('frame', '')
    request.pose.pose.position.x = fields.pop('x', 0.4)
    for name, value in fields.items():
        setattr(request, name, value)
    return request


@pytest.mark.parametrize(('kind', 'service', 'build', 'code', 'words'), [
    (ComputeFK, 'compute_fk', lambda: ComputeFK.Request(position=[0.0] * 5), ErrorCode.BAD_INPUT, 'needs 6 values'),
    (ComputeFK, 'compute_fk', lambda: ComputeFK.Request(position=[0.0] * 5 + [NAN]), ErrorCode.BAD_INPUT, 'is nan'),
    (ComputeFK, 'compute_fk', lambda: ComputeFK.Request(joint_names=['elbow'], position=[0.0]),
     ErrorCode.UNKNOWN_JOINT, "no joint 'elbow'"),
    (ComputeFK, 'compute_fk', lambda: ComputeFK.Request(position=Q, frames=['hand']), ErrorCode.UNKNOWN_FRAME,
     "no frame 'hand'"),
    (ComputeIK, 'compute_ik', lambda: ik_request(w=0.5), ErrorCode.BAD_INPUT, 'length 0.5'),
    (ComputeIK, 'compute_ik', lambda: ik_request(x=NAN), ErrorCode.BAD_INPUT, 'NaN'),
    (ComputeIK, 'compute_ik', lambda: ik_request(frame='mars'), ErrorCode.UNKNOWN_FRAME, "no frame 'mars'"),
    (ComputeIK, 'compute_ik', lambda: ik_request(x=9.0), ErrorCode.UNREACHABLE, 'No joint vector reaches'),
    (ComputeIK, 'compute_ik', lambda: ik_request(seed=[0.0]), ErrorCode.BAD_INPUT, 'seed needs 6 values'),
    (ComputeJacobian, 'compute_jacobian', lambda: ComputeJacobian.Request(position=Q, frame='mars'),
     ErrorCode.UNKNOWN_FRAME, 'base, tip'),
    (ComputeInverseDynamics, 'compute_inverse_dynamics', lambda: ComputeInverseDynamics.Request(
        position=Q, velocity=[1.0]), ErrorCode.BAD_INPUT, 'velocity has 1 values'),
    (SetControlMode, 'set_control_mode', lambda: SetControlMode.Request(mode='magic'), ErrorCode.BAD_INPUT,
     "no control mode 'magic'"),
    (SetPayload, 'set_payload', lambda: SetPayload.Request(mass=-1.0), ErrorCode.BAD_INPUT, 'negative'),
    (SetSpeedScaling, 'set_speed_scaling', lambda: SetSpeedScaling.Request(scaling=2.0), ErrorCode.BAD_INPUT,
     'from 0 to 1'),
    (ApplyDisturbance, 'apply_disturbance', lambda: ApplyDisturbance.Request(
        joint_names=['joint_1'], effort=[NAN], duration=1.0), ErrorCode.BAD_INPUT, 'is nan'),
])
def test_mistakes_get_code_and_sentence(robot, kind, service, build, code, words):
    response = robot.call(kind, service, build())
    assert response.error_code.val == code, response.message
    assert words in response.message


def set_parameter(robot, node, name, value):
    request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
    return robot.call(SetParameters, f'{node}/set_parameters', request).results[0]


def test_parameters_are_described_and_guarded(robot):
    request = DescribeParameters.Request(names=['bandwidth', 'rate'])
    bandwidth, rate = robot.call(DescribeParameters, 'dynamics_node/describe_parameters', request).descriptors
    assert 'rad/s' in bandwidth.description
    assert bandwidth.floating_point_range[0].to_value == 500.0
    assert rate.read_only
    assert not set_parameter(robot, 'dynamics_node', 'bandwidth', 1e6).successful
    assert not set_parameter(robot, 'dynamics_node', 'rate', 100.0).successful
    assert set_parameter(robot, 'dynamics_node', 'bandwidth', 35.0).successful
    assert set_parameter(robot, 'dynamics_node', 'bandwidth', 40.0).successful
