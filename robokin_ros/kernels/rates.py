"""Derivatives of the Jacobian along a motion, and velocities of all bodies (VEL-04, VEL-08)."""

from __future__ import annotations

import numpy as np

from robokin_ros.kernels.jit import (
    FLAG,
    INDICES,
    MATRIX,
    OUT_CUBE,
    OUT_MATRIX,
    TOPOLOGY,
    VECTOR,
    kernel,
    part,
)
from robokin_ros.kernels.orientation_first import cross
from robokin_ros.kernels.poses import is_finite, joint_pose, pose_and_jacobian

__all__ = ['body_velocities', 'jacobian_derivative_batch']


@part
def jacobian_derivative(topology, constants, chain, tip, q, qd, work, jacobian, out):
    """Time derivative of the Jacobian of the tip in base axes into `out` (6, n)."""
    pose = pose_and_jacobian(topology, constants, chain, tip, q, work, jacobian)
    out[:, :] = 0.0
    end = (pose[9], pose[10], pose[11])
    wx, wy, wz = 0.0, 0.0, 0.0
    # velocity of the tip: J qd
    vx, vy, vz = 0.0, 0.0, 0.0
    for column in range(jacobian.shape[1]):
        vx += jacobian[0, column] * qd[column]
        vy += jacobian[1, column] * qd[column]
        vz += jacobian[2, column] * qd[column]
    for i in range(chain.shape[0]):
        body = chain[i]
        column, gain = topology[body, 2], constants[body, 22]
        z = (work[i, 0], work[i, 1], work[i, 2])
        turned = cross((wx, wy, wz), z)
        if topology[body, 1] == 0:
            # velocity of the joint's origin, as the joints before it move it
            px, py, pz = 0.0, 0.0, 0.0
            for k in range(i):
                before = chain[k]
                rate = constants[before, 22] * qd[topology[before, 2]]
                axis = (rate * work[k, 0], rate * work[k, 1], rate * work[k, 2])
                if topology[before, 1] == 0:
                    axis = cross(axis, (work[i, 3] - work[k, 3], work[i, 4] - work[k, 4], work[i, 5] - work[k, 5]))
                px, py, pz = px + axis[0], py + axis[1], pz + axis[2]
            one = cross(turned, (end[0] - work[i, 3], end[1] - work[i, 4], end[2] - work[i, 5]))
            two = cross(z, (vx - px, vy - py, vz - pz))
            for r in range(3):
                out[r, column] += gain * (one[r] + two[r])
                out[3 + r, column] += gain * turned[r]
            rate = gain * qd[column]
            wx, wy, wz = wx + rate * z[0], wy + rate * z[1], wz + rate * z[2]
        else:
            for r in range(3):
                out[r, column] += gain * turned[r]


@kernel(FLAG, TOPOLOGY, MATRIX, INDICES, VECTOR, MATRIX, MATRIX, OUT_CUBE)
def jacobian_derivative_batch(topology, constants, chain, tip, q, qd, out):
    """Derivatives (m, 6, n) of the Jacobian for (m, n) joint vectors and rates."""
    work, jacobian = np.empty((chain.shape[0], 6)), np.empty((6, q.shape[1]))
    for m in range(q.shape[0]):
        if not (is_finite(q[m]) and is_finite(qd[m])):
            return False
        jacobian_derivative(topology, constants, chain, tip, q[m], qd[m], work, jacobian, out[m])
    return True


@kernel(FLAG, TOPOLOGY, MATRIX, VECTOR, VECTOR, VECTOR, OUT_MATRIX)
def body_velocities(topology, constants, q, qd, base, out):
    """Twists (bodies, 6) of all bodies in their own axes, Craig (5.45)-(5.48); `base`: that of the base."""
    if not (is_finite(q) and is_finite(qd)):
        return False
    for body in range(topology.shape[0]):
        parent = topology[body, 0]
        t = joint_pose(topology, constants, body, q)
        source = base if parent < 0 else out[parent]
        v, w = (source[0], source[1], source[2]), (source[3], source[4], source[5])
        arm = cross(w, (t[9], t[10], t[11]))
        v = (v[0] + arm[0], v[1] + arm[1], v[2] + arm[2])
        for i in range(3):
            out[body, i] = t[i] * v[0] + t[3 + i] * v[1] + t[6 + i] * v[2]
            out[body, 3 + i] = t[i] * w[0] + t[3 + i] * w[1] + t[6 + i] * w[2]
        rate = constants[body, 22] * qd[topology[body, 2]]
        out[body, 5 if topology[body, 1] == 0 else 2] += rate
    return True
