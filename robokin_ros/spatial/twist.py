"""Twists (linear, angular) and wrenches (force, moment) seen from other frames (VEL-01, VEL-13, VEL-14).

Six-vectors are linear part first, as in ROS messages and KDL; Featherstone's have the angular part first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.spatial.rotation import finite, skew
from robokin_ros.spatial.transform import invert_transform

Array = NDArray[np.float64]


def twist_matrix(transform: Array) -> Array:
    """Tv(A, B) (..., 6, 6) of A_T_B: twists in B -> twists in A, both rigid on one body; Craig (5.100)-(5.104)."""
    rotation = transform[..., :3, :3]
    matrix = np.zeros((*transform.shape[:-2], 6, 6))
    matrix[..., :3, :3] = matrix[..., 3:, 3:] = rotation
    matrix[..., :3, 3:] = skew(transform[..., :3, 3]) @ rotation
    return matrix


def wrench_matrix(transform: Array) -> Array:
    """Tf(A, B) (..., 6, 6) of A_T_B: wrenches in B -> wrenches in A; Craig (5.105). It is the transpose of Tv(B, A)."""
    return np.swapaxes(twist_matrix(invert_transform(transform)), -1, -2)


def transform_twist(transform: Array, twist: ArrayLike) -> Array:
    """Twists (..., 6) [m/s, rad/s] given in B, in A, with `transform` A_T_B."""
    return np.asarray(np.einsum('...ij,...j->...i', twist_matrix(transform), finite(twist, 'twist', (6,))))


def transform_wrench(transform: Array, wrench: ArrayLike) -> Array:
    """Wrenches (..., 6) [N, N m] given in B, in A, with `transform` A_T_B."""
    return np.asarray(np.einsum('...ij,...j->...i', wrench_matrix(transform), finite(wrench, 'wrench', (6,))))


def point_velocity(transform: Array, origin_velocity: ArrayLike, angular_velocity: ArrayLike, point: ArrayLike,
                   velocity: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Velocity in A of a point known in the moving frame B; Craig (5.13).

    Parameters
    ----------
    transform
        A_T_B (..., 4, 4).
    origin_velocity, angular_velocity
        Of B in A [m/s], [rad/s].
    point, velocity
        Of the point in B [m], [m/s].
    """
    rotation = transform[..., :3, :3]
    p, v = finite(point, 'point', (3,)), finite(velocity, 'velocity', (3,))
    omega = finite(angular_velocity, 'angular_velocity', (3,))
    return np.asarray(finite(origin_velocity, 'origin_velocity', (3,)) + np.einsum('...ij,...j->...i', rotation, v)
                      + np.cross(omega, np.einsum('...ij,...j->...i', rotation, p)))
