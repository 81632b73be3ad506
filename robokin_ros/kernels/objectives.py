"""Secondary objectives of redundant arms: what a joint vector costs, the smaller the better."""

from __future__ import annotations

import math

from robokin_ros.kernels.jit import part
from robokin_ros.kernels.poses import pose_and_jacobian

NO_OBJECTIVE, SEED, MIDDLE, LIMITS, MANIPULABILITY = 0, 1, 2, 3, 4
"""What redundant joints are for: nothing, near the seed, mid-range, away from the limits, away from singularities."""


@part
def joint_cost(objective, topology, constants, chain, tip, joints, lower, upper, seed, q, work, jacobian, normal):
    """Value of a secondary objective; the smaller the better."""
    total = 0.0
    if objective == MANIPULABILITY:
        pose_and_jacobian(topology, constants, chain, tip, q, work, jacobian)
        return -log_volume(joints, jacobian, normal)
    for a in range(joints.shape[0]):
        j = joints[a]
        width = upper[j] - lower[j]
        if objective == SEED:
            total += (q[j] - seed[j]) * (q[j] - seed[j])
        elif math.isfinite(width) and width > 0.0:
            place = (q[j] - 0.5 * (lower[j] + upper[j])) / (0.5 * width)
            if objective == MIDDLE:
                total += place * place
            else:
                total -= math.log(max(1.0 - place * place, 1e-9))
    return total


@part
def log_volume(joints, jacobian, normal):
    """Logarithm of det(J J^T) (of det(J^T J) with fewer than six joints)."""
    size = min(6, joints.shape[0])
    wide = joints.shape[0] >= 6
    for a in range(size):
        for b in range(a + 1):
            total = 0.0
            if wide:
                for k in range(joints.shape[0]):
                    total += jacobian[a, joints[k]] * jacobian[b, joints[k]]
            else:
                for k in range(6):
                    total += jacobian[k, joints[a]] * jacobian[k, joints[b]]
            normal[a, b] = total
        normal[a, a] += 1e-15
    total = 0.0
    for j in range(size):
        pivot = normal[j, j]
        for k in range(j):
            pivot -= normal[j, k] * normal[j, k]
        pivot = max(pivot, 1e-18)
        root = math.sqrt(pivot)
        total += math.log(pivot)
        normal[j, j] = root
        for i in range(j + 1, size):
            value = normal[i, j]
            for k in range(j):
                value -= normal[i, k] * normal[j, k]
            normal[i, j] = value / root
    return total
