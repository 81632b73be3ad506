"""One pose or Jacobian with the fewest arguments: the chain packed into one array, no scratch memory.

`RobotModel.packed` has a row per body: placement (12), joint type, column, multiplier, offset; the last row is the tip
(12) and the number of joints. For single calls from Python, where every argument costs more than a joint.
"""

from __future__ import annotations

from robokin_ros.kernels.jit import FLAG, MATRIX, OUT_MATRIX, VECTOR, direct, exact, kernel, lanes
from robokin_ros.kernels.sine_cosine import angle_sine_cosine

__all__ = ['fast_jacobian', 'fast_pose', 'packed_jacobian', 'packed_pose']


@exact
def joint_value(gain, q, offset):
    """Value of a joint, not fused: rounded as in the other kernels."""
    return gain * q + offset


@lanes
def place(a, k, i):
    """Pose (12 numbers) times the constant pose in row `i` of `k`."""
    k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11 = (
        k[i, 0], k[i, 1], k[i, 2], k[i, 3], k[i, 4], k[i, 5], k[i, 6], k[i, 7], k[i, 8], k[i, 9], k[i, 10], k[i, 11])
    return (a[0] * k0 + a[1] * k3 + a[2] * k6, a[0] * k1 + a[1] * k4 + a[2] * k7, a[0] * k2 + a[1] * k5 + a[2] * k8,
            a[3] * k0 + a[4] * k3 + a[5] * k6, a[3] * k1 + a[4] * k4 + a[5] * k7, a[3] * k2 + a[4] * k5 + a[5] * k8,
            a[6] * k0 + a[7] * k3 + a[8] * k6, a[6] * k1 + a[7] * k4 + a[8] * k7, a[6] * k2 + a[7] * k5 + a[8] * k8,
            a[9] + (a[0] * k9 + a[1] * k10 + a[2] * k11),
            a[10] + (a[3] * k9 + a[4] * k10 + a[5] * k11),
            a[11] + (a[6] * k9 + a[7] * k10 + a[8] * k11))


@lanes
def move(a, k, i, x):
    """Pose times placement and motion of the joint in row `i` of `k`."""
    a = place(a, k, i)
    if k[i, 12] == 0.0:
        s, c = angle_sine_cosine(x)
        return (a[0] * c + a[1] * s, a[1] * c - a[0] * s, a[2], a[3] * c + a[4] * s, a[4] * c - a[3] * s, a[5],
                a[6] * c + a[7] * s, a[7] * c - a[6] * s, a[8], a[9], a[10], a[11])
    return (a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8],
            a[9] + a[2] * x, a[10] + a[5] * x, a[11] + a[8] * x)


@lanes
def is_usable(packed, q):
    """Whether a joint vector has the right length and only finite numbers."""
    if q.shape[0] != int(packed[packed.shape[0] - 1, 12]):
        return False
    total = 0.0
    for i in range(q.shape[0]):
        total += q[i] * 0.0
    return total == 0.0


@kernel(FLAG, MATRIX, VECTOR, OUT_MATRIX, nogil=False)
def packed_pose(packed, q, out):
    """Pose of the tip into (4, 4); False if `q` has the wrong length, NaN or infinity."""
    if not is_usable(packed, q):
        return False
    a = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    last = packed.shape[0] - 1
    for i in range(last):
        a = move(a, packed, i, joint_value(packed[i, 14], q[int(packed[i, 13])], packed[i, 15]))
    a = place(a, packed, last)
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = a[0], a[1], a[2], a[9]
    out[1, 0], out[1, 1], out[1, 2], out[1, 3] = a[3], a[4], a[5], a[10]
    out[2, 0], out[2, 1], out[2, 2], out[2, 3] = a[6], a[7], a[8], a[11]
    out[3, 0], out[3, 1], out[3, 2], out[3, 3] = 0.0, 0.0, 0.0, 1.0
    return True


@kernel(FLAG, MATRIX, VECTOR, OUT_MATRIX, nogil=False)
def packed_jacobian(packed, q, out):
    """Jacobian of the tip in base axes into (6, n); False if `q` has the wrong length, NaN or infinity.

    Columns are first the twist of a body at the base's origin, then moved to the tip: no scratch memory.
    """
    if not is_usable(packed, q):
        return False
    out[:, :] = 0.0
    a = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    last = packed.shape[0] - 1
    for i in range(last):
        column = int(packed[i, 13])
        gain = packed[i, 14]
        a = move(a, packed, i, joint_value(gain, q[column], packed[i, 15]))
        x, y, z = gain * a[2], gain * a[5], gain * a[8]
        if packed[i, 12] == 0.0:
            out[0, column] += z * a[10] - y * a[11]
            out[1, column] += x * a[11] - z * a[9]
            out[2, column] += y * a[9] - x * a[10]
            out[3, column] += x
            out[4, column] += y
            out[5, column] += z
        else:
            out[0, column] += x
            out[1, column] += y
            out[2, column] += z
    a = place(a, packed, last)
    for column in range(out.shape[1]):
        x, y, z = out[3, column], out[4, column], out[5, column]
        out[0, column] += y * a[11] - z * a[10]
        out[1, column] += z * a[9] - x * a[11]
        out[2, column] += x * a[10] - y * a[9]
    return True


fast_pose, fast_jacobian = direct(packed_pose), direct(packed_jacobian)
"""The same without numba's check of arguments: see `direct`."""
