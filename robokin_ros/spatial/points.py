"""Points in cylindrical and spherical coordinates, and a frame from three taught points (KIN-10)."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, RepairWarning
from robokin_ros.spatial.rotation import finite
from robokin_ros.spatial.transform import make_transform

Array = NDArray[np.float64]
NARROW = np.radians(10.0)
"""Angle [rad] at the origin below which three taught points define a frame badly."""


def point_from_cylindrical(theta: ArrayLike, radius: ArrayLike, z: ArrayLike) -> Array:
    """Points (..., 3) of angle [rad], radius [m] and height [m]."""
    t, r, h = np.broadcast_arrays(*(finite(value, 'cylindrical coordinates', ()) for value in (theta, radius, z)))
    return np.stack([r * np.cos(t), r * np.sin(t), h], axis=-1)


def cylindrical_from_point(point: ArrayLike) -> tuple[Array, Array, Array]:
    """Angle [rad] (0 on the axis, where it is free), radius and height [m]."""
    x, y, z = np.moveaxis(finite(point, 'point', (3,)), -1, 0)
    return np.arctan2(y, x), np.hypot(x, y), z


def point_from_spherical(azimuth: ArrayLike, elevation: ArrayLike, radius: ArrayLike) -> Array:
    """Points (..., 3) of azimuth and elevation above the xy plane [rad] and distance [m]."""
    a, b, r = np.broadcast_arrays(*(finite(value, 'spherical coordinates', ())
                                    for value in (azimuth, elevation, radius)))
    return np.stack([r * np.cos(a) * np.cos(b), r * np.sin(a) * np.cos(b), r * np.sin(b)], axis=-1)


def spherical_from_point(point: ArrayLike) -> tuple[Array, Array, Array]:
    """Azimuth (0 on the axis, where it is free), elevation [rad] and distance [m]."""
    x, y, z = np.moveaxis(finite(point, 'point', (3,)), -1, 0)
    level = np.hypot(x, y)
    return np.arctan2(y, x), np.arctan2(z, level), np.hypot(level, z)


def frame_from_points(origin: ArrayLike, on_x: ArrayLike, near_y: ArrayLike) -> Array:
    """Transform (4, 4) of the frame of three points: its origin, one on +x, one in the half plane of +y.

    InputError if they lie on a line; a RepairWarning if their angle at the origin is below 10 degrees.
    """
    p1, p2, p3 = (finite(point, field, (3,)) for point, field in
                  ((origin, 'origin'), (on_x, 'on_x'), (near_y, 'near_y')))
    along, aside = p2 - p1, p3 - p1
    length, reach = float(np.linalg.norm(along)), float(np.linalg.norm(aside))
    normal = np.cross(along, aside)
    if length < 1e-12 or reach < 1e-12 or np.linalg.norm(normal) < 1e-9 * length * reach:
        raise InputError(f'The points {p1.tolist()}, {p2.tolist()}, {p3.tolist()} lie on a line: they define no frame.',
                         field='points')
    angle = float(np.arctan2(np.linalg.norm(normal), along @ aside))
    if min(angle, np.pi - angle) < NARROW:
        warnings.warn(f'The taught points enclose only {np.degrees(angle):.1f} degrees at the origin.', RepairWarning,
                      stacklevel=2)
    x, z = along / length, normal / np.linalg.norm(normal)
    return make_transform(np.column_stack((x, np.cross(z, x), z)), p1)
