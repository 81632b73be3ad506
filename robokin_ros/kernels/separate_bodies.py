"""Vereshchagin's method of separate bodies for trees with joints of one to six degrees of freedom (DYN-18).

Everything is in base axes at the mass centres. A row of `tree` is parent, kind of joint, first position in q and in v;
a row of `data` the joint frame in the parent (12), mass, centre (3), inertia about it (6), two axes (6), rotor inertia.
"""

from __future__ import annotations

import math

import numpy as np

from robokin_ros.kernels.jit import (
    FLAG,
    INTEGER,
    MATRIX,
    OUT_CUBE,
    OUT_MATRIX,
    OUT_VECTOR,
    TOPOLOGY,
    VECTOR,
    kernel,
    part,
)
from robokin_ros.kernels.newton_euler import cross
from robokin_ros.kernels.poses import as_tuple, compose, identity, is_finite

__all__ = ['forces_of_motion', 'motion_under_forces', 'state_of_motion']

REVOLUTE, PRISMATIC, CYLINDRICAL, UNIVERSAL, SPHERICAL, PLANAR, FREE = 0, 1, 2, 3, 4, 5, 6
WIDTH = np.array([1, 1, 2, 2, 3, 3, 6])
"""Degrees of freedom of each kind: columns of S, numbers in v."""
POSE, CENTER, OMEGA, VELOCITY, RHO, BIAS, ROWS = 0, 12, 15, 18, 21, 24, 30
"""Columns of a work row: pose of the body, mass centre, velocities, centre of the parent to it, a', end."""
SMALLEST = 1e-14


@part
def rotated(pose, x, y, z):
    """A vector of a frame in base axes."""
    return (pose[0] * x + pose[1] * y + pose[2] * z, pose[3] * x + pose[4] * y + pose[5] * z,
            pose[6] * x + pose[7] * y + pose[8] * z)


@part
def turned(pose, x, y, z, angle):
    """A frame turned about a unit axis of its own."""
    c, s = math.cos(angle), math.sin(angle)
    d = 1.0 - c
    return compose(pose, (c + x * x * d, x * y * d - z * s, x * z * d + y * s,
                          x * y * d + z * s, c + y * y * d, y * z * d - x * s,
                          x * z * d - y * s, y * z * d + x * s, c + z * z * d, 0.0, 0.0, 0.0))


@part
def by_quaternion(pose, x, y, z, w):
    """A frame turned by a quaternion of any length."""
    d = 2.0 / (x * x + y * y + z * z + w * w)
    return compose(pose, (1.0 - d * (y * y + z * z), d * (x * y - z * w), d * (x * z + y * w),
                          d * (x * y + z * w), 1.0 - d * (x * x + z * z), d * (y * z - x * w),
                          d * (x * z - y * w), d * (y * z + x * w), 1.0 - d * (x * x + y * y), 0.0, 0.0, 0.0))


@part
def moved(pose, x, y, z):
    """A frame moved by a vector in base axes."""
    return (pose[0], pose[1], pose[2], pose[3], pose[4], pose[5], pose[6], pose[7], pose[8],
            pose[9] + x, pose[10] + y, pose[11] + z)


@part
def spread(tree, data, q, v, base_omega, work, s):
    """Outward: poses, velocities, S and a' of every body."""
    for k in range(tree.shape[0]):
        parent, kind, i, j = tree[k, 0], tree[k, 1], tree[k, 2], tree[k, 3]
        d, o = data[k], work[k]
        pose = as_tuple(d)
        wpx, wpy, wpz = base_omega[0], base_omega[1], base_omega[2]
        vx, vy, vz, gx, gy, gz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if parent >= 0:
            p = work[parent]
            pose = compose(as_tuple(p), pose)
            wpx, wpy, wpz = p[OMEGA], p[OMEGA + 1], p[OMEGA + 2]
            vx, vy, vz = p[VELOCITY], p[VELOCITY + 1], p[VELOCITY + 2]
            gx, gy, gz = p[CENTER], p[CENTER + 1], p[CENTER + 2]
        wx, wy, wz = wpx, wpy, wpz
        ex, ey, ez = 0.0, 0.0, 0.0  # angular part of a'
        lx, ly, lz = 0.0, 0.0, 0.0  # velocity of the joint point relative to the parent
        axes = s[k]
        axes[:, :] = 0.0
        if kind in (SPHERICAL, FREE):
            if kind == FREE:
                pose = moved(identity(), q[i], q[i + 1], q[i + 2])
                lx, ly, lz = v[j], v[j + 1], v[j + 2]
                wx, wy, wz = 0.0, 0.0, 0.0
                wpx, wpy, wpz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                i, j = i + 3, j + 3
                for c in range(3):
                    axes[c, c] = 1.0
                    axes[3 + c, 3 + c] = 1.0
            else:
                for c in range(3):
                    axes[3 + c, c] = 1.0
            pose = by_quaternion(pose, q[i], q[i + 1], q[i + 2], q[i + 3])
            wx, wy, wz = wx + v[j], wy + v[j + 1], wz + v[j + 2]
        elif kind == PLANAR:
            for c in range(2):
                x, y, z = pose[c], pose[3 + c], pose[6 + c]
                axes[0, c], axes[1, c], axes[2, c] = x, y, z
                pose = moved(pose, x * q[i + c], y * q[i + c], z * q[i + c])
                lx, ly, lz = lx + x * v[j + c], ly + y * v[j + c], lz + z * v[j + c]
            x, y, z = pose[2], pose[5], pose[8]
            axes[3, 2], axes[4, 2], axes[5, 2] = x, y, z
            ex, ey, ez = cross(wx, wy, wz, x * v[j + 2], y * v[j + 2], z * v[j + 2])
            wx, wy, wz = wx + x * v[j + 2], wy + y * v[j + 2], wz + z * v[j + 2]
            pose = turned(pose, 0.0, 0.0, 1.0, q[i + 2])
        else:
            turns = 0 if kind == PRISMATIC else (2 if kind == UNIVERSAL else 1)
            for c in range(turns):
                a = 22 + 3 * c
                x, y, z = rotated(pose, d[a], d[a + 1], d[a + 2])
                axes[3, c], axes[4, c], axes[5, c] = x, y, z
                ux, uy, uz = cross(wx, wy, wz, x * v[j + c], y * v[j + c], z * v[j + c])
                ex, ey, ez = ex + ux, ey + uy, ez + uz
                wx, wy, wz = wx + x * v[j + c], wy + y * v[j + c], wz + z * v[j + c]
                pose = turned(pose, d[a], d[a + 1], d[a + 2], q[i + c])
            if kind in (PRISMATIC, CYLINDRICAL):
                c = turns
                x, y, z = rotated(pose, d[22], d[23], d[24])
                axes[0, c], axes[1, c], axes[2, c] = x, y, z
                lx, ly, lz = x * v[j + c], y * v[j + c], z * v[j + c]
                pose = moved(pose, x * q[i + c], y * q[i + c], z * q[i + c])
        for c in range(12):
            o[POSE + c] = pose[c]
        cx, cy, cz = rotated(pose, d[13], d[14], d[15])  # joint point to centre, minus ck of the specification
        o[CENTER], o[CENTER + 1], o[CENTER + 2] = pose[9] + cx, pose[10] + cy, pose[11] + cz
        o[RHO], o[RHO + 1], o[RHO + 2] = o[CENTER] - gx, o[CENTER + 1] - gy, o[CENTER + 2] - gz
        jx, jy, jz = pose[9] - gx, pose[10] - gy, pose[11] - gz
        for c in range(WIDTH[kind]):
            x, y, z = cross(axes[3, c], axes[4, c], axes[5, c], cx, cy, cz)
            axes[0, c] += x
            axes[1, c] += y
            axes[2, c] += z
        o[OMEGA], o[OMEGA + 1], o[OMEGA + 2] = wx, wy, wz
        ax, ay, az = cross(wpx, wpy, wpz, jx, jy, jz)
        bx, by, bz = cross(wx, wy, wz, cx, cy, cz)
        o[VELOCITY], o[VELOCITY + 1], o[VELOCITY + 2] = vx + ax + lx + bx, vy + ay + ly + by, vz + az + lz + bz
        ax, ay, az = cross(wpx, wpy, wpz, ax + 2.0 * lx, ay + 2.0 * ly, az + 2.0 * lz)
        bx, by, bz = cross(wx, wy, wz, bx, by, bz)
        ux, uy, uz = cross(ex, ey, ez, cx, cy, cz)
        o[BIAS], o[BIAS + 1], o[BIAS + 2] = ax + bx + ux, ay + by + uy, az + bz + uz
        o[BIAS + 3], o[BIAS + 4], o[BIAS + 5] = ex, ey, ez


@part
def own_inertia(d, o, inertia):
    """M of a body: blkdiag(m E, A J A^T)."""
    inertia[:, :] = 0.0
    for r in range(3):
        inertia[r, r] = d[12]
        x, y, z = o[POSE + 3 * r], o[POSE + 3 * r + 1], o[POSE + 3 * r + 2]
        a = x * d[16] + y * d[17] + z * d[18]
        b = x * d[17] + y * d[19] + z * d[20]
        c = x * d[18] + y * d[20] + z * d[21]
        for t in range(3):
            inertia[3 + r, 3 + t] = a * o[POSE + 3 * t] + b * o[POSE + 3 * t + 1] + c * o[POSE + 3 * t + 2]


@part
def own_force(d, o, inertia, gravity, wrench, force):
    """Q of a body: gravity, minus the gyroscopic moment, and a wrench at the body's origin in its axes."""
    wx, wy, wz = o[OMEGA], o[OMEGA + 1], o[OMEGA + 2]
    hx = inertia[3, 3] * wx + inertia[3, 4] * wy + inertia[3, 5] * wz
    hy = inertia[4, 3] * wx + inertia[4, 4] * wy + inertia[4, 5] * wz
    hz = inertia[5, 3] * wx + inertia[5, 4] * wy + inertia[5, 5] * wz
    nx, ny, nz = cross(wx, wy, wz, hx, hy, hz)
    fx, fy, fz = rotated(o, wrench[0], wrench[1], wrench[2])
    mx, my, mz = rotated(o, wrench[3], wrench[4], wrench[5])
    cx, cy, cz = cross(o[POSE + 9] - o[CENTER], o[POSE + 10] - o[CENTER + 1], o[POSE + 11] - o[CENTER + 2], fx, fy, fz)
    force[0], force[1], force[2] = d[12] * gravity[0] + fx, d[12] * gravity[1] + fy, d[12] * gravity[2] + fz
    force[3], force[4], force[5] = mx + cx - nx, my + cy - ny, mz + cz - nz


@part
def factor(matrix, f, lower):
    """Cholesky factor of the leading f x f block; False if it is not positive definite."""
    for i in range(f):
        for j in range(i + 1):
            total = matrix[i, j]
            for c in range(j):
                total -= lower[i, c] * lower[j, c]
            if i == j:
                if not total > SMALLEST:
                    return False
                lower[i, i] = math.sqrt(total)
            else:
                lower[i, j] = total / lower[j, j]
    return True


@part
def solve(lower, f, x):
    """Solve L L^T y = x in place."""
    for i in range(f):
        for c in range(i):
            x[i] -= lower[i, c] * x[c]
        x[i] /= lower[i, i]
    for i in range(f - 1, -1, -1):
        for c in range(i + 1, f):
            x[i] -= lower[c, i] * x[c]
        x[i] /= lower[i, i]


@part
def carried(o, kind, parent_acceleration, out):
    """C a_p + a': acceleration of a body whose joint does not accelerate."""
    for c in range(6):
        out[c] = o[BIAS + c]
    if kind != FREE:
        a = parent_acceleration
        x, y, z = cross(a[3], a[4], a[5], o[RHO], o[RHO + 1], o[RHO + 2])
        out[0] += a[0] + x
        out[1] += a[1] + y
        out[2] += a[2] + z
        out[3] += a[3]
        out[4] += a[4]
        out[5] += a[5]


@part
def shift_to_parent(rho, inertia, work):
    """C^T M C in place, C = [E, -skew(rho); 0, E]; `work` (6, 6)."""
    x, y, z = rho[0], rho[1], rho[2]
    for r in range(6):  # M C: a column of C is a unit twist shifted
        m = inertia[r]
        work[r, 0], work[r, 1], work[r, 2] = m[0], m[1], m[2]
        work[r, 3] = m[3] + (m[2] * y - m[1] * z)
        work[r, 4] = m[4] + (m[0] * z - m[2] * x)
        work[r, 5] = m[5] + (m[1] * x - m[0] * y)
    for c in range(6):
        a, b, d = work[0, c], work[1, c], work[2, c]
        inertia[0, c], inertia[1, c], inertia[2, c] = a, b, d
        inertia[3, c] = work[3, c] + (y * d - z * b)
        inertia[4, c] = work[4, c] + (z * a - x * d)
        inertia[5, c] = work[5, c] + (x * b - y * a)


@part
def gather(tree, data, tau, work, s, u, inertia, force, lower, rest):
    """Inward: M*, Q* and U; -1, or the body whose joint has no inertia."""
    x, y, passed, shifted = np.empty((6, 6)), np.empty(6), np.empty((6, 6)), np.empty((6, 6))
    for k in range(tree.shape[0] - 1, -1, -1):
        f, j, axes, m = WIDTH[tree[k, 1]], tree[k, 3], s[k], inertia[k]
        for r in range(6):
            for c in range(f):
                x[r, c] = 0.0
                for t in range(6):
                    x[r, c] += m[r, t] * axes[t, c]
        for c in range(6):  # y = Q* - M* a'
            y[c] = force[k, c]
            for t in range(6):
                y[c] -= m[c, t] * work[k, BIAS + t]
        u[k] = 0.0
        for a in range(f):
            rest[k, a] = tau[j + a]
            for t in range(6):
                rest[k, a] += axes[t, a] * y[t]
            for b in range(f):
                for t in range(6):
                    u[k, a, b] += axes[t, a] * x[t, b]
            u[k, a, a] += data[k, 28]
        if not factor(u[k], f, lower[k]):
            return k
        parent = tree[k, 0]
        if parent < 0 or tree[k, 1] == FREE:
            continue
        for r in range(6):  # rows of U^-1 S^T M*
            for c in range(f):
                passed[r, c] = x[r, c]
            solve(lower[k], f, passed[r])
            for c in range(f):
                y[r] -= passed[r, c] * rest[k, c]
        for r in range(6):
            for c in range(6):
                shifted[r, c] = m[r, c]
                for t in range(f):
                    shifted[r, c] -= 0.5 * (x[r, t] * passed[c, t] + passed[r, t] * x[c, t])
        rho = work[k, RHO:RHO + 3]
        shift_to_parent(rho, shifted, passed)
        for r in range(6):
            force[parent, r] += y[r]
            for c in range(6):
                inertia[parent, r, c] += 0.5 * (shifted[r, c] + shifted[c, r])
        a, b, c = cross(rho[0], rho[1], rho[2], y[0], y[1], y[2])
        force[parent, 3] += a
        force[parent, 4] += b
        force[parent, 5] += c
    return -1


@kernel(INTEGER, TOPOLOGY, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, MATRIX, OUT_VECTOR, OUT_CUBE,
        OUT_CUBE, OUT_MATRIX, OUT_MATRIX)
def motion_under_forces(tree, data, q, v, tau, gravity, base_acceleration, base_omega, wrenches, out, u, inertia, force,
                        acceleration):
    """Derivative of v under joint forces; 0, -1 for non-finite input, or 1 + body whose joint has no inertia.

    Also U, M* and Q* (DYN-18) and the acceleration of every centre. `wrenches` (bodies, 6) act on the bodies.
    """
    if not (is_finite(q) and is_finite(v) and is_finite(tau)):
        return -1
    bodies = tree.shape[0]
    work, s, lower = np.empty((bodies, ROWS)), np.empty((bodies, 6, 6)), np.zeros((bodies, 6, 6))
    rest = np.empty((bodies, 6))
    spread(tree, data, q, v, base_omega, work, s)
    for k in range(bodies):
        own_inertia(data[k], work[k], inertia[k])
        own_force(data[k], work[k], inertia[k], gravity, wrenches[k], force[k])
    weak = gather(tree, data, tau, work, s, u, inertia, force, lower, rest)
    if weak >= 0:
        return 1 + weak
    free = np.empty(6)
    for k in range(bodies):
        f, j, parent = WIDTH[tree[k, 1]], tree[k, 3], tree[k, 0]
        carried(work[k], tree[k, 1], acceleration[parent] if parent >= 0 else base_acceleration, free)
        for c in range(f):
            out[j + c] = tau[j + c]
            for r in range(6):
                y = force[k, r]
                for t in range(6):
                    y -= inertia[k, r, t] * free[t]
                out[j + c] += s[k, r, c] * y
        solve(lower[k], f, out[j:j + f])
        for r in range(6):
            acceleration[k, r] = free[r]
            for c in range(f):
                acceleration[k, r] += s[k, r, c] * out[j + c]
    return 0


@kernel(FLAG, TOPOLOGY, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, MATRIX, OUT_VECTOR, OUT_MATRIX)
def forces_of_motion(tree, data, q, v, rate, gravity, base_acceleration, base_omega, wrenches, out, reaction):
    """Joint forces of a motion with `rate` the derivative of v; also what each parent exerts, at the centre."""
    if not (is_finite(q) and is_finite(v) and is_finite(rate)):
        return False
    bodies = tree.shape[0]
    work, s, acceleration = np.empty((bodies, ROWS)), np.empty((bodies, 6, 6)), np.empty((bodies, 6))
    inertia, force, free = np.empty((6, 6)), np.empty(6), np.empty(6)
    spread(tree, data, q, v, base_omega, work, s)
    for k in range(bodies):
        parent, j = tree[k, 0], tree[k, 3]
        own_inertia(data[k], work[k], inertia)
        own_force(data[k], work[k], inertia, gravity, wrenches[k], force)
        carried(work[k], tree[k, 1], acceleration[parent] if parent >= 0 else base_acceleration, free)
        for r in range(6):
            acceleration[k, r] = free[r]
            for c in range(WIDTH[tree[k, 1]]):
                acceleration[k, r] += s[k, r, c] * rate[j + c]
        for r in range(6):
            reaction[k, r] = -force[r]
            for t in range(6):
                reaction[k, r] += inertia[r, t] * acceleration[k, t]
    for k in range(bodies - 1, -1, -1):
        parent, j, y = tree[k, 0], tree[k, 3], reaction[k]
        for c in range(WIDTH[tree[k, 1]]):
            out[j + c] = data[k, 28] * rate[j + c]
            for r in range(6):
                out[j + c] += s[k, r, c] * y[r]
        if parent >= 0 and tree[k, 1] != FREE:
            x, a, b = cross(work[k, RHO], work[k, RHO + 1], work[k, RHO + 2], y[0], y[1], y[2])
            for r in range(6):
                reaction[parent, r] += y[r]
            reaction[parent, 3] += x
            reaction[parent, 4] += a
            reaction[parent, 5] += b
    return True


@kernel(FLAG, TOPOLOGY, MATRIX, VECTOR, VECTOR, VECTOR, OUT_VECTOR, OUT_VECTOR, OUT_MATRIX)
def state_of_motion(tree, data, q, v, gravity, totals, q_rate, poses):
    """Momentum and angular momentum about the base, kinetic and potential energy (8); dq/dt; body poses (b, 12)."""
    if not (is_finite(q) and is_finite(v)):
        return False
    bodies = tree.shape[0]
    work, s, inertia = np.empty((bodies, ROWS)), np.empty((bodies, 6, 6)), np.empty((6, 6))
    spread(tree, data, q, v, np.zeros(3), work, s)
    totals[:] = 0.0
    for k in range(bodies):
        o, m = work[k], data[k, 12]
        own_inertia(data[k], o, inertia)
        hx, hy, hz = cross(o[CENTER], o[CENTER + 1], o[CENTER + 2], o[VELOCITY], o[VELOCITY + 1], o[VELOCITY + 2])
        turn = (m * hx, m * hy, m * hz)
        for r in range(3):
            spin = (inertia[3 + r, 3] * o[OMEGA] + inertia[3 + r, 4] * o[OMEGA + 1] + inertia[3 + r, 5] * o[OMEGA + 2])
            totals[r] += m * o[VELOCITY + r]
            totals[3 + r] += turn[r] + spin
            totals[6] += 0.5 * (m * o[VELOCITY + r] ** 2 + o[OMEGA + r] * spin)
            totals[7] -= m * gravity[r] * o[CENTER + r]
        for c in range(12):
            poses[k, c] = o[POSE + c]
        kind, i, j = tree[k, 1], tree[k, 2], tree[k, 3]
        for c in range(WIDTH[kind]):
            totals[6] += 0.5 * data[k, 28] * v[j + c] ** 2
        if kind in (SPHERICAL, FREE):
            frame = identity()
            if kind == FREE:
                for c in range(3):
                    q_rate[i + c] = v[j + c]
                i, j = i + 3, j + 3
            else:
                frame = as_tuple(data[k])
                if tree[k, 0] >= 0:
                    frame = compose(as_tuple(work[tree[k, 0]]), frame)
            x = frame[0] * v[j] + frame[3] * v[j + 1] + frame[6] * v[j + 2]
            y = frame[1] * v[j] + frame[4] * v[j + 1] + frame[7] * v[j + 2]
            z = frame[2] * v[j] + frame[5] * v[j + 1] + frame[8] * v[j + 2]
            a, b, c, d = q[i], q[i + 1], q[i + 2], q[i + 3]
            q_rate[i] = 0.5 * (d * x + y * c - z * b)
            q_rate[i + 1] = 0.5 * (d * y + z * a - x * c)
            q_rate[i + 2] = 0.5 * (d * z + x * b - y * a)
            q_rate[i + 3] = -0.5 * (x * a + y * b + z * c)
        else:
            for c in range(WIDTH[kind]):
                q_rate[i + c] = v[j + c]
    return True
