"""The services of dynamics_node: batches, wrenches on links, friction, Cartesian terms, and every mistake."""

import numpy as np
import pytest
from robokin_interfaces.msg import ErrorCode, LinkWrench
from robokin_interfaces.srv import ComputeForwardDynamics, ComputeInverseDynamics, GetDynamicsTerms, SetPayload
from support.robots import arm, random_joints

from robokin_ros.dynamics import (
    Friction,
    cartesian_dynamics,
    forward_dynamics,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    potential_energy,
)

MODEL = arm('puma560')
Q = random_joints(MODEL, 50, 4)
QD, QDD = np.random.default_rng(5).uniform(-1.0, 1.0, (2, 50, 6))
NAN = float('nan')
FRICTION = Friction.of_model(MODEL).torque(QD)


def load(link, *values):
    message = LinkWrench(link=link)
    (message.wrench.force.x, message.wrench.force.y, message.wrench.force.z, message.wrench.torque.x,
     message.wrench.torque.y, message.wrench.torque.z) = values
    return message


def inverse(**fields):
    return ComputeInverseDynamics.Request(**{name: np.ravel(value).tolist() for name, value in fields.items()})


def test_a_batch_in_any_order_of_joints(robot):
    request = inverse(position=Q[:, ::-1], velocity=QD[:, ::-1], acceleration=QDD[:, ::-1])
    request.joint_names = list(MODEL.joint_names[::-1])
    answer = robot.checked(ComputeInverseDynamics, 'compute_inverse_dynamics', request)
    expected = inverse_dynamics(MODEL, Q, QD, QDD)
    np.testing.assert_allclose(np.reshape(answer.effort, (50, 6)), expected, rtol=1e-10, atol=1e-10)
    back = robot.checked(ComputeForwardDynamics, 'compute_forward_dynamics', ComputeForwardDynamics.Request(
        position=Q.ravel().tolist(), velocity=QD.ravel().tolist(), effort=answer.effort))
    np.testing.assert_allclose(np.reshape(back.acceleration, (50, 6)), QDD, atol=1e-7)


def test_wrenches_and_friction(robot):
    request = inverse(position=Q[0], velocity=QD[0], acceleration=QDD[0])
    request.external_wrenches = [load('link_3', 1.0, -2.0, 3.0, 0.1, 0.2, -0.3), load('link_3', 0.0, 1.0, 0, 0, 0, 0)]
    request.with_friction = True
    request.tip_wrench.force.z = 5.0
    answer = robot.checked(ComputeInverseDynamics, 'compute_inverse_dynamics', request)
    wrenches = {'link_3': [1.0, -1.0, 3.0, 0.1, 0.2, -0.3]}
    expected = inverse_dynamics(MODEL, Q[0], QD[0], QDD[0], tip_wrench=[0, 0, 5.0, 0, 0, 0], external_wrenches=wrenches)
    np.testing.assert_allclose(answer.effort, expected + FRICTION[0], rtol=1e-10, atol=1e-10)
    forward = ComputeForwardDynamics.Request(position=Q[0].tolist(), velocity=QD[0].tolist(), effort=answer.effort,
                                             external_wrenches=request.external_wrenches, with_friction=True,
                                             tip_wrench=request.tip_wrench)
    found = robot.checked(ComputeForwardDynamics, 'compute_forward_dynamics', forward).acceleration
    np.testing.assert_allclose(found, QDD[0], atol=1e-8)
    np.testing.assert_allclose(forward_dynamics(MODEL, Q[0], QD[0], expected, tip_wrench=[0, 0, 5.0, 0, 0, 0],
                                                external_wrenches=wrenches), QDD[0], atol=1e-8)


@pytest.mark.parametrize('frame', ['', 'tip'])
def test_terms_at_the_tip(robot, frame):
    request = GetDynamicsTerms.Request(position=Q[1].tolist(), velocity=QD[1].tolist(), frame=frame)
    terms = robot.checked(GetDynamicsTerms, 'get_dynamics_terms', request)
    expected = cartesian_dynamics(MODEL, Q[1], QD[1], frame=frame or 'base')
    assert list(terms.regular) == [expected.regular]
    np.testing.assert_allclose(np.reshape(terms.cartesian_mass, (6, 6)), expected.mass, rtol=1e-9)
    np.testing.assert_allclose(terms.cartesian_velocity, expected.velocity, rtol=1e-9)
    np.testing.assert_allclose(terms.cartesian_gravity, expected.gravity, rtol=1e-9)
    np.testing.assert_allclose(terms.friction_torque, FRICTION[1], rtol=1e-12)
    np.testing.assert_allclose(terms.cartesian_friction, expected.force_of(FRICTION[1]), rtol=1e-9)
    assert terms.kinetic_energy[0] == pytest.approx(float(kinetic_energy(MODEL, Q[1], QD[1])), rel=1e-12)
    assert terms.potential_energy[0] == pytest.approx(float(potential_energy(MODEL, Q[1])), rel=1e-12)


def test_terms_of_a_batch_in_some_rows(robot):
    request = GetDynamicsTerms.Request(position=Q.ravel().tolist(), velocity=QD.ravel().tolist(), rows=[0, 2])
    terms = robot.checked(GetDynamicsTerms, 'get_dynamics_terms', request)
    np.testing.assert_allclose(np.reshape(terms.mass_matrix, (50, 6, 6)), mass_matrix(MODEL, Q), rtol=1e-9, atol=1e-12)
    expected = [cartesian_dynamics(MODEL, q, qd, rows=[0, 2]).mass for q, qd in zip(Q, QD, strict=True)]
    np.testing.assert_allclose(np.reshape(terms.cartesian_mass, (50, 2, 2)), expected, rtol=1e-9)


def test_a_payload_that_cannot_be_or_can_hardly_be_held(robot):
    refused = robot.call(SetPayload, 'set_payload', SetPayload.Request(mass=1e308))
    assert refused.error_code.val == ErrorCode.BAD_INPUT
    assert 'not finite' in refused.message
    try:
        assert 'limit is' in robot.checked(SetPayload, 'set_payload', SetPayload.Request(mass=500.0)).message
    finally:
        robot.checked(SetPayload, 'set_payload', SetPayload.Request(mass=0.0))


def test_a_singular_arm_is_flagged(robot):
    terms = robot.checked(GetDynamicsTerms, 'get_dynamics_terms', GetDynamicsTerms.Request(position=[0.0] * 6))
    assert list(terms.regular) == [False]
    assert np.all(np.isfinite(terms.cartesian_mass))


@pytest.mark.parametrize(('request_', 'code', 'words'), [
    (inverse(position=Q[0][:5]), ErrorCode.BAD_INPUT, 'position has 5 values; 6'),
    (inverse(position=[]), ErrorCode.BAD_INPUT, 'position has 0 values'),
    (inverse(position=Q, velocity=QD[0]), ErrorCode.BAD_INPUT, 'velocity has 6 values, position 300'),
    (inverse(position=[NAN] * 6), ErrorCode.BAD_INPUT, "joint 'joint_1'"),
    (inverse(position=np.zeros(6 * 100_001)), ErrorCode.BAD_INPUT, 'at most 100000 states'),
    (inverse(position=Q[0], velocity=[1e200] * 6), ErrorCode.BAD_INPUT, 'too large'),
    (ComputeInverseDynamics.Request(position=[0.0] * 6, external_wrenches=[load('nowhere', 1.0, 0, 0, 0, 0, 0)]),
     ErrorCode.UNKNOWN_FRAME, 'nowhere'),
    (ComputeInverseDynamics.Request(position=[0.0] * 6, external_wrenches=[load('link_2', NAN, 0, 0, 0, 0, 0)]),
     ErrorCode.BAD_INPUT, 'link_2'),
    (ComputeInverseDynamics.Request(position=[0.0] * 6, joint_names=['joint_1']), ErrorCode.BAD_INPUT, 'lacks joint'),
], ids=lambda value: value if isinstance(value, str) else None)
def test_mistakes(robot, request_, code, words):
    answer = robot.call(ComputeInverseDynamics, 'compute_inverse_dynamics', request_)
    assert answer.error_code.val == code
    assert words in answer.message
    assert len(answer.effort) == 0


def test_mistakes_in_a_request_for_terms(robot):
    for request, words in ((GetDynamicsTerms.Request(position=[0.0] * 6 * 1001), 'at most 1000 states'),
                           (GetDynamicsTerms.Request(position=[0.0] * 6, rows=[7]), '[7]'),
                           (GetDynamicsTerms.Request(position=[0.0] * 6, frame='moon'), "'moon'")):
        answer = robot.call(GetDynamicsTerms, 'get_dynamics_terms', request)
        assert answer.error_code.val == ErrorCode.BAD_INPUT
        assert words in answer.message
