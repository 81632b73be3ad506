"""Telling poses from other arrays, many at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robokin_ros.spatial import nearest_rotation, orthonormality_defect
from robokin_ros.spatial.rotation import ORTHONORMAL_ACCEPT, ORTHONORMAL_STRICT

Array = NDArray[np.float64]


def usable_poses(poses: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Poses (m, 4, 4) with rounded rotations repaired, and which of them are poses; the others become the identity."""
    good = np.all(np.isfinite(poses), axis=(1, 2))
    targets = np.where(good[:, None, None], poses, np.eye(4))
    good &= np.max(np.abs(targets[:, 3] - (0.0, 0.0, 0.0, 1.0)), axis=1) <= 1e-9
    rotation = targets[:, :3, :3]
    defect = orthonormality_defect(rotation)
    good &= (defect <= ORTHONORMAL_ACCEPT) & (np.linalg.det(rotation) > 0.0)
    rounded = good & (defect > ORTHONORMAL_STRICT)
    if np.any(rounded):
        targets[rounded, :3, :3] = nearest_rotation(rotation[rounded])
    targets[~good] = np.eye(4)
    return targets, good
