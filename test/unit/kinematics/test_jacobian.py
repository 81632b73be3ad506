"""The Jacobian against Pinocchio and against finite differences of forward kinematics."""

import numpy as np
import pytest
from support.pinocchio_oracle import PinocchioArm
from support.robots import OWN_ARMS, REAL_ARMS, arm, random_joints

from robokin_ros.errors import UnknownNameError
from robokin_ros.kinematics import forward_kinematics, jacobian, manipulability
from robokin_ros.spatial import rotation_vector


@pytest.mark.parametrize('frame', ['base', 'tip'])
@pytest.mark.parametrize('name', [*OWN_ARMS, *REAL_ARMS])
def test_agrees_with_pinocchio(name, frame):
    model = arm(name)
    oracle = PinocchioArm(model)
    joints = random_joints(model, 20, seed=4)
    batch = jacobian(model, joints, frame)
    for q, ours in zip(joints, batch, strict=True):
        np.testing.assert_allclose(ours, oracle.jacobian(q, model.tip, frame == 'tip'), atol=1e-12)
        np.testing.assert_allclose(ours, jacobian(model, q, frame), atol=1e-14)


def test_is_the_derivative_of_the_pose():
    model, step = arm('arm7'), 1e-6
    q = random_joints(model, 1, seed=5)[0]
    for column in range(model.dof):
        delta = step * np.eye(model.dof)[column]
        before, after = forward_kinematics(model, q - delta), forward_kinematics(model, q + delta)
        twist = np.concatenate((after[:3, 3] - before[:3, 3], rotation_vector(after[:3, :3] @ before[:3, :3].T)))
        np.testing.assert_allclose(jacobian(model, q)[:, column], twist / (2.0 * step), atol=1e-8)


def test_manipulability_vanishes_with_the_wrist_straight():
    model = arm('puma560')
    bent, straight = np.array([0.1, -0.5, 0.3, 0.2, 0.7, 0.1]), np.array([0.1, -0.5, 0.3, 0.2, 0.0, 0.1])
    assert manipulability(jacobian(model, bent)) > 1e-2
    assert manipulability(jacobian(model, straight)) < 1e-12


def test_unknown_frame_is_refused():
    with pytest.raises(UnknownNameError, match='base, tip'):
        jacobian(arm('puma560'), np.zeros(6), 'world')
