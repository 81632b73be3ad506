"""A payload is a link at the tip."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.example_robots import distance, robot
from support.robots import random_joints

from robokin_ros.dynamics import forward_dynamics, gravity_torque, inverse_dynamics, mass_matrix
from robokin_ros.model import RobotModel

NAMES = ('puma560', 'arm7', 'scara', 'ur_description/urdf/ur5_robot', 'panda_description/urdf/panda',
         'talos_data/robots/talos_reduced')
LINK = """<link name="the_payload"><inertial><origin xyz="{xyz}" rpy="{rpy}"/><mass value="{mass}"/>
  <inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="grasp" type="fixed"><parent link="{tip}"/><child link="the_payload"/></joint></robot>"""
MASS, CENTER, TURN, MOMENTS = 3.25, (0.03, -0.12, 0.2), (0.3, -0.7, 1.9), (0.04, 0.05, 0.03)
named = pytest.mark.parametrize('name', NAMES)


def with_link(model, mass, moments):
    """The same robot with one link more in its description."""
    text = model.urdf.rstrip()
    assert text.endswith('</robot>')
    link = LINK.format(xyz=' '.join(map(str, CENTER)), rpy=' '.join(map(str, TURN)), mass=mass, tip=model.tip,
                       xx=moments[0], yy=moments[1], zz=moments[2])
    return RobotModel.from_urdf(text.removesuffix('</robot>') + link)


def tensor():
    turn = Rotation.from_euler('xyz', TURN).as_matrix()
    whole = turn @ np.diag(MOMENTS) @ turn.T
    return 0.5 * (whole + whole.T)


def motion(model):
    generator = np.random.default_rng(31)
    q = random_joints(model, 43, 31)
    return q, generator.uniform(-2.0, 2.0, q.shape), generator.uniform(-5.0, 5.0, q.shape)


@pytest.mark.parametrize('point', [True, False])
@named
def test_a_payload_is_a_link_more(name, point):
    model = robot(name)
    carrying = model.with_payload(MASS, CENTER, None if point else tensor())
    longer = with_link(model, MASS, (0.0, 0.0, 0.0) if point else MOMENTS)
    assert longer.joint_names == model.joint_names
    q, qd, qdd = motion(model)
    assert distance(mass_matrix(carrying, q), mass_matrix(longer, q)) < 1e-12
    assert distance(gravity_torque(carrying, q), gravity_torque(longer, q)) < 1e-12
    torque = inverse_dynamics(longer, q, qd, qdd)
    assert distance(inverse_dynamics(carrying, q, qd, qdd), torque) < 1e-12
    assert distance(forward_dynamics(carrying, q, qd, torque), qdd) < 1e-9
    assert distance(inverse_dynamics(model, q, qd, qdd), torque) > 1e-3


@named
def test_no_payload_changes_nothing(name):
    """To the last bit, in the model and in what it computes."""
    model = robot(name)
    empty = model.with_payload(0.0, CENTER)
    np.testing.assert_array_equal(empty.constants, model.constants)
    row = tuple(rows[0] for rows in motion(model))
    np.testing.assert_array_equal(inverse_dynamics(empty, *row), inverse_dynamics(model, *row))


@named
def test_a_payload_leaves_the_model_alone(name):
    """The one it was put on keeps its numbers, also where calls are bound to it."""
    model = robot(name)
    row = tuple(rows[0] for rows in motion(model))
    before, constants = inverse_dynamics(model, *row), model.constants.copy()
    loaded = model.with_payload(MASS, CENTER, tensor())
    assert distance(inverse_dynamics(loaded, *row), before) > 1e-3
    np.testing.assert_array_equal(inverse_dynamics(model, *row), before)
    np.testing.assert_array_equal(model.constants, constants)


def test_payloads_add_up():
    model = robot('puma560')
    q, qd, qdd = motion(model)
    twice = model.with_payload(1.0, CENTER).with_payload(2.0, (0.1, 0.0, 0.0))
    extra = sum(inverse_dynamics(model.with_payload(mass, center), q, qd, qdd) - inverse_dynamics(model, q, qd, qdd)
                for mass, center in ((1.0, CENTER), (2.0, (0.1, 0.0, 0.0))))
    assert distance(inverse_dynamics(twice, q, qd, qdd), inverse_dynamics(model, q, qd, qdd) + extra) < 1e-12
