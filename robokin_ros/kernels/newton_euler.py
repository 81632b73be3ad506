"""Inverse dynamics: the iterative Newton-Euler method, outward and inward over the tree."""

from __future__ import annotations

from robokin_ros.kernels.jit import (
    FLAG,
    MATRIX,
    OUT_MATRIX,
    OUT_VECTOR,
    TOPOLOGY,
    VECTOR,
    kernel,
    part,
)
from robokin_ros.kernels.poses import is_finite, joint_pose

__all__ = ['newton_euler']

WORK = 27
"""Numbers kept per body: pose in parent 12, w 3, wdot 3, a 3, force 3, moment 3."""


@part
def cross(ax, ay, az, bx, by, bz):
    """Vector product."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@part
def outward(topology, constants, q, qd, qdd, gravity, work):
    """Velocities, accelerations, inertial forces of every body in its own axes; Craig (6.46)-(6.50)."""
    for body in range(topology.shape[0]):
        pose = joint_pose(topology, constants, body, q)
        k = constants[body]
        o = work[body]
        for i in range(12):
            o[i] = pose[i]
        gain = k[22]
        rate = gain * qd[topology[body, 2]]
        acceleration = gain * qdd[topology[body, 2]]
        parent = topology[body, 0]
        if parent >= 0:
            p = work[parent]
            wx, wy, wz, dx, dy, dz = p[12], p[13], p[14], p[15], p[16], p[17]
            ux, uy, uz = cross(wx, wy, wz, pose[9], pose[10], pose[11])
            vx, vy, vz = cross(wx, wy, wz, ux, uy, uz)
            ux, uy, uz = cross(dx, dy, dz, pose[9], pose[10], pose[11])
            ax, ay, az = p[18] + ux + vx, p[19] + uy + vy, p[20] + uz + vz
        else:
            wx, wy, wz, dx, dy, dz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            ax, ay, az = -gravity[0], -gravity[1], -gravity[2]
        # into the axes of the body
        w0 = pose[0] * wx + pose[3] * wy + pose[6] * wz
        w1 = pose[1] * wx + pose[4] * wy + pose[7] * wz
        w2 = pose[2] * wx + pose[5] * wy + pose[8] * wz
        d0 = pose[0] * dx + pose[3] * dy + pose[6] * dz
        d1 = pose[1] * dx + pose[4] * dy + pose[7] * dz
        d2 = pose[2] * dx + pose[5] * dy + pose[8] * dz
        a0 = pose[0] * ax + pose[3] * ay + pose[6] * az
        a1 = pose[1] * ax + pose[4] * ay + pose[7] * az
        a2 = pose[2] * ax + pose[5] * ay + pose[8] * az
        if topology[body, 1] == 0:
            d0 += w1 * rate
            d1 -= w0 * rate
            d2 += acceleration
            w2 += rate
        else:
            a0 += 2.0 * w1 * rate
            a1 -= 2.0 * w0 * rate
            a2 += acceleration
        o[12], o[13], o[14], o[15], o[16], o[17], o[18], o[19], o[20] = w0, w1, w2, d0, d1, d2, a0, a1, a2
        cx, cy, cz = k[13], k[14], k[15]
        ux, uy, uz = cross(w0, w1, w2, cx, cy, cz)
        vx, vy, vz = cross(w0, w1, w2, ux, uy, uz)
        ux, uy, uz = cross(d0, d1, d2, cx, cy, cz)
        fx, fy, fz = k[12] * (a0 + ux + vx), k[12] * (a1 + uy + vy), k[12] * (a2 + uz + vz)
        hx = k[16] * w0 + k[17] * w1 + k[18] * w2
        hy = k[17] * w0 + k[19] * w1 + k[20] * w2
        hz = k[18] * w0 + k[20] * w1 + k[21] * w2
        ux, uy, uz = cross(w0, w1, w2, hx, hy, hz)
        vx, vy, vz = cross(cx, cy, cz, fx, fy, fz)
        o[21], o[22], o[23] = fx, fy, fz
        o[24] = k[16] * d0 + k[17] * d1 + k[18] * d2 + ux + vx
        o[25] = k[17] * d0 + k[19] * d1 + k[20] * d2 + uy + vy
        o[26] = k[18] * d0 + k[20] * d1 + k[21] * d2 + uz + vz


@part
def inward(topology, constants, work, tau):
    """Joint torques from the forces of all bodies, leaves first; Craig (6.51)-(6.53)."""
    tau[:] = 0.0
    for body in range(topology.shape[0] - 1, -1, -1):
        o = work[body]
        fx, fy, fz, nx, ny, nz = o[21], o[22], o[23], o[24], o[25], o[26]
        tau[topology[body, 2]] += constants[body, 22] * (nz if topology[body, 1] == 0 else fz)
        parent = topology[body, 0]
        if parent >= 0:
            gx = o[0] * fx + o[1] * fy + o[2] * fz
            gy = o[3] * fx + o[4] * fy + o[5] * fz
            gz = o[6] * fx + o[7] * fy + o[8] * fz
            mx, my, mz = cross(o[9], o[10], o[11], gx, gy, gz)
            p = work[parent]
            p[21] += gx
            p[22] += gy
            p[23] += gz
            p[24] += o[0] * nx + o[1] * ny + o[2] * nz + mx
            p[25] += o[3] * nx + o[4] * ny + o[5] * nz + my
            p[26] += o[6] * nx + o[7] * ny + o[8] * nz + mz


@part
def add_loads(loads, work):
    """Add what bodies exert on the environment: force and moment at each body's origin in its axes, (bodies, 6)."""
    for body in range(loads.shape[0]):
        for i in range(6):
            work[body, 21 + i] += loads[body, i]


@part
def torques(topology, constants, rotor, q, qd, qdd, gravity, loads, work, out):
    """One inverse dynamics, `rotor` the reflected rotor inertias; False for non-finite input."""
    if not (is_finite(q) and is_finite(qd) and is_finite(qdd)):
        return False
    outward(topology, constants, q, qd, qdd, gravity, work)
    add_loads(loads, work)
    inward(topology, constants, work, out)
    for i in range(out.shape[0]):
        out[i] += rotor[i] * qdd[i]
    return True


@kernel(FLAG, TOPOLOGY, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, MATRIX, OUT_MATRIX, OUT_VECTOR)
def newton_euler(topology, constants, rotor, q, qd, qdd, gravity, loads, work, out):
    """Torques of one motion; rows of `work` end with what the parent exerts on the body: see `WORK`."""
    return torques(topology, constants, rotor, q, qd, qdd, gravity, loads, work, out)


@part
def gravity_only(topology, constants, q, gravity, work, tau):
    """Static torques: gravity as a force field, carried inward in body axes."""
    for body in range(topology.shape[0]):
        pose = joint_pose(topology, constants, body, q)
        k = constants[body]
        o = work[body]
        for i in range(12):
            o[i] = pose[i]
        parent = topology[body, 0]
        if parent >= 0:
            p = work[parent]
            ax, ay, az = p[18], p[19], p[20]
        else:
            ax, ay, az = -gravity[0], -gravity[1], -gravity[2]
        o[18] = pose[0] * ax + pose[3] * ay + pose[6] * az
        o[19] = pose[1] * ax + pose[4] * ay + pose[7] * az
        o[20] = pose[2] * ax + pose[5] * ay + pose[8] * az
        o[21], o[22], o[23] = k[12] * o[18], k[12] * o[19], k[12] * o[20]
        o[24], o[25], o[26] = cross(k[13], k[14], k[15], o[21], o[22], o[23])
    inward(topology, constants, work, tau)
