"""The 24 angle sets: to rotation matrices, both ways back, and their rates (KIN-06, KIN-07, VEL-03).

Angles are always in the order in which the turns are made: first, second, third, for moving and for fixed axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.spatial.rotation import elementary_rotation, finite, wrap_angle

Array = NDArray[np.float64]
SEQUENCES = ('XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX', 'XYX', 'XZX', 'YXY', 'YZY', 'ZXZ', 'ZYZ')
FAMILIES = {'euler': 'euler', 'intrinsic': 'euler', 'moving': 'euler', 'fixed': 'fixed', 'extrinsic': 'fixed'}
DEGENERATE = 1e-6
"""|cos| (three different axes) or |sin| (first axis again last) of the second angle below which a set degenerates."""


@dataclass(frozen=True)
class AngleSolutions:
    """Both triples of angles [rad] of a rotation, (..., 3) each.

    Where `degenerate` (...), only the sum or difference of first and last turn is defined: by convention one of them is
    zero (the first turn of a moving set, the last of a fixed one), and `second` equals `first`.
    """

    first: Array
    second: Array
    degenerate: NDArray[np.bool_]


def parse_angle_set(name: str) -> tuple[str, tuple[int, int, int]]:
    """Family ('euler' or 'fixed') and axis indices of a name such as 'euler ZYX' or 'fixed XYZ', in any case."""
    family, _, sequence = name.strip().partition(' ')
    if family.lower() not in FAMILIES:
        raise UnknownNameError('angle-set family', family, FAMILIES)
    if sequence.strip().upper() not in SEQUENCES:
        raise UnknownNameError('axis sequence', sequence.strip(), SEQUENCES)
    first, second, third = ('XYZ'.index(axis) for axis in sequence.strip().upper())
    return FAMILIES[family.lower()], (first, second, third)


def matrix_from_angles(name: str, angles: ArrayLike) -> Array:
    """Rotation (..., 3, 3) of angles (..., 3) [rad]; Craig (2.64), (2.72), appendix B."""
    family, axes = parse_angle_set(name)
    values = _triples(angles)
    turns = [elementary_rotation(axis, values[..., i]) for i, axis in enumerate(axes)]
    first, second, third = turns if family == 'euler' else turns[::-1]
    return np.asarray(first @ second @ third)


def angles_from_matrix(name: str, matrix: ArrayLike) -> AngleSolutions:
    """Both angle triples of rotations (..., 3, 3); Craig (2.66)-(2.68), (2.74)-(2.76) for all sets."""
    family, axes = parse_angle_set(name)
    rotation = finite(matrix, 'rotation', (3, 3))
    if family == 'euler':
        return _moving_angles(rotation, axes)
    reverse = _moving_angles(rotation, axes[::-1])
    return AngleSolutions(reverse.first[..., ::-1], reverse.second[..., ::-1], reverse.degenerate)


def _moving_angles(r: Array, axes: tuple[int, int, int]) -> AngleSolutions:
    i, j, k = axes
    e = 1.0 if (j - i) % 3 == 1 else -1.0
    if i != k:
        small = np.hypot(r[..., i, i], r[..., i, j])
        beta = np.arctan2(e * r[..., i, k], small)
        alpha = np.arctan2(-e * r[..., j, k], r[..., k, k])
        gamma = np.arctan2(-e * r[..., i, j], r[..., i, i])
        fixed_gamma = np.arctan2(e * r[..., j, i], r[..., j, j])
        fixed_beta = np.copysign(0.5 * np.pi, e * r[..., i, k])
        other_beta = np.pi - beta
    else:
        m = 3 - i - j
        small = np.hypot(r[..., i, j], r[..., i, m])
        beta = np.arctan2(small, r[..., i, i])
        alpha = np.arctan2(r[..., j, i], -e * r[..., m, i])
        gamma = np.arctan2(r[..., i, j], e * r[..., i, m])
        fixed_gamma = np.arctan2(-e * r[..., j, m], r[..., j, j])
        fixed_beta = np.where(r[..., i, i] > 0.0, 0.0, np.pi)
        other_beta = -beta
    degenerate = small < DEGENERATE
    regular = np.stack((alpha, beta, gamma), axis=-1)
    other = wrap_angle(np.stack((alpha + np.pi, other_beta, gamma + np.pi), axis=-1))
    special = np.stack((np.zeros_like(beta), fixed_beta, fixed_gamma), axis=-1)
    flag = degenerate[..., None]
    return AngleSolutions(np.where(flag, special, regular), np.where(flag, special, other), np.asarray(degenerate))


def angle_rate_matrix(name: str, angles: ArrayLike) -> Array:
    """E (..., 3, 3) with angular velocity (fixed axes) = E d(angles)/dt; Craig (5.42), generic (VEL-03)."""
    family, axes = parse_angle_set(name)
    values = _triples(angles)
    order = (0, 1, 2) if family == 'euler' else (2, 1, 0)
    columns = np.empty((*values.shape, 3))
    carried = np.broadcast_to(np.eye(3), (*values.shape[:-1], 3, 3))
    for turn in order:
        columns[..., :, turn] = carried[..., :, axes[turn]]
        carried = carried @ elementary_rotation(axes[turn], values[..., turn])
    return columns


def angle_rates(name: str, angles: ArrayLike, angular_velocity: ArrayLike) -> Array:
    """Rates (..., 3) [rad/s] of the angles; InputError where the set degenerates."""
    matrix = angle_rate_matrix(name, angles)
    smallest = np.min(np.abs(np.linalg.det(matrix)), initial=np.inf)
    if smallest < DEGENERATE:
        raise InputError(f"The angle set '{name}' is degenerate here (determinant {smallest:.2g}): its rates are not "
                         'defined.', field='angles', value=angles)
    return np.asarray(np.linalg.solve(matrix, finite(angular_velocity, 'angular_velocity', (3,))[..., None])[..., 0])


def _triples(angles: ArrayLike) -> Array:
    return finite(angles, 'angles', (3,))
