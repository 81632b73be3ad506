"""Forward dynamics of many states: the recursion of `articulated` in base axes, lanes of a block side by side.

Blocks A and D of M* are symmetric, six rows each. A block with a joint that has no inertia is left to the scalar code,
which names the body.
"""

from __future__ import annotations

import numpy as np

from robokin_ros.kernels.articulated import NOT_FINITE, OK, WORK, accelerations
from robokin_ros.kernels.inertia_lanes import (
    AXIS_X,
    AXIS_Y,
    AXIS_Z,
    RHO,
    ROTATION,
    SHARED,
    XX,
    XY,
    XZ,
    YY,
    YZ,
    ZZ,
    H,
    inertia_about_joints,
    place_body,
    place_inertia,
    set_unit,
)
from robokin_ros.kernels.jit import INTEGER, MATRIX, OUT_MATRIX, TOPOLOGY, VECTOR, kernel, lanes
from robokin_ros.kernels.lane_blocks import (
    FINITE,
    LANES,
    all_within,
    copy_column,
    joint_column,
    largest_angle_input,
    turn_row,
)
from robokin_ros.kernels.poses import is_finite

__all__ = ['forward_dynamics_batch']

LEAST_INERTIA = 1e-14

# rows of a body after the shared ones, each of LANES numbers
OMEGA, BIAS, A, B, Q, MS, U, REST, ACC = (LANES * (SHARED + row) for row in (0, 3, 9, 15, 24, 30, 36, 37, 38))
ROWS = (SHARED + 44) * LANES
AXX, AXY, AXZ, AYY, AYZ, AZZ = (A + LANES * row for row in range(6))
RATE = U  # before U is known


@lanes
def move_out(gain, turning, p, o):
    """Angular velocity of a body, and what its acceleration has from velocities alone."""
    for j in range(LANES):
        wx, wy, wz = p[OMEGA + j], p[OMEGA + LANES + j], p[OMEGA + 2 * LANES + j]
        x, y, z = o[RHO + j], o[RHO + LANES + j], o[RHO + 2 * LANES + j]
        rate = gain * o[RATE + j]
        zx, zy, zz = rate * o[AXIS_X + j], rate * o[AXIS_Y + j], rate * o[AXIS_Z + j]
        ux, uy, uz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
        lx, ly, lz = wy * uz - wz * uy, wz * ux - wx * uz, wx * uy - wy * ux
        ux, uy, uz = wy * zz - wz * zy, wz * zx - wx * zz, wx * zy - wy * zx
        if turning:
            o[BIAS + j], o[BIAS + LANES + j], o[BIAS + 2 * LANES + j] = lx, ly, lz
            o[BIAS + 3 * LANES + j], o[BIAS + 4 * LANES + j], o[BIAS + 5 * LANES + j] = ux, uy, uz
            wx, wy, wz = wx + zx, wy + zy, wz + zz
        else:
            o[BIAS + j], o[BIAS + LANES + j], o[BIAS + 2 * LANES + j] = lx + 2.0 * ux, ly + 2.0 * uy, lz + 2.0 * uz
            o[BIAS + 3 * LANES + j], o[BIAS + 4 * LANES + j], o[BIAS + 5 * LANES + j] = 0.0, 0.0, 0.0
        o[OMEGA + j], o[OMEGA + LANES + j], o[OMEGA + 2 * LANES + j] = wx, wy, wz


@lanes
def own_dynamics(mass, o):
    """M and Q of one body: its blocks A and B, minus the centrifugal force and the gyroscopic moment."""
    for j in range(LANES):
        hx, hy, hz = o[H + j], o[H + LANES + j], o[H + 2 * LANES + j]
        wx, wy, wz = o[OMEGA + j], o[OMEGA + LANES + j], o[OMEGA + 2 * LANES + j]
        ux, uy, uz = wy * hz - wz * hy, wz * hx - wx * hz, wx * hy - wy * hx
        o[Q + j], o[Q + LANES + j], o[Q + 2 * LANES + j] = wz * uy - wy * uz, wx * uz - wz * ux, wy * ux - wx * uy
        ix = o[XX + j] * wx + o[XY + j] * wy + o[XZ + j] * wz
        iy = o[XY + j] * wx + o[YY + j] * wy + o[YZ + j] * wz
        iz = o[XZ + j] * wx + o[YZ + j] * wy + o[ZZ + j] * wz
        o[Q + 3 * LANES + j], o[Q + 4 * LANES + j], o[Q + 5 * LANES + j] = (
            wz * iy - wy * iz, wx * iz - wz * ix, wy * ix - wx * iy)
        o[AXX + j], o[AYY + j], o[AZZ + j] = mass, mass, mass
        o[AXY + j], o[AXZ + j], o[AYZ + j] = 0.0, 0.0, 0.0
        o[B + j], o[B + LANES + j], o[B + 2 * LANES + j] = 0.0, hz, -hy
        o[B + 3 * LANES + j], o[B + 4 * LANES + j], o[B + 5 * LANES + j] = -hz, 0.0, hx
        o[B + 6 * LANES + j], o[B + 7 * LANES + j], o[B + 8 * LANES + j] = hy, -hx, 0.0


@lanes
def take_load(load, o):
    """Take what a body exerts on the environment (its axes, its origin) from its Q."""
    fx, fy, fz, nx, ny, nz = load[0], load[1], load[2], load[3], load[4], load[5]
    for r in range(3):
        row = ROTATION + 3 * r * LANES
        for j in range(LANES):
            x, y, z = o[row + j], o[row + LANES + j], o[row + 2 * LANES + j]
            o[Q + r * LANES + j] -= x * fx + y * fy + z * fz
            o[Q + (3 + r) * LANES + j] -= x * nx + y * ny + z * nz


@lanes
def project(turning, gain, rotor, tau, o):
    """M* S, U = S^T M* S and the rest of the torque, of one joint."""
    for j in range(LANES):
        zx, zy, zz = o[AXIS_X + j], o[AXIS_Y + j], o[AXIS_Z + j]
        if turning:
            f0 = o[B + j] * zx + o[B + LANES + j] * zy + o[B + 2 * LANES + j] * zz
            f1 = o[B + 3 * LANES + j] * zx + o[B + 4 * LANES + j] * zy + o[B + 5 * LANES + j] * zz
            f2 = o[B + 6 * LANES + j] * zx + o[B + 7 * LANES + j] * zy + o[B + 8 * LANES + j] * zz
            n0 = o[XX + j] * zx + o[XY + j] * zy + o[XZ + j] * zz
            n1 = o[XY + j] * zx + o[YY + j] * zy + o[YZ + j] * zz
            n2 = o[XZ + j] * zx + o[YZ + j] * zy + o[ZZ + j] * zz
            u = zx * n0 + zy * n1 + zz * n2
            q = zx * o[Q + 3 * LANES + j] + zy * o[Q + 4 * LANES + j] + zz * o[Q + 5 * LANES + j]
        else:
            f0 = o[AXX + j] * zx + o[AXY + j] * zy + o[AXZ + j] * zz
            f1 = o[AXY + j] * zx + o[AYY + j] * zy + o[AYZ + j] * zz
            f2 = o[AXZ + j] * zx + o[AYZ + j] * zy + o[AZZ + j] * zz
            n0 = o[B + j] * zx + o[B + 3 * LANES + j] * zy + o[B + 6 * LANES + j] * zz
            n1 = o[B + LANES + j] * zx + o[B + 4 * LANES + j] * zy + o[B + 7 * LANES + j] * zz
            n2 = o[B + 2 * LANES + j] * zx + o[B + 5 * LANES + j] * zy + o[B + 8 * LANES + j] * zz
            u = zx * f0 + zy * f1 + zz * f2
            q = zx * o[Q + j] + zy * o[Q + LANES + j] + zz * o[Q + 2 * LANES + j]
        o[MS + j], o[MS + LANES + j], o[MS + 2 * LANES + j] = f0, f1, f2
        o[MS + 3 * LANES + j], o[MS + 4 * LANES + j], o[MS + 5 * LANES + j] = n0, n1, n2
        o[U + j] = u + rotor / (gain * gain)
        o[REST + j] = tau[j] / gain + q


@lanes
def some_weak(o):
    """Whether the joint has no inertia in some lane."""
    weak = 0
    for j in range(LANES):
        weak |= not o[U + j] > LEAST_INERTIA
    return weak != 0


@lanes
def add_to_parent(o, p):
    """M*_p += C^T (M* - M* S U^-1 S^T M*) C and Q*_p += C^T (...), with C the shift by rho."""
    for j in range(LANES):
        inverse = 1.0 / o[U + j]
        f0, f1, f2 = o[MS + j], o[MS + LANES + j], o[MS + 2 * LANES + j]
        n0, n1, n2 = o[MS + 3 * LANES + j], o[MS + 4 * LANES + j], o[MS + 5 * LANES + j]
        rest = o[REST + j] * inverse
        e0, e1, e2, i0, i1, i2 = f0 * inverse, f1 * inverse, f2 * inverse, n0 * inverse, n1 * inverse, n2 * inverse
        x, y, z = o[RHO + j], o[RHO + LANES + j], o[RHO + 2 * LANES + j]
        bx, by, bz = o[BIAS + j], o[BIAS + LANES + j], o[BIAS + 2 * LANES + j]
        cx, cy, cz = o[BIAS + 3 * LANES + j], o[BIAS + 4 * LANES + j], o[BIAS + 5 * LANES + j]
        a0, a1, a2 = o[AXX + j] - e0 * f0, o[AXY + j] - e0 * f1, o[AXZ + j] - e0 * f2
        a3, a4, a5 = o[AYY + j] - e1 * f1, o[AYZ + j] - e1 * f2, o[AZZ + j] - e2 * f2
        b0, b1, b2 = o[B + j] - e0 * n0, o[B + LANES + j] - e0 * n1, o[B + 2 * LANES + j] - e0 * n2
        b3, b4, b5 = o[B + 3 * LANES + j] - e1 * n0, o[B + 4 * LANES + j] - e1 * n1, o[B + 5 * LANES + j] - e1 * n2
        b6, b7, b8 = o[B + 6 * LANES + j] - e2 * n0, o[B + 7 * LANES + j] - e2 * n1, o[B + 8 * LANES + j] - e2 * n2
        d0, d1, d2 = o[XX + j] - i0 * n0, o[XY + j] - i0 * n1, o[XZ + j] - i0 * n2
        d3, d4, d5 = o[YY + j] - i1 * n1, o[YZ + j] - i1 * n2, o[ZZ + j] - i2 * n2
        gx = o[Q + j] - f0 * rest - (a0 * bx + a1 * by + a2 * bz + b0 * cx + b1 * cy + b2 * cz)
        gy = o[Q + LANES + j] - f1 * rest - (a1 * bx + a3 * by + a4 * bz + b3 * cx + b4 * cy + b5 * cz)
        gz = o[Q + 2 * LANES + j] - f2 * rest - (a2 * bx + a4 * by + a5 * bz + b6 * cx + b7 * cy + b8 * cz)
        p[Q + j] += gx
        p[Q + LANES + j] += gy
        p[Q + 2 * LANES + j] += gz
        p[Q + 3 * LANES + j] += (o[Q + 3 * LANES + j] - n0 * rest + (y * gz - z * gy)
                                 - (b0 * bx + b3 * by + b6 * bz + d0 * cx + d1 * cy + d2 * cz))
        p[Q + 4 * LANES + j] += (o[Q + 4 * LANES + j] - n1 * rest + (z * gx - x * gz)
                                 - (b1 * bx + b4 * by + b7 * bz + d1 * cx + d3 * cy + d4 * cz))
        p[Q + 5 * LANES + j] += (o[Q + 5 * LANES + j] - n2 * rest + (x * gy - y * gx)
                                 - (b2 * bx + b5 * by + b8 * bz + d2 * cx + d4 * cy + d5 * cz))
        p[AXX + j] += a0
        p[AXY + j] += a1
        p[AXZ + j] += a2
        p[AYY + j] += a3
        p[AYZ + j] += a4
        p[AZZ + j] += a5
        # B' = B - A X and D' = D + X B' - B^T X, with X = skew(rho)
        c0, c1, c2 = b0 - (a1 * z - a2 * y), b1 - (a2 * x - a0 * z), b2 - (a0 * y - a1 * x)
        c3, c4, c5 = b3 - (a3 * z - a4 * y), b4 - (a4 * x - a1 * z), b5 - (a1 * y - a3 * x)
        c6, c7, c8 = b6 - (a4 * z - a5 * y), b7 - (a5 * x - a2 * z), b8 - (a2 * y - a4 * x)
        p[B + j] += c0
        p[B + LANES + j] += c1
        p[B + 2 * LANES + j] += c2
        p[B + 3 * LANES + j] += c3
        p[B + 4 * LANES + j] += c4
        p[B + 5 * LANES + j] += c5
        p[B + 6 * LANES + j] += c6
        p[B + 7 * LANES + j] += c7
        p[B + 8 * LANES + j] += c8
        p[XX + j] += d0 + (y * c6 - z * c3) + (y * b6 - z * b3)
        p[XY + j] += d1 + (y * c7 - z * c4) + (z * b0 - x * b6)
        p[XZ + j] += d2 + (y * c8 - z * c5) + (x * b3 - y * b0)
        p[YY + j] += d3 + (z * c1 - x * c7) + (z * b1 - x * b7)
        p[YZ + j] += d4 + (z * c2 - x * c8) + (x * b4 - y * b1)
        p[ZZ + j] += d5 + (x * c5 - y * c2) + (x * b5 - y * b2)


@lanes
def release(turning, gain, p, o, row):
    """Acceleration of a joint and of its body from its parent's."""
    for j in range(LANES):
        ex, ey, ez = p[ACC + 3 * LANES + j], p[ACC + 4 * LANES + j], p[ACC + 5 * LANES + j]
        x, y, z = o[RHO + j], o[RHO + LANES + j], o[RHO + 2 * LANES + j]
        ax = p[ACC + j] + (ey * z - ez * y) + o[BIAS + j]
        ay = p[ACC + LANES + j] + (ez * x - ex * z) + o[BIAS + LANES + j]
        az = p[ACC + 2 * LANES + j] + (ex * y - ey * x) + o[BIAS + 2 * LANES + j]
        ex, ey, ez = ex + o[BIAS + 3 * LANES + j], ey + o[BIAS + 4 * LANES + j], ez + o[BIAS + 5 * LANES + j]
        taken = (o[MS + j] * ax + o[MS + LANES + j] * ay + o[MS + 2 * LANES + j] * az
                 + o[MS + 3 * LANES + j] * ex + o[MS + 4 * LANES + j] * ey + o[MS + 5 * LANES + j] * ez)
        acceleration = (o[REST + j] - taken) / o[U + j]
        zx, zy, zz = (
            acceleration * o[AXIS_X + j], acceleration * o[AXIS_Y + j], acceleration * o[AXIS_Z + j])
        if turning:
            ex, ey, ez = ex + zx, ey + zy, ez + zz
        else:
            ax, ay, az = ax + zx, ay + zy, az + zz
        o[ACC + j], o[ACC + LANES + j], o[ACC + 2 * LANES + j] = ax, ay, az
        o[ACC + 3 * LANES + j], o[ACC + 4 * LANES + j], o[ACC + 5 * LANES + j] = ex, ey, ez
        row[j] = acceleration / gain


@lanes
def spread_lanes(topology, constants, inertias, q, qd, loads, first, work):
    """Outward: rotation, velocity, own M and Q of every body."""
    for body in range(topology.shape[0]):
        k, o, parent, column = constants[body], work[body], topology[body, 0], topology[body, 2]
        p = work[parent if parent >= 0 else topology.shape[0]]
        joint_column(q, first, column, k[22], k[23], o)
        copy_column(qd, first, column, o[RATE:RATE + LANES])
        if topology[body, 1] == 0:
            turn_row(o)
            place_body(k, True, p, o)
            move_out(k[22], True, p, o)
        else:
            place_body(k, False, p, o)
            move_out(k[22], False, p, o)
        place_inertia(inertias[body], o)
        own_dynamics(k[12], o)
        if loads.shape[0] > 0:
            take_load(loads[body], o)


@lanes
def gather_lanes(topology, constants, rotor, tau, first, row, work):
    """Inward: articulated M* and Q*; whether every joint has inertia in all lanes."""
    for body in range(topology.shape[0] - 1, -1, -1):
        o, parent, joint, gain = work[body], topology[body, 0], topology[body, 2], constants[body, 22]
        copy_column(tau, first, joint, row)
        if topology[body, 1] == 0:
            project(True, gain, rotor[joint], row, o)
        else:
            project(False, gain, rotor[joint], row, o)
        if some_weak(o):
            return False
        if parent >= 0:
            add_to_parent(o, work[parent])
    return True


@lanes
def release_lanes(topology, constants, first, row, work, out):
    """Outward: joint accelerations."""
    for body in range(topology.shape[0]):
        o, parent, joint, gain = work[body], topology[body, 0], topology[body, 2], constants[body, 22]
        p = work[parent if parent >= 0 else topology.shape[0]]
        if topology[body, 1] == 0:
            release(True, gain, p, o, row)
        else:
            release(False, gain, p, o, row)
        for j in range(LANES):
            out[first + j, joint] = row[j]


@lanes
def set_base(gravity, base):
    """The base: at rest, accelerating with -g."""
    set_unit(base)
    for j in range(LANES):
        base[ACC + j], base[ACC + LANES + j], base[ACC + 2 * LANES + j] = -gravity[0], -gravity[1], -gravity[2]


@kernel(INTEGER, TOPOLOGY, MATRIX, VECTOR, MATRIX, MATRIX, MATRIX, VECTOR, MATRIX, OUT_MATRIX)
def forward_dynamics_batch(topology, constants, rotor, q, qd, tau, gravity, loads, out):
    """Accelerations of (m, n) states; 0, -1 for non-finite input, or 1 + body whose joint has no inertia.

    For models without mimic joints: there every joint has exactly one body. `loads` as for `newton_euler_batch`.
    """
    bodies = topology.shape[0]
    work = np.empty((bodies + 1, ROWS))  # the last: the base
    row = np.empty(LANES)
    scalar_work = np.empty((bodies, WORK))
    set_base(gravity, work[bodies])
    inertias = inertia_about_joints(constants)
    limit = largest_angle_input(topology, constants)
    count = q.shape[0]
    for start in range(0, count, LANES):
        first = max(0, min(start, count - LANES))  # the last block overlaps the one before
        last = first + LANES
        done = False
        if (count >= LANES and all_within(q[first:last], limit) and all_within(qd[first:last], FINITE)
                and all_within(tau[first:last], FINITE)):
            spread_lanes(topology, constants, inertias, q, qd, loads, first, work)
            done = gather_lanes(topology, constants, rotor, tau, first, row, work)
            if done:
                release_lanes(topology, constants, first, row, work, out)
        if not done:
            for i in range(first, min(last, count)):
                if not (is_finite(q[i]) and is_finite(qd[i]) and is_finite(tau[i])):
                    return NOT_FINITE
                body = accelerations(topology, constants, rotor, q[i], qd[i], tau[i], gravity, loads, scalar_work,
                                     out[i])
                if body >= 0:
                    return body + 1
    return OK
