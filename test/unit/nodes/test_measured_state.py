"""Joint states of foreign hardware: more joints, another order, no velocities, no stamps."""

import numpy as np
import pytest
import rclpy
from sensor_msgs.msg import JointState
from support.robots import arm
from support.suite import fresh_domain

from robokin_ros.errors import InputError
from robokin_ros.nodes.measured_state import MeasuredState

MODEL = arm('puma560')
Q = np.arange(6) * 0.1


@pytest.fixture(scope='module')
def node():
    fresh_domain()
    rclpy.init()
    made = rclpy.create_node('listener')
    yield made
    made.destroy_node()
    rclpy.shutdown()


@pytest.fixture
def measured(node):
    return MeasuredState(node, MODEL)


def message(position, velocity=(), names=MODEL.joint_names, stamp=10.0):
    state = JointState(name=list(names), position=list(map(float, position)), velocity=list(map(float, velocity)))
    state.header.stamp.sec, state.header.stamp.nanosec = int(stamp), round(1e9 * (stamp - int(stamp)))
    return state


def test_other_joints_and_another_order(measured):
    names = ['gripper', *MODEL.joint_names[::-1]]
    measured.take(message([9.0, *Q[::-1]], [9.0, *(2 * Q[::-1])], names))
    np.testing.assert_array_equal(measured.position, Q)
    np.testing.assert_array_equal(measured.velocity, 2 * Q)
    assert measured.stamp == 10.0


def test_velocities_are_differentiated(measured):
    for i in range(100):
        measured.take(message(Q + 0.002 * i * 0.5, stamp=10.0 + 0.002 * i))
    np.testing.assert_allclose(measured.velocity, 0.5, rtol=1e-3)
    measured.take(message(Q + 1.0, stamp=20.0))
    assert not measured.velocity.any(), 'a gap must not become a speed'


def test_without_a_stamp_it_is_now(measured, node):
    measured.take(message(Q, Q, stamp=0.0))
    assert measured.stamp == pytest.approx(node.get_clock().now().nanoseconds * 1e-9, abs=5.0)


@pytest.mark.parametrize(('bad', 'words'), [
    (message(Q[:5], names=MODEL.joint_names[:5]), 'lacks joint joint_6'),
    (message(Q[:5]), '5 values of position for 6 joints'),
    (message([*Q[:5], np.nan]), "position of joint 'joint_6' is nan"),
    (message(Q, [np.inf, *Q[1:]]), "velocity of joint 'joint_1' is inf"),
])
def test_unusable_states_change_nothing(measured, bad, words):
    measured.take(message(Q, Q))
    with pytest.raises(InputError, match=words):
        measured.take(bad)
    np.testing.assert_array_equal(measured.position, Q)
