"""Trigonometric equations in one angle: all real solutions, double roots kept at the edge (KIN-13)."""

from __future__ import annotations

import math

from robokin_ros.kernels.jit import INTEGER, OUT_VECTOR, REAL, VECTOR, exact, kernel, part

__all__ = ['FREE', 'linear_roots', 'quadratic_roots']

CLAMP = 1e-6
"""Relative miss of the legal range that counts as the edge itself (KIN-01)."""
FREE = -1
"""Number of solutions that means: every angle solves the equation."""


@exact
def wrap(angle):
    """Angle in (-pi, pi]."""
    return math.pi - (math.pi - angle) % (2.0 * math.pi)


@exact
def solve_linear(a, b, c, scale, roots):
    """Solutions of a cos t + b sin t = c into `roots`; their number (0, 1, 2) or FREE; `scale`: size of the terms."""
    size = math.hypot(a, b)
    if size < 1e-12 * scale:
        return FREE if abs(c) < CLAMP * scale else 0
    ratio = c / size
    if abs(ratio) > 1.0 + CLAMP:
        return 0
    middle = math.atan2(b, a)
    if abs(ratio) >= 1.0:
        roots[0] = wrap(middle if ratio > 0.0 else middle + math.pi)
        return 1
    half = math.acos(ratio)
    roots[0] = wrap(middle + half)
    roots[1] = wrap(middle - half)
    return 2


@part
def quadratic_value(k, t):
    """A c^2 + B c s + C s^2 + D c + E s + F at an angle, and its derivative."""
    c, s = math.cos(t), math.sin(t)
    value = k[0] * c * c + k[1] * c * s + k[2] * s * s + k[3] * c + k[4] * s + k[5]
    slope = 2.0 * (k[2] - k[0]) * c * s + k[1] * (c * c - s * s) - k[3] * s + k[4] * c
    return value, slope


@part
def solve_quadratic(k, roots):
    """Solutions of A c^2 + B c s + C s^2 + D c + E s + F = 0 (`k`) into `roots`; their number (at most 4) or FREE.

    Roots of the polynomial in z = exp(i t) by Weierstrass iteration; those on the unit circle polished by Newton.
    """
    scale = 0.0
    for i in range(6):
        scale = max(scale, abs(k[i]))
    if scale < 1e-300:
        return FREE
    c4 = complex(k[0] - k[2], -k[1])
    c3 = complex(2.0 * k[3], -2.0 * k[4])
    c2 = complex(2.0 * (k[0] + k[2]) + 4.0 * k[5], 0.0)
    if abs(c4) < 1e-12 * scale:  # no second harmonic: the linear equation
        constant = 0.5 * (k[0] + k[2]) + k[5]
        return solve_linear(k[3], k[4], -constant, scale, roots)
    b3, b2, b1, b0 = c3 / c4, c2 / c4, c3.conjugate() / c4, c4.conjugate() / c4
    z0, z1, z2, z3 = complex(1.0, 0.0), complex(0.4, 0.9), complex(-0.65, 0.72), complex(-0.9, -0.5)
    for _ in range(60):
        f0 = ((((z0 + b3) * z0 + b2) * z0 + b1) * z0 + b0) / ((z0 - z1) * (z0 - z2) * (z0 - z3))
        z0 = z0 - f0
        f1 = ((((z1 + b3) * z1 + b2) * z1 + b1) * z1 + b0) / ((z1 - z0) * (z1 - z2) * (z1 - z3))
        z1 = z1 - f1
        f2 = ((((z2 + b3) * z2 + b2) * z2 + b1) * z2 + b0) / ((z2 - z0) * (z2 - z1) * (z2 - z3))
        z2 = z2 - f2
        f3 = ((((z3 + b3) * z3 + b2) * z3 + b1) * z3 + b0) / ((z3 - z0) * (z3 - z1) * (z3 - z2))
        z3 = z3 - f3
        if abs(f0) + abs(f1) + abs(f2) + abs(f3) < 1e-13:
            break
    count = 0
    for z in (z0, z1, z2, z3):
        if abs(abs(z) - 1.0) > 1e-3:
            continue
        t = math.atan2(z.imag, z.real)
        for _ in range(8):
            value, slope = quadratic_value(k, t)
            if abs(slope) < 1e-14 * scale:
                break
            step = value / slope
            if abs(step) > 0.05:
                break
            t -= step
            if abs(step) < 1e-15:
                break
        value, _ = quadratic_value(k, t)
        if abs(value) > 1e-9 * scale:
            continue
        t = wrap(t)
        known = False
        for i in range(count):
            known = known or abs(wrap(t - roots[i])) < 1e-7
        if not known:
            roots[count] = t
            count += 1
    return count


@part
def solve_two_angles(cosine, sine, first, second, scale, near, work, out):
    """Pairs (w, u) with cosine * cos u = first(w) and sine * sin u = second(w) as rows of `out`; (number, w is free).

    `first` and `second` hold the constant, the cos w and the sin w term. `work` has two rows for roots.
    """
    roots, k = work[0], work[1]
    loose = False
    if abs(cosine) < 1e-6 * scale and abs(sine) < 1e-6 * scale:
        return 0, False
    if abs(sine) < 1e-6 * scale:
        number = solve_linear(second[1], second[2], -second[0], scale, roots)
    elif abs(cosine) < 1e-6 * scale:
        number = solve_linear(first[1], first[2], -first[0], scale, roots)
    else:
        for i in range(6):
            k[i] = 0.0
        for form, factor in ((first, cosine), (second, sine)):
            w0, wc, ws = form[0] / factor, form[1] / factor, form[2] / factor
            k[0] += wc * wc
            k[1] += 2.0 * wc * ws
            k[2] += ws * ws
            k[3] += 2.0 * w0 * wc
            k[4] += 2.0 * w0 * ws
            k[5] += w0 * w0
        k[5] -= 1.0
        number = solve_quadratic(k, roots)
    if number == FREE:
        roots[0] = near
        number = 1
        loose = True
    count = 0
    for i in range(number):
        c, s = math.cos(roots[i]), math.sin(roots[i])
        a, b = first[0] + first[1] * c + first[2] * s, second[0] + second[1] * c + second[2] * s
        if abs(sine) < 1e-6 * scale or abs(cosine) < 1e-6 * scale:
            ratio = a / cosine if abs(sine) < 1e-6 * scale else b / sine
            if abs(ratio) > 1.0 + CLAMP:
                continue
            ratio = min(max(ratio, -1.0), 1.0)
            one = math.acos(ratio) if abs(sine) < 1e-6 * scale else math.asin(ratio)
            other = -one if abs(sine) < 1e-6 * scale else math.pi - one
            out[count, 0], out[count, 1] = roots[i], one
            out[count + 1, 0], out[count + 1, 1] = roots[i], other
            count += 1 if abs(wrap(one - other)) < 1e-9 else 2
        else:
            out[count, 0], out[count, 1] = roots[i], math.atan2(b / sine, a / cosine)
            count += 1
    return count, loose


@kernel(INTEGER, REAL, REAL, REAL, REAL, OUT_VECTOR)
def linear_roots(a, b, c, scale, roots):
    """`solve_linear` from Python."""
    return solve_linear(a, b, c, scale, roots)


@kernel(INTEGER, VECTOR, OUT_VECTOR)
def quadratic_roots(k, roots):
    """`solve_quadratic` from Python."""
    return solve_quadratic(k, roots)
