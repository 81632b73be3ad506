"""Poses as six numbers, position and angle-axis vector, and the rotation that is nearest to another (TRJ-12)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.spatial import axis_angle, axis_angle_matrix, make_transform, rotation_vector, skew

Array = NDArray[np.float64]
SMALL = 1e-6
"""Angle [rad] below which series take the place of quotients."""


def pose_vector(transform: ArrayLike) -> Array:
    """Position [m] and angle-axis vector [rad] (6,) of a 4x4 transform; Craig (7.43)."""
    matrix = np.asarray(transform, dtype=float)
    return np.concatenate((matrix[:3, 3], rotation_vector(matrix[:3, :3])))


def transform_of_vector(vector: ArrayLike) -> Array:
    """4x4 transform of six numbers."""
    x = np.asarray(vector, dtype=float)
    angle = float(np.linalg.norm(x[3:]))
    rotation = np.eye(3) if angle < 1e-15 else axis_angle_matrix(x[3:], angle)
    return make_transform(rotation, x[:3])


def nearest_rotation_vector(rotation: ArrayLike, near: ArrayLike) -> Array:
    """Angle-axis vector (3,) of a rotation, of all K (theta + 2 pi n), that is nearest to another vector.

    No rotation takes the other's axis; half a turn the sign that is nearer.
    """
    target, found = np.asarray(near, dtype=float), axis_angle(rotation)
    angle, axis = float(found.angle), np.asarray(found.axis)
    length = float(np.linalg.norm(target))
    if not found.defined:
        if length < SMALL:
            return np.zeros(3)
        axis = target / length
    turns = np.round((axis @ target - angle) / (2.0 * np.pi))
    candidates = np.array([(angle + 2.0 * np.pi * (turns + n)) * axis for n in (-1.0, 0.0, 1.0)])
    return np.asarray(candidates[np.argmin(np.linalg.norm(candidates - target, axis=1))])


def pose_vectors(transforms: ArrayLike) -> Array:
    """Six numbers (m, 6) of poses in order, each rotation the nearest to the one before."""
    poses = np.asarray(transforms, dtype=float)
    rows = [pose_vector(poses[0])]
    for pose in poses[1:]:
        rows.append(np.concatenate((pose[:3, 3], nearest_rotation_vector(pose[:3, :3], rows[-1][3:]))))
    return np.array(rows)


def angular_velocity_of(vector: ArrayLike, rate: ArrayLike) -> Array:
    """Angular velocity [rad/s] of an angle-axis vector (3,) that changes at a rate (3,): it is not the rate."""
    k, dk = np.asarray(vector, dtype=float), np.asarray(rate, dtype=float)
    t = float(np.linalg.norm(k))
    if t < SMALL:
        one, two, three = 1.0 - t * t / 6.0, 0.5 - t * t / 24.0, 1.0 / 6.0
    else:
        one, two, three = np.sin(t) / t, (1.0 - np.cos(t)) / t**2, (t - np.sin(t)) / t**3
    return np.asarray(one * dk + two * (skew(k) @ dk) + three * k * (k @ dk))
