"""Rotation, joint-to-joint vector and inertia of every body in base axes, in all lanes of a block.

Rows of a body that mass matrix and forward dynamics share; ROTATION's third column is the joint axis.
"""

from __future__ import annotations

import numpy as np

from robokin_ros.kernels.jit import lanes, part
from robokin_ros.kernels.lane_blocks import LANES

# rows of a body, each of LANES numbers: sine and cosine (or slide) first, they are used up by `place_body`
ROTATION, RHO, H, D = (LANES * row for row in (2, 11, 14, 17))
AXIS_X, AXIS_Y, AXIS_Z = ROTATION + 2 * LANES, ROTATION + 5 * LANES, ROTATION + 8 * LANES
XX, XY, XZ, YY, YZ, ZZ = (D + LANES * row for row in range(6))
SHARED = 23


@part
def inertia_about_joints(constants):
    """Mass, mass times centre, and inertia (xx xy xz yy yz zz) about the joint's origin of every body."""
    table = np.empty((constants.shape[0], 10))
    for body in range(constants.shape[0]):
        k = constants[body]
        mass, x, y, z = k[12], k[13], k[14], k[15]
        t = table[body]
        t[0], t[1], t[2], t[3] = mass, mass * x, mass * y, mass * z
        t[4], t[5], t[6] = k[16] + mass * (y * y + z * z), k[17] - mass * x * y, k[18] - mass * x * z
        t[7], t[8], t[9] = k[19] + mass * (x * x + z * z), k[20] - mass * y * z, k[21] + mass * (x * x + y * y)
    return table


@lanes
def set_unit(base):
    """The rotation of the base."""
    base[:] = 0.0
    for r in range(3):
        for j in range(LANES):
            base[ROTATION + 4 * r * LANES + j] = 1.0


@lanes
def place_body(k, turning, p, o):
    """Rotation of a body, and vector to its joint from its parent's."""
    k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11 = (
        k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8], k[9], k[10], k[11])
    for j in range(LANES):
        first, second = o[j], o[LANES + j]
        for r in range(3):
            row = ROTATION + 3 * r * LANES + j
            x, y, z = p[row], p[row + LANES], p[row + 2 * LANES]
            u, v, w = x * k0 + y * k3 + z * k6, x * k1 + y * k4 + z * k7, x * k2 + y * k5 + z * k8
            rho = x * k9 + y * k10 + z * k11
            if turning:
                u, v = u * second + v * first, v * second - u * first
            else:
                rho += w * first
            o[row], o[row + LANES], o[row + 2 * LANES] = u, v, w
            o[RHO + r * LANES + j] = rho


@lanes
def place_inertia(i, o):
    """Mass times centre H and inertia D of a body about its joint's origin, in base axes."""
    hx, hy, hz, xx, xy, xz, yy, yz, zz = i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8], i[9]
    for j in range(LANES):
        r0, r1, r2 = o[ROTATION + j], o[ROTATION + LANES + j], o[ROTATION + 2 * LANES + j]
        r3, r4, r5 = o[ROTATION + 3 * LANES + j], o[ROTATION + 4 * LANES + j], o[ROTATION + 5 * LANES + j]
        r6, r7, r8 = o[ROTATION + 6 * LANES + j], o[ROTATION + 7 * LANES + j], o[ROTATION + 8 * LANES + j]
        o[H + j] = r0 * hx + r1 * hy + r2 * hz
        o[H + LANES + j] = r3 * hx + r4 * hy + r5 * hz
        o[H + 2 * LANES + j] = r6 * hx + r7 * hy + r8 * hz
        x, y, z = r0 * xx + r1 * xy + r2 * xz, r0 * xy + r1 * yy + r2 * yz, r0 * xz + r1 * yz + r2 * zz
        o[XX + j] = x * r0 + y * r1 + z * r2
        o[XY + j] = x * r3 + y * r4 + z * r5
        o[XZ + j] = x * r6 + y * r7 + z * r8
        x, y, z = r3 * xx + r4 * xy + r5 * xz, r3 * xy + r4 * yy + r5 * yz, r3 * xz + r4 * yz + r5 * zz
        o[YY + j] = x * r3 + y * r4 + z * r5
        o[YZ + j] = x * r6 + y * r7 + z * r8
        x, y, z = r6 * xx + r7 * xy + r8 * xz, r6 * xy + r7 * yy + r8 * yz, r6 * xz + r7 * yz + r8 * zz
        o[ZZ + j] = x * r6 + y * r7 + z * r8
