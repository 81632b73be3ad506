"""Time steps of a simulated arm: semi-implicit Euler, dry friction that truly sticks, rigid joint stops.

A joint is free, stuck, at a stop, or breaking away. What holds a joint is an inertia added to it that nothing moves;
the torque that it takes says whether the hold lasts. A stop takes the momentum of the joint that hits it, and the
other joints feel it.
"""

from __future__ import annotations

import numpy as np

from robokin_ros.kernels.articulated import WORK as ARTICULATED_WORK
from robokin_ros.kernels.articulated import accelerations
from robokin_ros.kernels.damped_step import solve_spd
from robokin_ros.kernels.jit import (
    INTEGER,
    MATRIX,
    OUT_INDICES,
    OUT_VECTOR,
    REAL,
    TOPOLOGY,
    VECTOR,
    kernel,
    part,
)
from robokin_ros.kernels.mass import mass_matrix_into
from robokin_ros.kernels.newton_euler import WORK as NEWTON_EULER_WORK
from robokin_ros.kernels.newton_euler import inward, outward
from robokin_ros.kernels.poses import is_finite

__all__ = ['advance']

FREE, STUCK, AT_LOWER, AT_UPPER, UP, DOWN, STOPPING = 0, 1, 2, 3, 4, 5, 6
"""What a joint does; UP and DOWN: it breaks away in this step; STOPPING: friction brings it to rest in this step."""
IMMOVABLE = 1e9
"""Inertia [kg m^2], [kg] that holds a joint."""


@part
def accelerate(topology, constants, inertia, q, qd, tau, gravity, articulated, work, matrix, out):
    """Accelerations with `inertia` added to the joints; by the mass matrix with mimic joints. False: no inertia."""
    if topology.shape[0] == q.shape[0]:
        return accelerations(topology, constants, inertia, q, qd, tau, gravity, np.empty((0, 6)), articulated, out) < 0
    n = q.shape[0]
    outward(topology, constants, q, qd, np.zeros(n), gravity, work)
    inward(topology, constants, work, out)
    mass_matrix_into(topology, constants, inertia, q, articulated, matrix)
    for i in range(n):
        out[i] = tau[i] - out[i]
    return solve_spd(matrix, out, n)


@part
def apply_friction(hold, rotor, damping, coulomb, tau, qd, dt, inertia, torque):
    """Torque and inertia of every joint in its present condition; viscous friction at the end of the step."""
    for i in range(qd.shape[0]):
        inertia[i] = rotor[i] + dt * damping[i]
        torque[i] = tau[i] - damping[i] * qd[i]
        if hold[i] in (STUCK, AT_LOWER, AT_UPPER):
            inertia[i] += IMMOVABLE
        elif hold[i] == STOPPING:
            inertia[i] += IMMOVABLE
            torque[i] -= IMMOVABLE * qd[i] / dt
        elif hold[i] == UP or (hold[i] == FREE and qd[i] > 0.0):
            torque[i] -= coulomb[i]
        elif hold[i] == DOWN or (hold[i] == FREE and qd[i] < 0.0):
            torque[i] += coulomb[i]


@part
def revise(hold, coulomb, static, qd, acceleration, dt):
    """Change the conditions that the accelerations contradict; True if there were any."""
    changed = False
    for i in range(qd.shape[0]):
        aimed = -qd[i] / dt if hold[i] == STOPPING else 0.0
        pressed = IMMOVABLE * (aimed - acceleration[i])  # what holds the joint exerts this on it
        if hold[i] in (STUCK, STOPPING) and abs(pressed) > static[i]:
            hold[i] = DOWN if pressed > 0.0 else UP
            changed = True
        elif (hold[i] == AT_LOWER and pressed < 0.0) or (hold[i] == AT_UPPER and pressed > 0.0):
            hold[i] = STUCK if static[i] > 0.0 else FREE
            changed = True
        elif hold[i] == FREE and coulomb[i] > 0.0 and qd[i] * (qd[i] + dt * acceleration[i]) < 0.0:
            hold[i] = STOPPING
            changed = True
    return changed


@part
def settle(hold, qd, dt, acceleration):
    """New rates, and who stands still after the step."""
    for i in range(qd.shape[0]):
        if hold[i] in (STUCK, AT_LOWER, AT_UPPER, STOPPING):
            qd[i] = 0.0
            hold[i] = STUCK if hold[i] == STOPPING else hold[i]
            continue
        qd[i] += dt * acceleration[i]
        wrong_way = (hold[i] == UP and qd[i] < 0.0) or (hold[i] == DOWN and qd[i] > 0.0)
        hold[i] = FREE
        if wrong_way:
            qd[i] = 0.0
            hold[i] = STUCK


@part
def hit_stop(topology, constants, rotor, joint, hold, q, qd, rest, articulated, work, matrix, inertia, impulse, out):
    """Take the momentum of a joint at a stop; what it carries and what carries it feel the blow.

    Friction does not bear a blow. Another joint at a stop does, unless the blow lifts it off. False: no inertia.
    """
    n = q.shape[0]
    impulse[:] = 0.0
    impulse[joint] = 1.0
    rest[:] = 0.0
    for _ in range(n + 1):
        for i in range(n):
            inertia[i] = rotor[i] + (IMMOVABLE if hold[i] in (AT_LOWER, AT_UPPER) else 0.0)
        if not accelerate(topology, constants, inertia, q, rest, impulse, np.zeros(3), articulated, work, matrix, out):
            return False
        blow = -qd[joint] / out[joint]
        lifted = False
        for i in range(n):
            pressed = -blow * out[i]  # what a stop would have to give
            if (hold[i] == AT_LOWER and pressed < 0.0) or (hold[i] == AT_UPPER and pressed > 0.0):
                hold[i] = FREE
                lifted = True
        if not lifted:
            break
    for i in range(n):
        if hold[i] not in (AT_LOWER, AT_UPPER):
            qd[i] += blow * out[i]
            hold[i] = FREE
    qd[joint] = 0.0
    return True


@kernel(INTEGER, TOPOLOGY, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, REAL, INTEGER,
        OUT_VECTOR, OUT_VECTOR, OUT_INDICES)
def advance(topology, constants, rotor, damping, coulomb, static, lower, upper, tau, gravity, dt, steps, q, qd, hold):
    """Take `steps` steps of `dt` [s] under constant torque, changing q, qd and `hold` in place; 0 on success.

    1: a joint has no inertia; -1: the state is no longer finite.
    """
    n, bodies = q.shape[0], topology.shape[0]
    articulated, work = np.empty((bodies, ARTICULATED_WORK)), np.empty((bodies, NEWTON_EULER_WORK))
    matrix, inertia, torque, acceleration, rest = np.empty((n, n)), np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for _ in range(steps):
        for i in range(n):
            if hold[i] == FREE and qd[i] == 0.0 and static[i] > 0.0:
                hold[i] = STUCK
        for _ in range(4 * n + 2):  # conditions change in one direction; what is left then is undecided by rounding
            apply_friction(hold, rotor, damping, coulomb, tau, qd, dt, inertia, torque)
            if not accelerate(topology, constants, inertia, q, qd, torque, gravity, articulated, work, matrix,
                              acceleration):
                return 1
            if not revise(hold, coulomb, static, qd, acceleration, dt):
                break
        settle(hold, qd, dt, acceleration)
        for i in range(n):
            q[i] += dt * qd[i]
        for i in range(n):
            side = -1.0 if q[i] < lower[i] else (1.0 if q[i] > upper[i] else 0.0)
            if side != 0.0:
                q[i] = lower[i] if side < 0.0 else upper[i]
                if side * qd[i] > 0.0:  # else the blow of another joint has turned it
                    hold[i] = FREE
                    if not hit_stop(topology, constants, rotor, i, hold, q, qd, rest, articulated, work, matrix,
                                    inertia, torque, acceleration):
                        return 1
                    hold[i] = AT_LOWER if side < 0.0 else AT_UPPER
        if not (is_finite(q) and is_finite(qd)):
            return -1
    return 0
