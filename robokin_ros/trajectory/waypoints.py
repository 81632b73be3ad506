"""Motions through given points: linear, cubic or quintic, by what the points say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robokin_ros.model.robot_model import RobotModel
from robokin_ros.trajectory.motion import PolynomialMotion

Array = NDArray[np.float64]


def motion_through_points(model: RobotModel, times: Array, positions: Array, velocities: Array | None = None,
                          accelerations: Array | None = None) -> PolynomialMotion:
    """Join points (k, n) at increasing times [s] (k,), the first at 0.

    Positions alone: straight lines in joint space. With velocities: cubics, Craig (7.11). With velocities and
    accelerations: quintics, Craig (7.18).
    """
    with np.errstate(over='ignore', invalid='ignore'):  # refused by PolynomialMotion
        if velocities is None:
            pieces = _linear(times, positions)
        elif accelerations is None:
            pieces = _cubic(times, positions, velocities)
        else:
            pieces = _quintic(times, positions, velocities, accelerations)
    return PolynomialMotion(model, times, pieces)


def _linear(times: Array, q: Array) -> Array:
    h = np.diff(times)[:, None]
    return np.stack([q[:-1], np.diff(q, axis=0) / h, np.zeros_like(q[1:])], axis=1)


def _cubic(times: Array, q: Array, v: Array) -> Array:
    h = np.diff(times)[:, None]
    d = np.diff(q, axis=0)
    return np.stack([q[:-1], v[:-1], 3.0 * d / h**2 - (2.0 * v[:-1] + v[1:]) / h,
                     -2.0 * d / h**3 + (v[:-1] + v[1:]) / h**2], axis=1)


def _quintic(times: Array, q: Array, v: Array, a: Array) -> Array:
    h = np.diff(times)[:, None]
    d = np.diff(q, axis=0)
    v0, v1, a0, a1 = v[:-1], v[1:], a[:-1], a[1:]
    return np.stack([
        q[:-1], v0, a0 / 2.0,
        (20.0 * d - (8.0 * v1 + 12.0 * v0) * h - (3.0 * a0 - a1) * h**2) / (2.0 * h**3),
        (-30.0 * d + (14.0 * v1 + 16.0 * v0) * h + (3.0 * a0 - 2.0 * a1) * h**2) / (2.0 * h**4),
        (12.0 * d - 6.0 * (v1 + v0) * h - (a0 - a1) * h**2) / (2.0 * h**5),
    ], axis=1)
