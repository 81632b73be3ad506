"""Motions in time: schemes in joint space and in space, time-optimal timing, limit checks, execution."""

from robokin_ros.trajectory.blends import BlendPlan, automatic_plan, blend_plan, common_blend_plan, passing_plan
from robokin_ros.trajectory.cartesian.plan import CartesianMotion, curve_to, plan_cartesian
from robokin_ros.trajectory.cartesian.shapes import Arc, Chain, Formula, Line, Wave
from robokin_ros.trajectory.cartesian.tracking import PathProblem, track
from robokin_ros.trajectory.collision import Box, Collision, Sphere, check_collision, link_capsules
from robokin_ros.trajectory.commands import MoveCommand, parse_command, plan_command
from robokin_ros.trajectory.execution import Execution
from robokin_ros.trajectory.limits import check_motion, check_torque, torque_peaks
from robokin_ros.trajectory.motion import Motion, PolynomialMotion
from robokin_ros.trajectory.path_motion import PathMotion
from robokin_ros.trajectory.plan import plan_joint
from robokin_ros.trajectory.polynomials import cubic_coefficients, quintic_coefficients, shortest_time
from robokin_ros.trajectory.slow_down import slow_down_factor, slowed
from robokin_ros.trajectory.state_to_state import plan_from_motion
from robokin_ros.trajectory.time_optimal import TimeOptimalMotion, TorqueLimits, time_optimal
from robokin_ros.trajectory.via_velocities import continuous_velocities, heuristic_velocities, velocities_of_twists
from robokin_ros.trajectory.waypoints import motion_through_points

__all__ = [
    'Arc', 'BlendPlan', 'Box', 'CartesianMotion', 'Chain', 'Collision', 'Execution', 'Formula', 'Line', 'Motion',
    'MoveCommand', 'PathMotion', 'PathProblem', 'PolynomialMotion', 'Sphere', 'TimeOptimalMotion', 'TorqueLimits',
    'Wave', 'automatic_plan', 'blend_plan', 'check_collision', 'check_motion', 'check_torque', 'common_blend_plan',
    'continuous_velocities', 'cubic_coefficients', 'curve_to', 'heuristic_velocities', 'link_capsules',
    'motion_through_points', 'parse_command', 'passing_plan', 'plan_cartesian', 'plan_command', 'plan_from_motion',
    'plan_joint', 'quintic_coefficients', 'shortest_time', 'slow_down_factor', 'slowed', 'time_optimal',
    'torque_peaks', 'track', 'velocities_of_twists',
]
