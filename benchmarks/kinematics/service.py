"""Round trip of the inverse-kinematics service (all branches, PUMA 560) against a bare rclpy service.

Both servers are processes of their own with a single-threaded executor; one client calls them in turn.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from robokin_interfaces.msg import ErrorCode
from robokin_interfaces.srv import ComputeIK
from std_srvs.srv import Trigger

from benchmarks.arms import arm, random_poses
from benchmarks.report import Row
from benchmarks.timing import interleave_over
from robokin_ros.bringup.options import SystemOptions
from robokin_ros.bringup.supervisor import Supervisor
from robokin_ros.bringup.system import describe_system
from robokin_ros.nodes.conversions import pose_message

ROBOT = 'puma560'
GOAL = 1 / 1.3
"""Wanted: times faster than the bare service."""
NODES = ('state_publisher', 'robot_state_publisher', 'kinematics_node')
PATIENCE = 60.0


def run(poses: int) -> list[Row]:
    """Median and 99th percentile of both round trips."""
    os.environ['ROS_DOMAIN_ID'] = str(10 + os.getpid() % 90)  # a domain of our own, on this machine only
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    requests = []
    for pose in random_poses(arm(ROBOT), poses):
        requests.append(ComputeIK.Request(all_solutions=True))
        requests[-1].pose.pose = pose_message(pose)
    with _servers(), _client() as (node, executor):
        solve = _caller(node, executor, ComputeIK, 'compute_ik')
        bare = _caller(node, executor, Trigger, 'bare_trigger')
        while solve(requests[0]).error_code.val == ErrorCode.NOT_READY:
            executor.spin_once(0.05)
        found, timing = interleave_over({'ours': solve, 'bare': lambda _: bare(Trigger.Request())}, requests)
    failed = sum(answer.error_code.val != ErrorCode.SUCCESS for answer in found['ours'])
    branches = sum(len(answer.limit_margins) for answer in found['ours']) / len(requests)
    tail = {who: timing.percentile(who, 99.0) * 1e6 for who in timing.rounds}
    ours, theirs = timing.median('ours'), timing.median('bare')
    return [Row(f'compute_ik, {ROBOT}, p50 of {poses:,}', ours, 'bare Trigger', theirs, theirs / ours, GOAL,
                {f'p99 {tail["ours"]:.0f} us, bare {tail["bare"]:.0f} us': True,
                 f'{failed} failed, {branches:.1f} solutions a pose': failed == 0})]


@contextmanager
def _servers() -> Iterator[None]:
    """The kinematics node with its description, and the bare server."""
    processes = [process for process in describe_system(SystemOptions(robot=ROBOT)) if process.name in NODES]
    suite = Supervisor(processes, '', lambda *_: None)
    bare = subprocess.Popen([sys.executable, '-m', 'benchmarks.kinematics.trigger_server'])
    try:
        suite.start()
        yield
    finally:
        bare.kill()  # asked to terminate, rclpy was seen to spin on
        suite.stop()
        bare.wait()


@contextmanager
def _client() -> Iterator[tuple[Node, SingleThreadedExecutor]]:
    rclpy.init()
    node, executor = rclpy.create_node('benchmark_client'), SingleThreadedExecutor()
    executor.add_node(node)
    try:
        yield node, executor
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown()


def _caller(node: Node, executor: SingleThreadedExecutor, kind: Any, name: str) -> Callable[[Any], Any]:
    """Blocking call of a service."""
    client = node.create_client(kind, name)
    if not client.wait_for_service(PATIENCE):
        raise TimeoutError(f'There is no service {name}.')

    def call(request: Any) -> Any:
        future = client.call_async(request)
        while not future.done():  # spin_until_future_complete of rclpy 7.1 takes longer with every call
            executor.spin_once(PATIENCE)
        return future.result()
    return call
