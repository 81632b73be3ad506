"""Coefficients of the polynomials that join two points (TRJ-02, TRJ-03, TRJ-05) and their shortest times (TRJ-06)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
CUBIC_SPEED, CUBIC_ACCELERATION = 1.5, 6.0
"""Peak speed and acceleration of a cubic from rest to rest, in distance per duration and per duration squared."""
QUINTIC_SPEED, QUINTIC_ACCELERATION = 1.875, 10.0 / np.sqrt(3.0)
"""The same of a quintic."""


def cubic_coefficients(start: ArrayLike, goal: ArrayLike, duration: ArrayLike, start_velocity: ArrayLike = 0.0,
                       end_velocity: ArrayLike = 0.0) -> Array:
    """Coefficients (4, ...), constant first, of cubics with given ends and end velocities; Craig (7.11), corrected."""
    q, h = np.asarray(start, dtype=float), np.asarray(duration, dtype=float)
    v0, v1 = np.asarray(start_velocity, dtype=float), np.asarray(end_velocity, dtype=float)
    d = np.asarray(goal, dtype=float) - q
    return np.stack(np.broadcast_arrays(q, v0, 3.0 * d / h**2 - (2.0 * v0 + v1) / h,
                                        -2.0 * d / h**3 + (v0 + v1) / h**2))


def quintic_coefficients(start: ArrayLike, goal: ArrayLike, duration: ArrayLike, start_velocity: ArrayLike = 0.0,
                         end_velocity: ArrayLike = 0.0, start_acceleration: ArrayLike = 0.0,
                         end_acceleration: ArrayLike = 0.0) -> Array:
    """Coefficients (6, ...), constant first, of quintics with given ends, velocities, accelerations; Craig (7.18)."""
    q, h = np.asarray(start, dtype=float), np.asarray(duration, dtype=float)
    v0, v1 = np.asarray(start_velocity, dtype=float), np.asarray(end_velocity, dtype=float)
    a0, a1 = np.asarray(start_acceleration, dtype=float), np.asarray(end_acceleration, dtype=float)
    d = np.asarray(goal, dtype=float) - q
    return np.stack(np.broadcast_arrays(
        q, v0, a0 / 2.0,
        (20.0 * d - (8.0 * v1 + 12.0 * v0) * h - (3.0 * a0 - a1) * h**2) / (2.0 * h**3),
        (-30.0 * d + (14.0 * v1 + 16.0 * v0) * h + (3.0 * a0 - 2.0 * a1) * h**2) / (2.0 * h**4),
        (12.0 * d - 6.0 * (v1 + v0) * h - (a0 - a1) * h**2) / (2.0 * h**5)))


def shortest_time(distance: ArrayLike, velocity_limit: ArrayLike, acceleration_limit: ArrayLike,
                  quintic: bool = True) -> float:
    """Shortest duration [s] of polynomials from rest to rest that all joints share; 0 when nothing is to move."""
    way = np.abs(np.asarray(distance, dtype=float))
    speed, acceleration = (QUINTIC_SPEED, QUINTIC_ACCELERATION) if quintic else (CUBIC_SPEED, CUBIC_ACCELERATION)
    return float(max(np.max(speed * way / velocity_limit, initial=0.0),
                     np.max(np.sqrt(acceleration * way / acceleration_limit), initial=0.0)))
