"""Homogeneous transforms: build, invert, validate."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.spatial.rotation import check_rotation


def make_transform(rotation: ArrayLike, position: ArrayLike) -> NDArray[np.float64]:
    """4x4 transform of a rotation matrix and a position [m]."""
    transform = np.eye(4)
    transform[:3, :3] = rotation
    transform[:3, 3] = position
    return transform


def invert_transform(transform: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inverse of transforms (..., 4, 4) by transposition, Craig (2.45)."""
    inverse = np.zeros_like(transform)
    rotation = np.swapaxes(transform[..., :3, :3], -1, -2)
    inverse[..., :3, :3] = rotation
    inverse[..., :3, 3] = -np.einsum('...ij,...j->...i', rotation, transform[..., :3, 3])
    inverse[..., 3, 3] = 1.0
    return inverse


def check_transform(transform: ArrayLike) -> NDArray[np.float64]:
    """Return a valid 4x4 transform (its rotation repaired if slightly off), or raise InputError."""
    matrix = np.array(transform, dtype=float)
    if matrix.shape != (4, 4):
        raise InputError(f'A pose is a 4x4 matrix, got shape {matrix.shape}.', field='pose', value=matrix)
    if not np.all(np.isfinite(matrix)):
        raise InputError('The pose contains NaN or infinity.', field='pose', value=matrix)
    if np.max(np.abs(matrix[3] - (0.0, 0.0, 0.0, 1.0))) > 1e-9:
        raise InputError(f'The last row of a pose is 0 0 0 1, got {matrix[3].tolist()}.',
                         field='pose', value=matrix)
    matrix[:3, :3] = check_rotation(matrix[:3, :3])
    return matrix
