"""robokin_ros: kinematics, dynamics, trajectories, control and simulation of robot arms.

The library works without ROS; the ROS 2 nodes live in `robokin_ros.nodes`.
"""

__version__ = '0.1.0'
