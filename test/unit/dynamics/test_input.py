"""What dynamics refuses, and how payloads enter."""

import numpy as np
import pytest
from support.robots import arm

from robokin_ros.dynamics import forward_dynamics, gravity_torque, inverse_dynamics, mass_matrix
from robokin_ros.errors import InputError, NoDynamicsError
from robokin_ros.model import RobotModel

BARE = """<robot name="bare"><link name="base"/><link name="arm"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""
ZERO = np.zeros(6)


@pytest.mark.parametrize('call', [
    lambda m: inverse_dynamics(m, [0.0], [0.0], [0.0]), lambda m: forward_dynamics(m, [0.0], [0.0], [0.0]),
    lambda m: mass_matrix(m, [0.0]), lambda m: gravity_torque(m, [0.0])])
def test_a_model_without_inertials_refuses_and_names_the_link(call):
    with pytest.raises(NoDynamicsError, match=r"link 'arm' \(joint 'turn'\) has no <inertial> data"):
        call(RobotModel.from_urdf(BARE))


@pytest.mark.parametrize(('field', 'arguments'), [
    ('qd', (ZERO, [0, 0, np.nan, 0, 0, 0], ZERO)), ('qdd', (ZERO, ZERO, [0, 0, np.inf, 0, 0, 0]))])
def test_non_finite_input_is_named(field, arguments):
    with pytest.raises(InputError, match=f"{field} of joint 'joint_3'"):
        inverse_dynamics(arm('puma560'), *arguments)


def test_batches_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match='do not fit together'):
        inverse_dynamics(arm('puma560'), np.zeros((2, 6)), np.zeros((3, 6)), ZERO)


def test_payload_weighs_on_the_joints():
    model = arm('puma560')
    q = np.array([0.3, -0.5, 0.2, 0.1, 0.4, 0.0])
    mass, center = 2.5, np.array([0.02, -0.01, 0.1])
    loaded = model.with_payload(mass, center)
    from robokin_ros.kinematics import forward_kinematics, jacobian
    rotation = forward_kinematics(model, q)[:3, :3]
    weight = rotation.T @ np.array([0.0, 0.0, mass * 9.81])  # the hand pushes the payload up
    wrench = np.concatenate((weight, np.cross(center, weight)))
    expected = gravity_torque(model, q) + jacobian(model, q, 'tip').T @ wrench
    np.testing.assert_allclose(gravity_torque(loaded, q), expected, atol=1e-10)


@pytest.mark.parametrize(('mass', 'inertia', 'words'), [
    (-1.0, None, 'negative'), (np.nan, None, 'not finite'),
    (1.0, np.diag([1.0, 0.1, 0.1]), 'triangle inequality'), ('a', None, 'described by numbers'),
    (1.0, np.array([[1.0, 0.4, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), 'not symmetric'),
    (0.0, np.eye(3), 'inertia without mass')])
def test_impossible_payloads_are_refused(mass, inertia, words):
    with pytest.raises(InputError, match=words):
        arm('puma560').with_payload(mass, inertia=inertia)


@pytest.mark.parametrize('options', [{'gravity': 'abc'}, {'gravity': (0, 0)}, {'tip_wrench': 'abc'}])
def test_bad_vectors_are_named(options):
    with pytest.raises(InputError, match=next(iter(options))):
        inverse_dynamics(arm('puma560'), ZERO, ZERO, ZERO, **options)
