"""Rotations, transforms and inertias: the mathematics of rigid bodies, without robots."""

from robokin_ros.spatial.inertia import check_inertia, combine_bodies, shift_inertia
from robokin_ros.spatial.rotation import (
    axis_angle_matrix,
    check_rotation,
    matrix_from_quaternion,
    matrix_from_rpy,
    quaternion_from_matrix,
    rotation_vector,
)
from robokin_ros.spatial.transform import check_transform, invert_transform, make_transform

__all__ = [
    'axis_angle_matrix', 'check_inertia', 'check_rotation', 'check_transform', 'combine_bodies',
    'invert_transform', 'make_transform', 'matrix_from_quaternion', 'matrix_from_rpy',
    'quaternion_from_matrix', 'rotation_vector', 'shift_inertia',
]
