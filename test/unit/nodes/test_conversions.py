"""Between messages and arrays."""

import numpy as np
import pytest
from geometry_msgs.msg import Pose
from hypothesis import given
from hypothesis import strategies as st
from robokin_interfaces.msg import ErrorCode
from scipy.spatial.transform import Rotation
from support.robots import arm

from robokin_ros.errors import InputError, LimitError, ModelError, NoDynamicsError, UnknownNameError
from robokin_ros.nodes.conversions import (
    JointOrder,
    duration_message,
    error_code,
    pose_message,
    pose_transform,
    seconds,
)
from robokin_ros.spatial import make_transform


@given(st.integers(0, 2**31))
def test_poses_survive_the_round_trip(seed):
    generator = np.random.default_rng(seed)
    transform = make_transform(Rotation.random(rng=generator).as_matrix(), generator.uniform(-2, 2, 3))
    np.testing.assert_allclose(pose_transform(pose_message(transform)), transform, atol=1e-12)


@pytest.mark.parametrize(('quaternion', 'words'), [((0, 0, 0, 0), 'length 0'), ((0, 0, 0, 2), 'length 2'),
                                                   ((0, 0, 0, float('nan')), 'NaN')])
def test_bad_orientations(quaternion, words):
    pose = Pose()
    o = pose.orientation
    o.x, o.y, o.z, o.w = map(float, quaternion)
    with pytest.raises(InputError, match=words):
        pose_transform(pose)


@given(st.floats(0.0, 1e6))
def test_durations(value):
    assert seconds(duration_message(value)) == pytest.approx(value, abs=2e-9)


def test_joints_by_name():
    order = JointOrder(arm('puma560'))
    names = ['joint_3', 'joint_1', 'joint_2', 'joint_6', 'joint_5', 'joint_4']
    assert order.vector(names, [3, 1, 2, 6, 5, 4], 'position').tolist() == [1, 2, 3, 4, 5, 6]
    assert order.vector([], [1, 2, 3, 4, 5, 6], 'position').tolist() == [1, 2, 3, 4, 5, 6]
    missing = np.zeros(6)
    assert order.vector([], [], 'velocity', missing) is missing


@pytest.mark.parametrize(('names', 'values', 'kind', 'words'), [
    (['elbow'], [0.0], UnknownNameError, "no joint 'elbow'; known: joint_1"),
    (['joint_1', 'joint_1'], [0.0, 0.0], InputError, 'named twice'),
    (['joint_1'], [0.0], InputError, 'lacks joint joint_2, joint_3'),
    (['joint_1'], [0.0, 0.0], InputError, '2 values for 1 joint names'),
    ([], [0.0] * 5, InputError, 'needs 6 values'),
])
def test_bad_joint_names(names, values, kind, words):
    with pytest.raises(kind) as caught:
        JointOrder(arm('puma560')).vector(names, values, 'position')
    assert words in str(caught.value)


@pytest.mark.parametrize(('error', 'code'), [
    (UnknownNameError('joint', 'x', ()), ErrorCode.UNKNOWN_JOINT),
    (UnknownNameError('frame', 'x', ()), ErrorCode.UNKNOWN_FRAME),
    (NoDynamicsError('x'), ErrorCode.NO_DYNAMICS), (LimitError('x'), ErrorCode.GOAL_REFUSED),
    (InputError('x'), ErrorCode.BAD_INPUT), (ModelError('x'), ErrorCode.BAD_INPUT)])
def test_codes_on_the_wire(error, code):
    assert error_code(error) == code
