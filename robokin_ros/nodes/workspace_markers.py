"""The workspace as RViz markers."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from visualization_msgs.msg import Marker, MarkerArray

COLOR = (0.1, 0.6, 0.9, 0.6)


def points_message(points: NDArray[np.float64]) -> list[Point]:
    """Point messages of rows x y z."""
    return [Point(x=x, y=y, z=z) for x, y, z in points.tolist()]


def workspace_markers(points: list[Point], size: float, frame: str, stamp: Any) -> MarkerArray:
    """One marker of cubes [m] at the points; an earlier one of the same name is replaced."""
    marker = Marker(ns='workspace', id=0, type=Marker.CUBE_LIST, action=Marker.ADD, points=points)
    marker.header.frame_id, marker.header.stamp = frame, stamp
    marker.pose.orientation.w = 1.0
    marker.scale.x = marker.scale.y = marker.scale.z = float(size)
    marker.color.r, marker.color.g, marker.color.b, marker.color.a = COLOR
    return MarkerArray(markers=[marker])
