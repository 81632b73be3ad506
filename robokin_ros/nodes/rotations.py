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


def rotation_of(quaternion: Sequence[float]) -> NDArray[np.float64]:
    """3x3 rotation matrix of a unit quaternion."""
    x, y, z, w = quaternion
    if tf_transformations is not None:
        return np.array(tf_transformations.quaternion_matrix((x, y, z, w))[:3, :3])
    return np.array(quaternions.quat2mat((w, x, y, z)))
