"""Sorted lists of solutions: whole turns within limits, nearest to the seed first, each branch once (KIN-21)."""

from __future__ import annotations

import math

from robokin_ros.kernels.jit import INDICES, INTEGER, MATRIX, OUT_VECTOR, VECTOR, exact, kernel
from robokin_ros.kernels.pose_error import orientation_part, position_part

NEAR = 1e-9
"""Slack of joint limits [rad] (KIN-21)."""
MERGE = 1e-6
"""Solutions closer than this in all joints are one [rad, m]."""
CONVERGED = 1e-9
"""[m], [rad] above which a solution is one of a pair that has merged, or nearly so: its joints are badly known."""
MERGE_DOUBLE = 1e-3
"""Likewise for these (KIN-01)."""


@exact
def nearest_image(value, near, low, high):
    """The value plus whole turns that is nearest to `near` within limits; NaN if there is none."""
    turn = 2.0 * math.pi
    image = value + turn * round((min(max(near, low), high) - value) / turn)
    if image < low - NEAR:
        image += turn * math.ceil((low - NEAR - image) / turn)
    elif image > high + NEAR:
        image -= turn * math.ceil((image - high - NEAR) / turn)
    if image < low - NEAR or image > high + NEAR:
        return math.nan
    return min(max(image, low), high)


@exact
def insert_branch(q, seed, error, cost, solutions, residuals, m, counts):
    """Put a solution into its place by distance to the seed, unless it is there already or there is no room."""
    n = q.shape[0]
    if counts[m] == solutions.shape[0]:
        return
    distance = 0.0
    for i in range(n):
        distance += (q[i] - seed[i]) * (q[i] - seed[i])
    merge = MERGE if position_part(error) < CONVERGED and orientation_part(error) < CONVERGED else MERGE_DOUBLE
    place = counts[m]
    for b in range(counts[m]):
        apart = 0.0
        for i in range(n):
            apart = max(apart, abs(solutions[b, i] - q[i]))
        if apart < merge:
            return
        if distance < cost[b] and place == counts[m]:
            place = b
    for b in range(counts[m], place, -1):
        cost[b] = cost[b - 1]
        residuals[b, 0], residuals[b, 1] = residuals[b - 1, 0], residuals[b - 1, 1]
        for i in range(n):
            solutions[b, i] = solutions[b - 1, i]
    cost[place] = distance
    residuals[place, 0], residuals[place, 1] = position_part(error), orientation_part(error)
    for i in range(n):
        solutions[place, i] = q[i]
    counts[m] += 1


@kernel(INTEGER, MATRIX, VECTOR, VECTOR, INDICES, OUT_VECTOR)
def smallest_margins(solutions, lower, upper, joints, margins):
    """Distance of each solution's joint that is nearest to one of its limits; 0."""
    for k in range(solutions.shape[0]):
        margin = math.inf
        for j in joints:
            margin = min(margin, solutions[k, j] - lower[j], upper[j] - solutions[k, j])
        margins[k] = margin
    return 0
