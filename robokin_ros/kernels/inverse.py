"""Numeric inverse kinematics: Levenberg-Marquardt within joint limits, from many starts."""

from __future__ import annotations

import math

import numpy as np

from robokin_ros.kernels.jit import (
    INDICES,
    INTEGER,
    MATRIX,
    OUT_MATRIX,
    TOPOLOGY,
    VECTOR,
    kernel,
    part,
)
from robokin_ros.kernels.poses import pose_and_jacobian

__all__ = ['solve_from_starts']

ITERATIONS = 120
"""Steps per start; a healthy start needs 5 to 20."""
POLISHED = 1e-11
"""Position [m] and orientation [rad] error below which refining stops."""


@part
def pose_error(pose, target, error):
    """Position difference and rotation vector from the pose to the target (4x4), in base axes."""
    for i in range(3):
        error[i] = target[i, 3] - pose[9 + i]
    # E = R_target R^T
    e00 = target[0, 0] * pose[0] + target[0, 1] * pose[1] + target[0, 2] * pose[2]
    e11 = target[1, 0] * pose[3] + target[1, 1] * pose[4] + target[1, 2] * pose[5]
    e22 = target[2, 0] * pose[6] + target[2, 1] * pose[7] + target[2, 2] * pose[8]
    e01 = target[0, 0] * pose[3] + target[0, 1] * pose[4] + target[0, 2] * pose[5]
    e10 = target[1, 0] * pose[0] + target[1, 1] * pose[1] + target[1, 2] * pose[2]
    e02 = target[0, 0] * pose[6] + target[0, 1] * pose[7] + target[0, 2] * pose[8]
    e20 = target[2, 0] * pose[0] + target[2, 1] * pose[1] + target[2, 2] * pose[2]
    e12 = target[1, 0] * pose[6] + target[1, 1] * pose[7] + target[1, 2] * pose[8]
    e21 = target[2, 0] * pose[3] + target[2, 1] * pose[4] + target[2, 2] * pose[5]
    x, y, z = 0.5 * (e21 - e12), 0.5 * (e02 - e20), 0.5 * (e10 - e01)
    sine = math.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (e00 + e11 + e22 - 1.0)
    if sine > 1e-7:
        factor = math.atan2(sine, cosine) / sine
        error[3], error[4], error[5] = factor * x, factor * y, factor * z
    elif cosine > 0.0:
        error[3], error[4], error[5] = x, y, z
    else:  # half a turn: the axis is the largest column of E + I
        a, b, c = e00 + 1.0, e11 + 1.0, e22 + 1.0
        if a >= b and a >= c:
            x, y, z = a, e10, e20
        elif b >= c:
            x, y, z = e01, b, e21
        else:
            x, y, z = e02, e12, c
        factor = math.pi / math.sqrt(x * x + y * y + z * z)
        error[3], error[4], error[5] = factor * x, factor * y, factor * z


@part
def solve_spd(matrix, vector, size):
    """Solve a positive definite system in place by Cholesky; the answer replaces `vector`."""
    for j in range(size):
        total = matrix[j, j]
        for k in range(j):
            total -= matrix[j, k] * matrix[j, k]
        if not total > 0.0:
            return False
        root = math.sqrt(total)
        matrix[j, j] = root
        for i in range(j + 1, size):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = total / root
    for i in range(size):
        total = vector[i]
        for k in range(i):
            total -= matrix[i, k] * vector[k]
        vector[i] = total / matrix[i, i]
    for i in range(size - 1, -1, -1):
        total = vector[i]
        for k in range(i + 1, size):
            total -= matrix[k, i] * vector[k]
        vector[i] = total / matrix[i, i]
    return True


@part
def error_size(error):
    """Sum of squares."""
    total = 0.0
    for i in range(6):
        total += error[i] * error[i]
    return total


@part
def position_part(error):
    """Length of the position error [m]."""
    return math.sqrt(error[0] * error[0] + error[1] * error[1] + error[2] * error[2])


@part
def orientation_part(error):
    """Angle of the orientation error [rad]."""
    return math.sqrt(error[3] * error[3] + error[4] * error[4] + error[5] * error[5])


@part
def descend(topology, constants, chain, tip, joints, lower, upper, target, q, trial, work, jacobian, error,
            normal, step):
    """Improve `q` in place until it is polished, stuck, or out of steps; `error` is that of `q`.

    Damping after Sugihara: proportional to the squared error, plus an adaptive part. Joints that rest on a
    limit and are pushed against it leave the step.
    """
    size = joints.shape[0]
    pose = pose_and_jacobian(topology, constants, chain, tip, q, work, jacobian)
    pose_error(pose, target, error)
    size_now = error_size(error)
    damping = 1e-3
    for _ in range(ITERATIONS):
        if position_part(error) < POLISHED and orientation_part(error) < POLISHED:
            return
        used = 0
        for a in range(size):
            column = joints[a]
            gradient = 0.0
            for i in range(6):
                gradient += jacobian[i, column] * error[i]
            if (q[column] <= lower[column] and gradient < 0.0) or (q[column] >= upper[column] and gradient > 0.0):
                continue
            step[0, used] = gradient
            step[1, used] = column
            used += 1
        if used == 0:
            return
        for a in range(used):
            for b in range(a + 1):
                total = 0.0
                for i in range(6):
                    total += jacobian[i, int(step[1, a])] * jacobian[i, int(step[1, b])]
                normal[a, b] = total
            normal[a, a] += damping * size_now + 1e-12
        if not solve_spd(normal, step[0], used):
            return
        for column in range(q.shape[0]):
            trial[column] = q[column]
        moved = 0.0
        for a in range(used):
            column = int(step[1, a])
            value = min(max(q[column] + step[0, a], lower[column]), upper[column])
            moved = max(moved, abs(value - q[column]))
            trial[column] = value
        pose = pose_and_jacobian(topology, constants, chain, tip, trial, work, jacobian)
        pose_error(pose, target, error)
        size_next = error_size(error)
        if size_next < size_now:
            settled = size_next > 0.999999 * size_now and size_now > 1e-16
            for column in range(q.shape[0]):
                q[column] = trial[column]
            size_now = size_next
            damping = max(damping * 0.2, 1e-6)
            if settled or moved < 1e-15:
                return
        else:
            pose = pose_and_jacobian(topology, constants, chain, tip, q, work, jacobian)
            pose_error(pose, target, error)
            damping *= 8.0
            if damping * size_now > 1e6 or moved < 1e-15:
                return


@kernel(INTEGER, TOPOLOGY, MATRIX, INDICES, VECTOR, INDICES, VECTOR, VECTOR, MATRIX, MATRIX, VECTOR,
        INTEGER, OUT_MATRIX, OUT_MATRIX)
def solve_from_starts(topology, constants, chain, tip, joints, lower, upper, target, starts, tolerance, wanted,
                      solutions, residuals):
    """Descend from each of the (s, n) starts until `wanted` solutions within `tolerance` (m, rad) are found.

    Solutions come first in the outputs, in the order found; returns their number. If there is none, row 0
    holds the best miss.
    """
    n = starts.shape[1]
    work = np.empty((chain.shape[0], 6))
    jacobian = np.empty((6, n))
    error = np.empty(6)
    normal = np.empty((joints.shape[0], joints.shape[0]))
    step = np.empty((2, joints.shape[0]))
    trial = np.empty(n)
    q = np.empty(n)
    found = 0
    best = np.inf
    for s in range(starts.shape[0]):
        for i in range(n):
            q[i] = starts[s, i]
        descend(topology, constants, chain, tip, joints, lower, upper, target, q, trial, work, jacobian, error,
                normal, step)
        position, orientation = position_part(error), orientation_part(error)
        if position <= tolerance[0] and orientation <= tolerance[1]:
            row = found
            found += 1
        elif found == 0 and error_size(error) < best:
            best = error_size(error)
            row = 0
        else:
            continue
        for i in range(n):
            solutions[row, i] = q[i]
        residuals[row, 0], residuals[row, 1] = position, orientation
        if found == wanted:
            break
    return found
