"""Real-time scheduling of the nodes in the control loop, where the system allows it (as ros2_control does).

All threads of the process get it: the loop's thread shares the interpreter lock with the main thread and waits for
messages from those of the middleware; left at normal priority, these would keep it waiting.
"""

from __future__ import annotations

import os
from pathlib import Path

from rclpy.node import Node


def request_realtime(node: Node, priority: int) -> None:
    """Give this process a FIFO priority 1..99; 0 leaves it as it is. Says in the log what came of it."""
    if priority == 0:
        return
    try:
        for thread in Path('/proc/self/task').iterdir():
            os.sched_setscheduler(int(thread.name), os.SCHED_FIFO, os.sched_param(priority))
    except PermissionError:
        node.get_logger().info(f'No right to real-time priority {priority}: running at normal priority. To allow it, '
                               'give the user an rtprio limit in /etc/security/limits.conf.')
    else:
        node.get_logger().info(f'Running with FIFO real-time priority {priority}.')
