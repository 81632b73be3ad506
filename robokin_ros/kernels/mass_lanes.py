"""Mass matrices of many joint vectors: composite rigid bodies in base axes, lanes of a block side by side."""

from __future__ import annotations

import numpy as np

from robokin_ros.kernels.inertia_lanes import (
    AXIS_X,
    AXIS_Y,
    AXIS_Z,
    RHO,
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
from robokin_ros.kernels.jit import FLAG, MATRIX, OUT_CUBE, TOPOLOGY, VECTOR, kernel, lanes, part
from robokin_ros.kernels.lane_blocks import LANES, all_within, joint_column, largest_angle_input, turn_row
from robokin_ros.kernels.mass import WORK, mass_matrix_into
from robokin_ros.kernels.poses import is_finite

__all__ = ['mass_matrices']


@part
def composite_masses(topology, constants):
    """Mass of every body and all that it carries."""
    masses = constants[:, 12].copy()
    for body in range(topology.shape[0] - 1, -1, -1):
        if topology[body, 0] >= 0:
            masses[topology[body, 0]] += masses[body]
    return masses


@lanes
def add_composite(mass, o, p):
    """Add the inertia of a body to its parent's, about the parent's origin; Craig (6.26)."""
    for j in range(LANES):
        x, y, z = o[RHO + j], o[RHO + LANES + j], o[RHO + 2 * LANES + j]
        hx, hy, hz = o[H + j], o[H + LANES + j], o[H + 2 * LANES + j]
        gx, gy, gz = hx + mass * x, hy + mass * y, hz + mass * z
        p[H + j] += gx
        p[H + LANES + j] += gy
        p[H + 2 * LANES + j] += gz
        ax, ay, az = x * (hx + gx), y * (hy + gy), z * (hz + gz)
        p[XX + j] += o[XX + j] + (ay + az)
        p[YY + j] += o[YY + j] + (ax + az)
        p[ZZ + j] += o[ZZ + j] + (ax + ay)
        p[XY + j] += o[XY + j] - hx * y - x * gy
        p[XZ + j] += o[XZ + j] - hx * z - x * gz
        p[YZ + j] += o[YZ + j] - hy * z - y * gz


@lanes
def unit_wrench(mass, turning, o, w):
    """Force and moment at a joint's origin that give the joint a unit acceleration."""
    for j in range(LANES):
        zx, zy, zz = o[AXIS_X + j], o[AXIS_Y + j], o[AXIS_Z + j]
        hx, hy, hz = o[H + j], o[H + LANES + j], o[H + 2 * LANES + j]
        if turning:
            w[j], w[LANES + j], w[2 * LANES + j] = zy * hz - zz * hy, zz * hx - zx * hz, zx * hy - zy * hx
            w[3 * LANES + j] = o[XX + j] * zx + o[XY + j] * zy + o[XZ + j] * zz
            w[4 * LANES + j] = o[XY + j] * zx + o[YY + j] * zy + o[YZ + j] * zz
            w[5 * LANES + j] = o[XZ + j] * zx + o[YZ + j] * zy + o[ZZ + j] * zz
        else:
            w[j], w[LANES + j], w[2 * LANES + j] = mass * zx, mass * zy, mass * zz
            w[3 * LANES + j], w[4 * LANES + j], w[5 * LANES + j] = (
                hy * zz - hz * zy, hz * zx - hx * zz, hx * zy - hy * zx)


@lanes
def add_element(scale, turning, fresh, o, w, m):
    """Add (`fresh`: write) what a body's joint feels of the wrench at its origin; move the wrench to the parent's."""
    for j in range(LANES):
        fx, fy, fz = w[j], w[LANES + j], w[2 * LANES + j]
        nx, ny, nz = w[3 * LANES + j], w[4 * LANES + j], w[5 * LANES + j]
        zx, zy, zz = o[AXIS_X + j], o[AXIS_Y + j], o[AXIS_Z + j]
        x, y, z = o[RHO + j], o[RHO + LANES + j], o[RHO + 2 * LANES + j]
        before = 0.0 if fresh else m[j]
        if turning:
            m[j] = before + scale * (zx * nx + zy * ny + zz * nz)
        else:
            m[j] = before + scale * (zx * fx + zy * fy + zz * fz)
        w[3 * LANES + j] = nx + (y * fz - z * fy)
        w[4 * LANES + j] = ny + (z * fx - x * fz)
        w[5 * LANES + j] = nz + (x * fy - y * fx)


@lanes
def row_of_elements(topology, constants, body, fresh, work, wrench, elements):
    """Elements of the mass matrix for a body and all bodies that carry it."""
    row, other = topology[body, 2], body
    while other >= 0:
        column = topology[other, 2]
        scale = constants[body, 22] * constants[other, 22]
        if row == column and other != body:  # one joint moves both: their product counts in both orders
            scale *= 2.0
        m = elements[max(row, column), min(row, column)]
        if topology[other, 1] == 0:
            add_element(scale, True, fresh, work[other], wrench, m)
        else:
            add_element(scale, False, fresh, work[other], wrench, m)
        other = topology[other, 0]


@lanes
def write_matrices(elements, rotor, first, out):
    """Lower triangles of the lanes into full matrices, with the inertia of the rotors."""
    for j in range(LANES):
        m = out[first + j]
        for r in range(m.shape[0]):
            for c in range(r):
                value = elements[r, c, j]
                m[r, c] = value
                m[c, r] = value
            m[r, r] = elements[r, r, j] + rotor[r]


@lanes
def place_roots(topology, constants, work):
    """Place bodies on the base with their joints at zero: no mass matrix depends on how the whole tree is turned."""
    base = work[topology.shape[0]]
    set_unit(base)
    for body in range(topology.shape[0]):
        if topology[body, 0] < 0:
            o = work[body]
            o[:2 * LANES] = 0.0
            place_body(constants[body], False, base, o)


@kernel(FLAG, TOPOLOGY, MATRIX, VECTOR, MATRIX, OUT_CUBE)
def mass_matrices(topology, constants, rotor, q, out):
    """Mass matrices of (m, n) joint vectors, (m, n, n)."""
    bodies, size = topology.shape[0], q.shape[1]
    work = np.empty((bodies + 1, SHARED * LANES))  # the last: the base
    elements = np.zeros((size, size, LANES))
    fresh = bodies == size  # without mimic joints every element is of one pair of bodies
    wrench = np.empty(6 * LANES)
    scalar_work = np.empty((bodies, WORK))
    place_roots(topology, constants, work)
    masses, inertias = composite_masses(topology, constants), inertia_about_joints(constants)
    limit = largest_angle_input(topology, constants)
    count = q.shape[0]
    for start in range(0, count, LANES):
        first = max(0, min(start, count - LANES))  # the last block overlaps the one before
        if count >= LANES and all_within(q[first:first + LANES], limit):
            for body in range(bodies):
                k, o, parent = constants[body], work[body], topology[body, 0]
                if parent >= 0:
                    joint_column(q, first, topology[body, 2], k[22], k[23], o)
                    if topology[body, 1] == 0:
                        turn_row(o)
                        place_body(k, True, work[parent], o)
                    else:
                        place_body(k, False, work[parent], o)
                place_inertia(inertias[body], o)
            if not fresh:
                elements[:, :, :] = 0.0
            for body in range(bodies - 1, -1, -1):
                o, parent = work[body], topology[body, 0]
                if topology[body, 1] == 0:
                    unit_wrench(masses[body], True, o, wrench)
                else:
                    unit_wrench(masses[body], False, o, wrench)
                row_of_elements(topology, constants, body, fresh, work, wrench, elements)
                if parent >= 0:
                    add_composite(masses[body], o, work[parent])
            write_matrices(elements, rotor, first, out)
        else:
            for i in range(first, min(first + LANES, count)):
                if not is_finite(q[i]):
                    return False
                mass_matrix_into(topology, constants, rotor, q[i], scalar_work, out[i])
    return True
