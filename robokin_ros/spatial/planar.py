"""Frames of the plane: user form (x, y, theta) and 3x3 transforms (KIN-12; UTOI, ITOU, TMULT, TINVERT, VELTRANS).

Metres and radians; batches along leading axes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.spatial.rotation import finite

Array = NDArray[np.float64]


def planar_transform(user: ArrayLike) -> Array:
    """UTOI: (x, y, theta) (..., 3) -> (..., 3, 3)."""
    x, y, theta = np.moveaxis(finite(user, 'planar frame', (3,)), -1, 0)
    transform = np.zeros((*x.shape, 3, 3))
    transform[..., 0, 0] = transform[..., 1, 1] = np.cos(theta)
    transform[..., 1, 0] = np.sin(theta)
    transform[..., 0, 1] = -transform[..., 1, 0]
    transform[..., 0, 2], transform[..., 1, 2], transform[..., 2, 2] = x, y, 1.0
    return transform


def planar_user_form(transform: ArrayLike) -> Array:
    """ITOU: (..., 3, 3) -> (x, y, theta) with theta in (-pi, pi]."""
    t = finite(transform, 'planar transform', (3, 3))
    return np.stack([t[..., 0, 2], t[..., 1, 2], np.arctan2(t[..., 1, 0], t[..., 0, 0])], axis=-1)


def planar_multiply(b_in_a: ArrayLike, c_in_b: ArrayLike) -> Array:
    """TMULT: frame C in A, user forms."""
    return planar_user_form(planar_transform(b_in_a) @ planar_transform(c_in_b))


def planar_invert(b_in_a: ArrayLike) -> Array:
    """TINVERT: frame A in B, user forms."""
    return planar_user_form(np.linalg.inv(planar_transform(b_in_a)))


def planar_twist(b_in_a: ArrayLike, twist: ArrayLike) -> Array:
    """VELTRANS: the twist (vx, vy, omega) given in A, in B, for B at (x, y, theta) in A (VEL-13)."""
    frame = planar_transform(b_in_a)
    vx, vy, omega = np.moveaxis(finite(twist, 'planar twist', (3,)), -1, 0)
    carried = np.stack([vx - omega * frame[..., 1, 2], vy + omega * frame[..., 0, 2]], axis=-1)
    turned = np.einsum('...ji,...j->...i', frame[..., :2, :2], carried)
    return np.concatenate([turned, np.broadcast_to(omega[..., None], (*turned.shape[:-1], 1))], axis=-1)
