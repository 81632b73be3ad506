"""The two halves of Pieper's method: where three joints carry a point, how three axes turn in it (KIN-25, 26).

Angles are DH angles. A joint that a singular pose leaves free keeps its present value, and its bit is set.
"""

from __future__ import annotations

import math

import numpy as np

from robokin_ros.kernels.jit import exact, part
from robokin_ros.kernels.trig_equations import FREE, solve_linear, solve_quadratic

SINGULAR = 1e-6
"""Relative size of both arguments of atan2 below which a joint is free (KIN-01)."""


@exact
def link_rotation(alpha, theta, out):
    """Rx(alpha) Rz(theta) into a 3x3 matrix."""
    ca, sa, c, s = math.cos(alpha), math.sin(alpha), math.cos(theta), math.sin(theta)
    out[0, 0], out[0, 1], out[0, 2] = c, -s, 0.0
    out[1, 0], out[1, 1], out[1, 2] = s * ca, c * ca, -sa
    out[2, 0], out[2, 1], out[2, 2] = s * sa, c * sa, ca


@exact
def multiply(a, b, out):
    """3x3 product."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]


@part
def position_problem(al1, a1, al2, a2, d2, d3, p1, p2, p3, x, y, z, near1, near2, near3, size, roots, inner, out):
    """POS3 of KIN-25: (t1, t2, t3) rows into `out`; (number, free bits); `near*` if these are free."""
    h = p3 + d3
    ca1, sa1, ca2, sa2 = math.cos(al1), math.sin(al1), math.cos(al2), math.sin(al2)
    has_a, has_s = abs(a1) > 1e-6 * size, abs(sa1) > 1e-6
    r = x * x + y * y + z * z
    total = p1 * p1 + p2 * p2 + h * h + a2 * a2
    # f3 = g0 + gc c + gs s; F = total + fc c + fs s
    g0, gc, gs = h * ca2, sa2 * p2, sa2 * p1
    fc, fs = 2.0 * a2 * p1, -2.0 * a2 * p2
    k30, k3c, k3s = total + a1 * a1 + d2 * d2 + 2.0 * d2 * g0, fc + 2.0 * d2 * gc, fs + 2.0 * d2 * gs
    k40, k4c, k4s = (g0 + d2) * ca1, gc * ca1, gs * ca1
    free = 0
    if has_a and has_s:
        coefficients = np.zeros(6)
        m0, mc, ms = (r - k30) / (2.0 * a1), -k3c / (2.0 * a1), -k3s / (2.0 * a1)
        n0, nc, ns = (z - k40) / sa1, -k4c / sa1, -k4s / sa1
        for w0, wc, ws in ((m0, mc, ms), (n0, nc, ns), (g0, gc, gs)):
            coefficients[0] += wc * wc
            coefficients[1] += 2.0 * wc * ws
            coefficients[2] += ws * ws
            coefficients[3] += 2.0 * w0 * wc
            coefficients[4] += 2.0 * w0 * ws
            coefficients[5] += w0 * w0
        coefficients[3] -= fc
        coefficients[4] -= fs
        coefficients[5] -= total
        largest = 0.0
        for i in range(5):
            largest = max(largest, abs(coefficients[i]))
        if largest < 1e-12 * size * size and abs(coefficients[5]) < 1e-6 * size * size:
            number = FREE
        else:
            number = solve_quadratic(coefficients, roots)
    elif has_s:
        number = solve_linear(k3c, k3s, r - k30, size * size, roots)
    elif has_a:
        number = solve_linear(k4c, k4s, z - k40, size, roots)
    else:
        return 0, 0
    if number == FREE:
        roots[0] = near3
        number = 1
        free |= 4
    count = 0
    for i in range(number):
        t3 = roots[i]
        c, s = math.cos(t3), math.sin(t3)
        f1 = a2 + p1 * c - p2 * s
        f2 = ca2 * (p1 * s + p2 * c) - h * sa2
        f3 = sa2 * (p1 * s + p2 * c) + h * ca2
        k3, k4 = k30 + k3c * c + k3s * s, k40 + k4c * c + k4s * s
        if has_a and has_s:
            m, n = (r - k3) / (2.0 * a1), (z - k4) / sa1
            inner[0] = math.atan2(-f2 * m + f1 * n, f1 * m + f2 * n)
            found = 1
        elif has_s:
            found = solve_linear(f2, f1, (z - k4) / sa1, size, inner)
        else:
            found = solve_linear(f1, -f2, (r - k3) / (2.0 * a1), size, inner)
        if found == FREE:
            inner[0] = near2
            found = 1
            free |= 2
        for j in range(found):
            t2 = inner[j]
            t1, loose = first_angle(f1, f2, f3, t2, ca1, sa1, a1, d2, x, y, near1, size)
            free |= loose
            if count < out.shape[0]:
                out[count, 0], out[count, 1], out[count, 2] = t1, t2, t3
                count += 1
    return count, free


@part
def sliding_position_problem(al1, a1, al2, a2, d2, turn, p1, p2, p3, x, y, z, near1, near2, size, inner, out):
    """POS3 with a sliding third joint: (t1, t2, d3) rows into `out`; (number, free bits). Axes 1, 2 meet or are
    parallel.

    `turn` is the constant angle theta3. The point moves on a line: E1 and E2 are polynomials in h = p3 + d3.
    """
    ca1, sa1, ca2, sa2 = math.cos(al1), math.sin(al1), math.cos(al2), math.sin(al2)
    u1, u2 = p1 * math.cos(turn) - p2 * math.sin(turn), p1 * math.sin(turn) + p2 * math.cos(turn)
    f1 = a2 + u1
    r = x * x + y * y + z * z
    heights = 0
    low = high = 0.0
    if abs(sa1) > 1e-6:
        if abs(a1) > 1e-6 * size:
            return 0, 0
        half = d2 * ca2
        square = half * half - (f1 * f1 + u2 * u2 + d2 * d2 + 2.0 * d2 * sa2 * u2 - r)
        if square < -1e-6 * size * size:
            return 0, 0
        root = math.sqrt(max(square, 0.0))
        low, high = -half - root, -half + root
        heights = 2 if root > 0.0 else 1
    elif abs(ca2) > 1e-6:
        low = (z / ca1 - d2 - sa2 * u2) / ca2
        heights = 1
    count, free = 0, 0
    for i in range(heights):
        h = low if i == 0 else high
        f2, f3 = ca2 * u2 - h * sa2, sa2 * u2 + h * ca2
        if abs(sa1) > 1e-6:
            found = solve_linear(f2, f1, (z - (f3 + d2) * ca1) / sa1, size, inner)
        else:
            found = solve_linear(f1, -f2, (r - (f1 * f1 + f2 * f2 + f3 * f3 + a1 * a1 + d2 * d2 + 2.0 * d2 * f3))
                                 / (2.0 * a1), size, inner)
        if found == FREE:
            inner[0] = near2
            found = 1
            free |= 2
        for j in range(found):
            t2 = inner[j]
            t1, loose = first_angle(f1, f2, f3, t2, ca1, sa1, a1, d2, x, y, near1, size)
            free |= loose
            if count < out.shape[0]:
                out[count, 0], out[count, 1], out[count, 2] = t1, t2, h - p3
                count += 1
    return count, free


@exact
def first_angle(f1, f2, f3, t2, ca1, sa1, a1, d2, x, y, near1, size):
    """Step 3 of POS3: t1, and 1 if the point lies on axis 1."""
    c2, s2 = math.cos(t2), math.sin(t2)
    g1 = c2 * f1 - s2 * f2 + a1
    g2 = ca1 * (s2 * f1 + c2 * f2) - sa1 * (f3 + d2)
    if math.hypot(g1, g2) < SINGULAR * size:
        return near1, 1
    return math.atan2(g1 * y - g2 * x, g1 * x + g2 * y), 0


@part
def wrist_problem(w, al4, al5, near4, out):
    """Two (t4, t5, t6) rows with W = Rz(t4) Rx(al4) Rz(t5) Rx(al5) Rz(t6) into `out` (KIN-26); (number, free bits)."""
    sines = math.sin(al4) * math.sin(al5)
    if abs(sines) < 1e-9:
        return 0, 0
    c5 = (math.cos(al4) * math.cos(al5) - w[2, 2]) / sines
    if abs(c5) > 1.0 + 1e-6:
        return 0, 0
    if abs(abs(sines) - 1.0) < 1e-9:  # orthogonal: the sine is known better than the cosine
        t5 = math.atan2(math.hypot(w[0, 2], w[1, 2]), c5)
    else:
        t5 = math.acos(min(max(c5, -1.0), 1.0))
    ca4, sa4, ca5, sa5 = math.cos(al4), math.sin(al4), math.cos(al5), math.sin(al5)
    both = 1 if t5 < 1e-9 or math.pi - t5 < 1e-9 else 2
    free = 0
    for i in range(both):
        t = t5 if i == 0 else -t5
        c, s = math.cos(t), math.sin(t)
        # third column and third row of M = Rx(al4) Rz(t5) Rx(al5)
        v1, v2 = s * sa5, -ca4 * c * sa5 - sa4 * ca5
        w1, w2 = sa4 * s, sa4 * c * ca5 + ca4 * sa5
        if math.hypot(v1, v2) < SINGULAR:
            t4 = near4
            free = 1
            # N = (Rz(t4) M)^T W, first column
            c4, s4 = math.cos(t4), math.sin(t4)
            a0, a1, a2 = c4 * w[0, 0] + s4 * w[1, 0], -s4 * w[0, 0] + c4 * w[1, 0], w[2, 0]
            n11 = c * a0 + ca4 * s * a1 + sa4 * s * a2
            n21 = -s * ca5 * a0 + (ca4 * c * ca5 - sa4 * sa5) * a1 + (sa4 * c * ca5 + ca4 * sa5) * a2
            t6 = math.atan2(n21, n11)
        else:
            t4 = math.atan2(v1 * w[1, 2] - v2 * w[0, 2], v1 * w[0, 2] + v2 * w[1, 2])
            t6 = math.atan2(w2 * w[2, 0] - w1 * w[2, 1], w1 * w[2, 0] + w2 * w[2, 1])
        out[i, 0], out[i, 1], out[i, 2] = t4, t, t6
    return both, free


@part
def spherical_wrist(dh, pose, near, size, slides, work, thetas):
    """Branches of an arm whose axes 4, 5, 6 meet (case L of KIN-25); `pose` is that of frame {6} in {0}.

    With `slides` joint 3 is prismatic: its column of `thetas` is d3.
    """
    roots, inner, first, wrist = work[0], work[1], work[2:6], work[6:8]
    r03, link, rest = work[8:11, :3], work[11:14, :3], work[14:17, :3]
    al3, d4, d6 = dh[3, 0], dh[3, 2], dh[5, 2]
    x = pose[0, 3] - d6 * pose[0, 2]
    y = pose[1, 3] - d6 * pose[1, 2]
    z = pose[2, 3] - d6 * pose[2, 2] - dh[0, 2]
    p1, p2, p3 = dh[3, 1], -d4 * math.sin(al3), d4 * math.cos(al3)
    if slides:
        number, free = sliding_position_problem(dh[1, 0], dh[1, 1], dh[2, 0], dh[2, 1], dh[1, 2], dh[2, 3], p1, p2, p3,
                                                x, y, z, near[0], near[1], size, inner, first)
    else:
        number, free = position_problem(dh[1, 0], dh[1, 1], dh[2, 0], dh[2, 1], dh[1, 2], dh[2, 2], p1, p2, p3, x, y, z,
                                        near[0], near[1], near[2], size, roots, inner, first)
    count = 0
    for i in range(number):
        # R03 with the twist alpha_3 in front of joint 4
        link_rotation(0.0, first[i, 0], r03)
        link_rotation(dh[1, 0], first[i, 1], link)
        multiply(r03, link, rest)
        link_rotation(dh[2, 0], dh[2, 3] if slides else first[i, 2], link)
        multiply(rest, link, r03)
        link_rotation(al3, 0.0, link)
        multiply(r03, link, rest)
        for a in range(3):
            for b in range(3):
                link[a, b] = rest[0, a] * pose[0, b] + rest[1, a] * pose[1, b] + rest[2, a] * pose[2, b]
        found, loose = wrist_problem(link, dh[4, 0], dh[5, 0], near[3], wrist)
        if loose:  # only the sum or difference of joints 4 and 6 is fixed
            free |= 8 | 32
        for j in range(found):
            for k in range(3):
                thetas[count, k] = first[i, k]
                thetas[count, 3 + k] = wrist[j, k]
            count += 1
    return count, free
