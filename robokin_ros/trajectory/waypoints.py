"""Motions through given points: linear, cubic or quintic, by what the points say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robokin_ros.model.robot_model import RobotModel
from robokin_ros.trajectory.motion import PolynomialMotion
from robokin_ros.trajectory.polynomials import cubic_coefficients, quintic_coefficients

Array = NDArray[np.float64]


def motion_through_points(model: RobotModel, times: Array, positions: Array, velocities: Array | None = None,
                          accelerations: Array | None = None) -> PolynomialMotion:
    """Join points (k, n) at increasing times [s] (k,), the first at 0.

    Positions alone: straight lines in joint space. With velocities: cubics, Craig (7.11). With velocities and
    accelerations: quintics, Craig (7.18).
    """
    q, v, a = positions, velocities, accelerations
    with np.errstate(over='ignore', invalid='ignore'):  # refused by PolynomialMotion
        h = np.diff(times)[:, None]
        if v is None:
            pieces = np.stack([q[:-1], np.diff(q, axis=0) / h, np.zeros_like(q[1:])])
        elif a is None:
            pieces = cubic_coefficients(q[:-1], q[1:], h, v[:-1], v[1:])
        else:
            pieces = quintic_coefficients(q[:-1], q[1:], h, v[:-1], v[1:], a[:-1], a[1:])
    return PolynomialMotion(model, times, np.ascontiguousarray(np.moveaxis(pieces, 0, 1)))
