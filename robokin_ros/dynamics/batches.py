"""Preparing joint arrays of a dynamics call: broadcast to a common batch, flattened to (m, n)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, NoDynamicsError
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel

Shape = tuple[int, ...]


def joint_rows(model: RobotModel, **fields: ArrayLike) -> tuple[Shape, list[NDArray[np.float64]]]:
    """Common batch shape and one (m, n) array per field."""
    arrays = [joint_array(model, value, field) for field, value in fields.items()]
    shape = arrays[0].shape
    if any(array.shape != shape for array in arrays):
        try:
            shape = np.broadcast_shapes(*(array.shape for array in arrays))
        except ValueError as error:
            shapes = ', '.join(f'{field} {array.shape}' for field, array in zip(fields, arrays, strict=True))
            raise InputError(f'The batches do not fit together: {shapes}.', field='batch') from error
        arrays = [np.ascontiguousarray(np.broadcast_to(array, shape)) for array in arrays]
    return shape, [array.reshape(math.prod(shape[:-1]), model.dof) for array in arrays]


def refuse_rows(model: RobotModel, shape: Shape, **rows: NDArray[np.float64]) -> None:
    """Raise InputError naming joint and row, in the shape that was given, of the first number that is not finite."""
    refuse_non_finite(model, **{field: array.reshape(shape) for field, array in rows.items()})


def vector(values: ArrayLike, size: int, field: str) -> NDArray[np.float64]:
    """`size` finite numbers, or InputError."""
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f'{field} is not an array of numbers: {error}.', field=field, value=values) from error
    if array.shape != (size,) or not np.all(np.isfinite(array)):
        raise InputError(f'{field} needs {size} finite numbers, got {values!r}.', field=field, value=values)
    return array


def solve_mass(model: RobotModel, mass: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """M^-1 times columns (..., n, k), or NoDynamicsError when a mass matrix is singular or not finite."""
    try:
        return np.asarray(np.linalg.solve(mass, right), dtype=np.float64)
    except np.linalg.LinAlgError as error:
        raise NoDynamicsError(f"The mass matrix of '{model.name}' is singular: some link has no inertia.") from error
