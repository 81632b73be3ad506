"""Homogeneous transforms: build, map, compose, invert, validate (KIN-03, KIN-04). Batches (..., 4, 4) everywhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.spatial.axis_angle import axis_angle_matrix, unit_vector
from robokin_ros.spatial.rotation import check_rotation, finite

Array = NDArray[np.float64]


def make_transform(rotation: ArrayLike, position: ArrayLike) -> Array:
    """Transforms of rotation matrices (..., 3, 3) and positions (..., 3) [m]."""
    r, p = np.asarray(rotation, dtype=float), np.asarray(position, dtype=float)
    transform = np.zeros((*np.broadcast_shapes(r.shape[:-2], p.shape[:-1]), 4, 4))
    transform[..., :3, :3] = r
    transform[..., :3, 3] = p
    transform[..., 3, 3] = 1.0
    return transform


def translation(axis: ArrayLike, distance: ArrayLike) -> Array:
    """Operator D: moves along an axis by a signed distance [m]; Craig (2.24)."""
    return make_transform(np.eye(3), unit_vector(axis) * finite(distance, 'distance', ())[..., None])


def screw(axis: ArrayLike, distance: ArrayLike, angle: ArrayLike) -> Array:
    """Operator Screw: moves along [m] and turns about [rad] the same axis through the origin; Craig (3.5)."""
    along = unit_vector(axis) * finite(distance, 'distance', ())[..., None]
    return make_transform(axis_angle_matrix(axis, angle), along)


def invert_transform(transform: Array) -> Array:
    """Inverse of transforms by transposition, Craig (2.45)."""
    inverse = np.zeros_like(transform)
    rotation = np.swapaxes(transform[..., :3, :3], -1, -2)
    inverse[..., :3, :3] = rotation
    inverse[..., :3, 3] = -np.einsum('...ij,...j->...i', rotation, transform[..., :3, 3])
    inverse[..., 3, 3] = 1.0
    return inverse


def transform_point(transform: Array, point: ArrayLike) -> Array:
    """Points (..., 3) [m] in the other frame: rotation and origin act; Craig (2.17)."""
    p = finite(point, 'point', (3,))
    return np.asarray(np.einsum('...ij,...j->...i', transform[..., :3, :3], p) + transform[..., :3, 3])


def transform_vector(transform: Array, vector: ArrayLike) -> Array:
    """Free vectors (..., 3) (velocity of a point, moment, direction): only the rotation acts; Craig (2.93), (2.94)."""
    return np.asarray(np.einsum('...ij,...j->...i', transform[..., :3, :3], finite(vector, 'vector', (3,))))


def check_transform(transform: ArrayLike) -> Array:
    """Return valid transforms (their rotations repaired if slightly off), or raise InputError."""
    try:
        matrix = np.array(transform, dtype=float, order='C')
    except (TypeError, ValueError) as error:
        raise InputError(f'The pose is not an array of numbers: {error}.', field='pose', value=transform) from error
    if matrix.shape[-2:] != (4, 4):
        raise InputError(f'A pose is a 4x4 matrix, got shape {matrix.shape}.', field='pose', value=matrix)
    if not np.all(np.isfinite(matrix)):
        raise InputError('The pose contains NaN or infinity.', field='pose', value=matrix)
    if np.max(np.abs(matrix[..., 3, :] - (0.0, 0.0, 0.0, 1.0)), initial=0.0) > 1e-9:
        raise InputError(f'The last row of a pose is 0 0 0 1, got {matrix[..., 3, :].tolist()}.',
                         field='pose', value=matrix)
    matrix[..., :3, :3] = check_rotation(matrix[..., :3, :3])
    return matrix
