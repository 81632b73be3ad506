"""What kernels over lanes share: the size of a block, its check, and columns of joint vectors as rows of lanes."""

from __future__ import annotations

from robokin_ros.kernels.jit import exact, lanes, part
from robokin_ros.kernels.sine_cosine import LARGEST_ANGLE, sine_cosine

LANES = 32
"""States of a block: less has too much overhead per loop, more leaves the first-level cache."""
FINITE = 1.7976931348623157e308
"""The largest number."""


@part
def largest_angle_input(topology, constants):
    """Largest |q| for which no joint angle (mimic joints too) exceeds LARGEST_ANGLE."""
    limit = LARGEST_ANGLE
    for body in range(topology.shape[0]):
        if topology[body, 1] == 0:
            limit = min(limit, (LARGEST_ANGLE - abs(constants[body, 23])) / abs(constants[body, 22]))
    return limit


@part
def all_within(block, limit):
    """Whether all numbers of a block are within the limit; NaN and infinity are not."""
    values = block.reshape(block.size)
    wild = 0
    for i in range(values.shape[0]):
        wild |= not abs(values[i]) <= limit
    return wild == 0


@exact
def joint_column(q, first, column, gain, offset, row):
    """Values of one joint in all lanes, rounded as the scalar kernels do: large angles keep their error."""
    for j in range(LANES):
        row[j] = gain * q[first + j, column] + offset


@lanes
def copy_column(values, first, column, row):
    """One column of a block."""
    for j in range(LANES):
        row[j] = values[first + j, column]


@lanes
def turn_row(o):
    """Sine and cosine in the first two rows from the angles in the first."""
    for j in range(LANES):
        o[j], o[LANES + j] = sine_cosine(o[j])
