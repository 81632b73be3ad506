"""Euler parameters: unit quaternions (x, y, z, w), as in ROS messages (KIN-09)."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, RepairWarning
from robokin_ros.spatial.rotation import finite

Array = NDArray[np.float64]
STRICT, ACCEPT = 1e-6, 1e-2
"""Distance of the length from 1 up to which a quaternion is taken as it is; up to which it is normalised."""


def quaternion_from_matrix(matrix: ArrayLike) -> Array:
    """Unit quaternions (..., 4) of rotations, w >= 0; of a half turn the first component that is not 0 is positive."""
    r = finite(matrix, 'rotation', (3, 3))
    diagonal = np.diagonal(r, axis1=-2, axis2=-1)
    trace = np.sum(diagonal, axis=-1)
    # 4 q q^T, from which the row of the largest component is taken: no division by a small number
    product = np.empty((*trace.shape, 4, 4))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        product[..., i, i] = 1.0 + r[..., i, i] - r[..., j, j] - r[..., k, k]
        product[..., i, j] = product[..., j, i] = r[..., i, j] + r[..., j, i]
        product[..., i, 3] = product[..., 3, i] = r[..., k, j] - r[..., j, k]
    product[..., 3, 3] = 1.0 + trace
    row = np.argmax(np.diagonal(product, axis1=-2, axis2=-1), axis=-1)
    quaternion = np.take_along_axis(product, row[..., None, None], axis=-2)[..., 0, :]
    quaternion = quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
    w = quaternion[..., 3]
    first = np.take_along_axis(quaternion, np.argmax(np.abs(quaternion) > 1e-12, axis=-1)[..., None], axis=-1)[..., 0]
    return np.asarray(quaternion * np.where(np.where(np.abs(w) > 1e-12, w, first) < 0.0, -1.0, 1.0)[..., None])


def check_quaternion(quaternion: ArrayLike) -> Array:
    """Unit quaternions: as given, normalised with a RepairWarning if off by less than 1e-2, or InputError."""
    values = finite(quaternion, 'quaternion', (4,))
    length = np.linalg.norm(values, axis=-1, keepdims=True)
    off = np.abs(length - 1.0)
    if np.max(off, initial=0.0) > ACCEPT:
        raise InputError(f'The quaternion {values.tolist()} has length {length.ravel()[np.argmax(off)]:.6g}, not 1.',
                         field='quaternion', value=values)
    if np.max(off, initial=0.0) > STRICT:
        warnings.warn(f'A quaternion whose length was off by {np.max(off):.3g} was normalised.', RepairWarning,
                      stacklevel=2)
    return np.asarray(values / length)


def matrix_from_quaternion(quaternion: ArrayLike) -> Array:
    """Rotations (..., 3, 3) of unit quaternions (x, y, z, w); Craig (2.91)."""
    x, y, z, w = np.moveaxis(check_quaternion(quaternion), -1, 0)
    return np.stack([
        np.stack([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)], axis=-1),
        np.stack([2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)], axis=-1),
        np.stack([2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)], axis=-1)], axis=-2)
