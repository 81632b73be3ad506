"""The phase plane of a path, speed y over parameter s: what limits allow where (TOP-02 to TOP-05)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import LimitError
from robokin_ros.kernels.path_profile import admissible_range, constant_speed, largest_speeds
from robokin_ros.trajectory.time_optimal.path_rows import Rows

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PhasePlane:
    """Limits over the path, as data for plots.

    Attributes
    ----------
    s
        (k,) path parameters.
    rate_limit
        (k,) speed at which a joint reaches its rate limit; infinite for none.
    maximum
        (k,) maximum velocity curve: above it no drive effort keeps the arm on the path.
    constant
        (k,) largest speed, connected to 0, that can be held.
    rows
        The limits themselves.
    """

    s: Array
    rate_limit: Array
    maximum: Array
    constant: Array
    rows: Rows

    def accelerations(self, speed: ArrayLike) -> tuple[Array, Array]:
        """Lowest and highest admissible path acceleration L, U (k,) at speeds (k,); L > U where none is."""
        y = np.ascontiguousarray(np.broadcast_to(np.asarray(speed, dtype=float), self.s.shape))
        low, high = np.empty(len(y)), np.empty(len(y))
        admissible_range(*self.rows.args(), y, low, high)
        return low, high

    def region(self, point: int, samples: int = 200) -> tuple[Array, Array, Array]:
        """Speeds from 0 to the largest at one point of the path, and the lowest and highest acceleration there."""
        all_rows, one = self.rows, slice(point, point + 1)
        row = Rows(all_rows.a[one], all_rows.b[one], all_rows.c[one], all_rows.lo[one], all_rows.hi[one],
                   all_rows.cap[one], all_rows.scale)
        speeds = np.linspace(0.0, min(float(self.maximum[point]), 1e6), samples)
        low, high = np.empty(samples), np.empty(samples)
        for i in range(samples):
            admissible_range(*row.args(), speeds[i:i + 1], low[i:i + 1], high[i:i + 1])
        return speeds, low, high


def phase_plane(s: Array, rows: Rows) -> PhasePlane:
    """The phase plane of rows at path parameters s (k,)."""
    maximum, constant = np.empty(len(s)), np.empty(len(s))
    largest_speeds(*rows.args(), rows.cap, maximum)
    constant_speed(rows.b, rows.c, rows.lo, rows.hi, np.minimum(rows.cap, maximum), constant)
    return PhasePlane(s, rows.cap, maximum, constant, rows)


def zero_crossings(function: Callable[[Array], Array], s: Array, values: Array, steps: int = 1) -> Array:
    """Places where columns of `values` = function(s) (k, r) change sign, by the Illinois method, all at once.

    Places at which a column is, or becomes, smaller than rounding are left out.
    """
    least = 1e-9 * np.max(np.abs(values), axis=0, initial=0.0)
    k, r = np.nonzero((values[:-1] * values[1:] < 0.0)
                      & (np.minimum(np.abs(values[:-1]), np.abs(values[1:])) > least))
    left, right, fl, fr = s[k].copy(), s[k + 1].copy(), values[k, r].copy(), values[k + 1, r].copy()
    for _ in range(steps if len(k) else 0):
        middle = (left * fr - right * fl) / (fr - fl)
        found = function(middle)[np.arange(len(k)), r]
        same = found * fl > 0.0
        fr, fl = np.where(same, 0.5 * fr, found), np.where(same, found, 0.5 * fl)
        left, right = np.where(same, middle, left), np.where(same, right, middle)
    with np.errstate(invalid='ignore'):
        return np.asarray(np.clip(np.where(fr == fl, left, (left * fr - right * fl) / (fr - fl)), left, right))


def one_switch(rows_of: Callable[[Array], Any], rows_of_end: Callable[[Array], Any] | None = None, step: float = 1e-3,
               points: int = 1000) -> tuple[Array, Array]:
    """The textbook's profile of one switch from rest to rest (TOP-05): s (points,) and speeds.

    Euler steps of fixed length along the tangent in the phase plane, forward with the highest and backward with the
    lowest acceleration, and the lower of the two curves. A little too fast; holds only while it stays below the
    maximum velocity curve, which is checked.

    Parameters
    ----------
    rows_of
        Rows at parameters s (k,).
    rows_of_end
        The same for the way back from the end (another payload); None: the same.
    """
    forward = _integrate(rows_of, 0.0, step, 1.0)
    backward = _integrate(rows_of_end or rows_of, 1.0, step, -1.0)
    s = np.linspace(0.0, 1.0, points)
    up, down = np.interp(s, forward[0], forward[1]), np.interp(s, backward[0][::-1], backward[1][::-1])
    speeds = np.minimum(up, down)
    plane = phase_plane(s, rows_of(s))
    above = speeds > plane.maximum * (1.0 + 1e-3)
    if np.any(above):
        at = int(np.argmax(above))
        raise LimitError(f'The profile of one switch passes s = {s[at]:.4g} at {speeds[at]:.4g}, above the maximum '
                         f'velocity {plane.maximum[at]:.4g}: this path needs more switches.', value=float(speeds[at]),
                         limit=float(plane.maximum[at]))
    return s, speeds


def _integrate(rows_of: Callable[[Array], Any], start: float, step: float, direction: float) -> tuple[Array, Array]:
    """Curve of steps from (start, 0) to the other end of the path."""
    s, y = start, 0.0
    places, speeds = [s], [y]
    low, high = np.empty(1), np.empty(1)
    while 0.0 <= s <= 1.0 and len(places) < 1_000_000:
        rows = rows_of(np.array([min(max(s, 0.0), 1.0)]))
        admissible_range(*rows.args()[:-1], np.max(np.abs(rows.a), axis=0), np.array([y]), low, high)
        acceleration = float(high[0] if direction > 0.0 else low[0])
        slope = np.arctan(acceleration / y) if y > 0.0 else direction * 0.5 * np.pi
        s += direction * step * np.cos(slope)
        y += direction * step * np.sin(slope)
        if y < 0.0:
            raise LimitError(f'The profile of one switch comes to rest at s = {s:.4g}, before the end.', value=s)
        places.append(s)
        speeds.append(y)
    return np.array(places), np.array(speeds)
