"""Torques of many motions by iterative Newton-Euler: lanes of a block side by side, as in `pose_lanes`.

The row of a body holds LANES numbers each of sine and cosine of its joint angle (or its slide), and of velocity,
accelerations, force and moment in body axes. Its rotation in the parent is a constant one times a turn about z, so that
thirteen products carry a vector across a joint; nine numbers of a matrix need not be stored.
"""

from __future__ import annotations

import numpy as np

from robokin_ros.kernels.jit import FLAG, MATRIX, OUT_MATRIX, TOPOLOGY, VECTOR, kernel, lanes
from robokin_ros.kernels.lane_blocks import (
    FINITE,
    LANES,
    all_within,
    copy_column,
    joint_column,
    largest_angle_input,
    turn_row,
)
from robokin_ros.kernels.newton_euler import WORK, gravity_only, torques
from robokin_ros.kernels.poses import is_finite

__all__ = ['gravity_torques', 'newton_euler_batch']

# rows of a body, each of LANES numbers
SINE, COSINE, OMEGA, ALPHA, ACC, FORCE, MOMENT = (LANES * row for row in (0, 1, 2, 5, 8, 11, 14))
ROWS = 17 * LANES
SLIDE = SINE


@lanes
def move_out(k, turning, rate, acceleration, p, o):
    """Velocity and accelerations of a body from its parent's; Craig (6.46)-(6.48)."""
    k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11 = (
        k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8], k[9], k[10], k[11])
    gain = k[22]
    for j in range(LANES):
        wx, wy, wz = p[OMEGA + j], p[OMEGA + LANES + j], p[OMEGA + 2 * LANES + j]
        dx, dy, dz = p[ALPHA + j], p[ALPHA + LANES + j], p[ALPHA + 2 * LANES + j]
        x, y, z = k9, k10, k11
        if not turning:
            slide = o[SLIDE + j]
            x, y, z = k9 + k2 * slide, k10 + k5 * slide, k11 + k8 * slide
        ux, uy, uz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
        ax = p[ACC + j] + (dy * z - dz * y) + (wy * uz - wz * uy)
        ay = p[ACC + LANES + j] + (dz * x - dx * z) + (wz * ux - wx * uz)
        az = p[ACC + 2 * LANES + j] + (dx * y - dy * x) + (wx * uy - wy * ux)
        w0, w1, w2 = k0 * wx + k3 * wy + k6 * wz, k1 * wx + k4 * wy + k7 * wz, k2 * wx + k5 * wy + k8 * wz
        d0, d1, d2 = k0 * dx + k3 * dy + k6 * dz, k1 * dx + k4 * dy + k7 * dz, k2 * dx + k5 * dy + k8 * dz
        a0, a1, a2 = k0 * ax + k3 * ay + k6 * az, k1 * ax + k4 * ay + k7 * az, k2 * ax + k5 * ay + k8 * az
        u = gain * rate[j]
        t = gain * acceleration[j]
        if turning:
            s, c = o[SINE + j], o[COSINE + j]
            w0, w1 = w0 * c + w1 * s, w1 * c - w0 * s
            d0, d1 = d0 * c + d1 * s, d1 * c - d0 * s
            a0, a1 = a0 * c + a1 * s, a1 * c - a0 * s
            d0 += w1 * u
            d1 -= w0 * u
            d2 += t
            w2 += u
        else:
            a0 += 2.0 * w1 * u
            a1 -= 2.0 * w0 * u
            a2 += t
        o[OMEGA + j], o[OMEGA + LANES + j], o[OMEGA + 2 * LANES + j] = w0, w1, w2
        o[ALPHA + j], o[ALPHA + LANES + j], o[ALPHA + 2 * LANES + j] = d0, d1, d2
        o[ACC + j], o[ACC + LANES + j], o[ACC + 2 * LANES + j] = a0, a1, a2


@lanes
def inertial_force(k, o):
    """Force and moment about the joint's origin that move a body; Craig (6.49)-(6.50)."""
    mass, cx, cy, cz, xx, xy, xz, yy, yz, zz = (
        k[12], k[13], k[14], k[15], k[16], k[17], k[18], k[19], k[20], k[21])
    for j in range(LANES):
        w0, w1, w2 = o[OMEGA + j], o[OMEGA + LANES + j], o[OMEGA + 2 * LANES + j]
        d0, d1, d2 = o[ALPHA + j], o[ALPHA + LANES + j], o[ALPHA + 2 * LANES + j]
        ux, uy, uz = w1 * cz - w2 * cy, w2 * cx - w0 * cz, w0 * cy - w1 * cx
        fx = mass * (o[ACC + j] + (d1 * cz - d2 * cy) + (w1 * uz - w2 * uy))
        fy = mass * (o[ACC + LANES + j] + (d2 * cx - d0 * cz) + (w2 * ux - w0 * uz))
        fz = mass * (o[ACC + 2 * LANES + j] + (d0 * cy - d1 * cx) + (w0 * uy - w1 * ux))
        hx, hy, hz = xx * w0 + xy * w1 + xz * w2, xy * w0 + yy * w1 + yz * w2, xz * w0 + yz * w1 + zz * w2
        o[FORCE + j], o[FORCE + LANES + j], o[FORCE + 2 * LANES + j] = fx, fy, fz
        o[MOMENT + j] = xx * d0 + xy * d1 + xz * d2 + (w1 * hz - w2 * hy) + (cy * fz - cz * fy)
        o[MOMENT + LANES + j] = xy * d0 + yy * d1 + yz * d2 + (w2 * hx - w0 * hz) + (cz * fx - cx * fz)
        o[MOMENT + 2 * LANES + j] = xz * d0 + yz * d1 + zz * d2 + (w0 * hy - w1 * hx) + (cx * fy - cy * fx)


@lanes
def add_load(load, o):
    """Add what a body exerts on the environment: force and moment at its origin in its axes."""
    for i in range(6):
        row, amount = FORCE + i * LANES, load[i]
        for j in range(LANES):
            o[row + j] += amount


@lanes
def joint_torque(gain, turning, o, tau):
    """Add the torque of a body's joint; Craig (6.53)."""
    row = MOMENT if turning else FORCE
    for j in range(LANES):
        tau[j] += gain * o[row + 2 * LANES + j]


@lanes
def carry_in(k, turning, o, p):
    """Add force and moment of a body to its parent's; Craig (6.51)-(6.52)."""
    k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11 = (
        k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8], k[9], k[10], k[11])
    for j in range(LANES):
        fx, fy, fz = o[FORCE + j], o[FORCE + LANES + j], o[FORCE + 2 * LANES + j]
        nx, ny, nz = o[MOMENT + j], o[MOMENT + LANES + j], o[MOMENT + 2 * LANES + j]
        x, y, z = k9, k10, k11
        if turning:
            s, c = o[SINE + j], o[COSINE + j]
            fx, fy = fx * c - fy * s, fx * s + fy * c
            nx, ny = nx * c - ny * s, nx * s + ny * c
        else:
            slide = o[SLIDE + j]
            x, y, z = k9 + k2 * slide, k10 + k5 * slide, k11 + k8 * slide
        gx, gy, gz = k0 * fx + k1 * fy + k2 * fz, k3 * fx + k4 * fy + k5 * fz, k6 * fx + k7 * fy + k8 * fz
        p[FORCE + j] += gx
        p[FORCE + LANES + j] += gy
        p[FORCE + 2 * LANES + j] += gz
        p[MOMENT + j] += k0 * nx + k1 * ny + k2 * nz + (y * gz - z * gy)
        p[MOMENT + LANES + j] += k3 * nx + k4 * ny + k5 * nz + (z * gx - x * gz)
        p[MOMENT + 2 * LANES + j] += k6 * nx + k7 * ny + k8 * nz + (x * gy - y * gx)


@lanes
def inward_lanes(topology, constants, work, tau):
    """Joint torques from the forces of all bodies, leaves first."""
    tau[:, :] = 0.0
    for body in range(topology.shape[0] - 1, -1, -1):
        k, o, parent, row = constants[body], work[body], topology[body, 0], tau[topology[body, 2]]
        if topology[body, 1] == 0:
            joint_torque(k[22], True, o, row)
            if parent >= 0:
                carry_in(k, True, o, work[parent])
        else:
            joint_torque(k[22], False, o, row)
            if parent >= 0:
                carry_in(k, False, o, work[parent])


@lanes
def set_base(gravity, base):
    """The base: at rest, accelerating with -g."""
    base[:] = 0.0
    for j in range(LANES):
        base[ACC + j], base[ACC + LANES + j], base[ACC + 2 * LANES + j] = -gravity[0], -gravity[1], -gravity[2]


@lanes
def write_rows(rows, first, out):
    """Rows of lanes into the rows of (m, n)."""
    for j in range(LANES):
        for column in range(out.shape[1]):
            out[first + j, column] = rows[column, j]


@lanes
def write_torques(tau, rotor, acceleration, first, out):
    """Torques into rows of (m, n), with those that accelerate the rotors."""
    for column in range(out.shape[1]):
        inertia = rotor[column]
        t = tau[column]
        for j in range(LANES):
            out[first + j, column] = t[j] + inertia * acceleration[first + j, column]


@kernel(FLAG, TOPOLOGY, MATRIX, VECTOR, MATRIX, MATRIX, MATRIX, VECTOR, MATRIX, OUT_MATRIX)
def newton_euler_batch(topology, constants, rotor, q, qd, qdd, gravity, loads, out):
    """Torques of (m, n) motions; `loads` (bodies, 6), or (0, 6) for none."""
    bodies = topology.shape[0]
    work = np.empty((bodies + 1, ROWS))  # the last: the base
    tau = np.empty((q.shape[1], LANES))
    rate, acceleration = np.empty(LANES), np.empty(LANES)
    scalar_work = np.empty((bodies, WORK))
    set_base(gravity, work[bodies])
    limit = largest_angle_input(topology, constants)
    count = q.shape[0]
    for start in range(0, count, LANES):
        first = max(0, min(start, count - LANES))  # the last block overlaps the one before
        last = first + LANES
        if (count >= LANES and all_within(q[first:last], limit) and all_within(qd[first:last], FINITE)
                and all_within(qdd[first:last], FINITE)):
            for body in range(bodies):
                k, o = constants[body], work[body]
                parent, column = topology[body, 0], topology[body, 2]
                p = work[parent if parent >= 0 else bodies]
                joint_column(q, first, column, k[22], k[23], o)
                copy_column(qd, first, column, rate)
                copy_column(qdd, first, column, acceleration)
                if topology[body, 1] == 0:
                    turn_row(o)
                    move_out(k, True, rate, acceleration, p, o)
                else:
                    move_out(k, False, rate, acceleration, p, o)
                inertial_force(k, o)
            for body in range(loads.shape[0]):
                add_load(loads[body], work[body])
            inward_lanes(topology, constants, work, tau)
            write_torques(tau, rotor, qdd, first, out)
        else:
            for i in range(first, min(last, count)):
                if not torques(topology, constants, rotor, q[i], qd[i], qdd[i], gravity, loads, scalar_work, out[i]):
                    return False
    return True


@lanes
def turn_gravity(k, turning, p, o):
    """Acceleration of a body at rest in its axes, and the force and moment that hold it."""
    k0, k1, k2, k3, k4, k5, k6, k7, k8 = k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8]
    mass, cx, cy, cz = k[12], k[13], k[14], k[15]
    for j in range(LANES):
        ax, ay, az = p[ACC + j], p[ACC + LANES + j], p[ACC + 2 * LANES + j]
        a0, a1, a2 = k0 * ax + k3 * ay + k6 * az, k1 * ax + k4 * ay + k7 * az, k2 * ax + k5 * ay + k8 * az
        if turning:
            s, c = o[SINE + j], o[COSINE + j]
            a0, a1 = a0 * c + a1 * s, a1 * c - a0 * s
        o[ACC + j], o[ACC + LANES + j], o[ACC + 2 * LANES + j] = a0, a1, a2
        fx, fy, fz = mass * a0, mass * a1, mass * a2
        o[FORCE + j], o[FORCE + LANES + j], o[FORCE + 2 * LANES + j] = fx, fy, fz
        o[MOMENT + j] = cy * fz - cz * fy
        o[MOMENT + LANES + j] = cz * fx - cx * fz
        o[MOMENT + 2 * LANES + j] = cx * fy - cy * fx


@kernel(FLAG, TOPOLOGY, MATRIX, MATRIX, VECTOR, OUT_MATRIX)
def gravity_torques(topology, constants, q, gravity, out):
    """Gravity torques of (m, n) joint vectors."""
    bodies = topology.shape[0]
    work = np.empty((bodies + 1, ROWS))  # the last: the base
    tau = np.empty((q.shape[1], LANES))
    scalar_work = np.empty((bodies, WORK))
    set_base(gravity, work[bodies])
    limit = largest_angle_input(topology, constants)
    count = q.shape[0]
    for start in range(0, count, LANES):
        first = max(0, min(start, count - LANES))  # the last block overlaps the one before
        if count >= LANES and all_within(q[first:first + LANES], limit):
            for body in range(bodies):
                k, o, parent = constants[body], work[body], topology[body, 0]
                p = work[parent if parent >= 0 else bodies]
                joint_column(q, first, topology[body, 2], k[22], k[23], o)
                if topology[body, 1] == 0:
                    turn_row(o)
                    turn_gravity(k, True, p, o)
                else:
                    turn_gravity(k, False, p, o)
            inward_lanes(topology, constants, work, tau)
            write_rows(tau, first, out)
        else:
            for i in range(first, min(first + LANES, count)):
                if not is_finite(q[i]):
                    return False
                gravity_only(topology, constants, q[i], gravity, scalar_work, out[i])
    return True
