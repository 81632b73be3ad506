"""What stops the arm: dead nodes, bad and stale commands, the emergency stop. Real processes, real faults."""

import time

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from robokin_interfaces.msg import HardwareState
from sensor_msgs.msg import JointState
from support.robots import arm
from support.suite import Suite, eventually

from robokin_ros.bringup.supervisor import Supervisor
from robokin_ros.bringup.system import describe_system
from robokin_ros.client import CallError
from robokin_ros.dynamics import gravity_torque
from robokin_ros.errors import RobokinError
from robokin_ros.nodes import qos
from robokin_ros.nodes.conversions import doubles

MODEL = arm('puma560')
HOME = MODEL.middle()
REST = np.zeros(6)


def braked(client):
    """The arm stands still and stays."""
    eventually(lambda: np.max(np.abs(client.velocities)) < 1e-6, 2.0, 'standing still')
    where = client.joints
    time.sleep(0.3)
    np.testing.assert_allclose(client.joints, where, atol=1e-6)


def test_a_dead_controller_stops_the_arm_and_comes_back_without_moving_it():
    with Suite() as suite:
        client = suite.ready().client
        handle = client.send_trajectory(MODEL.joint_names, [4.0], [HOME + 0.6], [REST])
        eventually(lambda: np.all(client.joints > HOME + 0.1))
        suite.kill('dynamics_node')
        killed = time.monotonic()
        eventually(lambda: suite.state() == HardwareState.PROTECTIVE_STOP, 1.0, 'the protective stop')
        assert time.monotonic() - killed < 0.5
        assert 'watchdog 100 ms' in client.hardware_state.reason
        silence = float(client.hardware_state.reason.split('for ')[1].split(' ms')[0])
        assert 100.0 <= silence < 120.0
        status, result = client.result(handle, 5.0)
        assert status == GoalStatus.STATUS_ABORTED
        assert 'protective_stop' in result.error_string
        braked(client)

        assert suite.supervisor.check() == ['dynamics_node']
        assert suite.said(r'dynamics_node died \(killed by SIGKILL\); restarting it')
        eventually(lambda: client.inactive_nodes() == [], 20.0, 'the restart')
        where = client.joints
        assert suite.state() == HardwareState.PROTECTIVE_STOP
        with pytest.raises(CallError, match='Call reset first'):
            client.trigger('enable')
        client.trigger('reset')
        client.trigger('enable')
        client.wait_until_ready(10.0)
        time.sleep(0.3)
        np.testing.assert_allclose(client.joints, where, atol=2e-3)
        client.move_to(HOME)


def test_dead_hardware_is_reported_and_not_restarted():
    with Suite() as suite:
        client = suite.ready().client
        handle = client.send_trajectory(MODEL.joint_names, [4.0], [HOME + 0.6], [REST])
        eventually(lambda: np.all(client.joints > HOME + 0.05))
        suite.kill('hardware_node')
        status, result = client.result(handle, 5.0)
        assert status == GoalStatus.STATUS_ABORTED
        assert 'No joint state for' in result.error_string
        eventually(lambda: suite.supervisor.check() == ['hardware_node'], 2.0, 'the report')
        assert suite.said('hardware_node died .*it is not restarted')
        status, result = client.result(client.send_trajectory(MODEL.joint_names, [2.0], [HOME]), 5.0)
        assert status == GoalStatus.STATUS_ABORTED
        assert 'joint state is' in result.error_string


@pytest.mark.parametrize('name', ['trajectory_node', 'kinematics_node', 'state_publisher'])
def test_other_dead_nodes_come_back(name):
    with Suite() as suite:
        client = suite.ready().client
        if name == 'trajectory_node':
            client.send_trajectory(MODEL.joint_names, [4.0], [HOME + 0.6], [REST])
            eventually(lambda: np.all(client.joints > HOME + 0.05))
        suite.kill(name)
        eventually(lambda: suite.supervisor.check() == [name], 2.0, 'the report')
        if name == 'trajectory_node':
            suite.hears('The reference stopped in motion', 'dynamics_node', 3.0)
            eventually(lambda: np.max(np.abs(client.velocities)) < 1e-3, 3.0, 'standing still')
            assert suite.state() == HardwareState.OK
        suite.hears('Active', name)
        eventually(lambda: client.inactive_nodes() == [], 20.0, 'the restart')
        client.move_to(HOME + 0.05)


def test_emergency_stop_latches():
    with Suite() as suite:
        client = suite.ready().client
        client.send_trajectory(MODEL.joint_names, [4.0], [HOME + 0.6], [REST])
        eventually(lambda: np.all(client.joints > HOME + 0.1))
        client.trigger('emergency_stop')
        eventually(lambda: suite.state() == HardwareState.EMERGENCY_STOP, 1.0, 'the stop')
        braked(client)
        with pytest.raises(CallError, match='Call reset first'):
            client.trigger('enable')
        where = client.joints
        client.trigger('reset')
        time.sleep(0.5)
        assert suite.state() == HardwareState.HOLDING
        np.testing.assert_allclose(client.joints, where, atol=1e-6)


def test_a_stop_outlives_the_life_cycle_and_a_bad_transition_is_survived():
    with Suite() as suite:
        client = suite.ready().client

        def change(transition):
            return client.call(ChangeState, 'hardware_node/change_state',
                               ChangeState.Request(transition=Transition(id=transition)), 5.0).success

        with pytest.raises(RobokinError, match='did not answer'):
            change(Transition.TRANSITION_ACTIVATE)  # it is active: rclpy raises instead of answering
        suite.hears('A callback failed', 'hardware_node')
        client.trigger('emergency_stop')
        eventually(lambda: suite.state() == HardwareState.EMERGENCY_STOP, 1.0, 'the stop')
        assert change(Transition.TRANSITION_DEACTIVATE)
        assert change(Transition.TRANSITION_ACTIVATE)
        time.sleep(0.5)
        assert suite.state() == HardwareState.EMERGENCY_STOP
        client.trigger('reset')
        client.trigger('enable')
        client.wait_until_ready(10.0)


def test_restarted_hardware_is_held_where_it_is():
    """After a restart the simulated arm is back at its start; the old reference must not pull it away."""
    with Suite() as suite:
        client = suite.ready().client
        client.move_to(HOME + 0.3)
        suite.kill('hardware_node')
        eventually(lambda: suite.supervisor.check() == ['hardware_node'], 2.0, 'the report')
        again = next(p for p in describe_system(suite.options) if p.name == 'hardware_node')
        second = Supervisor([again], '', lambda *line: suite.lines.append(line))
        second.start()
        try:
            eventually(lambda: suite.state() == HardwareState.OK and np.max(np.abs(client.joints - HOME)) < 0.05, 20.0)
            time.sleep(1.0)
            assert suite.state() == HardwareState.OK, client.hardware_state.reason
            np.testing.assert_allclose(client.joints, HOME, atol=5e-3)
        finally:
            second.stop()


class Commander:
    """Publishes joint_commands to a lone hardware node, in place of the controller."""

    def __init__(self, client):
        self.client = client
        self.publisher = client.node.create_publisher(JointState, 'joint_commands', qos.COMMANDS)
        eventually(lambda: self.publisher.get_subscription_count() > 0)

    def send(self, seconds=0.0, **fields):
        """One command, or the same at 200 Hz for a while."""
        message = JointState(**{'name': list(MODEL.joint_names), **fields})
        deadline = time.monotonic() + seconds
        while True:
            self.publisher.publish(message)
            if time.monotonic() >= deadline:
                return
            time.sleep(0.005)


@pytest.fixture(scope='module')
def lone_hardware():
    with Suite(nodes=('state_publisher', 'hardware_node')) as suite:
        suite.hears('Active', 'hardware_node')
        eventually(lambda: suite.client.hardware_state is not None)
        suite.commander = Commander(suite.client)
        yield suite


@pytest.fixture
def hardware(lone_hardware):
    """Holding, enabled, at rest."""
    client = lone_hardware.client
    if lone_hardware.state() not in (HardwareState.OK, HardwareState.HOLDING):
        client.trigger('reset')
    client.trigger('disable')
    client.trigger('enable')
    eventually(lambda: lone_hardware.state() == HardwareState.HOLDING and client.hardware_state.enabled)
    return lone_hardware


def hold():
    return doubles(gravity_torque(MODEL, HOME))


@pytest.mark.parametrize(('fields', 'words'), [
    ({'effort': [0.0, 0.0, float('nan'), 0.0, 0.0, 0.0]}, "joint 'joint_3' is nan"),
    ({'name': ['elbow'], 'effort': [0.0]}, "no joint 'elbow'"),
    ({'effort': [0.0] * 5}, '5 values for 6 joint names'),
    ({'name': ['joint_1'], 'effort': [0.0]}, 'lacks joint joint_2'),
    ({}, 'fills none'),
    ({'effort': [0.0] * 6, 'position': [0.0] * 6}, 'fills effort and position'),
    ({'velocity': [0.0] * 6}, 'not velocity'),
    ({'position': [9.0] * 6}, 'outside'),
    ({'position': (HOME + 0.3).tolist()}, 'at most 0.1'),
])
def test_bad_commands_never_move_the_arm(hardware, fields, words):
    client = hardware.client
    before, where = client.hardware_state.commands_refused, client.joints
    hardware.commander.send(**fields)
    eventually(lambda: client.hardware_state.commands_refused > before, 3.0, 'the refusal')
    assert words in client.hardware_state.last_refusal
    assert hardware.state() == HardwareState.HOLDING
    np.testing.assert_array_equal(client.joints, where)


def test_a_stale_command_is_refused(hardware):
    client = hardware.client
    before = client.hardware_state.commands_refused
    message = JointState(name=list(MODEL.joint_names), effort=hold())
    message.header.stamp = client.node.get_clock().now().to_msg()
    message.header.stamp.sec -= 1
    hardware.commander.publisher.publish(message)
    eventually(lambda: client.hardware_state.commands_refused > before, 3.0, 'the refusal')
    assert 'before the last joint state' in client.hardware_state.last_refusal


def test_commands_that_cease_stop_the_arm(hardware):
    client = hardware.client
    hardware.commander.send(0.5, effort=hold())
    eventually(lambda: suite_state_seen(client) == HardwareState.PROTECTIVE_STOP, 1.0, 'the watchdog')
    braked(client)
    where = client.joints
    before = client.hardware_state.commands_refused
    hardware.commander.send(0.2, effort=hold())
    eventually(lambda: client.hardware_state.commands_refused > before, 2.0, 'the refusal')
    np.testing.assert_array_equal(client.joints, where)


def suite_state_seen(client):
    return client.hardware_state.state


def test_overspeed_stops_the_arm(hardware):
    torque = gravity_torque(MODEL, HOME)
    torque[5] += 20.0
    client = hardware.client
    deadline = time.monotonic() + 5.0
    while client.hardware_state.state != HardwareState.PROTECTIVE_STOP and time.monotonic() < deadline:
        hardware.commander.send(effort=doubles(torque))
        time.sleep(0.005)
    assert client.hardware_state.state == HardwareState.PROTECTIVE_STOP
    assert "Joint 'joint_6'" in client.hardware_state.reason
    braked(client)
