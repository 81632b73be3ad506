"""Hardware: the driver protocol, the drivers, and the checks that every command passes. Free of ROS."""

from robokin_ros.hardware.driver import Command, Driver, Pushable, load_driver
from robokin_ros.hardware.guard import CommandGuard, GuardSettings, StopState

__all__ = ['Command', 'CommandGuard', 'Driver', 'GuardSettings', 'Pushable', 'StopState', 'load_driver']
