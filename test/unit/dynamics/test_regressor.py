"""Torques as linear in the inertial parameters, against inverse dynamics, Pinocchio and the rank of the matrix."""

import numpy as np
import pinocchio
import pytest
from support.example_robots import ROBOTS, distance, oracle, robot
from support.robots import random_joints
from support.textbook_arms import random_chain

from robokin_ros.dynamics import (
    base_parameters,
    inertial_parameters,
    inverse_dynamics,
    mass_matrix,
    parameter_names,
    regressor,
    with_inertial_parameters,
)
from robokin_ros.errors import InputError
from robokin_ros.model import DhRow, Inertial, RobotModel

CLOSE = 1e-10
GRAVITY = (1.0, -2.0, -9.0)
OURS = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
THEIRS = [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]
"""Entries of the tensor, in the order of the last six parameters."""
every_robot = pytest.mark.parametrize('name', ROBOTS)


def motion(model, count, seed):
    generator = np.random.default_rng(seed)
    q = random_joints(model, count, seed)
    return q, generator.uniform(-2.0, 2.0, q.shape), generator.uniform(-5.0, 5.0, q.shape)


def in_link_axes(rotation):
    """Takes ten parameters in body axes to theirs in axes of the link; `rotation`: of the link in the body."""
    matrix = np.zeros((10, 10))
    matrix[0, 0] = 1.0
    matrix[1:4, 1:4] = rotation.T
    for column, (i, k) in enumerate(OURS, 4):
        tensor = np.zeros((3, 3))
        tensor[i, k] = tensor[k, i] = 1.0
        turned = rotation.T @ tensor @ rotation
        matrix[4:, column] = [turned[entry] for entry in THEIRS]
    return matrix


@every_robot
def test_regressor_against_pinocchio(name):
    model, theirs = robot(name), oracle(name)
    rows = motion(model, 4, 21)
    found = regressor(model, *rows, gravity=GRAVITY)
    theirs.model.gravity.linear = np.array(GRAVITY)
    for i, (q, qd, qdd) in enumerate(zip(*rows, strict=True)):
        whole = pinocchio.computeJointTorqueRegressor(theirs.model, theirs.data, theirs.configuration(q),
                                                      theirs.spread @ qd, theirs.spread @ qdd)
        expected = []
        for link in model.body_names:
            joint = theirs.model.frames[theirs.model.getFrameId(link, pinocchio.BODY)].parentJoint
            block = theirs.spread.T @ whole[:, 10 * (joint - 1):10 * joint]
            expected.append(block @ in_link_axes(model.frame_placement(link)[1][:3, :3]))
        assert distance(found[i], np.concatenate(expected, axis=1)) <= CLOSE
        assert distance(regressor(model, q, qd, qdd, gravity=GRAVITY), found[i]) <= 1e-14
    theirs.model.gravity.linear = np.array([0.0, 0.0, -9.81])


@every_robot
def test_parameters_give_the_torques(name):
    """And with the rotors all of them."""
    model = robot(name)
    q, qd, qdd = motion(model, 50, 22)
    torque = regressor(model, q, qd, qdd) @ inertial_parameters(model) + model.rotor_inertia * qdd
    expected = inverse_dynamics(model, q, qd, qdd)
    assert all(distance(torque[row], expected[row]) <= CLOSE for row in range(50))
    assert len(parameter_names(model)) == 10 * len(model.topology)


@every_robot
def test_parameters_against_pinocchio(name):
    """Theirs are of the link that the joint carries, with all that is fixed to it."""
    model, theirs = robot(name), oracle(name)
    for link, ours in zip(model.body_names, inertial_parameters(model).reshape(-1, 10), strict=True):
        joint = theirs.model.frames[theirs.model.getFrameId(link, pinocchio.BODY)].parentJoint
        expected = theirs.model.inertias[joint].toDynamicParameters()
        found = in_link_axes(model.frame_placement(link)[1][:3, :3]) @ ours
        assert distance(found, expected, 1e-9) <= CLOSE, link


@pytest.mark.parametrize('name', ['puma560', 'panda_description/urdf/panda', 'talos_data/robots/talos_reduced'])
def test_parameters_make_the_model_again(name):
    model = robot(name)
    parameters = inertial_parameters(model)
    again = with_inertial_parameters(model, parameters)
    q = random_joints(model, 3, 23)
    assert distance(mass_matrix(again, q), mass_matrix(model, q)) <= 1e-12
    changed = with_inertial_parameters(model, 1.25 * parameters)
    expected = 1.25 * (mass_matrix(model, q) - np.diag(model.rotor_inertia)) + np.diag(model.rotor_inertia)
    assert distance(mass_matrix(changed, q), expected) <= 1e-12
    np.testing.assert_allclose(inertial_parameters(changed), 1.25 * parameters, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(('entry', 'value'), [(0, -1.0), (0, 0.0), (3, np.nan)])
def test_impossible_parameters_are_refused(entry, value):
    parameters = inertial_parameters(robot('puma560')).copy()
    parameters[entry] = value
    with pytest.raises(InputError, match='parameters|mass'):
        with_inertial_parameters(robot('puma560'), parameters)


def rank(model, gravity):
    """Of the equations of many motions, by singular values; columns scaled, a clear gap required."""
    stacked = regressor(model, *motion(model, 20 * len(model.topology) + 20, 24), gravity=gravity).reshape(
        -1, 10 * len(model.topology))
    size = np.linalg.norm(stacked, axis=0)
    kept = size > 1e-9 * size.max()
    values = np.linalg.svd(np.linalg.qr(stacked[:, kept] / size[kept], mode='r'), compute_uv=False)
    small = values < 1e-8 * values[0]
    assert not np.any((values > 1e-12 * values[0]) & small)
    return int(np.sum(~small))


COUNTED = ['puma560', 'scara', 'arm7', 'two_link_pendulum', 'ur_description/urdf/ur5_robot',
           'panda_description/urdf/panda', 'solo_description/robots/solo12', 'tiago_description/robots/tiago_no_hand',
           'baxter_description/urdf/baxter']


@pytest.mark.parametrize('gravity', [(0.0, 0.0, -9.81), (0.0, 0.0, 0.0), GRAVITY])
@pytest.mark.parametrize('name', COUNTED)
def test_number_of_base_parameters_is_the_rank(name, gravity):
    """And they explain every torque, of motions that they were not found with."""
    model = robot(name)
    base = base_parameters(model, gravity)
    assert len(base.columns) == len(base.names) == rank(model, gravity)
    q, qd, qdd = motion(model, 20, 25)
    matrix = regressor(model, q, qd, qdd, gravity)
    torque = matrix[..., base.columns] @ (base.combination @ inertial_parameters(model))
    expected = inverse_dynamics(model, q, qd, qdd, gravity) - model.rotor_inertia * qdd
    assert all(distance(torque[row], expected[row]) <= 1e-8 for row in range(20))


def test_base_parameters_of_the_puma():
    """The 36 of the literature (Khalil 1990, Mayeda 1990), with the first axis upright."""
    assert len(base_parameters(robot('puma560')).columns) == 36
    tilted = base_parameters(robot('puma560'), GRAVITY)
    assert len(tilted.columns) == 38  # then the first link's m cx and m cy have a weight


@pytest.mark.parametrize('number', [1, 2, 3, 6])
def test_base_parameters_of_general_arms(number):
    """Mayeda: 7 n - 6 of n revolute joints with the first axis along gravity, 2 more if it is not; none parallel."""
    generator = np.random.default_rng(26)
    rows = [DhRow(*generator.uniform(0.3, 1.2, 4), inertial=Inertial(1.0, generator.uniform(-0.2, 0.2, 3),
                                                                     np.diag([0.02, 0.03, 0.04])))
            for _ in range(number)]
    rows[0] = DhRow(0.0, 0.0, 0.1, 0.0, inertial=rows[0].inertial)
    model = RobotModel.from_dh(rows)
    upright = base_parameters(model, (0.0, 0.0, -9.81))
    tilted = base_parameters(model, GRAVITY)
    assert (len(upright.columns), len(tilted.columns)) == (7 * number - 6, 7 * number - 4)
    assert len(tilted.columns) == rank(model, GRAVITY)


def test_base_parameters_of_sliding_joints():
    model = random_chain(np.random.default_rng(3), 9)
    assert 0 < np.sum(model.topology[:, 1]) < 9
    assert len(base_parameters(model, GRAVITY).columns) == rank(model, GRAVITY)
