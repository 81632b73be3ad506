"""robokin_ros: kinematics, dynamics, trajectories, control and simulation of robot arms.

The library works without ROS; the ROS 2 nodes live in `robokin_ros.nodes`.
"""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version('robokin_ros')
except PackageNotFoundError:
    __version__ = 'not installed'
