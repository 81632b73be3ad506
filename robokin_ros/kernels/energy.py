"""Kinetic and potential energy, Craig (6.69)-(6.73)."""

from __future__ import annotations

import numpy as np

from robokin_ros.kernels.jit import FLAG, MATRIX, OUT_MATRIX, TOPOLOGY, VECTOR, kernel
from robokin_ros.kernels.newton_euler import cross
from robokin_ros.kernels.poses import as_tuple, compose, is_finite, joint_pose

__all__ = ['energies']

POSE, OMEGA, VELOCITY, WORK = 0, 12, 15, 18


@kernel(FLAG, TOPOLOGY, MATRIX, VECTOR, MATRIX, MATRIX, VECTOR, OUT_MATRIX)
def energies(topology, constants, rotor, q, qd, gravity, out):
    """Kinetic and potential energy (m, 2) of (m, n) states; potential 0 with all mass at the origin of the base."""
    work = np.empty((topology.shape[0], WORK))
    for m in range(q.shape[0]):
        if not (is_finite(q[m]) and is_finite(qd[m])):
            return False
        kinetic, potential = 0.0, 0.0
        for i in range(rotor.shape[0]):
            kinetic += rotor[i] * qd[m, i] * qd[m, i]
        for body in range(topology.shape[0]):
            k, o = constants[body], work[body]
            pose = joint_pose(topology, constants, body, q[m])
            wx, wy, wz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            parent = topology[body, 0]
            if parent >= 0:
                p = work[parent]
                before = as_tuple(p)
                pose = compose(before, pose)
                wx, wy, wz = p[OMEGA], p[OMEGA + 1], p[OMEGA + 2]
                vx, vy, vz = cross(wx, wy, wz, pose[9] - before[9], pose[10] - before[10], pose[11] - before[11])
                vx, vy, vz = vx + p[VELOCITY], vy + p[VELOCITY + 1], vz + p[VELOCITY + 2]
            rate = k[22] * qd[m, topology[body, 2]]
            if topology[body, 1] == 0:
                wx, wy, wz = wx + pose[2] * rate, wy + pose[5] * rate, wz + pose[8] * rate
            else:
                vx, vy, vz = vx + pose[2] * rate, vy + pose[5] * rate, vz + pose[8] * rate
            for i in range(12):
                o[POSE + i] = pose[i]
            o[OMEGA], o[OMEGA + 1], o[OMEGA + 2] = wx, wy, wz
            o[VELOCITY], o[VELOCITY + 1], o[VELOCITY + 2] = vx, vy, vz
            cx = pose[0] * k[13] + pose[1] * k[14] + pose[2] * k[15]
            cy = pose[3] * k[13] + pose[4] * k[14] + pose[5] * k[15]
            cz = pose[6] * k[13] + pose[7] * k[14] + pose[8] * k[15]
            potential -= k[12] * (gravity[0] * (pose[9] + cx) + gravity[1] * (pose[10] + cy)
                                  + gravity[2] * (pose[11] + cz))
            ux, uy, uz = cross(wx, wy, wz, cx, cy, cz)
            ux, uy, uz = ux + vx, uy + vy, uz + vz
            # angular velocity in body axes, where the tensor is constant
            a = pose[0] * wx + pose[3] * wy + pose[6] * wz
            b = pose[1] * wx + pose[4] * wy + pose[7] * wz
            c = pose[2] * wx + pose[5] * wy + pose[8] * wz
            kinetic += k[12] * (ux * ux + uy * uy + uz * uz)
            kinetic += (k[16] * a * a + k[19] * b * b + k[21] * c * c
                        + 2.0 * (k[17] * a * b + k[18] * a * c + k[20] * b * c))
        out[m, 0] = 0.5 * kinetic
        out[m, 1] = potential
    return True
