"""Time-optimal timing of a given path under limits of rates, accelerations and torques."""

from robokin_ros.trajectory.time_optimal.drive_limits import TorqueLimits
from robokin_ros.trajectory.time_optimal.phase_plane import PhasePlane, one_switch
from robokin_ros.trajectory.time_optimal.planner import PathPlanner, TimeOptimalMotion, time_optimal

__all__ = ['PathPlanner', 'PhasePlane', 'TimeOptimalMotion', 'TorqueLimits', 'one_switch', 'time_optimal']
