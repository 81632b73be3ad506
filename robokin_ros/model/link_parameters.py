"""The four numbers of a link: from two lines, or from a transform (KIN-14)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, ModelError
from robokin_ros.model.dh import DhRow
from robokin_ros.spatial import check_transform
from robokin_ros.spatial.rotation import finite

Array = NDArray[np.float64]
PARALLEL = 1e-9
"""Sine of the angle below which two lines count as parallel."""


def link_of_lines(point: ArrayLike, direction: ArrayLike, next_point: ArrayLike, next_direction: ArrayLike,
                  parallel: float = PARALLEL) -> tuple[float, float]:
    """Length a [m] >= 0 and twist alpha [rad] of a link between two joint axes.

    `parallel`: sine of the angle below which lines are taken as parallel; below 1e-4 the normal is badly known.
    """
    p, q = finite(point, 'point', (3,)), finite(next_point, 'next_point', (3,))
    m, n = (_unit(value, field) for value, field in ((direction, 'direction'), (next_direction, 'next_direction')))
    cross = np.cross(m, n)
    sine = float(np.linalg.norm(cross))
    if sine < parallel:
        return float(np.linalg.norm((q - p) - ((q - p) @ m) * m)), 0.0 if m @ n > 0.0 else float(np.pi)
    height = float((q - p) @ cross / sine)
    angle = float(np.arctan2(sine, m @ n))
    return abs(height), angle if height >= 0.0 else -angle


def link_of_transform(transform: ArrayLike, tolerance: float = 1e-6) -> DhRow:
    """Parameters of T = Rx(alpha) Dx(a) Rz(theta) Dz(d); ModelError if the transform is no such link."""
    t = check_transform(transform)
    alpha = float(np.arctan2(-t[1, 2], t[2, 2]))
    across = float(t[1, 3] * np.cos(alpha) + t[2, 3] * np.sin(alpha))
    if abs(t[0, 2]) > tolerance or abs(across) > tolerance:
        raise ModelError('A rigid transform has six freedoms, a link four: here element (1, 3) is '
                         f'{t[0, 2]:.6g} and the offset across the twisted axis {across:.6g} m; both must be 0.')
    return DhRow(alpha, float(t[0, 3]), float(-t[1, 3] * np.sin(alpha) + t[2, 3] * np.cos(alpha)),
                 float(np.arctan2(-t[0, 1], t[0, 0])))


def _unit(value: ArrayLike, field: str) -> Array:
    vector = finite(value, field, (3,))
    length = float(np.linalg.norm(vector))
    if length < 1e-12:
        raise InputError(f'{field} is zero: it is no direction.', field=field, value=vector)
    return np.asarray(vector / length)
