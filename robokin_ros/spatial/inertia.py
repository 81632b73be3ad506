"""Inertia tensors: moving them, combining bodies, and whether a tensor can belong to a real body."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Body = tuple[float, NDArray[np.float64], NDArray[np.float64]]
"""Mass [kg], centre of mass [m], inertia about the centre [kg m^2], all in one frame."""


def shift_inertia(inertia: NDArray[np.float64], mass: float,
                  offset: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tensor about a point at `offset` [m] from the centre of mass; parallel axes, Craig (6.26)."""
    return np.asarray(inertia + mass * (offset @ offset * np.eye(3) - np.outer(offset, offset)))


def rotate_inertia(inertia: NDArray[np.float64], rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tensor in axes A of a tensor in axes B, with `rotation` A_R_B; same point."""
    return np.asarray(rotation @ inertia @ np.swapaxes(rotation, -1, -2))


def combine_bodies(bodies: Iterable[Body]) -> Body:
    """One rigid body made of several that are expressed in the same frame (DYN-03)."""
    parts = [body for body in bodies if body[0] > 0.0]
    mass = sum(part[0] for part in parts)
    if mass == 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    center = np.sum([part[0] * part[1] for part in parts], axis=0) / mass
    inertia = np.sum([shift_inertia(part[2], part[0], part[1] - center) for part in parts], axis=0)
    return mass, center, inertia


def check_inertia(mass: float, inertia: NDArray[np.float64]) -> str:
    """Say in a sentence why no real body has this mass and tensor; empty when one can (DYN-03)."""
    if not np.isfinite(mass) or not np.all(np.isfinite(inertia)):
        return 'mass or inertia is not finite'
    if np.max(np.abs(inertia - inertia.T)) > 1e-9 * max(float(np.max(np.abs(inertia))), 1e-300):
        return 'inertia is not symmetric'
    if mass < 0.0:
        return f'mass {mass:g} kg is negative'
    moments = np.linalg.eigvalsh(inertia)
    scale = max(float(moments[-1]), 1e-300)
    if moments[0] < -1e-6 * scale:
        return f'inertia has a negative principal moment {moments[0]:.3g} kg m^2'
    if mass == 0.0 and moments[-1] > 0.0:
        return 'inertia without mass'
    if moments[2] > moments[0] + moments[1] + 1e-3 * scale:
        return (f'principal moments {moments[0]:.4g}, {moments[1]:.4g}, {moments[2]:.4g} kg m^2 break the '
                'triangle inequality')
    return ''
