"""Shortest moves from rest to rest within limits: trapezoids of speed, and moves of limited jerk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Piece = tuple[Array, Array]
"""Break times [s] and coefficients (s, degree + 1) of one joint."""
TINY = 1e-12


def trapezoid_time(distance: float, speed: float, acceleration: float) -> float:
    """Shortest time [s] of a move with limited speed and acceleration; 0 for no distance."""
    way = abs(distance)
    if way * acceleration <= speed**2:
        return float(2.0 * np.sqrt(way / acceleration))
    return way / speed + speed / acceleration


def trapezoid(start: float, goal: float, duration: float, acceleration: float) -> Piece:
    """Acceleration, constant speed, deceleration in a given time, at least the shortest (TRJ-07)."""
    way = goal - start
    root = max(duration**2 - 4.0 * abs(way) / acceleration, 0.0)
    blend = 0.5 * (duration - np.sqrt(root))
    signed = np.sign(way) * acceleration
    rise = float(blend)
    return played(start, [(rise, signed, 0.0), (duration - 2.0 * rise, 0.0, 0.0), (rise, -signed, 0.0)], duration)


def jerk_limited_time(distance: float, speed: float, acceleration: float, jerk: float) -> float:
    """Shortest time [s] of a move with limited speed, acceleration and jerk; 0 for no distance."""
    return float(sum(length for length, _ in _double_s(abs(distance), speed, acceleration, jerk)))


def jerk_limited(start: float, goal: float, duration: float, speed: float, acceleration: float, jerk: float) -> Piece:
    """The shortest move within speed, acceleration and jerk, played slower so that it takes `duration` [s]."""
    way = goal - start
    phases = _double_s(abs(way), speed, acceleration, jerk)
    shortest = sum(length for length, _ in phases)
    slow = duration / shortest if shortest > 0.0 else 1.0
    return played(start, [(slow * length, None, np.sign(way) * third / slow**3) for length, third in phases], duration)


def _double_s(way: float, speed: float, acceleration: float, jerk: float) -> list[tuple[float, float]]:
    """Durations [s] and jerks of the seven phases of the time-optimal move over a distance."""
    if way <= TINY:
        return []
    top = min(speed, (way**2 * jerk / 4.0)**(1.0 / 3.0))  # without a phase of constant acceleration
    if top * jerk > acceleration**2:
        a = acceleration
        top = min(speed, 0.5 * (np.sqrt(a**4 / jerk**2 + 4.0 * a * way) - a**2 / jerk))
        rise, flat = a / jerk, max(top / a - a / jerk, 0.0)
    else:
        rise, flat = float(np.sqrt(top / jerk)), 0.0
    cruise = max(way / top - 2.0 * rise - flat, 0.0)
    return [(rise, jerk), (flat, 0.0), (rise, -jerk), (cruise, 0.0), (rise, -jerk), (flat, 0.0), (rise, jerk)]


def played(start: float, phases: Sequence[tuple[float, float | None, float]], duration: float, velocity: float = 0.0,
           acceleration: float = 0.0) -> Piece:
    """Pieces of phases (duration, acceleration, jerk) from a state on; phases that take no time are left out.

    An acceleration of None goes on with that with which the phase before ended.
    """
    times, rows, now = [0.0], [], 0.0
    q, v, a = start, velocity, acceleration
    for length, given, jerk in phases:
        a = a if given is None else given
        if length > TINY * duration:
            rows.append((q, v, 0.5 * a, jerk / 6.0))
            q += length * (v + length * (0.5 * a + length * jerk / 6.0))
            v += length * (a + 0.5 * length * jerk)
            a += length * jerk
            now += length
            times.append(now)
    if not rows:
        rows, times = [(start, 0.0, 0.0, 0.0)], [0.0, duration]
    times[-1] = duration
    return np.array(times), np.array(rows)
