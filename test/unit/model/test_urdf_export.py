"""Models written as URDF and read again: the same arm (KIN-16)."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.pinocchio_oracle import PinocchioArm
from support.random_arms import small_chain
from support.robots import random_joints
from support.solutions import table_pose

from robokin_ros.dynamics import inverse_dynamics
from robokin_ros.kinematics import forward_kinematics, frame_poses
from robokin_ros.model import DhRow, RobotModel, dh_arm, dh_arm_names, robot_description


@pytest.mark.parametrize('name', dh_arm_names())
def test_textbook_arms_survive_the_round_trip(name):
    model = dh_arm(name)
    again = RobotModel.from_urdf(model.urdf, tip='tip')
    assert again.joint_names == model.joint_names
    assert again.joint_types == model.joint_types
    assert again.frame_names == model.frame_names
    assert again.warnings == ()
    for field in ('lower', 'upper', 'velocity_limit', 'effort_limit'):
        np.testing.assert_allclose(getattr(again, field), getattr(model, field), atol=1e-12, err_msg=field)
    joints = random_joints(model, 20, seed=100)
    np.testing.assert_allclose(forward_kinematics(again, joints), forward_kinematics(model, joints), atol=1e-9)
    for q in joints[:3]:
        np.testing.assert_allclose(frame_poses(again, q), frame_poses(model, q), atol=1e-9)
    assert robot_description(name) == model.urdf


@pytest.mark.parametrize('name', dh_arm_names())
def test_others_read_the_same_arm(name):
    """Pinocchio, which reads URDF itself."""
    model = dh_arm(name)
    oracle = PinocchioArm(model)
    for q in random_joints(model, 5, seed=101):
        np.testing.assert_allclose(oracle.pose(q, 'tip'), forward_kinematics(model, q), atol=1e-9)
        qd, qdd = np.random.default_rng(102).normal(size=(2, model.dof))
        np.testing.assert_allclose(oracle.inverse_dynamics(q, qd, qdd), inverse_dynamics(model, q, qd, qdd), atol=1e-8)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(number=st.integers(1, 7), seed=st.integers(0, 2**31))
def test_random_chains_survive_the_round_trip(number, seed):
    generator = np.random.default_rng(seed)
    made = small_chain(generator, number)
    again = RobotModel.from_urdf(made.model.urdf, tip='tip')
    for q in made.joints(generator, 3):
        np.testing.assert_allclose(forward_kinematics(again, q), table_pose(made.table, q, made.slides), atol=1e-9)


def test_joints_are_written_as_the_specification_says():
    """Origin (a, -d sin alpha, d cos alpha), rpy (alpha, 0, 0) and axis z of a revolute joint without offset."""
    rows = [DhRow(alpha=0.3, a=0.5, d=0.2), DhRow(alpha=-1.1, a=0.1, d=0.4, type='prismatic', theta=0.0)]
    root = ElementTree.fromstring(RobotModel.from_dh(rows).urdf)
    for row, joint in zip(rows, root.findall('joint'), strict=False):
        origin = joint.find('origin')
        xyz, rpy = (np.array(origin.get(name).split(), dtype=float) for name in ('xyz', 'rpy'))
        np.testing.assert_allclose(xyz, (row.a, -row.d * np.sin(row.alpha), row.d * np.cos(row.alpha)), atol=1e-12)
        np.testing.assert_allclose(rpy, (row.alpha, 0.0, 0.0), atol=1e-12)
        assert np.array(joint.find('axis').get('xyz').split(), dtype=float).tolist() == [0.0, 0.0, 1.0]
        assert joint.get('type') == ('continuous' if row.type == 'revolute' else 'prismatic')


def test_limits_and_endless_joints_are_kept():
    rows = [DhRow(), DhRow(lower=-0.4, upper=1.2, velocity=2.0, effort=30.0),
            DhRow(type='prismatic', lower=0.0, upper=0.7, velocity=0.5, effort=100.0), DhRow(type='prismatic')]
    again = RobotModel.from_urdf(RobotModel.from_dh(rows).urdf, tip='tip')
    assert again.joint_types[1:3] == ('revolute', 'prismatic')
    np.testing.assert_allclose(again.lower[:3], [-np.inf, -0.4, 0.0])
    np.testing.assert_allclose(again.upper[:3], [np.inf, 1.2, 0.7])
    np.testing.assert_allclose(again.velocity_limit[1:3], [2.0, 0.5])
    np.testing.assert_allclose(again.effort_limit[1:3], [30.0, 100.0])
    assert np.isinf(again.velocity_limit[0])
    assert again.upper[3] >= 1e6


def test_shapes_and_masses_are_kept():
    model = dh_arm('puma560_dh')
    again = RobotModel.from_urdf(model.urdf, tip='tip')
    np.testing.assert_allclose(again.constants, model.constants, atol=1e-12)
    for link, shapes in model.visuals.items():
        assert [shape.kind for shape in again.visuals[link]] == [shape.kind for shape in shapes]
        for ours, theirs in zip(shapes, again.visuals[link], strict=True):
            np.testing.assert_allclose(theirs.size, ours.size, atol=1e-12)
            np.testing.assert_allclose(theirs.origin, ours.origin, atol=1e-12)
