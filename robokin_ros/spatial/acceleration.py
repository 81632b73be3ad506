"""Accelerations in moving frames, and the equations of motion of one body (DYN-01, DYN-04)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.spatial.rotation import finite

Array = NDArray[np.float64]
_STILL = (0.0, 0.0, 0.0)


def point_acceleration(transform: Array, origin_acceleration: ArrayLike, angular_velocity: ArrayLike,
                       angular_acceleration: ArrayLike, point: ArrayLike, velocity: ArrayLike = _STILL,
                       acceleration: ArrayLike = _STILL) -> Array:
    """Acceleration in A of a point known in the moving frame B, (..., 3) [m/s^2]; Craig (6.10).

    Parameters
    ----------
    transform
        A_T_B (..., 4, 4).
    origin_acceleration, angular_velocity, angular_acceleration
        Of B in A [m/s^2], [rad/s], [rad/s^2].
    point, velocity, acceleration
        Of the point in B [m], [m/s], [m/s^2].
    """
    rotation = transform[..., :3, :3]
    p, v, a = (np.einsum('...ij,...j->...i', rotation, finite(value, name, (3,)))
               for name, value in (('point', point), ('velocity', velocity), ('acceleration', acceleration)))
    w = finite(angular_velocity, 'angular_velocity', (3,))
    wdot = finite(angular_acceleration, 'angular_acceleration', (3,))
    return np.asarray(finite(origin_acceleration, 'origin_acceleration', (3,)) + a + 2.0 * np.cross(w, v)
                      + np.cross(wdot, p) + np.cross(w, np.cross(w, p)))


def angular_acceleration(rotation: Array, frame_velocity: ArrayLike, frame_acceleration: ArrayLike, velocity: ArrayLike,
                         acceleration: ArrayLike) -> Array:
    """Angular acceleration in A of a body C known in the turning frame B, (..., 3) [rad/s^2]; Craig (6.15).

    Parameters
    ----------
    rotation
        A_R_B (..., 3, 3).
    frame_velocity, frame_acceleration
        Of B in A [rad/s], [rad/s^2].
    velocity, acceleration
        Of C in B [rad/s], [rad/s^2].
    """
    w, wdot = (np.einsum('...ij,...j->...i', rotation, finite(value, name, (3,)))
               for name, value in (('velocity', velocity), ('acceleration', acceleration)))
    return np.asarray(finite(frame_acceleration, 'frame_acceleration', (3,)) + wdot
                      + np.cross(finite(frame_velocity, 'frame_velocity', (3,)), w))


def newton_euler_of_body(mass: ArrayLike, inertia: ArrayLike, center_acceleration: ArrayLike,
                         angular_velocity: ArrayLike, angular_rate: ArrayLike) -> tuple[Array, Array]:
    """Force [N] and moment [N m] about the mass centre that a body's motion takes, (..., 3); Craig (6.29), (6.30).

    All in body axes; `inertia` (..., 3, 3) about the mass centre, `angular_rate` the angular acceleration.
    """
    tensor = finite(inertia, 'inertia', (3, 3))
    w, wdot = finite(angular_velocity, 'angular_velocity', (3,)), finite(angular_rate, 'angular_rate', (3,))
    force = np.asarray(mass, dtype=float)[..., None] * finite(center_acceleration, 'center_acceleration', (3,))
    spin = np.einsum('...ij,...j->...i', tensor, w)
    return np.asarray(force), np.asarray(np.einsum('...ij,...j->...i', tensor, wdot) + np.cross(w, spin))
