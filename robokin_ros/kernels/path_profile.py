"""Time-optimal speed along a path: the largest speeds from which the end can be reached, and the profile (TOP-06).

At point k of the path, rows lo <= A u + B y^2 + C y <= hi bound the path acceleration u and the path speed y. Within a
cell of the grid u is constant, so y_next^2 = y^2 + 2 D u. With `both_ends` the rows of the next point are held at the
end of the cell too; their term in y_next is taken linear around the speeds `around` of an earlier pass.
"""

from __future__ import annotations

import math

import numpy as np

from robokin_ros.kernels.jit import (
    CUBE,
    FLAG,
    INDICES,
    INTEGER,
    MATRIX,
    OUT_CUBE,
    OUT_INDICES,
    OUT_MATRIX,
    OUT_VECTOR,
    REAL,
    VECTOR,
    exact,
    kernel,
    part,
)

__all__ = ['admissible_range', 'constant_speed', 'controllable_speeds', 'fastest_profile', 'largest_speeds',
           'rate_caps', 'spline_points']

FLAT = 1e-9
"""Share of the largest factor of u of a row on the whole path below which the row bounds the speed only."""
SLOWEST = 1e-6
"""Path speed around which a term in y is taken linear, at least; none is taken where it is to be 0."""
NO_END = 1e300


@exact
def smallest_root(a, b, c):
    """Smallest positive y at which a y^2 + b y + c, not negative at 0, becomes negative; infinity if never."""
    if c < 0.0:
        return 0.0
    if a == 0.0:
        return -c / b if b < 0.0 else math.inf
    square = b * b - 4.0 * a * c
    if square < 0.0:
        return math.inf
    half = -0.5 * (b + math.copysign(math.sqrt(square), b))
    first, second = half / a, (c / half if half != 0.0 else math.inf)
    best = math.inf
    if first > 0.0:
        best = first
    if 0.0 < second < best:
        best = second
    if c == 0.0 and (b < 0.0 or (b == 0.0 and a < 0.0)):
        return 0.0
    return best


@part
def add_row(a, b, c, lo, hi, flat, alpha, beta, upper, lower, rows, cap):
    """Put a row in the form alpha y^2 + beta y + lower <= u <= alpha y^2 + beta y + upper; (rows, speed bound)."""
    if abs(a) <= flat:
        cap = min(cap, smallest_root(-b, -c, hi), smallest_root(b, c, -lo))
        return rows, cap
    alpha[rows], beta[rows] = -b / a, -c / a
    if a > 0.0:
        upper[rows], lower[rows] = hi / a, lo / a
    else:
        upper[rows], lower[rows] = lo / a, hi / a
    return rows + 1, cap


@part
def rows_at(k, a, b, c, lo, hi, scale, cap, both_ends, step, around, alpha, beta, upper, lower):
    """All rows of the cell that begins at point k; (rows, speed bound)."""
    rows = 0
    for r in range(a.shape[1]):
        rows, cap = add_row(a[k, r], b[k, r], c[k, r], lo[k, r], hi[k, r], FLAT * scale[r], alpha, beta, upper, lower,
                            rows, cap)
    if both_ends:
        for r in range(a.shape[1]):
            near = max(around[k + 1], SLOWEST)
            viscous = 0.0 if around[k + 1] == 0.0 else c[k + 1, r]
            square = b[k + 1, r] + 0.5 * viscous / near
            rest = 0.5 * viscous * near
            rows, cap = add_row(a[k + 1, r] + 2.0 * step * square, square, 0.0, lo[k + 1, r] - rest,
                                hi[k + 1, r] - rest, FLAT * scale[r], alpha, beta, upper, lower, rows, cap)
    return rows, cap


@part
def range_of(y, rows, alpha, beta, upper, lower):
    """Lowest and highest u at a speed, and the rows that say so."""
    low, high, lowest, highest = -math.inf, math.inf, -1, -1
    for r in range(rows):
        shift = (alpha[r] * y + beta[r]) * y
        if shift + upper[r] < high:
            high, highest = shift + upper[r], r
        if shift + lower[r] > low:
            low, lowest = shift + lower[r], r
    return low, high, lowest, highest


@part
def largest_speed(rows, cap, alpha, beta, upper, lower):
    """Largest y up to `cap`, in the interval that contains 0, at which some u satisfies all rows."""
    curved = False
    for r in range(rows):
        if beta[r] != 0.0:
            curved = True
    if curved:  # the gap of two rows is a parabola in y: look at all pairs
        best = cap
        for i in range(rows):
            for j in range(rows):
                if i != j:
                    best = min(best, smallest_root(alpha[i] - alpha[j], beta[i] - beta[j], upper[i] - lower[j]))
        return best
    # without terms in y the gap is concave in y^2: Newton from above ends at the root
    y = cap
    if not y < NO_END:
        y = math.inf
        for i in range(rows):
            for j in range(rows):
                if alpha[i] < alpha[j]:
                    y = min(y, math.sqrt(max(upper[i] - lower[j], 0.0) / (alpha[j] - alpha[i])))
        return y
    for _ in range(100):
        low, high, i, j = range_of(y, rows, alpha, beta, upper, lower)
        if low <= high or y == 0.0:
            return y
        slope = alpha[j] - alpha[i]
        room = upper[j] - lower[i]
        if slope >= 0.0 or room <= 0.0:
            return 0.0
        smaller = math.sqrt(-room / slope)
        if smaller >= y * (1.0 - 1e-15):
            return smaller
        y = smaller
    return y


@kernel(INTEGER, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, VECTOR, VECTOR, OUT_VECTOR)
def largest_speeds(a, b, c, lo, hi, scale, cap, speeds):
    """Maximum velocity curve: the largest speed at each point at which some acceleration is admissible; 0."""
    most = a.shape[1]
    alpha, beta, upper, lower = np.empty(most), np.empty(most), np.empty(most), np.empty(most)
    for k in range(a.shape[0]):
        rows, bound = rows_at(k, a, b, c, lo, hi, scale, cap[k], False, 0.0, cap, alpha, beta, upper, lower)
        speeds[k] = largest_speed(rows, bound, alpha, beta, upper, lower)
    return 0


@kernel(INTEGER, MATRIX, MATRIX, MATRIX, MATRIX, VECTOR, OUT_VECTOR)
def constant_speed(b, c, lo, hi, cap, speeds):
    """Largest speed at each point, connected to 0, that can be held without acceleration; 0."""
    for k in range(b.shape[0]):
        best = cap[k]
        for r in range(b.shape[1]):
            best = min(best, smallest_root(-b[k, r], -c[k, r], hi[k, r]), smallest_root(b[k, r], c[k, r], -lo[k, r]))
        speeds[k] = best
    return 0


@kernel(INTEGER, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, VECTOR, VECTOR, OUT_VECTOR, OUT_VECTOR)
def admissible_range(a, b, c, lo, hi, scale, speed, lowest, highest):
    """Lowest and highest admissible u at each point at given speeds; 0."""
    most = a.shape[1]
    alpha, beta, upper, lower = np.empty(most), np.empty(most), np.empty(most), np.empty(most)
    for k in range(a.shape[0]):
        rows, bound = rows_at(k, a, b, c, lo, hi, scale, math.inf, False, 0.0, speed, alpha, beta, upper, lower)
        lowest[k], highest[k], _, _ = range_of(speed[k], rows, alpha, beta, upper, lower)
        if speed[k] > bound:
            lowest[k], highest[k] = math.inf, -math.inf
    return 0


@kernel(INTEGER, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, VECTOR, VECTOR, VECTOR, FLAG, VECTOR, REAL, OUT_CUBE,
        OUT_INDICES, OUT_VECTOR)
def controllable_speeds(a, b, c, lo, hi, scale, cap, grid, both_ends, around, end_speed, cells, counts, speeds):
    """Largest speed at each point from which the end can be reached with at most `end_speed`; 0.

    `cells` (k, 4, 2 r + 1) and `counts` (k,) take the rows of each cell, for `fastest_profile`; the last row says that
    the end speed is controllable.
    """
    last = grid.shape[0] - 1
    alpha, beta, upper, lower = cells[last, 0], cells[last, 1], cells[last, 2], cells[last, 3]
    rows, bound = rows_at(last, a, b, c, lo, hi, scale, cap[last], False, 0.0, around, alpha, beta, upper, lower)
    speeds[last] = min(end_speed, largest_speed(rows, bound, alpha, beta, upper, lower))
    for k in range(last - 1, -1, -1):
        alpha, beta, upper, lower = cells[k, 0], cells[k, 1], cells[k, 2], cells[k, 3]
        step = grid[k + 1] - grid[k]
        rows, bound = rows_at(k, a, b, c, lo, hi, scale, cap[k], both_ends, step, around, alpha, beta, upper, lower)
        alpha[rows], beta[rows] = -0.5 / step, 0.0
        upper[rows], lower[rows] = 0.5 * speeds[k + 1] * speeds[k + 1] / step, 0.0
        counts[k] = rows + 1
        speeds[k] = largest_speed(rows + 1, bound, alpha, beta, upper, lower)
    return 0


@kernel(INTEGER, CUBE, INDICES, VECTOR, VECTOR, REAL, OUT_VECTOR)
def fastest_profile(cells, counts, grid, reachable, start_speed, speeds):
    """Speeds of the fastest motion below the controllable ones; 0, or 1 + the cell at which it is lost."""
    speeds[0] = start_speed
    for k in range(grid.shape[0] - 1):
        low, high, _, _ = range_of(speeds[k], counts[k], cells[k, 0], cells[k, 1], cells[k, 2], cells[k, 3])
        if not high >= low - 1e-7 * (1.0 + abs(low)):
            return k + 1
        square = speeds[k] * speeds[k] + 2.0 * (grid[k + 1] - grid[k]) * high
        speeds[k + 1] = min(math.sqrt(max(square, 0.0)), reachable[k + 1])
        if speeds[k] + speeds[k + 1] == 0.0:
            return k + 1
    return 0


@kernel(INTEGER, VECTOR, CUBE, VECTOR, OUT_MATRIX, OUT_MATRIX, OUT_MATRIX)
def spline_points(breaks, coefficients, s, q, first, second):
    """Values and two derivatives (k, n) of a spline with coefficients (degree + 1, pieces, n), highest first; 0."""
    top, pieces, n = coefficients.shape
    for k in range(s.shape[0]):
        piece = min(max(np.searchsorted(breaks, s[k], side='right') - 1, 0), pieces - 1)
        x = s[k] - breaks[piece]
        for i in range(n):
            value = slope = bend = 0.0
            for d in range(top):
                bend = bend * x + slope
                slope = slope * x + value
                value = value * x + coefficients[d, piece, i]
            q[k, i], first[k, i], second[k, i] = value, slope, 2.0 * bend
    return 0


@kernel(INTEGER, VECTOR, MATRIX, INTEGER, VECTOR, OUT_VECTOR)
def rate_caps(grid, first, between, velocity, caps):
    """Largest speeds at the points of a grid for which no joint passes its rate limit, also within the cells; 0.

    `first` (k, n): q' at the grid points and at `between` evenly spaced places within each cell, in order. The square
    of the speed is linear within a cell: where that would pass the limit, both ends are lowered.
    """
    last, step = grid.shape[0] - 1, between + 1
    squares = np.empty(first.shape[0])
    for k in range(first.shape[0]):
        cap = 1e150
        for i in range(velocity.shape[0]):
            if first[k, i] != 0.0:
                cap = min(cap, velocity[i] / abs(first[k, i]))
        squares[k] = cap * cap
    for k in range(last + 1):
        caps[k] = 1.0
    for k in range(last):
        share = 1.0
        left, right = squares[k * step], squares[(k + 1) * step]
        for j in range(1, step):
            there = left + (right - left) * j / step
            if squares[k * step + j] < share * there:
                share = squares[k * step + j] / there
        caps[k], caps[k + 1] = min(caps[k], share), min(caps[k + 1], share)
    for k in range(last + 1):
        caps[k] = math.sqrt(caps[k] * squares[k * step])
    return 0
