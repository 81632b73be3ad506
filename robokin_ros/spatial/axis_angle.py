"""Equivalent axis and angle of a rotation, Rodrigues' formula, rotation about any line (KIN-08)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.spatial.rotation import finite, skew

Array = NDArray[np.float64]
SMALLEST_ANGLE = 1e-9
"""Angle [rad] below which a rotation has no axis."""
NEAR_HALF_TURN = 1e-4
"""Distance [rad] from half a turn below which the axis is read off the symmetric part."""


@dataclass(frozen=True)
class AxisAngle:
    """Angle (...) in [0, pi] [rad] and unit axis (..., 3); the axis is NaN-free but meaningless where not `defined`."""

    angle: Array
    axis: Array
    defined: NDArray[np.bool_]


def unit_vector(vector: ArrayLike, field: str = 'axis') -> Array:
    """Vectors (..., 3) of length one; InputError for the zero vector."""
    values = finite(vector, field, (3,))
    length = np.linalg.norm(values, axis=-1, keepdims=True)
    if np.min(length, initial=1.0) < 1e-12:
        raise InputError(f'{field} {values.tolist()} is no direction.', field=field, value=values)
    return np.asarray(values / length)


def axis_angle_matrix(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Rotation (..., 3, 3) about an axis (any length) by an angle [rad]; Rodrigues, Craig (2.80)."""
    k = skew(unit_vector(axis))
    turn = finite(angle, 'angle', ())[..., None, None]
    return np.asarray(np.eye(3) + np.sin(turn) * k + (1.0 - np.cos(turn)) * (k @ k))


def axis_angle(matrix: ArrayLike) -> AxisAngle:
    """Axis and angle of rotations (..., 3, 3), also near 0 and near half a turn, where Craig (2.82) fails.

    For an exact half turn the first component of the axis that is not zero is positive.
    """
    r = finite(matrix, 'rotation', (3, 3))
    v = np.stack([r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]], axis=-1)
    s = 0.5 * np.linalg.norm(v, axis=-1)
    c = 0.5 * (np.trace(r, axis1=-2, axis2=-1) - 1.0)
    angle = np.arctan2(s, c)
    defined = angle >= SMALLEST_ANGLE
    safe = np.where(s > 0.0, s, 1.0)[..., None]
    regular = np.where((s > 0.0)[..., None], v / (2.0 * safe), np.array([0.0, 0.0, 1.0]))
    half = _half_turn_axis(r, v, s, c)
    axis = np.where((np.pi - angle < NEAR_HALF_TURN)[..., None], half, regular)
    return AxisAngle(np.where(defined, angle, 0.0), axis, np.asarray(defined))


def _half_turn_axis(r: Array, v: Array, s: Array, c: Array) -> Array:
    """Axis from K K^T = ((R + R^T) / 2 - cos I) / (1 - cos)."""
    rest = np.where(c < 0.0, 1.0 - c, 2.0)[..., None, None]
    product = (0.5 * (r + np.swapaxes(r, -1, -2)) - c[..., None, None] * np.eye(3)) / rest
    diagonal = np.diagonal(product, axis1=-2, axis2=-1)
    column = np.argmax(diagonal, axis=-1)
    axis = np.take_along_axis(product, column[..., None, None], axis=-1)[..., 0]
    axis = axis / np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-300)
    first = np.take_along_axis(axis, np.argmax(np.abs(axis) > 1e-9, axis=-1)[..., None], axis=-1)[..., 0]
    sign = np.where(s > 1e-12, np.sign(np.sum(axis * v, axis=-1)), np.sign(first))
    return np.asarray(axis * np.where(sign == 0.0, 1.0, sign)[..., None])


def rotation_vector(matrix: ArrayLike) -> Array:
    """Axis times angle [rad] of rotations, (..., 3, 3) -> (..., 3)."""
    r = finite(matrix, 'rotation', (3, 3))
    found = axis_angle(r)
    small = 0.5 * np.stack([r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]],
                           axis=-1)
    return np.where(found.defined[..., None], found.angle[..., None] * found.axis, small)


def rotate_vector(vector: ArrayLike, axis: ArrayLike, angle: ArrayLike) -> Array:
    """Vectors (..., 3) turned about an axis by an angle [rad]; Rodrigues, Craig (A.9)."""
    q, k = finite(vector, 'vector', (3,)), unit_vector(axis)
    turn = finite(angle, 'angle', ())[..., None]
    along = np.sum(k * q, axis=-1, keepdims=True)
    return np.asarray(q * np.cos(turn) + np.sin(turn) * np.cross(k, q) + (1.0 - np.cos(turn)) * along * k)


def rotation_about_line(axis: ArrayLike, angle: ArrayLike, point: ArrayLike) -> Array:
    """Transform (..., 4, 4) that turns by an angle [rad] about the line through a point [m]; Craig (2.84)-(2.88)."""
    rotation = axis_angle_matrix(axis, angle)
    p = finite(point, 'point', (3,))
    transform = np.zeros((*np.broadcast_shapes(rotation.shape[:-2], p.shape[:-1]), 4, 4))
    transform[..., :3, :3] = rotation
    transform[..., :3, 3] = p - np.einsum('...ij,...j->...i', rotation, p)
    transform[..., 3, 3] = 1.0
    return transform
