"""Two-axis table: the angles that bring a direction of the table to the vertical (KIN-30, Craig exercise 4.11)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.spatial.rotation import finite, wrap_angle


@dataclass(frozen=True)
class TableAngles:
    """Rows (k, 2) of theta1, theta2 [rad]; if `free`, theta2 may have any value and is given as 0."""

    angles: NDArray[np.float64]
    free: bool


def table_angles(direction: ArrayLike) -> TableAngles:
    """Both ways to turn a tilt and roll table so that a direction fixed in it points up."""
    v = finite(direction, 'direction', (3,))
    length = float(np.linalg.norm(v))
    if v.ndim != 1 or length < 1e-12:
        raise InputError(f'direction is {v.tolist()}: it is no direction.', field='direction', value=v)
    x, y, z = v / length
    across = float(np.hypot(x, y))
    if across < 1e-6:
        return TableAngles(np.array([[0.0 if z > 0.0 else np.pi, 0.0]]), True)
    roll = np.arctan2(-y, x)
    return TableAngles(
        np.array([[np.arctan2(-across, z), roll], [np.arctan2(across, z), wrap_angle(roll + np.pi)]]), False
    )
