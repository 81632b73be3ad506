"""Orientations by name, for people: where the z axis of a tool points (KIN-10)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robokin_ros.errors import UnknownNameError
from robokin_ros.spatial.rotation import matrix_from_rpy

NAMES = {
    'up': (0.0, 0.0, 0.0), 'down': (np.pi, 0.0, 0.0), 'forward': (0.0, np.pi / 2.0, 0.0),
    'backward': (0.0, -np.pi / 2.0, 0.0), 'left': (-np.pi / 2.0, 0.0, 0.0), 'right': (np.pi / 2.0, 0.0, 0.0),
}
"""Roll, pitch and yaw [rad] of each; x is forward and y is left in the base (REP-103)."""


def named_orientation(name: str) -> NDArray[np.float64]:
    """Rotation matrix whose z axis points up, down, forward, backward, left or right."""
    if name not in NAMES:
        raise UnknownNameError('named orientation', name, NAMES)
    return matrix_from_rpy(*NAMES[name])
