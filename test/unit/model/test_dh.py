"""Denavit-Hartenberg tables."""

import numpy as np
import pytest
from support.robots import arm, random_joints

from robokin_ros.errors import InputError
from robokin_ros.kinematics import forward_kinematics
from robokin_ros.model import DhRow, RobotModel

PUMA = [(0, 0, 0, 0), (-np.pi / 2, 0, 0, 0), (0, 0.425, 0.1225, 0), (-np.pi / 2, 0.02, 0.425, 0), (np.pi / 2, 0, 0, 0),
        (-np.pi / 2, 0, 0, 0)]


def test_the_shipped_puma_is_the_textbooks_table():
    table = RobotModel.from_dh(PUMA)
    joints = random_joints(arm('puma560'), 50, seed=20)
    np.testing.assert_allclose(forward_kinematics(table, joints), forward_kinematics(arm('puma560'), joints),
                               atol=1e-12)


def test_standard_convention():
    """A standard table (theta d a alpha per link) of the same PUMA."""
    rows = [(-np.pi / 2, 0, 0, 0), (0, 0.425, 0.1225, 0), (-np.pi / 2, 0.02, 0, 0), (np.pi / 2, 0, 0.425, 0),
            (-np.pi / 2, 0, 0, 0), (0, 0, 0, 0)]
    q = np.array([0.3, -0.7, 0.4, 0.2, 0.9, -0.5])
    np.testing.assert_allclose(forward_kinematics(RobotModel.from_dh(rows, 'standard'), q),
                               forward_kinematics(RobotModel.from_dh(PUMA), q), atol=1e-12)


def test_prismatic_joint_slides_along_z():
    model = RobotModel.from_dh([DhRow(alpha=np.pi / 2, type='prismatic', lower=0.0, upper=1.0)])
    np.testing.assert_allclose(forward_kinematics(model, [0.4])[:3, 3], [0.0, -0.4, 0.0], atol=1e-15)


def test_tool_and_names():
    tool = np.eye(4)
    tool[:3, 3] = 0.0, 0.0, 0.1
    model = RobotModel.from_dh([(0, 0, 0, 0)], joint_names=['waist'], tool=tool)
    assert model.joint_names == ('waist',)
    np.testing.assert_allclose(forward_kinematics(model, [1.0])[:3, 3], [0.0, 0.0, 0.1])


@pytest.mark.parametrize(('rows', 'options', 'words'), [
    ([(0, 0, 0)], {}, 'DH row 1 needs alpha, a, d, theta'), ([(0, np.nan, 0, 0)], {}, 'NaN'),
    ([(0, 0, 0, 0)], {'convention': 'craig'}, "'modified' or 'standard'"),
    ([DhRow(type='ball')], {}, "type 'ball'"), ([DhRow(lower=1, upper=0)], {}, 'above upper'),
    ([(0, 0, 0, 0)], {'joint_names': ['a', 'b']}, 'as many joint names'),
    ([['a', 'b', 'c', 'd']], {}, 'no row of numbers'), (None, {}, 'sequence of rows'), ([0, 1], {}, 'sequence of rows'),
    ([DhRow('x')], {}, 'no row of numbers'), ([DhRow(velocity=-1)], {}, 'must be positive'),
    ([(0, 0, 0, 0)], {'tool': np.eye(3)}, '4x4'), ([(0, 0, 0, 0)], {'tool': 3 * np.eye(4)}, 'last row|not a rotation')])
def test_bad_tables_are_refused(rows, options, words):
    with pytest.raises(InputError, match=words):
        RobotModel.from_dh(rows, **options)
