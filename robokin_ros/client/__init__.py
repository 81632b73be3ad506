"""Using a running suite from any Python process: `Arm` for motions with results, `RobotClient` for plain calls."""

from robokin_ros.client.arm import Arm, MotionResult
from robokin_ros.client.connection import CallError, RobotClient

__all__ = ['Arm', 'CallError', 'MotionResult', 'RobotClient']
