"""The screw of a displacement: every rigid motion is a turn about a line and a shift along it (KIN-03, KIN-08)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robokin_ros.spatial.axis_angle import axis_angle
from robokin_ros.spatial.transform import check_transform

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ScrewAxis:
    """Line (direction, its point nearest to the origin [m]), angle [rad] in [0, pi], distance [m] along the direction.

    Without a turn the line passes through the origin; without any motion its direction is zero.
    """

    direction: Array
    point: Array
    angle: Array
    distance: Array


def screw_axis(transform: Array) -> ScrewAxis:
    """Screw of displacements (..., 4, 4): T = D(point) Screw(direction, distance, angle) D(-point)."""
    t = check_transform(transform)
    found = axis_angle(t[..., :3, :3])
    p = t[..., :3, 3]
    length = np.linalg.norm(p, axis=-1)
    turns = np.asarray(found.defined)
    straight = p / np.where(length > 0.0, length, 1.0)[..., None]
    direction = np.where(turns[..., None], found.axis, straight)
    distance = np.sum(direction * p, axis=-1)
    across = p - distance[..., None] * direction
    half = np.where(turns, np.tan(0.5 * np.where(turns, found.angle, 1.0)), 1.0)
    point = 0.5 * (across + np.cross(direction, across) / half[..., None])
    return ScrewAxis(direction, np.where(turns[..., None], point, 0.0), np.where(turns, found.angle, 0.0), distance)
