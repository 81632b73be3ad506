"""Rotations, transforms, twists, wrenches and inertias: the mathematics of rigid bodies, without robots."""

from robokin_ros.spatial.acceleration import angular_acceleration, newton_euler_of_body, point_acceleration
from robokin_ros.spatial.angle_sets import (
    AngleSolutions,
    angle_rate_matrix,
    angle_rates,
    angles_from_matrix,
    matrix_from_angles,
)
from robokin_ros.spatial.axis_angle import (
    AxisAngle,
    axis_angle,
    axis_angle_matrix,
    rotate_vector,
    rotation_about_line,
    rotation_vector,
)
from robokin_ros.spatial.frame_graph import FrameGraph
from robokin_ros.spatial.inertia import check_inertia, combine_bodies, rotate_inertia, shift_inertia
from robokin_ros.spatial.inertia_shapes import (
    box_inertia,
    cylinder_inertia,
    mesh_inertia,
    rod_inertia,
    sphere_inertia,
)
from robokin_ros.spatial.named_orientations import named_orientation
from robokin_ros.spatial.planar import (
    planar_invert,
    planar_multiply,
    planar_transform,
    planar_twist,
    planar_user_form,
)
from robokin_ros.spatial.points import (
    cylindrical_from_point,
    frame_from_points,
    point_from_cylindrical,
    point_from_spherical,
    spherical_from_point,
)
from robokin_ros.spatial.quaternion import check_quaternion, matrix_from_quaternion, quaternion_from_matrix
from robokin_ros.spatial.rotation import (
    angular_velocity,
    cayley_matrix,
    cayley_parameters,
    check_rotation,
    elementary_rotation,
    matrix_from_axes,
    matrix_from_rpy,
    nearest_rotation,
    orthonormality_defect,
    skew,
    wrap_angle,
)
from robokin_ros.spatial.screw_axis import ScrewAxis, screw_axis
from robokin_ros.spatial.transform import (
    check_transform,
    invert_transform,
    make_transform,
    screw,
    transform_point,
    transform_vector,
    translation,
)
from robokin_ros.spatial.twist import (
    point_velocity,
    transform_twist,
    transform_wrench,
    twist_matrix,
    wrench_matrix,
)

__all__ = [
    'AngleSolutions', 'AxisAngle', 'FrameGraph', 'ScrewAxis', 'angle_rate_matrix', 'angle_rates',
    'angles_from_matrix', 'angular_acceleration', 'angular_velocity', 'axis_angle', 'axis_angle_matrix',
    'box_inertia', 'cayley_matrix', 'cayley_parameters', 'check_inertia', 'check_quaternion', 'check_rotation',
    'check_transform', 'combine_bodies', 'cylinder_inertia', 'cylindrical_from_point', 'elementary_rotation',
    'frame_from_points', 'invert_transform', 'make_transform', 'matrix_from_angles', 'matrix_from_axes',
    'matrix_from_quaternion', 'matrix_from_rpy', 'mesh_inertia', 'named_orientation', 'nearest_rotation',
    'newton_euler_of_body', 'orthonormality_defect', 'planar_invert', 'planar_multiply', 'planar_transform',
    'planar_twist', 'planar_user_form', 'point_acceleration', 'point_from_cylindrical', 'point_from_spherical',
    'point_velocity', 'quaternion_from_matrix', 'rod_inertia', 'rotate_inertia', 'rotate_vector',
    'rotation_about_line', 'rotation_vector', 'screw', 'screw_axis', 'shift_inertia', 'skew', 'sphere_inertia',
    'spherical_from_point', 'transform_point', 'transform_twist', 'transform_vector', 'transform_wrench',
    'translation', 'twist_matrix', 'wrap_angle', 'wrench_matrix',
]
