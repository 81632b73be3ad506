"""How far a pose is from another, as six numbers and as two sizes."""

from __future__ import annotations

import math

from robokin_ros.kernels.jit import exact


@exact
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


@exact
def error_size(error):
    """Sum of squares."""
    total = 0.0
    for i in range(6):
        total += error[i] * error[i]
    return total


@exact
def position_part(error):
    """Length of the position error [m]."""
    return math.sqrt(error[0] * error[0] + error[1] * error[1] + error[2] * error[2])


@exact
def orientation_part(error):
    """Angle of the orientation error [rad]."""
    return math.sqrt(error[3] * error[3] + error[4] * error[4] + error[5] * error[5])
