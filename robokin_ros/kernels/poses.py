"""Poses and Jacobians of one joint vector: of the tip along its chain, and of every body of the tree."""

from __future__ import annotations

import math

from robokin_ros.kernels.jit import (
    FLAG,
    MATRIX,
    OUT_MATRIX,
    REAL,
    TOPOLOGY,
    VECTOR,
    exact,
    kernel,
    part,
)
from robokin_ros.kernels.sine_cosine import angle_sine_cosine

__all__ = ['body_poses', 'is_pose']


@exact
def joint_pose(topology, constants, body, q):
    """Rotation (9) and position (3) of a body in its parent body; Craig (3.6) with z on the axis."""
    k = constants[body]
    x = k[22] * q[topology[body, 2]] + k[23]
    if topology[body, 1] == 0:
        s, c = angle_sine_cosine(x)
        return (k[0] * c + k[1] * s, k[1] * c - k[0] * s, k[2],
                k[3] * c + k[4] * s, k[4] * c - k[3] * s, k[5],
                k[6] * c + k[7] * s, k[7] * c - k[6] * s, k[8], k[9], k[10], k[11])
    return (k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8],
            k[9] + k[2] * x, k[10] + k[5] * x, k[11] + k[8] * x)


@exact
def compose(a, b):
    """Product of two poses given as 12 numbers."""
    return (a[0] * b[0] + a[1] * b[3] + a[2] * b[6], a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
            a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
            a[3] * b[0] + a[4] * b[3] + a[5] * b[6], a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
            a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
            a[6] * b[0] + a[7] * b[3] + a[8] * b[6], a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
            a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
            a[0] * b[9] + a[1] * b[10] + a[2] * b[11] + a[9],
            a[3] * b[9] + a[4] * b[10] + a[5] * b[11] + a[10],
            a[6] * b[9] + a[7] * b[10] + a[8] * b[11] + a[11])


@part
def is_finite(values):
    """Whether a vector has no NaN and no infinity."""
    total = 0.0
    for i in range(values.shape[0]):
        total += values[i] * 0.0
    return total == 0.0


@exact
def as_tuple(v):
    """First twelve numbers of an array as a tuple."""
    return (v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11])


@exact
def identity():
    """Pose of a frame in itself."""
    return (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@exact
def inverse_pose(a):
    """Inverse of a pose given as 12 numbers."""
    return (a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8],
            -(a[0] * a[9] + a[3] * a[10] + a[6] * a[11]),
            -(a[1] * a[9] + a[4] * a[10] + a[7] * a[11]),
            -(a[2] * a[9] + a[5] * a[10] + a[8] * a[11]))


@exact
def link_pose(alpha, a, theta, d):
    """Rx(alpha) Dx(a) Rz(theta) Dz(d), Craig (3.6)."""
    ca, sa, c, s = math.cos(alpha), math.sin(alpha), math.cos(theta), math.sin(theta)
    return c, -s, 0.0, s * ca, c * ca, -sa, s * sa, c * sa, ca, a, -sa * d, ca * d


@exact
def read_pose(m):
    """12 numbers of a 4x4 matrix."""
    return (m[0, 0], m[0, 1], m[0, 2], m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 1], m[2, 2], m[0, 3], m[1, 3], m[2, 3])


@part
def chain_pose(topology, constants, chain, tip, q):
    """Pose of the tip in the base."""
    pose = identity()
    for i in range(chain.shape[0]):
        pose = compose(pose, joint_pose(topology, constants, chain[i], q))
    return compose(pose, as_tuple(tip))


@exact
def write_pose(pose, out):
    """12 numbers into a 4x4 matrix."""
    for i in range(3):
        out[i, 3] = pose[9 + i]
        out[3, i] = 0.0
    out[0, 0], out[0, 1], out[0, 2] = pose[0], pose[1], pose[2]
    out[1, 0], out[1, 1], out[1, 2] = pose[3], pose[4], pose[5]
    out[2, 0], out[2, 1], out[2, 2] = pose[6], pose[7], pose[8]
    out[3, 3] = 1.0


@kernel(FLAG, MATRIX, REAL)
def is_pose(pose, strict):
    """Whether a 4x4 matrix is a pose as it stands: finite, last row 0 0 0 1, the rotation proper to within `strict`."""
    a = read_pose(pose)
    total = 0.0
    for i in range(12):
        total += a[i] * 0.0
    if total != 0.0 or abs(pose[3, 3] - 1.0) > 1e-9:
        return False
    for i in range(3):
        if not abs(pose[3, i]) <= 1e-9:
            return False
        for j in range(i + 1):
            product = pose[0, i] * pose[0, j] + pose[1, i] * pose[1, j] + pose[2, i] * pose[2, j]
            if not abs(product - (1.0 if i == j else 0.0)) <= strict:
                return False
    return (a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6])
            + a[2] * (a[3] * a[7] - a[4] * a[6])) > 0.0


@kernel(FLAG, TOPOLOGY, MATRIX, VECTOR, OUT_MATRIX)
def body_poses(topology, constants, q, out):
    """Poses of all bodies in the base, (bodies, 12)."""
    if not is_finite(q):
        return False
    for body in range(topology.shape[0]):
        parent = topology[body, 0]
        pose = joint_pose(topology, constants, body, q)
        if parent >= 0:
            pose = compose(as_tuple(out[parent]), pose)
        for i in range(12):
            out[body, i] = pose[i]
    return True


@part
def chain_frames(topology, constants, chain, tip, q, work):
    """Tip pose; row i of `work` (len(chain), 6) gets axis and origin of the chain's joint i."""
    pose = identity()
    for i in range(chain.shape[0]):
        pose = compose(pose, joint_pose(topology, constants, chain[i], q))
        work[i, 0], work[i, 1], work[i, 2] = pose[2], pose[5], pose[8]
        work[i, 3], work[i, 4], work[i, 5] = pose[9], pose[10], pose[11]
    return compose(pose, as_tuple(tip))


@part
def frames_jacobian(topology, constants, chain, pose, work, jacobian):
    """Jacobian of the tip in base axes (Craig 5.8), from what `chain_frames` returned and wrote."""
    jacobian[:, :] = 0.0
    for i in range(chain.shape[0]):
        body = chain[i]
        column = topology[body, 2]
        gain = constants[body, 22]
        zx, zy, zz = gain * work[i, 0], gain * work[i, 1], gain * work[i, 2]
        if topology[body, 1] == 0:
            x, y, z = pose[9] - work[i, 3], pose[10] - work[i, 4], pose[11] - work[i, 5]
            jacobian[0, column] += zy * z - zz * y
            jacobian[1, column] += zz * x - zx * z
            jacobian[2, column] += zx * y - zy * x
            jacobian[3, column] += zx
            jacobian[4, column] += zy
            jacobian[5, column] += zz
        else:
            jacobian[0, column] += zx
            jacobian[1, column] += zy
            jacobian[2, column] += zz


@part
def pose_and_jacobian(topology, constants, chain, tip, q, work, jacobian):
    """Tip pose and its Jacobian in base axes; `work` is (len(chain), 6)."""
    pose = chain_frames(topology, constants, chain, tip, q, work)
    frames_jacobian(topology, constants, chain, pose, work, jacobian)
    return pose


@part
def to_tip_axes(pose, jacobian):
    """Express the rows of a Jacobian in tip axes."""
    for column in range(jacobian.shape[1]):
        for first in (0, 3):
            x, y, z = jacobian[first, column], jacobian[first + 1, column], jacobian[first + 2, column]
            jacobian[first, column] = pose[0] * x + pose[3] * y + pose[6] * z
            jacobian[first + 1, column] = pose[1] * x + pose[4] * y + pose[7] * z
            jacobian[first + 2, column] = pose[2] * x + pose[5] * y + pose[8] * z
