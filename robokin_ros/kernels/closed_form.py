"""Inverse kinematics in closed form: every branch of 6R arms with a spherical wrist or shoulder, or of UR type.

A solver fills `thetas` with DH angles (KIN-25 to KIN-27) and returns their number; `free` tells, bit by bit, which
joints a singular pose leaves free (they keep the present value).
"""

from __future__ import annotations

import math

import numpy as np

from robokin_ros.kernels.inverse import descend, orientation_part, pose_error, position_part
from robokin_ros.kernels.jit import (
    CUBE,
    INDICES,
    INTEGER,
    MATRIX,
    OUT_CUBE,
    OUT_INDICES,
    REAL,
    TOPOLOGY,
    VECTOR,
    kernel,
    part,
)
from robokin_ros.kernels.poses import chain_pose
from robokin_ros.kernels.trig_equations import FREE, solve_linear, solve_quadratic, wrap

__all__ = ['BRANCHES', 'PARALLEL_234', 'SPHERICAL_SHOULDER', 'SPHERICAL_WRIST', 'solve_closed_form']

SPHERICAL_WRIST, SPHERICAL_SHOULDER, PARALLEL_234 = 0, 1, 2
BRANCHES = 8
"""Most branches a pose can have."""
SINGULAR = 1e-6
"""Relative size of both arguments of atan2 below which a joint is free (KIN-01)."""
NEAR = 1e-9
"""Slack of joint limits [rad] (KIN-21)."""
MERGE = 1e-6
EXACT = 1e-10
"""Residual [m], [rad] above which a branch is polished."""


@part
def link_rotation(alpha, theta, out):
    """Rx(alpha) Rz(theta) into a 3x3 matrix."""
    ca, sa, c, s = math.cos(alpha), math.sin(alpha), math.cos(theta), math.sin(theta)
    out[0, 0], out[0, 1], out[0, 2] = c, -s, 0.0
    out[1, 0], out[1, 1], out[1, 2] = s * ca, c * ca, -sa
    out[2, 0], out[2, 1], out[2, 2] = s * sa, c * sa, ca


@part
def multiply(a, b, out):
    """3x3 product."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]


@part
def position_problem(al1, a1, al2, a2, d2, d3, p1, p2, p3, x, y, z, near1, near2, size, roots, inner, out):
    """POS3 of KIN-25: (t1, t2, t3) rows into `out`; (number, free bits). `near1`, `near2` if these are free."""
    h = p3 + d3
    ca1, sa1, ca2, sa2 = math.cos(al1), math.sin(al1), math.cos(al2), math.sin(al2)
    has_a, has_s = abs(a1) > 1e-9 * size, abs(sa1) > 1e-9
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
        number = solve_quadratic(coefficients, roots)
    elif has_s:
        number = solve_linear(k3c, k3s, r - k30, size * size, roots)
    elif has_a:
        number = solve_linear(k4c, k4s, z - k40, size, roots)
    else:
        return 0, 0
    if number == FREE:
        return 0, 0
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
            c2, s2 = math.cos(t2), math.sin(t2)
            g1 = c2 * f1 - s2 * f2 + a1
            g2 = ca1 * (s2 * f1 + c2 * f2) - sa1 * (f3 + d2)
            if math.hypot(g1, g2) < SINGULAR * size:
                t1 = near1
                free |= 1
            else:
                t1 = math.atan2(g1 * y - g2 * x, g1 * x + g2 * y)
            if count < out.shape[0]:
                out[count, 0], out[count, 1], out[count, 2] = t1, t2, t3
                count += 1
    return count, free


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
def spherical_wrist(dh, pose, near, size, work, thetas):
    """Branches of an arm whose axes 4, 5, 6 meet (case L of KIN-25); `pose` is that of frame {6} in {0}."""
    roots, inner, first, wrist = work[0], work[1], work[2:6], work[6:8]
    r03, link, rest = work[8:11, :3], work[11:14, :3], work[14:17, :3]
    al3, d4, d6 = dh[3, 0], dh[3, 2], dh[5, 2]
    x = pose[0, 3] - d6 * pose[0, 2]
    y = pose[1, 3] - d6 * pose[1, 2]
    z = pose[2, 3] - d6 * pose[2, 2] - dh[0, 2]
    number, free = position_problem(
        dh[1, 0], dh[1, 1], dh[2, 0], dh[2, 1], dh[1, 2], dh[2, 2], dh[3, 1], -d4 * math.sin(al3), d4 * math.cos(al3),
        x, y, z, near[0], near[1], size, roots, inner, first)
    count = 0
    for i in range(number):
        # R03 with the twist alpha_3 in front of joint 4
        link_rotation(0.0, first[i, 0], r03)
        link_rotation(dh[1, 0], first[i, 1], link)
        multiply(r03, link, rest)
        link_rotation(dh[2, 0], first[i, 2], link)
        multiply(rest, link, r03)
        link_rotation(al3, 0.0, link)
        multiply(r03, link, rest)
        for a in range(3):
            for b in range(3):
                link[a, b] = rest[0, a] * pose[0, b] + rest[1, a] * pose[1, b] + rest[2, a] * pose[2, b]
        found, loose = wrist_problem(link, dh[4, 0], dh[5, 0], near[3], wrist)
        if loose:
            free |= 8
        for j in range(found):
            for k in range(3):
                thetas[count, k] = first[i, k]
                thetas[count, 3 + k] = wrist[j, k]
            count += 1
    return count, free


@part
def parallel_axes(dh, pose, near, size, work, thetas):
    """Branches of a UR-type arm: axes 2, 3, 4 parallel, 1 and 2, 4 and 5, 5 and 6 at right angles, 5 and 6 meeting."""
    roots = work[0]
    s1, s4, s5 = math.sin(dh[1, 0]), math.sin(dh[4, 0]), math.sin(dh[5, 0])  # each +1 or -1
    a1, a2, a3 = dh[1, 1], dh[2, 1], dh[3, 1]
    offset = dh[1, 2] + dh[2, 2] + dh[3, 2]  # along the parallel axes
    d5, d6 = dh[4, 2], dh[5, 2]
    # the meeting point of axes 5 and 6 is origin {6} less d6 along z6; origin {5} lies on axis 5
    px, py, pz = pose[0, 3] - d6 * pose[0, 2], pose[1, 3] - d6 * pose[1, 2], pose[2, 3] - d6 * pose[2, 2] - dh[0, 2]
    # component of that point along z2 = Rz(t1) (0, -s1, 0): s1 (px sin t1 - py cos t1) = offset
    number = solve_linear(-s1 * py, s1 * px, offset, size, roots)
    free = 0
    if number == FREE:
        roots[0] = near[0]
        number = 1
        free |= 1
    count = 0
    for i in range(number):
        t1 = roots[i]
        c1, sn1 = math.cos(t1), math.sin(t1)
        hx, hy = s1 * sn1, -s1 * c1  # h, the direction of axes 2, 3, 4
        c5 = -(pose[0, 2] * hx + pose[1, 2] * hy) / (s4 * s5)  # z6 . h = -s4 s5 cos t5
        if abs(c5) > 1.0 + 1e-6:
            continue
        xh, yh = pose[0, 0] * hx + pose[1, 0] * hy, pose[0, 1] * hx + pose[1, 1] * hy
        size5 = math.hypot(xh, yh)
        half = math.atan2(size5, c5)
        flips = 1 if size5 < 1e-9 else 2
        for j in range(flips):
            t5 = half if j == 0 else -half
            s5t = math.sin(t5)
            if abs(s5t) < SINGULAR:
                t6 = near[5]
                free |= 32
            else:
                # x6 . h = s4 sin t5 cos t6, y6 . h = -s4 sin t5 sin t6
                t6 = math.atan2(-yh / (s4 * s5t), xh / (s4 * s5t))
            count = planar_part(pose, t1, t5, t6, s1, s4, s5, a1, a2, a3, d5, px, py, pz, thetas, count)
    return count, free


@part
def planar_part(pose, t1, t5, t6, s1, s4, s5, a1, a2, a3, d5, px, py, pz, thetas, count):
    """Joints 2, 3, 4 of a UR-type arm: a planar arm in the plane of e1 = x1 and e2 = s1 z0 across the parallel axes."""
    c1, sn1, c6, s6 = math.cos(t1), math.sin(t1), math.cos(t6), math.sin(t6)
    # z5 = s5 (x6 sin t6 + y6 cos t6); its direction in the plane, (s4 sin, -s4 cos), gives t2 + t3 + t4
    zx = s5 * (pose[0, 0] * s6 + pose[0, 1] * c6)
    zy = s5 * (pose[1, 0] * s6 + pose[1, 1] * c6)
    u, v = zx * c1 + zy * sn1, s1 * s5 * (pose[2, 0] * s6 + pose[2, 1] * c6)
    total = math.atan2(s4 * u, -s4 * v)
    # origin of {5} less d5 along z5 is the end of link 3 in the plane
    ex = px * c1 + py * sn1 - a1 - d5 * u
    ey = s1 * pz - d5 * v
    cosine = (ex * ex + ey * ey - a2 * a2 - a3 * a3) / (2.0 * a2 * a3)
    if abs(cosine) > 1.0 + 1e-6:
        return count
    elbow = math.acos(min(max(cosine, -1.0), 1.0))
    bends = 1 if elbow < 1e-9 or math.pi - elbow < 1e-9 else 2
    for k in range(bends):
        t3 = elbow if k == 0 else -elbow
        t2 = math.atan2(ey, ex) - math.atan2(a3 * math.sin(t3), a2 + a3 * math.cos(t3))
        if count < thetas.shape[0]:
            thetas[count, 0], thetas[count, 1], thetas[count, 2] = t1, t2, t3
            thetas[count, 3], thetas[count, 4], thetas[count, 5] = total - t2 - t3, t5, t6
            count += 1
    return count


@part
def branches(kind, dh, pose, near, size, work, thetas):
    """All branches of a pose of frame {6} in {0}, by the solver of the arm's class."""
    if kind == PARALLEL_234:
        return parallel_axes(dh, pose, near, size, work, thetas)
    if kind == SPHERICAL_WRIST:
        return spherical_wrist(dh, pose, near, size, work, thetas)
    # spherical shoulder: the same arm from tip to base; `dh` is its table (case F of KIN-25)
    inverse, back = work[17:20], work[20]
    for i in range(3):
        for j in range(3):
            inverse[i, j] = pose[j, i]
        inverse[i, 3] = -(pose[0, i] * pose[0, 3] + pose[1, i] * pose[1, 3] + pose[2, i] * pose[2, 3])
        back[i] = -near[5 - i]
    back[3] = -near[2]
    count, free = spherical_wrist(dh, inverse, back, size, work, thetas)
    mirrored = 0
    for bit in range(6):
        if free & (1 << bit):
            mirrored |= 1 << (5 - bit)
    for i in range(count):
        for j in range(3):
            thetas[i, j], thetas[i, 5 - j] = -thetas[i, 5 - j], -thetas[i, j]
    return count, mirrored


@part
def nearest_image(value, near, low, high):
    """The value plus whole turns that is nearest to `near` within limits; NaN if there is none."""
    turn = 2.0 * math.pi
    image = value + turn * round((near - value) / turn)
    if image < low - NEAR:
        image += turn * math.ceil((low - NEAR - image) / turn)
    elif image > high + NEAR:
        image -= turn * math.ceil((image - high - NEAR) / turn)
    if image < low - NEAR or image > high + NEAR:
        return math.nan
    return min(max(image, low), high)


@part
def insert_branch(q, seed, error, cost, solutions, residuals, m, counts):
    """Put a solution into its place by distance to the seed, unless it is there already."""
    n = q.shape[0]
    distance = 0.0
    for i in range(n):
        distance += (q[i] - seed[i]) * (q[i] - seed[i])
    place = counts[m]
    for b in range(counts[m]):
        apart = 0.0
        for i in range(n):
            apart = max(apart, abs(solutions[b, i] - q[i]))
        if apart < MERGE:
            return
        if distance < cost[b] and place == counts[m]:
            place = b
    for b in range(counts[m], place, -1):
        cost[b] = cost[b - 1]
        residuals[b, 0], residuals[b, 1] = residuals[b - 1, 0], residuals[b - 1, 1]
        for i in range(n):
            solutions[b, i] = solutions[b - 1, i]
    cost[place] = distance
    residuals[place, 0], residuals[place, 1] = position_part(error), orientation_part(error)
    for i in range(n):
        solutions[place, i] = q[i]
    counts[m] += 1


@kernel(INTEGER, INTEGER, MATRIX, VECTOR, VECTOR, INDICES, MATRIX, MATRIX, REAL, TOPOLOGY, MATRIX, INDICES, VECTOR,
        VECTOR, VECTOR, VECTOR, CUBE, VECTOR, OUT_CUBE, OUT_CUBE, OUT_INDICES, OUT_INDICES, OUT_INDICES)
def solve_closed_form(kind, dh, offset, sign, joints, to_base, to_flange, size, topology, constants, chain, tip, lower,
                      upper, seed, poses, tolerance, solutions, residuals, counts, blocked, free):
    """Every branch of (m, 4, 4) poses within limits, nearest to the seed first; 0.

    `offset`, `sign` and `joints` lead from DH angles to the joint vector; `to_base` and `to_flange` (4x4) from a pose
    of the tip to that of frame {6} in {0}. Per pose: `counts` branches, `blocked` ones that exist but break a limit,
    `free` joints (bits). Each branch is checked by forward kinematics, and polished if it is off by more than rounding.
    """
    n = seed.shape[0]
    thetas = np.empty((BRANCHES, 6))
    work = np.empty((21, 6))
    near = np.empty(6)
    frame, pose = np.empty((4, 4)), np.empty((4, 4))
    q, trial = np.empty(n), np.empty(n)
    ladder, jacobian = np.empty((chain.shape[0], 6)), np.empty((6, n))
    error, normal, step = np.empty(6), np.empty((6, 6)), np.empty((2, 6))
    unbounded = np.full(n, np.inf)
    cost = np.empty(BRANCHES)
    for i in range(6):
        near[i] = offset[i] + sign[i] * seed[joints[i]]
    for m in range(poses.shape[0]):
        for i in range(3):
            for j in range(4):
                frame[i, j] = (to_base[i, 0] * poses[m, 0, j] + to_base[i, 1] * poses[m, 1, j]
                               + to_base[i, 2] * poses[m, 2, j] + (to_base[i, 3] if j == 3 else 0.0))
        for i in range(3):
            for j in range(4):
                pose[i, j] = (frame[i, 0] * to_flange[0, j] + frame[i, 1] * to_flange[1, j]
                              + frame[i, 2] * to_flange[2, j] + (frame[i, 3] if j == 3 else 0.0))
        number, free[m] = branches(kind, dh, pose, near, size, work, thetas)
        counts[m] = 0
        blocked[m] = 0
        for b in range(number):
            for i in range(n):
                q[i] = seed[i]
            for i in range(6):
                q[joints[i]] = wrap(sign[i] * (thetas[b, i] - offset[i]))
            pose_error(chain_pose(topology, constants, chain, tip, q), poses[m], error)
            if position_part(error) > EXACT or orientation_part(error) > EXACT:
                descend(topology, constants, chain, tip, joints, -unbounded, unbounded, poses[m], q, trial, ladder,
                        jacobian, error, normal, step)
                if not (position_part(error) <= tolerance[0] and orientation_part(error) <= tolerance[1]):
                    continue
            legal = True
            for i in range(6):
                image = nearest_image(q[joints[i]], seed[joints[i]], lower[joints[i]], upper[joints[i]])
                if math.isnan(image):
                    legal = False
                else:
                    q[joints[i]] = image
            if not legal:
                blocked[m] += 1
                continue
            insert_branch(q, seed, error, cost, solutions[m], residuals[m], m, counts)
    return 0
