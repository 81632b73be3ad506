"""The robot client: talk to a running suite from any Python process.

with RobotClient() as robot:
robot.wait_until_ready()
solutions = robot.inverse_kinematics(pose)
robot.follow_joint_trajectory(robot.joint_names, [2.0], [solutions[0]])
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import rclpy
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from numpy.typing import ArrayLike, NDArray
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from robokin_interfaces.action import MoveTo
from robokin_interfaces.msg import ErrorCode, HardwareState
from robokin_interfaces.srv import ApplyDisturbance, ComputeFK, ComputeIK, SetControlMode
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectoryPoint

from robokin_ros.bringup.system import ARM_NODES
from robokin_ros.errors import RobokinError
from robokin_ros.nodes import qos
from robokin_ros.nodes.conversions import doubles, duration_message, pose_message, pose_transform
from robokin_ros.nodes.hot_topics import PolledTopic

Array = NDArray[np.float64]
SERVICE_PATIENCE = 10.0
"""Time [s] that a service has to appear and to answer."""


class CallError(RobokinError):
    """The suite refused: its error code and sentence."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message or f'Error code {code}.')
        self.code = code


class RobotClient:
    """Blocking calls to the services and actions of one robot; spins its own node in a thread."""

    def __init__(self, namespace: str = '', name: str = 'robokin_client') -> None:
        self._context = Context()
        rclpy.init(context=self._context)
        self.node: Node = rclpy.create_node(name, namespace=namespace, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._clients: dict[str, Any] = {}
        self._joints: JointState | None = None
        self._joint_states = PolledTopic(self.node, JointState, 'joint_states', qos.JOINT_STATES_READ)
        self.hardware_state: HardwareState | None = None
        self.node.create_subscription(HardwareState, 'hardware_state', self._on_hardware, qos.LATCHED_STATE)
        self._follow = ActionClient(self.node, FollowJointTrajectory, 'follow_joint_trajectory')
        self._move = ActionClient(self.node, MoveTo, 'move_to')
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def __enter__(self) -> RobotClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop spinning and leave the graph."""
        self._executor.shutdown(timeout_sec=2.0)
        self._thread.join(2.0)
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)

    def _on_hardware(self, message: HardwareState) -> None:
        self.hardware_state = message

    # Waiting

    def wait_for(self, future: Future, timeout: float, what: str) -> Any:
        """Result of a future, or RobokinError after `timeout` [s]."""
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        if not done.wait(timeout):
            raise RobokinError(f'{what} did not answer within {timeout:g} s.')
        return future.result()

    def _asked(self, ask: Callable[[], Future], timeout: float, what: str) -> Any:
        """Result of the future that `ask` returns.

        It is called in the thread of the executor: rclpy registers an action's request after sending it, and an answer
        that another thread takes in between would be lost.
        """
        future = self.wait_for(self._executor.create_task(ask), timeout, what)
        return self.wait_for(future, timeout, what)

    def call(self, kind: Any, name: str, request: Any, timeout: float = SERVICE_PATIENCE) -> Any:
        """Response of a service of any type."""
        if name not in self._clients:
            self._clients[name] = self.node.create_client(kind, name)
        client = self._clients[name]
        if not client.wait_for_service(timeout):
            raise RobokinError(f'There is no service {client.srv_name}; is the suite up?')
        return self.wait_for(client.call_async(request), timeout, f'Service {client.srv_name}')

    def checked(self, kind: Any, name: str, request: Any) -> Any:
        """Response of a service of robokin_interfaces, or CallError."""
        response = self.call(kind, name, request)
        if response.error_code.val != ErrorCode.SUCCESS:
            raise CallError(response.error_code.val, response.message)
        return response

    def nodes_present(self, patience: float) -> set[str]:
        """Names of the nodes in this robot's namespace that are discovered within `patience` [s]."""
        time.sleep(patience)
        own = self.node.get_namespace()
        return {name for name, namespace in self.node.get_node_names_and_namespaces() if namespace == own}

    def inactive_nodes(self) -> list[str]:
        """Nodes of the suite that are not active now."""
        waiting = []
        for name in ARM_NODES:
            if name not in self._clients:
                self._clients[name] = self.node.create_client(GetState, f'{name}/get_state')
            client = self._clients[name]
            if not client.service_is_ready():
                waiting.append(name)
                continue
            try:
                state = self.wait_for(client.call_async(GetState.Request()), 2.0, name).current_state.id
            except RobokinError:
                state = State.PRIMARY_STATE_UNKNOWN
            if state != State.PRIMARY_STATE_ACTIVE:
                waiting.append(name)
        return waiting

    def wait_until_ready(self, timeout: float = 60.0) -> None:
        """Return when all nodes are active and the arm follows commands; RobokinError after `timeout` [s]."""
        deadline = time.monotonic() + timeout
        while True:
            waiting = self.inactive_nodes()
            state = self.hardware_state
            if not waiting and state is not None and state.state == HardwareState.OK and self._newest() is not None:
                return
            if time.monotonic() > deadline:
                what = f"nodes not active: {', '.join(waiting)}" if waiting else (
                    f'hardware in {state.state} ({state.reason})' if state else 'no hardware_state')
                raise RobokinError(f'The suite is not ready after {timeout:g} s: {what}.')
            time.sleep(0.05)

    # The arm

    @property
    def joint_names(self) -> list[str]:
        """Joints in the order of `joints`."""
        return list(self._state().name)

    @property
    def joints(self) -> Array:
        """Position of all joints now [rad, m]."""
        return np.array(self._state().position)

    @property
    def velocities(self) -> Array:
        """Velocity of all joints now [rad/s, m/s]."""
        return np.array(self._state().velocity)

    def _newest(self) -> JointState | None:
        self._joints = self._joint_states.take() or self._joints
        return self._joints

    def _state(self) -> JointState:
        state = self._newest()
        if state is None:
            raise RobokinError('No joint state has arrived yet.')
        return state

    def forward_kinematics(self, joints: ArrayLike) -> Array:
        """Pose of the tip (4, 4), joints in the order of `joint_names`."""
        request = ComputeFK.Request(joint_names=self.joint_names, position=doubles(joints))
        return pose_transform(self.checked(ComputeFK, 'compute_fk', request).poses[0].pose)

    def inverse_kinematics(self, pose: Array, all_solutions: bool = True) -> Array:
        """Solutions (k, n) in the order of `joint_names`, nearest to the present joints first."""
        request = ComputeIK.Request(joint_names=self.joint_names, seed=doubles(self.joints),
                                    all_solutions=all_solutions)
        request.pose.pose = pose_message(pose)
        response = self.call(ComputeIK, 'compute_ik', request)
        if response.error_code.val not in (ErrorCode.SUCCESS, ErrorCode.SINGULAR):
            raise CallError(response.error_code.val, response.message)
        index = [list(response.joint_names).index(name) for name in self.joint_names]
        return np.reshape(response.positions, (-1, len(response.joint_names)))[:, index]

    def set_control_mode(self, mode: str) -> str:
        """Switch the control law; returns the previous mode."""
        return str(self.checked(SetControlMode, 'set_control_mode', SetControlMode.Request(mode=mode)).previous_mode)

    def push(self, joints: dict[str, float], duration: float) -> None:
        """Push the simulated arm with torques [N m, N] for a while [s]."""
        self.checked(ApplyDisturbance, 'apply_disturbance', ApplyDisturbance.Request(
            joint_names=list(joints), effort=doubles(list(joints.values())), duration=duration))

    def trigger(self, name: str) -> str:
        """Call enable, disable, reset, emergency_stop, pause or resume; its message, or CallError."""
        response = self.call(Trigger, name, Trigger.Request())
        if not response.success:
            raise CallError(ErrorCode.REFUSED_IN_STATE, response.message)
        return str(response.message)

    # Motion

    def send_trajectory(self, names: Sequence[str], times: Sequence[float], positions: Sequence[ArrayLike],
                        velocities: Sequence[ArrayLike] = (), accelerations: Sequence[ArrayLike] = (),
                        feedback: Callable[[Any], None] | None = None) -> Any:
        """Send a FollowJointTrajectory goal; returns the goal handle."""
        goal = FollowJointTrajectory.Goal()
        goal.trajectory.joint_names = list(names)
        for i, instant in enumerate(times):
            point = JointTrajectoryPoint(positions=doubles(positions[i]), time_from_start=duration_message(instant))
            if len(velocities):
                point.velocities = doubles(velocities[i])
            if len(accelerations):
                point.accelerations = doubles(accelerations[i])
            goal.trajectory.points.append(point)
        return self.send_goal(self._follow, goal, feedback)

    def send_goal(self, client: ActionClient, goal: Any, feedback: Callable[[Any], None] | None = None) -> Any:
        """Send a goal to an action; returns the accepted goal handle."""
        if not client.wait_for_server(SERVICE_PATIENCE):
            raise RobokinError('The action server is not there; is the suite up?')
        handle = self._asked(lambda: client.send_goal_async(goal, feedback_callback=feedback), SERVICE_PATIENCE,
                             'The action')
        if not handle.accepted:
            raise RobokinError('The action server rejected the goal.')
        return handle

    def result(self, handle: Any, timeout: float) -> tuple[int, Any]:
        """Status and result of a goal; it is cancelled when its end is not awaited (time-out, Ctrl-C)."""
        try:
            answer = self._asked(handle.get_result_async, timeout, 'The goal')
        except (RobokinError, KeyboardInterrupt):
            self._asked(handle.cancel_goal_async, SERVICE_PATIENCE, 'The cancellation')
            raise
        return int(answer.status), answer.result

    def follow_joint_trajectory(self, names: Sequence[str], times: Sequence[float], positions: Sequence[ArrayLike],
                                velocities: Sequence[ArrayLike] = (), accelerations: Sequence[ArrayLike] = (),
                                feedback: Callable[[Any], None] | None = None) -> None:
        """Execute a trajectory and wait for its end; CallError with the server's sentence if it fails."""
        handle = self.send_trajectory(names, times, positions, velocities, accelerations, feedback)
        status, result = self.result(handle, times[-1] + 30.0)
        if status != GoalStatus.STATUS_SUCCEEDED:
            raise CallError(result.error_code, result.error_string)

    def move_to(self, joints: ArrayLike | None = None, pose: Array | None = None, duration: float = 0.0,
                timeout: float = 60.0) -> Array:
        """Plan and execute a motion to a joint vector or a pose; returns the joints reached."""
        goal = MoveTo.Goal(duration=duration)
        if joints is not None:
            goal.joint_names, goal.position = self.joint_names, doubles(joints)
        elif pose is not None:
            goal.pose.pose = pose_message(pose)
        status, result = self.result(self.send_goal(self._move, goal), timeout)
        if status != GoalStatus.STATUS_SUCCEEDED:
            raise CallError(result.error_code.val, result.message)
        return np.array(result.position)
