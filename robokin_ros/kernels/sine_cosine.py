"""Sine and cosine that LLVM can vectorise: no branches, no calls."""

from __future__ import annotations

import math

import numpy as np

from robokin_ros.kernels.jit import lanes

LARGEST_ANGLE = 1e6
"""Up to here `sine_cosine` is exact to 2 ulp: k times the first two parts of pi/2 (33 bits) has no rounding."""

TO_QUARTERS = 0.6366197723675814
TO_INTEGER = 6755399441055744.0  # 1.5 * 2^52: adding and subtracting it rounds to an integer
QUARTER_1, QUARTER_2, QUARTER_3 = 1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624879595063154e-21
"""pi/2 in three parts, the first two with 33 bits."""


@lanes
def sine_cosine(x):
    """Sine and cosine of |x| <= LARGEST_ANGLE without branches: polynomials of fdlibm after Cody and Waite."""
    k = (x * TO_QUARTERS + TO_INTEGER) - TO_INTEGER
    a = x - k * QUARTER_1
    b = a - k * QUARTER_2
    r = b - (k * QUARTER_3 - ((a - b) - k * QUARTER_2))  # with the rounding of b
    z = r * r
    s = r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * (
        -1.98412698298579493134e-04 + z * (2.75573137070700676789e-06 + z * (
            -2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))))
    h = 0.5 * z
    w = 1.0 - h
    c = w + (((1.0 - w) - h) + z * z * (4.16666666666666019037e-02 + z * (
        -1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + z * (
            -2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11))))))
    half = np.floor(0.5 * k)
    odd = k - 2.0 * half  # 0 or 1: quarters of a turn swap sine and cosine
    sign = 1.0 - 2.0 * (half - 2.0 * np.floor(0.5 * half))
    even = 1.0 - odd
    return sign * (even * s + odd * c), sign * (even - odd) * (even * c + odd * s)


@lanes
def angle_sine_cosine(x):
    """Sine and cosine of any finite angle."""
    if abs(x) <= LARGEST_ANGLE:
        return sine_cosine(x)
    return math.sin(x), math.cos(x)
