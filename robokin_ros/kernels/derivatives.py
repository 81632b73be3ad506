"""Derivatives of inverse dynamics with respect to q and qd, analytical.

Twists and wrenches are taken at the origin of the base in its axes (linear then angular). Turning joint j displaces all
it carries by the twist S_j; with v, a of the parent of j, the change of velocity and acceleration of what it carries is
P_j = v x S_j and R_j = a x S_j + v x P_j relative to that displacement. With the composite inertia I, force f and
velocity-product matrix B of all that joint i carries, for j from i inward:
d tau_i / d q_j = S_i (2 B P_j + I R_j), d tau_j / d q_i = S_j (2 B P_i + I R_i + S_i x* f), and likewise for the rates.
"""

from __future__ import annotations

import numpy as np

from robokin_ros.kernels.jit import FLAG, MATRIX, OUT_CUBE, TOPOLOGY, VECTOR, kernel, part
from robokin_ros.kernels.newton_euler import cross
from robokin_ros.kernels.poses import as_tuple, compose, is_finite, joint_pose

__all__ = ['inverse_dynamics_derivatives']


@part
def motion_cross(a, b, out):
    """Product a x b of two twists."""
    out[0], out[1], out[2] = cross(a[3], a[4], a[5], b[0], b[1], b[2])
    x, y, z = cross(a[0], a[1], a[2], b[3], b[4], b[5])
    out[0] += x
    out[1] += y
    out[2] += z
    out[3], out[4], out[5] = cross(a[3], a[4], a[5], b[3], b[4], b[5])


@part
def add_force_cross(factor, a, f, out):
    """Add `factor` times the product a x* f of a twist and a wrench."""
    x, y, z = cross(a[3], a[4], a[5], f[0], f[1], f[2])
    out[0] += factor * x
    out[1] += factor * y
    out[2] += factor * z
    x, y, z = cross(a[3], a[4], a[5], f[3], f[4], f[5])
    out[3] += factor * x
    out[4] += factor * y
    out[5] += factor * z
    x, y, z = cross(a[0], a[1], a[2], f[0], f[1], f[2])
    out[3] += factor * x
    out[4] += factor * y
    out[5] += factor * z


@part
def multiply(matrix, vector, out):
    """Product of a 6x6 matrix and a vector."""
    for i in range(6):
        total = 0.0
        for j in range(6):
            total += matrix[i, j] * vector[j]
        out[i] = total


@part
def dot(a, b):
    """Power of a twist and a wrench."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@part
def inertia_at_base(k, pose, inertia):
    """6x6 inertia of a body about the origin of the base, in its axes."""
    m = k[12]
    cx = pose[0] * k[13] + pose[1] * k[14] + pose[2] * k[15] + pose[9]
    cy = pose[3] * k[13] + pose[4] * k[14] + pose[5] * k[15] + pose[10]
    cz = pose[6] * k[13] + pose[7] * k[14] + pose[8] * k[15] + pose[11]
    inertia[:, :] = 0.0
    for i in range(3):
        inertia[i, i] = m
        x = pose[3 * i] * k[16] + pose[3 * i + 1] * k[17] + pose[3 * i + 2] * k[18]
        y = pose[3 * i] * k[17] + pose[3 * i + 1] * k[19] + pose[3 * i + 2] * k[20]
        z = pose[3 * i] * k[18] + pose[3 * i + 1] * k[20] + pose[3 * i + 2] * k[21]
        for j in range(3):
            inertia[3 + i, 3 + j] = x * pose[3 * j] + y * pose[3 * j + 1] + z * pose[3 * j + 2]
    c = (cx, cy, cz)
    square = cx * cx + cy * cy + cz * cz
    for i in range(3):
        inertia[3 + i, 3 + i] += m * square
        for j in range(3):
            inertia[3 + i, 3 + j] -= m * c[i] * c[j]
    # coupling: -m skew(c) above, its transpose below
    inertia[0, 4], inertia[0, 5], inertia[1, 5] = m * cz, -m * cy, m * cx
    inertia[1, 3], inertia[2, 3], inertia[2, 4] = -m * cz, m * cy, -m * cx
    for i in range(3):
        for j in range(3):
            inertia[3 + j, i] = inertia[i, 3 + j]


@part
def velocity_products(inertia, v, momentum, work, out):
    """B = 1/2 (v x* I - I v x + (. x* I v)), 6x6, column by column."""
    unit, moved, image = work[0], work[1], work[2]
    for c in range(6):
        unit[:] = 0.0
        unit[c] = 1.0
        column = work[3]
        column[:] = 0.0
        add_force_cross(0.5, v, inertia[:, c], column)
        motion_cross(v, unit, moved)
        multiply(inertia, moved, image)
        add_force_cross(0.5, unit, momentum, column)
        for r in range(6):
            out[r, c] = column[r] - 0.5 * image[r]


@part
def forces_of_bodies(topology, constants, q, qd, qdd, gravity, loads, poses, s, v, a, p, r, f, inertia, b, work):
    """Outward: S, v, a, P, R of every joint, and own I, B and f of every body."""
    start = work[4]
    start[:] = 0.0
    base = work[5]
    base[:] = 0.0
    for i in range(3):
        base[i] = -gravity[i]
    for body in range(topology.shape[0]):
        parent = topology[body, 0]
        pose = joint_pose(topology, constants, body, q)
        if parent >= 0:
            pose = compose(as_tuple(poses[parent]), pose)
        for i in range(12):
            poses[body, i] = pose[i]
        k = constants[body]
        gain = k[22]
        zx, zy, zz = gain * pose[2], gain * pose[5], gain * pose[8]
        if topology[body, 1] == 0:
            s[body, 0], s[body, 1], s[body, 2] = cross(pose[9], pose[10], pose[11], zx, zy, zz)
            s[body, 3], s[body, 4], s[body, 5] = zx, zy, zz
        else:
            s[body, 0], s[body, 1], s[body, 2] = zx, zy, zz
            s[body, 3], s[body, 4], s[body, 5] = 0.0, 0.0, 0.0
        before = v[parent] if parent >= 0 else start
        push = a[parent] if parent >= 0 else base
        rate, acceleration = qd[topology[body, 2]], qdd[topology[body, 2]]
        motion_cross(before, s[body], p[body])
        motion_cross(before, p[body], r[body])
        motion_cross(push, s[body], work[0])
        for i in range(6):
            r[body, i] += work[0, i]
            v[body, i] = before[i] + s[body, i] * rate
            a[body, i] = push[i] + s[body, i] * acceleration + p[body, i] * rate
        inertia_at_base(k, pose, inertia[body])
        momentum = work[6]
        multiply(inertia[body], v[body], momentum)
        velocity_products(inertia[body], v[body], momentum, work, b[body])
        multiply(inertia[body], a[body], f[body])
        add_force_cross(1.0, v[body], momentum, f[body])
        if loads.shape[0] > 0:
            load_at_base(loads[body], pose, f[body])


@part
def load_at_base(load, pose, f):
    """Add a wrench given at a body's origin in its axes."""
    fx = pose[0] * load[0] + pose[1] * load[1] + pose[2] * load[2]
    fy = pose[3] * load[0] + pose[4] * load[1] + pose[5] * load[2]
    fz = pose[6] * load[0] + pose[7] * load[1] + pose[8] * load[2]
    mx, my, mz = cross(pose[9], pose[10], pose[11], fx, fy, fz)
    f[0] += fx
    f[1] += fy
    f[2] += fz
    f[3] += mx + pose[0] * load[3] + pose[1] * load[4] + pose[2] * load[5]
    f[4] += my + pose[3] * load[3] + pose[4] * load[4] + pose[5] * load[5]
    f[5] += mz + pose[6] * load[3] + pose[7] * load[4] + pose[8] * load[5]


@part
def gather_derivatives(topology, s, p, r, f, inertia, b, work, by_position, by_rate):
    """Inward: the two matrices, from composites that grow towards the base."""
    for body in range(topology.shape[0] - 1, -1, -1):
        force, drag, turned, held = work[0], work[1], work[2], work[3]
        multiply(inertia[body], r[body], force)
        multiply(b[body], p[body], turned)
        multiply(b[body], s[body], drag)
        multiply(inertia[body], p[body], held)
        for i in range(6):
            force[i] += 2.0 * turned[i]
            drag[i] = 2.0 * (drag[i] + held[i])
        add_force_cross(1.0, s[body], f[body], force)
        for i in range(6):  # rows S_i B and S_i I
            turned[i], held[i] = 0.0, 0.0
            for j in range(6):
                turned[i] += b[body, j, i] * s[body, j]
                held[i] += inertia[body, j, i] * s[body, j]
        row = topology[body, 2]
        other = body
        while other >= 0:
            column = topology[other, 2]
            by_position[column, row] += dot(s[other], force)
            by_rate[column, row] += dot(s[other], drag)
            if other != body:
                by_position[row, column] += 2.0 * dot(turned, p[other]) + dot(held, r[other])
                by_rate[row, column] += 2.0 * (dot(turned, s[other]) + dot(held, p[other]))
            other = topology[other, 0]
        parent = topology[body, 0]
        if parent >= 0:
            for i in range(6):
                f[parent, i] += f[body, i]
                for j in range(6):
                    inertia[parent, i, j] += inertia[body, i, j]
                    b[parent, i, j] += b[body, i, j]


@kernel(FLAG, TOPOLOGY, MATRIX, MATRIX, MATRIX, MATRIX, VECTOR, MATRIX, OUT_CUBE, OUT_CUBE)
def inverse_dynamics_derivatives(topology, constants, q, qd, qdd, gravity, loads, by_position, by_rate):
    """D tau / d q and d tau / d qd, (m, n, n), of (m, n) motions; `loads` as for `newton_euler_batch`."""
    bodies = topology.shape[0]
    poses = np.empty((bodies, 12))
    s, v, a, p, r, f = (np.empty((bodies, 6)), np.empty((bodies, 6)), np.empty((bodies, 6)), np.empty((bodies, 6)),
                        np.empty((bodies, 6)), np.empty((bodies, 6)))
    inertia, b, work = np.empty((bodies, 6, 6)), np.empty((bodies, 6, 6)), np.empty((7, 6))
    for m in range(q.shape[0]):
        if not (is_finite(q[m]) and is_finite(qd[m]) and is_finite(qdd[m])):
            return False
        by_position[m] = 0.0
        by_rate[m] = 0.0
        forces_of_bodies(topology, constants, q[m], qd[m], qdd[m], gravity, loads, poses, s, v, a, p, r, f, inertia, b,
                         work)
        gather_derivatives(topology, s, p, r, f, inertia, b, work, by_position[m], by_rate[m])
    return True
