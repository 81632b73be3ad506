"""Inertia tensors of simple bodies and of meshes, about the mass centre [kg m^2] (DYN-02)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError

Array = NDArray[np.float64]


def box_inertia(mass: float, width: float, length: float, height: float) -> Array:
    """Box with its edges along x (width), y (length) and z (height) [m]; Craig (6.28)."""
    _check(mass=mass, width=width, length=length, height=height)
    return np.diag([length**2 + height**2, width**2 + height**2, width**2 + length**2]) * mass / 12.0


def cylinder_inertia(mass: float, radius: float, height: float) -> Array:
    """Solid cylinder along z [m]."""
    _check(mass=mass, radius=radius, height=height)
    across = mass * (3.0 * radius**2 + height**2) / 12.0
    return np.diag([across, across, mass * radius**2 / 2.0])


def rod_inertia(mass: float, radius: float, length: float) -> Array:
    """Cylindrical rod along x [m]; radius 0: a thin rod."""
    _check(mass=mass, radius=radius, length=length)
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    return np.diag([mass * radius**2 / 2.0, across, across])


def sphere_inertia(mass: float, radius: float) -> Array:
    """Solid sphere [m]."""
    _check(mass=mass, radius=radius)
    return np.eye(3) * 0.4 * mass * radius**2


def mesh_inertia(vertices: ArrayLike, faces: ArrayLike, mass: float) -> tuple[Array, Array]:
    """Mass centre (3,) [m] and tensor about it of a solid bounded by triangles, its density the same everywhere.

    The surface is closed; `faces` (k, 3) are indices into `vertices` (m, 3), all outward or all inward. Every triangle
    makes a tetrahedron with one of the vertices; those that face away count as negative.
    """
    _check(mass=mass)
    points, triangles = np.asarray(vertices, dtype=float), np.asarray(faces)
    if (points.ndim != 2 or points.shape[1] != 3 or not np.all(np.isfinite(points)) or triangles.ndim != 2
            or triangles.shape[1] != 3 or triangles.dtype.kind not in 'iu' or len(triangles) == 0
            or triangles.min() < 0 or triangles.max() >= len(points)):
        raise InputError(f'A mesh is (m, 3) finite vertices and (k, 3) indices of them, got shapes {points.shape} and '
                         f'{triangles.shape}.', field='faces')
    edges = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    directed = {(a, b) for a, b in edges.tolist()}
    if len(directed) != len(edges) or any((b, a) not in directed for a, b in directed):
        raise InputError('The mesh is not closed, or its faces do not all turn the same way: every edge must be used '
                         'once in each direction.', field='faces')
    anchor = points[triangles[0, 0]]
    corners = (points - anchor)[triangles]
    volumes = np.linalg.det(corners) / 6.0
    volume = volumes.sum()
    if not abs(volume) > 0.0:
        raise InputError('The mesh encloses no volume.', field='faces')
    sums = corners.sum(axis=1)
    center = volumes @ sums / (4.0 * volume)
    # second moments of a tetrahedron with one corner at the origin
    second = np.einsum('k,kai,kaj->ij', volumes, corners, corners) + np.einsum('k,ki,kj->ij', volumes, sums, sums)
    second = mass * (second / (20.0 * volume) - np.outer(center, center))
    return center + anchor, np.trace(second) * np.eye(3) - second


def _check(**values: float) -> None:
    for name, value in values.items():
        if not 0.0 <= value < np.inf:
            raise InputError(f'The {name} of a body is {value}; it must be finite and not negative.', field=name,
                             value=value)
