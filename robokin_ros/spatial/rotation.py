"""Rotation matrices: building, checking, repairing them (KIN-02, KIN-03). All functions take batches (..., 3, 3)."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, RepairWarning, UnknownNameError

Array = NDArray[np.float64]
ORTHONORMAL_STRICT = 1e-6
"""Largest |R^T R - I| below which a matrix is taken as it is (KIN-01)."""
ORTHONORMAL_ACCEPT = 1e-3
"""Up to this a matrix is re-orthonormalised; beyond it is refused (KIN-01)."""
AXES = {'x': 0, 'y': 1, 'z': 2}


def finite(values: ArrayLike, field: str, tail: tuple[int, ...]) -> Array:
    """Values as a float array whose last axes have the shape `tail`, all finite, or InputError."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f'{field} is not an array of numbers: {error}.', field=field, value=values) from error
    if array.shape[max(array.ndim - len(tail), 0):] != tail:
        raise InputError(f'{field} needs the shape (..., {", ".join(map(str, tail))}), got {array.shape}.', field=field,
                         value=values)
    if not np.all(np.isfinite(array)):
        raise InputError(f'{field} contains NaN or infinity.', field=field, value=array)
    return array


def wrap_angle(angle: ArrayLike) -> Array:
    """Angles [rad] in (-pi, pi]."""
    return np.asarray(np.pi - np.mod(np.pi - np.asarray(angle, dtype=float), 2.0 * np.pi))


def skew(vector: ArrayLike) -> Array:
    """Cross-product matrices (..., 3, 3): S(p) x = p cross x; Craig (5.101)."""
    x, y, z = np.moveaxis(np.asarray(vector, dtype=float), -1, 0)
    zero = np.zeros_like(x)
    return np.stack([np.stack([zero, -z, y], axis=-1), np.stack([z, zero, -x], axis=-1),
                     np.stack([-y, x, zero], axis=-1)], axis=-2)


def elementary_rotation(axis: str | int, angle: ArrayLike) -> Array:
    """Rotation (..., 3, 3) about axis 'x', 'y', 'z' (or 0, 1, 2) by angles (...) [rad]; Craig (2.77)-(2.79)."""
    index = AXES.get(axis.lower(), -1) if isinstance(axis, str) else axis
    if index not in (0, 1, 2):
        raise UnknownNameError('coordinate axis', str(axis), AXES)
    turn = finite(angle, 'angle', ())
    j, k = (index + 1) % 3, (index + 2) % 3
    matrix = np.zeros((*turn.shape, 3, 3))
    matrix[..., index, index] = 1.0
    matrix[..., j, j] = matrix[..., k, k] = np.cos(turn)
    matrix[..., k, j] = np.sin(turn)
    matrix[..., j, k] = -matrix[..., k, j]
    return matrix


def matrix_from_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """Rotation of fixed X-Y-Z angles [rad]: Rz(yaw) Ry(pitch) Rx(roll), the URDF convention."""
    return np.asarray(elementary_rotation(2, yaw) @ elementary_rotation(1, pitch) @ elementary_rotation(0, roll))


def matrix_from_axes(x: ArrayLike | None = None, y: ArrayLike | None = None, z: ArrayLike | None = None) -> Array:
    """Rotation whose columns are the given unit vectors of a frame; one may be left out (its cross product)."""
    given = {name: finite(axis, f'axis {name}', (3,)) for name, axis in (('x', x), ('y', y), ('z', z))
             if axis is not None}
    if len(given) < 2:
        raise InputError(f'A frame needs two of its axes, got {len(given)}.', field='axes')
    if x is None:
        given['x'] = np.cross(given['y'], given['z'])
    elif y is None:
        given['y'] = np.cross(given['z'], given['x'])
    elif z is None:
        given['z'] = np.cross(given['x'], given['y'])
    return check_rotation(np.stack([given['x'], given['y'], given['z']], axis=-1))


def orthonormality_defect(matrix: ArrayLike) -> Array:
    """Largest element of |R^T R - I| per matrix."""
    r = np.asarray(matrix, dtype=float)
    return np.asarray(np.max(np.abs(np.swapaxes(r, -1, -2) @ r - np.eye(3)), axis=(-2, -1)))


def nearest_rotation(matrix: ArrayLike) -> Array:
    """The proper rotation nearest to a matrix, by singular values (KIN-02)."""
    left, _, right = np.linalg.svd(finite(matrix, 'rotation', (3, 3)))
    left[..., :, 2] *= np.linalg.det(left @ right)[..., None]
    return np.asarray(left @ right)


def check_rotation(matrix: ArrayLike) -> Array:
    """Proper rotations: as given, repaired with a RepairWarning if slightly off, or InputError (KIN-02)."""
    r = finite(matrix, 'rotation', (3, 3))
    defect = float(np.max(orthonormality_defect(r), initial=0.0))
    determinant = float(np.min(np.linalg.det(r), initial=1.0))
    if defect > ORTHONORMAL_ACCEPT or determinant < 0.0:
        raise InputError(
            f'The matrix is not a rotation: |R^T R - I| = {defect:.3g} (limit {ORTHONORMAL_ACCEPT:g}), '
            f'det = {determinant:.3g}.', field='rotation', value=r)
    if defect <= ORTHONORMAL_STRICT:
        return r
    warnings.warn(f'A rotation matrix that was off by {defect:.3g} was re-orthonormalised.', RepairWarning,
                  stacklevel=2)
    return nearest_rotation(r)


def cayley_matrix(parameters: ArrayLike) -> Array:
    """Rotation (..., 3, 3) of Cayley parameters s (..., 3) = axis tan(angle / 2); Craig (2.56)-(2.57)."""
    s = skew(finite(parameters, 'parameters', (3,)))
    return np.asarray(np.linalg.solve(np.eye(3) - s, np.eye(3) + s))


def cayley_parameters(matrix: ArrayLike) -> Array:
    """Cayley parameters (..., 3) of rotations; InputError for a half turn, which has none."""
    r = check_rotation(matrix)
    size = 1.0 + np.trace(r, axis1=-2, axis2=-1)  # 4 cos^2(angle / 2)
    if np.min(size, initial=4.0) < 1e-9:
        raise InputError('A half turn has no Cayley parameters.', field='rotation', value=r)
    return np.asarray(np.stack([r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]],
                               axis=-1) / size[..., None])


def angular_velocity(matrix: ArrayLike, rate: ArrayLike, tolerance: float = 1e-6) -> Array:
    """Angular velocity (..., 3) in the fixed frame of R and dR/dt; Craig (5.14)-(5.24), VEL-02.

    InputError where dR/dt R^T is not skew within `tolerance` (relative): such a pair is no rotation in motion.
    """
    r, r_dot = finite(matrix, 'rotation', (3, 3)), finite(rate, 'rate', (3, 3))
    s = r_dot @ np.swapaxes(r, -1, -2)
    off = float(np.max(np.abs(s + np.swapaxes(s, -1, -2)), initial=0.0))
    if off > tolerance * max(1.0, float(np.max(np.abs(s), initial=0.0))):
        raise InputError(f'The rate does not belong to the rotation: |S + S^T| = {off:.3g}.', field='rate', value=r_dot)
    return 0.5 * np.stack([s[..., 2, 1] - s[..., 1, 2], s[..., 0, 2] - s[..., 2, 0], s[..., 1, 0] - s[..., 0, 1]],
                          axis=-1)
