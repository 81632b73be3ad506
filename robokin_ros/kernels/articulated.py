"""Forward dynamics in O(n): Vereshchagin's method of separate bodies, for trees.

The recursion is DYN-18 of the specification in base axes, with the origin of each joint frame (instead of
the mass centre) as the reference point of its body: the axis then passes through the reference point, so
S is [0; z] or [z; 0] and the transfer C is a pure shift. A body's M* is kept as its three 3x3 blocks
(A linear, B coupling, D angular; M* = [[A, B], [B^T, D]]), its Q* as force and moment.
"""

from __future__ import annotations

from robokin_ros.kernels.jit import part
from robokin_ros.kernels.newton_euler import cross
from robokin_ros.kernels.poses import as_tuple, compose, joint_pose

# columns of the work row of a body
POSE, OMEGA, RHO, BIAS, A, B, D, Q, MS, U, R, ACC = 0, 12, 15, 18, 24, 33, 42, 51, 57, 63, 64, 65
WORK = 71

OK, NOT_FINITE = 0, -1


@part
def spread(topology, constants, q, qd, loads, work):
    """Outward: pose, angular velocity, velocity-product acceleration a', own M and Q of every body."""
    for body in range(topology.shape[0]):
        k = constants[body]
        o = work[body]
        parent = topology[body, 0]
        pose = joint_pose(topology, constants, body, q)
        wx, wy, wz = 0.0, 0.0, 0.0
        px, py, pz = 0.0, 0.0, 0.0
        if parent >= 0:
            p = work[parent]
            pose = compose(as_tuple(p), pose)
            wx, wy, wz = p[OMEGA], p[OMEGA + 1], p[OMEGA + 2]
            px, py, pz = p[POSE + 9], p[POSE + 10], p[POSE + 11]
        for i in range(12):
            o[POSE + i] = pose[i]
        zx, zy, zz = pose[2], pose[5], pose[8]
        rx, ry, rz = pose[9] - px, pose[10] - py, pose[11] - pz
        o[RHO], o[RHO + 1], o[RHO + 2] = rx, ry, rz
        rate = k[22] * qd[topology[body, 2]]
        ux, uy, uz = cross(wx, wy, wz, rx, ry, rz)
        lx, ly, lz = cross(wx, wy, wz, ux, uy, uz)
        ux, uy, uz = cross(wx, wy, wz, zx * rate, zy * rate, zz * rate)
        if topology[body, 1] == 0:
            o[BIAS], o[BIAS + 1], o[BIAS + 2] = lx, ly, lz
            o[BIAS + 3], o[BIAS + 4], o[BIAS + 5] = ux, uy, uz
            wx, wy, wz = wx + zx * rate, wy + zy * rate, wz + zz * rate
        else:
            o[BIAS], o[BIAS + 1], o[BIAS + 2] = lx + 2.0 * ux, ly + 2.0 * uy, lz + 2.0 * uz
            o[BIAS + 3], o[BIAS + 4], o[BIAS + 5] = 0.0, 0.0, 0.0
        o[OMEGA], o[OMEGA + 1], o[OMEGA + 2] = wx, wy, wz
        own_inertia(k, o)
        own_bias_force(wx, wy, wz, o)
        if loads.shape[0] > 0:
            take_load(loads[body], o)


@part
def take_load(load, o):
    """Take what a body exerts on the environment (its axes, its origin) from its Q."""
    for i in range(3):
        for part_of in (0, 3):
            o[Q + part_of + i] -= (o[POSE + 3 * i] * load[part_of] + o[POSE + 3 * i + 1] * load[part_of + 1]
                                   + o[POSE + 3 * i + 2] * load[part_of + 2])


@part
def own_inertia(k, o):
    """Blocks A, B, D of one body about its joint origin, in base axes; parallel axes, Craig (6.26)."""
    mass = k[12]
    r = o[POSE:POSE + 9]
    cx = r[0] * k[13] + r[1] * k[14] + r[2] * k[15]
    cy = r[3] * k[13] + r[4] * k[14] + r[5] * k[15]
    cz = r[6] * k[13] + r[7] * k[14] + r[8] * k[15]
    for i in range(3):
        x = r[3 * i] * k[16] + r[3 * i + 1] * k[17] + r[3 * i + 2] * k[18]
        y = r[3 * i] * k[17] + r[3 * i + 1] * k[19] + r[3 * i + 2] * k[20]
        z = r[3 * i] * k[18] + r[3 * i + 1] * k[20] + r[3 * i + 2] * k[21]
        for j in range(3):
            o[D + 3 * i + j] = x * r[3 * j] + y * r[3 * j + 1] + z * r[3 * j + 2]
            o[A + 3 * i + j] = 0.0
        o[A + 4 * i] = mass
    o[D] += mass * (cy * cy + cz * cz)
    o[D + 4] += mass * (cx * cx + cz * cz)
    o[D + 8] += mass * (cx * cx + cy * cy)
    o[D + 1] -= mass * cx * cy
    o[D + 3] -= mass * cx * cy
    o[D + 2] -= mass * cx * cz
    o[D + 6] -= mass * cx * cz
    o[D + 5] -= mass * cy * cz
    o[D + 7] -= mass * cy * cz
    # B = -m skew(c): the force needed by an angular acceleration
    o[B], o[B + 4], o[B + 8] = 0.0, 0.0, 0.0
    o[B + 1], o[B + 2] = mass * cz, -mass * cy
    o[B + 3], o[B + 5] = -mass * cz, mass * cx
    o[B + 6], o[B + 7] = mass * cy, -mass * cx


@part
def own_bias_force(wx, wy, wz, o):
    """Q of one body: minus the centrifugal force and the gyroscopic moment."""
    mcx, mcy, mcz = o[B + 5], o[B + 6], o[B + 1]
    ux, uy, uz = cross(wx, wy, wz, mcx, mcy, mcz)
    ux, uy, uz = cross(wx, wy, wz, ux, uy, uz)
    hx = o[D] * wx + o[D + 1] * wy + o[D + 2] * wz
    hy = o[D + 3] * wx + o[D + 4] * wy + o[D + 5] * wz
    hz = o[D + 6] * wx + o[D + 7] * wy + o[D + 8] * wz
    nx, ny, nz = cross(wx, wy, wz, hx, hy, hz)
    o[Q], o[Q + 1], o[Q + 2], o[Q + 3], o[Q + 4], o[Q + 5] = -ux, -uy, -uz, -nx, -ny, -nz


@part
def times(o, x0, x1, x2, x3, x4, x5):
    """M* times a six-vector."""
    return (o[A] * x0 + o[A + 1] * x1 + o[A + 2] * x2 + o[B] * x3 + o[B + 1] * x4 + o[B + 2] * x5,
            o[A + 3] * x0 + o[A + 4] * x1 + o[A + 5] * x2 + o[B + 3] * x3 + o[B + 4] * x4 + o[B + 5] * x5,
            o[A + 6] * x0 + o[A + 7] * x1 + o[A + 8] * x2 + o[B + 6] * x3 + o[B + 7] * x4 + o[B + 8] * x5,
            o[B] * x0 + o[B + 3] * x1 + o[B + 6] * x2 + o[D] * x3 + o[D + 1] * x4 + o[D + 2] * x5,
            o[B + 1] * x0 + o[B + 4] * x1 + o[B + 7] * x2 + o[D + 3] * x3 + o[D + 4] * x4 + o[D + 5] * x5,
            o[B + 2] * x0 + o[B + 5] * x1 + o[B + 8] * x2 + o[D + 6] * x3 + o[D + 7] * x4 + o[D + 8] * x5)


@part
def gather(topology, constants, rotor, tau, work):
    """Inward: articulated M* and Q*; returns the first body whose joint has no inertia, or -1.

    `rotor` is inertia that turns with the joint alone: it adds to U (DYN-13).
    """
    for body in range(topology.shape[0] - 1, -1, -1):
        o = work[body]
        revolute = topology[body, 1] == 0
        zx, zy, zz = o[POSE + 2], o[POSE + 5], o[POSE + 8]
        if revolute:
            ms = times(o, 0.0, 0.0, 0.0, zx, zy, zz)
            u = zx * ms[3] + zy * ms[4] + zz * ms[5]
            sq = zx * o[Q + 3] + zy * o[Q + 4] + zz * o[Q + 5]
        else:
            ms = times(o, zx, zy, zz, 0.0, 0.0, 0.0)
            u = zx * ms[0] + zy * ms[1] + zz * ms[2]
            sq = zx * o[Q] + zy * o[Q + 1] + zz * o[Q + 2]
        joint = topology[body, 2]
        gain = constants[body, 22]
        u += rotor[joint] / (gain * gain)
        if not u > 1e-14:
            return body
        rest = tau[joint] / gain + sq
        o[U] = u
        o[R] = rest
        for i in range(6):
            o[MS + i] = ms[i]
        parent = topology[body, 0]
        if parent >= 0:
            add_to_parent(o, work[parent], u, rest)
    return -1


@part
def add_to_parent(o, p, u, rest):
    """M*_p += C^T (M* - M* S U^-1 S^T M*) C and Q*_p -= C^T (...), with C the shift by rho."""
    for i in range(3):
        for j in range(3):
            o[A + 3 * i + j] -= o[MS + i] * o[MS + j] / u
            o[B + 3 * i + j] -= o[MS + i] * o[MS + 3 + j] / u
            o[D + 3 * i + j] -= o[MS + 3 + i] * o[MS + 3 + j] / u
    mb = times(o, o[BIAS], o[BIAS + 1], o[BIAS + 2], o[BIAS + 3], o[BIAS + 4], o[BIAS + 5])
    gain = rest / u
    fx = o[Q] - mb[0] - o[MS] * gain
    fy = o[Q + 1] - mb[1] - o[MS + 1] * gain
    fz = o[Q + 2] - mb[2] - o[MS + 2] * gain
    nx = o[Q + 3] - mb[3] - o[MS + 3] * gain
    ny = o[Q + 4] - mb[4] - o[MS + 4] * gain
    nz = o[Q + 5] - mb[5] - o[MS + 5] * gain
    x, y, z = o[RHO], o[RHO + 1], o[RHO + 2]
    mx, my, mz = cross(x, y, z, fx, fy, fz)
    p[Q] += fx
    p[Q + 1] += fy
    p[Q + 2] += fz
    p[Q + 3] += nx + mx
    p[Q + 4] += ny + my
    p[Q + 5] += nz + mz
    # M*_p gains A, B' = B - A X and D' = D + X B' - B^T X, with X = skew(rho)
    a = o[A:A + 9]
    b = o[B:B + 9]
    for j in range(3):
        c0 = shifted_b(a, b, 0, j, x, y, z)
        c1 = shifted_b(a, b, 1, j, x, y, z)
        c2 = shifted_b(a, b, 2, j, x, y, z)
        g0, g1, g2 = cross(x, y, z, c0, c1, c2)
        h0, h1, h2 = cross(x, y, z, b[j], b[3 + j], b[6 + j])
        p[A + j] += a[j]
        p[A + 3 + j] += a[3 + j]
        p[A + 6 + j] += a[6 + j]
        p[B + j] += c0
        p[B + 3 + j] += c1
        p[B + 6 + j] += c2
        p[D + j] += o[D + j] + g0
        p[D + 3 + j] += o[D + 3 + j] + g1
        p[D + 6 + j] += o[D + 6 + j] + g2
        p[D + 3 * j] += h0
        p[D + 3 * j + 1] += h1
        p[D + 3 * j + 2] += h2


@part
def shifted_b(a, b, i, j, x, y, z):
    """Element of B - A skew(rho)."""
    r0, r1, r2 = a[3 * i], a[3 * i + 1], a[3 * i + 2]
    if j == 0:
        return b[3 * i] - (r1 * z - r2 * y)
    if j == 1:
        return b[3 * i + 1] - (r2 * x - r0 * z)
    return b[3 * i + 2] - (r0 * y - r1 * x)


@part
def release(topology, constants, gravity, work, out):
    """Outward: joint accelerations, the base accelerating with -g."""
    for body in range(topology.shape[0]):
        o = work[body]
        parent = topology[body, 0]
        ax, ay, az, ex, ey, ez = -gravity[0], -gravity[1], -gravity[2], 0.0, 0.0, 0.0
        if parent >= 0:
            p = work[parent]
            ex, ey, ez = p[ACC + 3], p[ACC + 4], p[ACC + 5]
            ux, uy, uz = cross(ex, ey, ez, o[RHO], o[RHO + 1], o[RHO + 2])
            ax, ay, az = p[ACC] + ux, p[ACC + 1] + uy, p[ACC + 2] + uz
        ax, ay, az = ax + o[BIAS], ay + o[BIAS + 1], az + o[BIAS + 2]
        ex, ey, ez = ex + o[BIAS + 3], ey + o[BIAS + 4], ez + o[BIAS + 5]
        taken = (o[MS] * ax + o[MS + 1] * ay + o[MS + 2] * az
                 + o[MS + 3] * ex + o[MS + 4] * ey + o[MS + 5] * ez)
        acceleration = (o[R] - taken) / o[U]
        zx, zy, zz = o[POSE + 2], o[POSE + 5], o[POSE + 8]
        if topology[body, 1] == 0:
            ex, ey, ez = ex + zx * acceleration, ey + zy * acceleration, ez + zz * acceleration
        else:
            ax, ay, az = ax + zx * acceleration, ay + zy * acceleration, az + zz * acceleration
        o[ACC], o[ACC + 1], o[ACC + 2] = ax, ay, az
        o[ACC + 3], o[ACC + 4], o[ACC + 5] = ex, ey, ez
        out[topology[body, 2]] = acceleration / constants[body, 22]


@part
def accelerations(topology, constants, rotor, q, qd, tau, gravity, loads, work, out):
    """One forward dynamics; -1, or the body whose joint has no inertia."""
    spread(topology, constants, q, qd, loads, work)
    body = gather(topology, constants, rotor, tau, work)
    if body < 0:
        release(topology, constants, gravity, work, out)
    return body
