"""Trigonometric and polynomial equations of inverse kinematics: all real solutions, or all angles (KIN-13).

Each solver returns an ascending array of angles in (-pi, pi], or None where every angle solves. Arguments that miss
their legal range by less than 1e-6 (relative) count as its edge.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.kernels.trig_equations import CLAMP, FREE, linear_roots, quadratic_roots
from robokin_ros.spatial.rotation import finite, wrap_angle

Array = NDArray[np.float64]


def solve_sine(a: float) -> Array:
    """Angles with sin t = a; Craig (C.1)."""
    return _given(solve_cosine_sine(0.0, 1.0, a))


def solve_cosine(b: float) -> Array:
    """Angles with cos t = b; Craig (C.3)."""
    return _given(solve_cosine_sine(1.0, 0.0, b))


def solve_cosine_sine(a: float, b: float, c: float) -> Array | None:
    """Angles with a cos t + b sin t = c; Craig (C.10), by half the angle between its two solutions."""
    a, b, c = (float(finite(value, 'coefficient', ())) for value in (a, b, c))
    roots = np.empty(2)
    number = linear_roots(a, b, c, max(abs(a), abs(b), abs(c), 1e-300), roots)
    return None if number == FREE else np.sort(roots[:number])


def solve_pair(a: float, b: float, c: float, d: float) -> Array | None:
    """The angle with a cos t - b sin t = c and a sin t + b cos t = d; Craig (C.12). None of it if they contradict."""
    a, b, c, d = (float(finite(value, 'coefficient', ())) for value in (a, b, c, d))
    left, right = math.hypot(a, b), math.hypot(c, d)
    if max(left, right) == 0.0:
        return None
    if abs(left - right) > CLAMP * max(left, right):
        return np.empty(0)
    return np.array([math.atan2(a * d - b * c, a * c + b * d)])


def solve_offset(x: float, y: float, d: float) -> Array | None:
    """Angles with -x sin t + y cos t = d, the form of theta1 of the PUMA; Craig (4.64)."""
    return solve_cosine_sine(y, -x, d)


def solve_second_degree(coefficients: ArrayLike) -> Array | None:
    """Angles with A c^2 + B c s + C s^2 + D c + E s + F = 0, c = cos t, s = sin t; at most four."""
    k = np.ascontiguousarray(finite(coefficients, 'coefficients', (6,)))
    roots = np.empty(4)
    number = quadratic_roots(k, roots)
    return None if number == FREE else np.sort(roots[:number])


def real_roots(coefficients: ArrayLike) -> Array:
    """Real roots, ascending, with multiplicity, of a polynomial up to degree four, highest power first."""
    k = finite(coefficients, 'coefficients', (np.size(coefficients),))
    size = float(np.max(np.abs(k), initial=0.0))
    if size == 0.0:
        raise InputError('All coefficients of the polynomial are zero: every number is a root.', field='coefficients',
                         value=k)
    lead = int(np.argmax(np.abs(k) > 1e-13 * size))
    k = k[lead:] / size
    if len(k) > 5:
        raise InputError(f'The polynomial has degree {len(k) - 1}; closed forms end at four.', field='coefficients',
                         value=k)
    slope = np.polyder(k)
    found = []
    for root in np.roots(k):
        if abs(root.imag) > 1e-2 * max(1.0, abs(root)):  # multiple roots leave the axis; the residual decides
            continue
        x = float(root.real)
        for _ in range(4):
            rise = float(np.polyval(slope, x))
            step = float(np.polyval(k, x)) / rise if abs(rise) > 1e-9 else 0.0
            x -= step if abs(step) < 1e-2 else 0.0
        if abs(np.polyval(k, x)) < 1e-9 * max(1.0, abs(x)) ** 4:
            found.append(x)
    return np.sort(np.array(found))


def solve_three_angles(a: float, b: float, c: float, d: float, psi: float) -> Array:
    """Rows (t, xi, phi) with sin xi = a sin t + b, sin phi = c cos t + d, xi + phi = psi; Craig exercise 4.23.

    With sin psi = 0 the two sines are equal or opposite, which is linear in t.
    """
    a, b, c, d, psi = (float(finite(value, 'coefficient', ())) for value in (a, b, c, d, psi))
    cosine, sine = math.cos(psi), math.sin(psi)
    rows = []
    if abs(sine) < CLAMP:
        sign = -cosine  # p + cos(psi) q = 0
        angles = solve_cosine_sine(c, -sign * a, sign * b - d)
        for t in _given(angles):
            p = a * math.sin(t) + b
            if abs(p) <= 1.0 + CLAMP:
                first = math.asin(min(max(p, -1.0), 1.0))
                rows += [(t, xi, wrap_angle(psi - xi)) for xi in (first, math.pi - first)]
        return np.array(rows).reshape(-1, 3)
    angles = solve_second_degree((c * c, 2.0 * a * c * cosine, a * a, 2.0 * c * (d + b * cosine),
                                  2.0 * a * (b + d * cosine), b * b + d * d + 2.0 * b * d * cosine - sine * sine))
    for t in _given(angles):
        p, q = a * math.sin(t) + b, c * math.cos(t) + d
        xi = math.atan2(p, (q + p * cosine) / sine)
        rows.append((t, xi, wrap_angle(psi - xi)))
    return np.array(rows).reshape(-1, 3)


def _given(angles: Array | None) -> Array:
    if angles is None:
        raise InputError('Every angle solves the equation.', field='coefficients')
    return angles
