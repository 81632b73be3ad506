"""Motions in time: polynomials through points, joint-space planning, limit checks."""

from robokin_ros.trajectory.execution import Execution
from robokin_ros.trajectory.limits import check_motion
from robokin_ros.trajectory.motion import Motion, PolynomialMotion
from robokin_ros.trajectory.plan import plan_joint
from robokin_ros.trajectory.time_optimal import TimeOptimalMotion, TorqueLimits, time_optimal
from robokin_ros.trajectory.waypoints import motion_through_points

__all__ = ['Execution', 'Motion', 'PolynomialMotion', 'TimeOptimalMotion', 'TorqueLimits', 'check_motion', 'motion_through_points', 'plan_joint', 'time_optimal']
