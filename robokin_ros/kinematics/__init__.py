"""Forward, differential and inverse kinematics of the tip and of every link."""

from robokin_ros.kinematics.accuracy import PoseErrors, computed_point_error, taught_point_error
from robokin_ros.kinematics.arm_class import ArmClass, classify_arm
from robokin_ros.kinematics.forward import forward_kinematics, frame_poses
from robokin_ros.kinematics.ik_options import IkOptions
from robokin_ros.kinematics.ik_result import IkBatch, IkResult
from robokin_ros.kinematics.inverse import inverse_kinematics
from robokin_ros.kinematics.jacobian import bias_acceleration, jacobian, jacobian_derivative
from robokin_ros.kinematics.positioner import TableAngles, table_angles
from robokin_ros.kinematics.projection import Projection, project_pose
from robokin_ros.kinematics.report import model_report
from robokin_ros.kinematics.selection import images_within_limits, joint_distance
from robokin_ros.kinematics.servo import ServoRates, servo_rates
from robokin_ros.kinematics.singularity import (
    Ellipsoid,
    Singularity,
    force_ellipsoid,
    manipulability,
    singularity,
    velocity_ellipsoid,
)
from robokin_ros.kinematics.standard_frames import Visit, calibrate_tool, solve, visit_goals, where, wrist_goal
from robokin_ros.kinematics.statics import StaticForces, joint_torques, static_forces, tip_wrench
from robokin_ros.kinematics.velocities import link_velocities, tip_velocity, verify_jacobian
from robokin_ros.kinematics.workspace import (
    WorkspaceSlice,
    dexterity,
    is_reachable,
    spread_rotations,
    workspace_cloud,
    workspace_slice,
)

__all__ = [
    'ArmClass',
    'Ellipsoid',
    'IkBatch',
    'IkOptions',
    'IkResult',
    'PoseErrors',
    'Projection',
    'ServoRates',
    'Singularity',
    'StaticForces',
    'TableAngles',
    'Visit',
    'WorkspaceSlice',
    'bias_acceleration',
    'calibrate_tool',
    'classify_arm',
    'computed_point_error',
    'dexterity',
    'force_ellipsoid',
    'forward_kinematics',
    'frame_poses',
    'images_within_limits',
    'inverse_kinematics',
    'is_reachable',
    'jacobian',
    'jacobian_derivative',
    'joint_distance',
    'joint_torques',
    'link_velocities',
    'manipulability',
    'model_report',
    'project_pose',
    'servo_rates',
    'singularity',
    'solve',
    'spread_rotations',
    'static_forces',
    'table_angles',
    'taught_point_error',
    'tip_velocity',
    'tip_wrench',
    'velocity_ellipsoid',
    'verify_jacobian',
    'visit_goals',
    'where',
    'workspace_cloud',
    'workspace_slice',
    'wrist_goal',
]
