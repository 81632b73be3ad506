"""Bring-up: any order, missing and bad descriptions, the command `robokin up`, namespaces, other robots."""

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from robokin_interfaces.msg import ErrorCode
from robokin_interfaces.srv import ComputeFK
from std_msgs.msg import String
from support.robots import arm, real_arm_path
from support.suite import Suite, eventually, fresh_domain
from tf2_msgs.msg import TFMessage

from robokin_ros.client import RobotClient
from robokin_ros.kinematics import frame_poses
from robokin_ros.nodes import qos

ROBOKIN = (sys.executable, '-m', 'robokin_ros.cli.main')


def processes_below(pid):
    """Ids of all processes started below one."""
    table = subprocess.run(['ps', '-eo', 'pid=,ppid='], capture_output=True, text=True, check=True).stdout
    children = {}
    for line in table.splitlines():
        child, parent = map(int, line.split())
        children.setdefault(parent, []).append(child)
    found, todo = [], [pid]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def alive(pid):
    try:
        with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
            return file.read().rsplit(')', 1)[1].split()[0] != 'Z'
    except FileNotFoundError:
        return False


class Up:
    """`robokin up` as a user runs it."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([*ROBOKIN, 'up', *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=20)

    def nodes(self):
        return processes_below(self.process.pid)


def test_nodes_wait_for_the_description_in_any_order():
    """Everything but the publisher of the description: the nodes say what they wait for; then they come up."""
    with Suite(nodes=('kinematics_node', 'hardware_node', 'dynamics_node', 'trajectory_node')) as suite:
        client = suite.client
        suite.hears('Waiting for topic /robot_description', 'kinematics_node')
        response = client.call(ComputeFK, 'compute_fk', ComputeFK.Request(position=[0.0] * 6))
        assert response.error_code.val == ErrorCode.NOT_READY
        assert 'no robot description' in response.message
        publisher = client.node.create_publisher(String, 'robot_description', qos.DESCRIPTION)

        publisher.publish(String(data='<robot name="half"><link name="a">'))
        suite.hears('cannot be used: The robot description is not well-formed XML', 'kinematics_node')
        publisher.publish(String(data='not even XML'))
        suite.hears("is no XML: 'not even XML'", 'hardware_node')
        assert client.call(ComputeFK, 'compute_fk', ComputeFK.Request(position=[0.0] * 6)).error_code.val \
            == ErrorCode.NOT_READY

        publisher.publish(String(data=arm('puma560').urdf))
        client.wait_until_ready(20.0)
        client.forward_kinematics(client.joints)


def test_a_robot_without_inertials_has_kinematics_and_says_why_not_more(tmp_path):
    text = re.sub(r'<inertial>.*?</inertial>', '', arm('puma560').urdf, flags=re.DOTALL)
    bare = tmp_path / 'bare.urdf'
    bare.write_text(text)
    with Suite(urdf=str(bare)) as suite:
        suite.hears("Cannot activate: .*no usable dynamics: link 'link_6'", 'hardware_node')
        eventually(lambda: 'kinematics_node' not in suite.client.inactive_nodes(), 10.0)
        response = suite.client.call(ComputeFK, 'compute_fk', ComputeFK.Request(position=[0.0] * 6))
        assert response.error_code.val == ErrorCode.SUCCESS


def test_life_cycle_by_hand():
    with Suite(parameters={'kinematics_node': {'autostart': False}},
               nodes=('state_publisher', 'kinematics_node')) as suite:
        client = suite.client
        suite.hears('Active', 'state_publisher')
        request = ComputeFK.Request(position=[0.0] * 6)
        assert client.call(ComputeFK, 'compute_fk', request).error_code.val == ErrorCode.NOT_READY

        def change(transition):
            return client.call(ChangeState, 'kinematics_node/change_state',
                               ChangeState.Request(transition=Transition(id=transition))).success

        eventually(lambda: change(Transition.TRANSITION_CONFIGURE), 10.0)
        assert change(Transition.TRANSITION_ACTIVATE)
        assert client.call(ComputeFK, 'compute_fk', request).error_code.val == ErrorCode.SUCCESS
        assert change(Transition.TRANSITION_DEACTIVATE)
        assert change(Transition.TRANSITION_CLEANUP)
        assert client.call(ComputeFK, 'compute_fk', request).error_code.val == ErrorCode.NOT_READY


def test_frames_and_diagnostics_are_published():
    model = arm('puma560')
    with Suite() as suite:
        client = suite.ready().client
        frames, diagnostics = {}, []

        def take(message):
            frames.update({item.child_frame_id: item for item in message.transforms})

        client.node.create_subscription(TFMessage, '/tf', take, qos.TF)
        client.node.create_subscription(TFMessage, '/tf_static', take, qos.TF_STATIC_READ)
        client.node.create_subscription(DiagnosticArray, '/diagnostics', diagnostics.append, 10)
        eventually(lambda: set(frames) == set(model.frame_names) - {model.base}, 5.0, 'all frames')
        poses = dict(zip(model.frame_names, frame_poses(model, client.joints), strict=True))
        for name, item in frames.items():
            relative = np.linalg.inv(poses[item.header.frame_id]) @ poses[name]
            move = item.transform.translation
            np.testing.assert_allclose([move.x, move.y, move.z], relative[:3, 3], atol=1e-4)
        eventually(lambda: bool(diagnostics), 3.0, 'diagnostics')
        status = diagnostics[-1].status[0]
        assert status.level == b'\x00'
        assert {'missed cycles', 'last refusal'} <= {value.key for value in status.values}


def test_namespace_keeps_two_arms_apart():
    with Suite(namespace='left') as suite:
        client = suite.ready().client
        names = dict(client.node.get_topic_names_and_types())
        assert '/left/joint_states' in names
        assert '/joint_states' not in names
        client.move_to(client.joints + 0.05)


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_up_ends_cleanly(number):
    fresh_domain()
    with Up() as up, RobotClient(name='test_client') as client:
        client.wait_until_ready(40.0)
        nodes = up.nodes()
        assert len(nodes) >= 5
        up.process.send_signal(number)
        output, _ = up.process.communicate(timeout=20)
        assert up.process.returncode == 0
        assert 'Stopping all nodes.' in output
        assert 'does not end' not in output
        assert 'Traceback' not in output
        assert not any(alive(pid) for pid in nodes)


def test_no_node_outlives_a_killed_up():
    fresh_domain()
    with Up() as up, RobotClient(name='test_client') as client:
        client.wait_until_ready(40.0)
        nodes = up.nodes()
        up.process.kill()
        eventually(lambda: not any(alive(pid) for pid in nodes), 10.0, 'the end of all nodes')


def test_second_suite_is_refused():
    fresh_domain()
    with Up() as up, RobotClient(name='test_client') as client:
        client.wait_until_ready(40.0)
        done = subprocess.run([*ROBOKIN, 'up'], capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 1
        assert 'A suite is up already in ROS domain' in done.stderr
        assert up.process.poll() is None


@pytest.mark.parametrize(('arguments', 'words'), [
    (['--robot', 'nobody'], "no shipped robot 'nobody'; known: arm7"),
    (['--urdf', '/nowhere.urdf'], "no robot description file '/nowhere.urdf'"),
    (['--controller', 'magic'], "no control mode 'magic'"),
    (['--tip', 'nose'], "no tip link 'nose'"),
])
def test_mistakes_on_the_command_line_are_one_sentence(arguments, words):
    done = subprocess.run([*ROBOKIN, 'up', *arguments], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 1
    assert words in done.stderr
    assert 'Traceback' not in done.stderr


def test_own_urdf():
    """A user's arm, here the Panda, works like the shipped ones."""
    model = arm('panda')
    fresh_domain()
    with Up('--urdf', str(real_arm_path('panda'))) as up, RobotClient(name='test_client') as client:
        client.wait_until_ready(40.0)
        assert client.joint_names == list(model.joint_names)
        start = client.joints
        goal = np.clip(start + 0.2, model.lower, model.upper)
        solutions = client.inverse_kinematics(client.forward_kinematics(goal))
        assert len(solutions) >= 1
        client.move_to(solutions[0])
        eventually(lambda: np.max(np.abs(client.velocities)) < 1e-4, 5.0, 'standing still')  # no friction in its URDF
        client.set_control_mode('gravity_compensation')
        here = client.joints
        time.sleep(0.5)
        np.testing.assert_allclose(client.joints, here, atol=5e-3)
        assert up.process.poll() is None
        os.kill(up.process.pid, signal.SIGINT)
