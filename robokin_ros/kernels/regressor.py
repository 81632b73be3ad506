"""Torques as a linear function of inertial parameters: tau = Y(q, qd, qdd) p.

The ten parameters of a body: mass, mass times centre (3), inertia about the origin of the body frame
(xx xy xz yy yz zz, entries of the matrix).
"""

from __future__ import annotations

import numpy as np

from robokin_ros.kernels.jit import FLAG, MATRIX, OUT_CUBE, TOPOLOGY, VECTOR, kernel, part
from robokin_ros.kernels.newton_euler import WORK, cross, outward
from robokin_ros.kernels.poses import is_finite

__all__ = ['regressors']

PARAMETERS = 10


@part
def own_columns(o, columns):
    """Wrench (6, 10) of a body at its origin in its axes, for each of its parameters at 1."""
    w, d, a = o[12:15], o[15:18], o[18:21]
    columns[:, :] = 0.0
    for i in range(3):
        columns[i, 0] = a[i]
        x, y, z = 1.0 * (i == 0), 1.0 * (i == 1), 1.0 * (i == 2)
        ux, uy, uz = cross(w[0], w[1], w[2], x, y, z)
        vx, vy, vz = cross(w[0], w[1], w[2], ux, uy, uz)
        ux, uy, uz = cross(d[0], d[1], d[2], x, y, z)
        columns[0, 1 + i], columns[1, 1 + i], columns[2, 1 + i] = ux + vx, uy + vy, uz + vz
        columns[3, 1 + i], columns[4, 1 + i], columns[5, 1 + i] = cross(x, y, z, a[0], a[1], a[2])
    column = 4
    for i in range(3):
        for j in range(i, 3):
            # the tensor with a 1 at (i, j) and (j, i), times wdot and w
            h = np.zeros(3)
            columns[3 + i, column] += d[j]
            h[i] += w[j]
            if i != j:
                columns[3 + j, column] += d[i]
                h[j] += w[i]
            ux, uy, uz = cross(w[0], w[1], w[2], h[0], h[1], h[2])
            columns[3, column] += ux
            columns[4, column] += uy
            columns[5, column] += uz
            column += 1


@part
def carry(o, columns):
    """Express wrenches of a body at its parent's origin in the parent's axes."""
    for c in range(PARAMETERS):
        fx, fy, fz = columns[0, c], columns[1, c], columns[2, c]
        nx, ny, nz = columns[3, c], columns[4, c], columns[5, c]
        gx = o[0] * fx + o[1] * fy + o[2] * fz
        gy = o[3] * fx + o[4] * fy + o[5] * fz
        gz = o[6] * fx + o[7] * fy + o[8] * fz
        mx, my, mz = cross(o[9], o[10], o[11], gx, gy, gz)
        columns[0, c], columns[1, c], columns[2, c] = gx, gy, gz
        columns[3, c] = o[0] * nx + o[1] * ny + o[2] * nz + mx
        columns[4, c] = o[3] * nx + o[4] * ny + o[5] * nz + my
        columns[5, c] = o[6] * nx + o[7] * ny + o[8] * nz + mz


@kernel(FLAG, TOPOLOGY, MATRIX, MATRIX, MATRIX, MATRIX, VECTOR, OUT_CUBE)
def regressors(topology, constants, q, qd, qdd, gravity, out):
    """Y (m, n, 10 bodies) of (m, n) motions."""
    work, columns = np.empty((topology.shape[0], WORK)), np.empty((6, PARAMETERS))
    for m in range(q.shape[0]):
        if not (is_finite(q[m]) and is_finite(qd[m]) and is_finite(qdd[m])):
            return False
        outward(topology, constants, q[m], qd[m], qdd[m], gravity, work)
        out[m] = 0.0
        for body in range(topology.shape[0]):
            own_columns(work[body], columns)
            other = body
            while other >= 0:
                row = 5 if topology[other, 1] == 0 else 2
                for c in range(PARAMETERS):
                    out[m, topology[other, 2], PARAMETERS * body + c] += constants[other, 22] * columns[row, c]
                carry(work[other], columns)
                other = topology[other, 0]
    return True
