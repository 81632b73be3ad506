"""One pose or Jacobian in the shortest time: the chain packed into one array, no scratch memory.

`RobotModel.packed` has a row per body of the chain: placement (12), joint type, column, multiplier, offset; the last
row is the placement of the tip.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import carray

from robokin_ros.kernels.direct import bind
from robokin_ros.kernels.jit import c_function, exact, lanes
from robokin_ros.kernels.sine_cosine import angle_sine_cosine
from robokin_ros.model.robot_model import RobotModel

__all__ = ['jacobian_call', 'pose_call']


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
def is_finite(q):
    """Whether a joint vector has only finite numbers."""
    total = 0.0
    for i in range(q.shape[0]):
        total += q[i] * 0.0
    return total == 0.0


@c_function
def pose_entry(_topology, constants, _setting, _work, bodies, dof, joints, _b, _c, result):
    """Pose of the tip (4, 4); 1 if the joint vector has NaN or infinity."""
    packed, q, out = carray(constants, (bodies + 1, 16)), carray(joints, dof), carray(result, (4, 4))
    if not is_finite(q):
        return 1
    a = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    last = bodies
    for i in range(last):
        a = move(a, packed, i, joint_value(packed[i, 14], q[int(packed[i, 13])], packed[i, 15]))
    a = place(a, packed, last)
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = a[0], a[1], a[2], a[9]
    out[1, 0], out[1, 1], out[1, 2], out[1, 3] = a[3], a[4], a[5], a[10]
    out[2, 0], out[2, 1], out[2, 2], out[2, 3] = a[6], a[7], a[8], a[11]
    out[3, 0], out[3, 1], out[3, 2], out[3, 3] = 0.0, 0.0, 0.0, 1.0
    return 0


@c_function
def jacobian_entry(_topology, constants, _setting, _work, bodies, dof, joints, _b, _c, result):
    """Jacobian (6, n) of the tip in base axes; 1 if the joint vector has NaN or infinity.

    Columns are first the twist of a body at the base's origin, then moved to the tip.
    """
    packed, q, out = carray(constants, (bodies + 1, 16)), carray(joints, dof), carray(result, (6, dof))
    if not is_finite(q):
        return 1
    out[:, :] = 0.0
    a = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    last = bodies
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
    return 0


def pose_call(model: RobotModel) -> Callable[..., Any]:
    """Direct call: joint vector to the pose of the tip."""
    return bind(pose_entry, model.packed, 1, model.dof, (4, 4), bodies=len(model.chain))


def jacobian_call(model: RobotModel) -> Callable[..., Any]:
    """Direct call: joint vector to the Jacobian of the tip in base axes."""
    return bind(jacobian_entry, model.packed, 1, model.dof, (6, model.dof), bodies=len(model.chain))
