"""Rotation matrices and what they convert from and to. Quaternions are (x, y, z, w) as in ROS."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from robokin_ros.errors import InputError

ORTHONORMAL_STRICT = 1e-6
"""Largest |R^T R - I| below which a matrix is taken as it is (KIN-01)."""
ORTHONORMAL_ACCEPT = 1e-3
"""Up to this a matrix is re-orthonormalised; beyond it is refused (KIN-01)."""


def matrix_from_rpy(roll: float, pitch: float, yaw: float) -> NDArray[np.float64]:
    """Rotation of fixed X-Y-Z angles [rad]: Rz(yaw) Ry(pitch) Rx(roll), the URDF convention."""
    cr, sr = np.cos(roll), np.sin(roll)
    cp, sp = np.cos(pitch), np.sin(pitch)
    cy, sy = np.cos(yaw), np.sin(yaw)
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])


def axis_angle_matrix(axis: ArrayLike, angle: float) -> NDArray[np.float64]:
    """Rotation about a unit axis by an angle [rad]; Rodrigues, Craig (2.80)."""
    x, y, z = np.asarray(axis, dtype=float)
    c, s = np.cos(angle), np.sin(angle)
    v = 1.0 - c
    return np.array([
        [x * x * v + c, x * y * v - z * s, x * z * v + y * s],
        [x * y * v + z * s, y * y * v + c, y * z * v - x * s],
        [x * z * v - y * s, y * z * v + x * s, z * z * v + c],
    ])


def rotation_vector(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Axis times angle [rad] of rotation matrices, (..., 3, 3) -> (..., 3)."""
    flat = np.reshape(matrix, (-1, 3, 3))
    return np.reshape(Rotation.from_matrix(flat).as_rotvec(), (*matrix.shape[:-2], 3))


def quaternion_from_matrix(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit quaternion (x, y, z, w), w >= 0, of a rotation matrix."""
    quaternion = np.asarray(Rotation.from_matrix(matrix).as_quat())
    return -quaternion if quaternion[3] < 0.0 else quaternion


def matrix_from_quaternion(quaternion: ArrayLike) -> NDArray[np.float64]:
    """Rotation matrix of a quaternion (x, y, z, w) of unit length within 1e-3."""
    values = np.asarray(quaternion, dtype=float)
    if values.shape != (4,) or not np.all(np.isfinite(values)):
        raise InputError(f'A quaternion needs four finite numbers, got {values}.',
                         field='quaternion', value=values)
    norm = float(np.linalg.norm(values))
    if abs(norm - 1.0) > 1e-3:
        raise InputError(f'The quaternion {values.tolist()} has length {norm:.6g}, not 1.',
                         field='quaternion', value=values)
    return np.asarray(Rotation.from_quat(values / norm).as_matrix())


def check_rotation(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a proper rotation: as given, re-orthonormalised if slightly off, or raise (KIN-02)."""
    if not np.all(np.isfinite(matrix)):
        raise InputError('The rotation matrix contains NaN or infinity.', field='rotation', value=matrix)
    defect = float(np.max(np.abs(matrix.T @ matrix - np.eye(3))))
    if defect > ORTHONORMAL_ACCEPT or np.linalg.det(matrix) < 0.0:
        raise InputError(
            f'The matrix is not a rotation: |R^T R - I| = {defect:.3g} (limit {ORTHONORMAL_ACCEPT:g}), '
            f'det = {np.linalg.det(matrix):.3g}.', field='rotation', value=matrix)
    if defect <= ORTHONORMAL_STRICT:
        return matrix
    left, _, right = np.linalg.svd(matrix)
    return np.asarray(left @ right)
