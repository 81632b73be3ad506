"""Checking joint vectors: shape, type and finiteness, with errors that name the joint."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.model.robot_model import RobotModel


def joint_array(model: RobotModel, values: ArrayLike, field: str = 'q') -> NDArray[np.float64]:
    """Return `values` as contiguous float64 of shape (..., dof), or raise InputError."""
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f'{field} is not an array of numbers: {error}.', field=field, value=values) from error
    if array.shape[-1] != model.dof or np.ndim(values) == 0:
        raise InputError(f"{field} needs {model.dof} values ({', '.join(model.joint_names)}) in its last axis, "
                         f'got shape {np.shape(values)}.', field=field, value=values)
    return array


def refuse_non_finite(model: RobotModel, **fields: NDArray[np.float64]) -> None:
    """Raise InputError naming the first joint with NaN or infinity."""
    for field, array in fields.items():
        if np.isfinite(array).all():
            continue
        bad = np.argwhere(~np.isfinite(array))
        *row, joint = bad[0].tolist()
        where = f" (row {', '.join(map(str, row))})" if row else ''
        raise InputError(f"{field} of joint '{model.joint_names[joint]}'{where} is {array[tuple(bad[0])]}.",
                         field=field, value=array)
