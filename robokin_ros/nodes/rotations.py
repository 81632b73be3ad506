"""Quaternions (x, y, z, w) at the message boundary: tf_transformations, or transforms3d where ROS lacks it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

try:
    import tf_transformations
except ImportError:
    tf_transformations = None
    from transforms3d import quaternions


def quaternion_of(rotation: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Quaternion of a 3x3 rotation matrix."""
    if tf_transformations is not None:
        full = np.eye(4)
        full[:3, :3] = rotation
        x, y, z, w = tf_transformations.quaternion_from_matrix(full)
    else:
        w, x, y, z = quaternions.mat2quat(rotation)
    return float(x), float(y), float(z), float(w)


def transform_of(position: Sequence[float], quaternion: Sequence[float]) -> NDArray[np.float64]:
    """4x4 transform of a position and a unit quaternion; written out, as it is part of every request."""
    x, y, z, w = quaternion
    return np.array((
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w), position[0]),
        (2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w), position[1]),
        (2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y), position[2]),
        (0.0, 0.0, 0.0, 1.0)))
