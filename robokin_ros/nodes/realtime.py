"""Real-time scheduling of the threads in the control loop, where the system allows it (as ros2_control does)."""

from __future__ import annotations

import os

from rclpy.node import Node


def request_realtime(node: Node, priority: int) -> None:
    """Give the calling thread a FIFO priority 1..99; 0 leaves it as it is. Says so in the log when refused."""
    if priority == 0:
        return
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except PermissionError:
        node.get_logger().info(f'No right to real-time priority {priority}: the loop runs at normal priority. To allow '
                               'it, give the user an rtprio limit in /etc/security/limits.conf.', once=True)
    else:
        node.get_logger().info(f'The loop runs with FIFO real-time priority {priority}.', once=True)
