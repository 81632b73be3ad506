"""A 6R arm with its pose is a closed loop of six links: it may be cut at any joint (KIN-14, KIN-25 case M).

Cut elsewhere it is an arm whose joints come in another cyclic order, so that each solver is written for one position of
its special axes. Tables are rows alpha_{i-1}, a_{i-1}, d_i; poses are those of frame {6} in {0}.
"""

from __future__ import annotations

import math

from robokin_ros.kernels.jit import part


@part
def factor_pose(r, p, out):
    """Phi, delta, alpha, a, psi, eps of (r, p) = Rz(phi) Dz(delta) Rx(alpha) Dx(a) Rz(psi) Dz(eps) (KIN-14)."""
    sine = math.hypot(r[0, 2], r[1, 2])
    if sine > 1e-6:
        alpha = math.atan2(sine, r[2, 2])
        phi = math.atan2(r[0, 2], -r[1, 2])
        psi = math.atan2(r[2, 0], r[2, 1])
        c, s = math.cos(phi), math.sin(phi)
        qx, qy = c * p[0] + s * p[1], -s * p[0] + c * p[1]
        eps = -qy / sine
        out[0], out[1], out[2], out[3], out[4], out[5] = phi, p[2] - r[2, 2] * eps, alpha, qx, psi, eps
    else:
        alpha = 0.0 if r[2, 2] > 0.0 else math.pi
        a = math.hypot(p[0], p[1])
        phi = math.atan2(p[1], p[0]) if a > 0.0 else 0.0
        turn = math.atan2(r[1, 0], r[0, 0])
        psi = turn - phi if r[2, 2] > 0.0 else phi - turn
        out[0], out[1], out[2], out[3], out[4], out[5] = phi, p[2], alpha, a, psi, 0.0


@part
def turn_loop(dh, pose, first, parameters, table, turned, shift):
    """The loop cut before joint `first`: `table` and `turned` pose of that arm; its angles are the arm's plus `shift`.

    Joint k of the new arm is joint (first + k) mod 6 of the old one.
    """
    # closing link: the inverse of the pose
    for i in range(3):
        for j in range(3):
            turned[i, j] = pose[j, i]
        turned[i, 3] = -(pose[0, i] * pose[0, 3] + pose[1, i] * pose[1, 3] + pose[2, i] * pose[2, 3])
    factor_pose(turned, turned[:, 3], parameters)
    for k in range(6):
        joint = (first + k) % 6
        before = (joint + 5) % 6
        shift[k] = 0.0
        table[k, 2] = dh[joint, 2]
        table[k, 3] = 0.0
        if joint == 0:
            shift[k] = parameters[4]
            table[k, 2] += parameters[5]
        elif joint == 5:
            shift[k] = parameters[0]
            table[k, 2] += parameters[1]
        table[k, 0], table[k, 1] = ((parameters[2], parameters[3]) if before == 5 else (dh[joint, 0], dh[joint, 1]))
    # the last link of the new arm is the one in front of its first joint: pose = (Rx(alpha) Dx(a))^-1
    alpha, a = table[0, 0], table[0, 1]
    c, s = math.cos(alpha), math.sin(alpha)
    turned[:, :] = 0.0
    turned[0, 0], turned[0, 3] = 1.0, -a
    turned[1, 1], turned[1, 2] = c, s
    turned[2, 1], turned[2, 2] = -s, c
    turned[3, 3] = 1.0
    table[0, 0] = table[0, 1] = 0.0
