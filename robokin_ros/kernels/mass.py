"""The joint-space mass matrix of one joint vector: composite rigid bodies, in base axes."""

from __future__ import annotations

from robokin_ros.kernels.jit import lanes, part
from robokin_ros.kernels.sine_cosine import angle_sine_cosine

# columns of the work row of a body: rotation, joint of the parent to its own, mass, mass times centre, inertia about
# the joint's origin (xx xy xz yy yz zz)
RHO, MASS, H, D, WORK = 9, 12, 13, 16, 22


@lanes
def place_bodies(topology, constants, q, work):
    """Rotation of every body and vector to its joint; those on the base stay at zero: M does not depend on them."""
    for body in range(topology.shape[0]):
        parent = topology[body, 0]
        if parent < 0:
            for i in range(12):
                work[body, i] = constants[body, i]
            continue
        k = constants[body]
        value = k[22] * q[topology[body, 2]] + k[23]
        turning = topology[body, 1] == 0
        s, c = angle_sine_cosine(value) if turning else (0.0, 1.0)
        slide = 0.0 if turning else value
        for r in range(3):
            x, y, z = work[parent, 3 * r], work[parent, 3 * r + 1], work[parent, 3 * r + 2]
            u, v = x * k[0] + y * k[3] + z * k[6], x * k[1] + y * k[4] + z * k[7]
            w = x * k[2] + y * k[5] + z * k[8]
            work[body, 3 * r] = u * c + v * s
            work[body, 3 * r + 1] = v * c - u * s
            work[body, 3 * r + 2] = w
            work[body, RHO + r] = x * k[9] + y * k[10] + z * k[11] + w * slide


@lanes
def place_inertia(k, work, body):
    """Mass, mass times centre, and inertia about the joint's origin of one body in base axes; Craig (6.26)."""
    r0, r1, r2 = work[body, 0], work[body, 1], work[body, 2]
    r3, r4, r5 = work[body, 3], work[body, 4], work[body, 5]
    r6, r7, r8 = work[body, 6], work[body, 7], work[body, 8]
    mass = k[12]
    cx = r0 * k[13] + r1 * k[14] + r2 * k[15]
    cy = r3 * k[13] + r4 * k[14] + r5 * k[15]
    cz = r6 * k[13] + r7 * k[14] + r8 * k[15]
    hx, hy, hz = mass * cx, mass * cy, mass * cz
    work[body, MASS], work[body, H], work[body, H + 1], work[body, H + 2] = mass, hx, hy, hz
    xx, xy, xz, yy, yz, zz = k[16], k[17], k[18], k[19], k[20], k[21]
    x, y, z = r0 * xx + r1 * xy + r2 * xz, r0 * xy + r1 * yy + r2 * yz, r0 * xz + r1 * yz + r2 * zz
    work[body, D] = x * r0 + y * r1 + z * r2 + hy * cy + hz * cz
    work[body, D + 1] = x * r3 + y * r4 + z * r5 - hx * cy
    work[body, D + 2] = x * r6 + y * r7 + z * r8 - hx * cz
    x, y, z = r3 * xx + r4 * xy + r5 * xz, r3 * xy + r4 * yy + r5 * yz, r3 * xz + r4 * yz + r5 * zz
    work[body, D + 3] = x * r3 + y * r4 + z * r5 + hx * cx + hz * cz
    work[body, D + 4] = x * r6 + y * r7 + z * r8 - hy * cz
    x, y, z = r6 * xx + r7 * xy + r8 * xz, r6 * xy + r7 * yy + r8 * yz, r6 * xz + r7 * yz + r8 * zz
    work[body, D + 5] = x * r6 + y * r7 + z * r8 + hx * cx + hy * cy


@lanes
def add_composite(work, body, parent):
    """Add the inertia of a body to its parent's, about the parent's origin; Craig (6.26)."""
    x, y, z = work[body, RHO], work[body, RHO + 1], work[body, RHO + 2]
    mass, hx, hy, hz = work[body, MASS], work[body, H], work[body, H + 1], work[body, H + 2]
    gx, gy, gz = hx + mass * x, hy + mass * y, hz + mass * z
    work[parent, MASS] += mass
    work[parent, H] += gx
    work[parent, H + 1] += gy
    work[parent, H + 2] += gz
    ax, ay, az = x * (hx + gx), y * (hy + gy), z * (hz + gz)
    work[parent, D] += work[body, D] + (ay + az)
    work[parent, D + 1] += work[body, D + 1] - hx * y - x * gy
    work[parent, D + 2] += work[body, D + 2] - hx * z - x * gz
    work[parent, D + 3] += work[body, D + 3] + (ax + az)
    work[parent, D + 4] += work[body, D + 4] - hy * z - y * gz
    work[parent, D + 5] += work[body, D + 5] + (ax + ay)


@lanes
def unit_wrench(turning, work, body):
    """Force and moment at a joint's origin that give the joint a unit acceleration."""
    zx, zy, zz = work[body, 2], work[body, 5], work[body, 8]
    hx, hy, hz = work[body, H], work[body, H + 1], work[body, H + 2]
    if turning:
        xy, xz, yz = work[body, D + 1], work[body, D + 2], work[body, D + 4]
        return (zy * hz - zz * hy, zz * hx - zx * hz, zx * hy - zy * hx,
                work[body, D] * zx + xy * zy + xz * zz, xy * zx + work[body, D + 3] * zy + yz * zz,
                xz * zx + yz * zy + work[body, D + 5] * zz)
    mass = work[body, MASS]
    return mass * zx, mass * zy, mass * zz, hy * zz - hz * zy, hz * zx - hx * zz, hx * zy - hy * zx


@part
def mass_matrix_into(topology, constants, rotor, q, work, out):
    """One mass matrix; `work` is (bodies, WORK)."""
    place_bodies(topology, constants, q, work)
    out[:, :] = 0.0
    for body in range(topology.shape[0]):
        place_inertia(constants[body], work, body)
    for body in range(topology.shape[0] - 1, -1, -1):
        fx, fy, fz, nx, ny, nz = unit_wrench(topology[body, 1] == 0, work, body)
        row, other = topology[body, 2], body
        while other >= 0:
            zx, zy, zz = work[other, 2], work[other, 5], work[other, 8]
            value = zx * nx + zy * ny + zz * nz if topology[other, 1] == 0 else zx * fx + zy * fy + zz * fz
            value *= constants[body, 22] * constants[other, 22]
            column = topology[other, 2]
            out[row, column] += value
            if other != body:
                out[column, row] += value
            x, y, z = work[other, RHO], work[other, RHO + 1], work[other, RHO + 2]
            nx, ny, nz = nx + (y * fz - z * fy), ny + (z * fx - x * fz), nz + (x * fy - y * fx)
            other = topology[other, 0]
        if topology[body, 0] >= 0:
            add_composite(work, body, topology[body, 0])
    for i in range(out.shape[0]):
        out[i, i] += rotor[i]
