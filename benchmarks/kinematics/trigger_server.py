"""A bare rclpy service std_srvs/Trigger, the measure of `service.py`, which starts it as a process."""

from __future__ import annotations

import ctypes
import signal

import rclpy
from rclpy.executors import ExternalShutdownException
from std_srvs.srv import Trigger


def _answer(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
    response.success = True
    return response


def main() -> None:
    """Serve until SIGINT or SIGTERM."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG: end with the benchmark, however that ends
    rclpy.init()
    node = rclpy.create_node('bare_server')
    node.create_service(Trigger, 'bare_trigger', _answer)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        return


if __name__ == '__main__':
    main()
