"""The joint-space mass matrix: composite rigid bodies, in base axes."""

from __future__ import annotations

from robokin_ros.kernels.articulated import POSE, A, B, D, own_inertia, times
from robokin_ros.kernels.jit import part
from robokin_ros.kernels.newton_euler import cross
from robokin_ros.kernels.poses import as_tuple, compose, joint_pose


@part
def place(topology, constants, q, work):
    """Pose and own inertia of every body."""
    for body in range(topology.shape[0]):
        o = work[body]
        pose = joint_pose(topology, constants, body, q)
        if topology[body, 0] >= 0:
            pose = compose(as_tuple(work[topology[body, 0]]), pose)
        for i in range(12):
            o[POSE + i] = pose[i]
        own_inertia(constants[body], o)


@part
def add_composite(o, p):
    """Add the inertia of a body to its parent's, about the parent's origin; mass and m c decide B and D."""
    x, y, z = o[POSE + 9] - p[POSE + 9], o[POSE + 10] - p[POSE + 10], o[POSE + 11] - p[POSE + 11]
    mass = o[A]
    hx, hy, hz = o[B + 5], o[B + 6], o[B + 1]
    p[A] += mass
    p[A + 4] += mass
    p[A + 8] += mass
    gx, gy, gz = hx + mass * x, hy + mass * y, hz + mass * z
    p[B + 1] += gz
    p[B + 2] -= gy
    p[B + 3] -= gz
    p[B + 5] += gx
    p[B + 6] += gy
    p[B + 7] -= gx
    # D' = D - X H - (H + m X) X, with H = skew(m c), X = skew(rho)
    xh = x * hx + y * hy + z * hz
    xg = x * gx + y * gy + z * gz
    r = (x, y, z)
    h = (hx, hy, hz)
    g = (gx, gy, gz)
    for i in range(3):
        for j in range(3):
            p[D + 3 * i + j] += o[D + 3 * i + j] - h[i] * r[j] - r[i] * g[j]
        p[D + 4 * i] += xh + xg


@part
def mass_matrix_into(topology, constants, rotor, q, work, out):
    """One mass matrix."""
    place(topology, constants, q, work)
    out[:, :] = 0.0
    for body in range(topology.shape[0] - 1, -1, -1):
        o = work[body]
        zx, zy, zz = o[POSE + 2], o[POSE + 5], o[POSE + 8]
        if topology[body, 1] == 0:
            fx, fy, fz, nx, ny, nz = times(o, 0.0, 0.0, 0.0, zx, zy, zz)
        else:
            fx, fy, fz, nx, ny, nz = times(o, zx, zy, zz, 0.0, 0.0, 0.0)
        row = topology[body, 2]
        other = body
        while other >= 0:
            p = work[other]
            x, y, z = o[POSE + 9] - p[POSE + 9], o[POSE + 10] - p[POSE + 10], o[POSE + 11] - p[POSE + 11]
            mx, my, mz = cross(x, y, z, fx, fy, fz)
            if topology[other, 1] == 0:
                value = p[POSE + 2] * (nx + mx) + p[POSE + 5] * (ny + my) + p[POSE + 8] * (nz + mz)
            else:
                value = p[POSE + 2] * fx + p[POSE + 5] * fy + p[POSE + 8] * fz
            value *= constants[body, 22] * constants[other, 22]
            column = topology[other, 2]
            out[row, column] += value
            if other != body:
                out[column, row] += value
            other = topology[other, 0]
        if topology[body, 0] >= 0:
            add_composite(o, work[topology[body, 0]])
    for i in range(out.shape[0]):
        out[i, i] += rotor[i]
