"""Time steps of a simulated arm: semi-implicit Euler with friction taken implicitly, and joint stops."""

from __future__ import annotations

import numpy as np

from robokin_ros.kernels.articulated import WORK as ARTICULATED_WORK
from robokin_ros.kernels.articulated import accelerations
from robokin_ros.kernels.damped_step import solve_spd
from robokin_ros.kernels.jit import INTEGER, MATRIX, OUT_VECTOR, REAL, TOPOLOGY, VECTOR, kernel, part
from robokin_ros.kernels.mass import mass_matrix_into
from robokin_ros.kernels.newton_euler import WORK as NEWTON_EULER_WORK
from robokin_ros.kernels.newton_euler import inward, outward
from robokin_ros.kernels.poses import is_finite

__all__ = ['advance']

REST_SPEED = 1e-3
"""Speed [rad/s] below which Coulomb friction grows linearly from zero."""


@part
def coupled_accelerations(topology, constants, inertia, q, qd, tau, gravity, articulated, work, matrix, out):
    """Accelerations of a model with mimic joints, by its mass matrix; True when it could be solved."""
    n = q.shape[0]
    outward(topology, constants, q, qd, np.zeros(n), gravity, work)
    inward(topology, constants, work, out)
    mass_matrix_into(topology, constants, inertia, q, articulated, matrix)
    for i in range(n):
        out[i] = tau[i] - out[i]
    return solve_spd(matrix, out, n)


@kernel(INTEGER, TOPOLOGY, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, REAL, INTEGER,
        OUT_VECTOR, OUT_VECTOR)
def advance(topology, constants, rotor, damping, coulomb, lower, upper, tau, gravity, dt, steps, q, qd):
    """Take `steps` steps of `dt` [s] under constant torque, changing q and qd in place; 0 on success.

    Friction is d qd with d = damping + coulomb / max(|qd|, REST_SPEED), evaluated at the end of the step: it
    acts like extra rotor inertia d dt, which keeps stiff friction stable.
    """
    n = q.shape[0]
    bodies = topology.shape[0]
    articulated = np.empty((bodies, ARTICULATED_WORK))
    work = np.empty((bodies, NEWTON_EULER_WORK))
    matrix = np.empty((n, n))
    inertia = np.empty(n)
    torque = np.empty(n)
    acceleration = np.empty(n)
    for _ in range(steps):
        for i in range(n):
            drag = damping[i] + coulomb[i] / max(abs(qd[i]), REST_SPEED)
            inertia[i] = rotor[i] + dt * drag
            torque[i] = tau[i] - drag * qd[i]
        if bodies == n:
            if accelerations(topology, constants, inertia, q, qd, torque, gravity, articulated, acceleration) >= 0:
                return 1
        elif not coupled_accelerations(topology, constants, inertia, q, qd, torque, gravity, articulated, work,
                                       matrix, acceleration):
            return 1
        for i in range(n):
            qd[i] += dt * acceleration[i]
            q[i] += dt * qd[i]
            if q[i] < lower[i] and qd[i] < 0.0:
                q[i] = lower[i]
                qd[i] = 0.0
            elif q[i] > upper[i] and qd[i] > 0.0:
                q[i] = upper[i]
                qd[i] = 0.0
        if not (is_finite(q) and is_finite(qd)):
            return -1
    return 0
