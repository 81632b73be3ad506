"""Poses and Jacobians of the tip for many joint vectors: lanes of a block side by side, so that LLVM uses SIMD.

A block is LANES joint vectors. Every quantity is a row of LANES numbers in one flat array; the distance between rows is
a constant, which lets LLVM see that rows do not overlap. Loops over lanes have no branches.
"""

from __future__ import annotations

import numpy as np

from robokin_ros.kernels.jit import (
    FLAG,
    INDICES,
    MATRIX,
    OUT_CUBE,
    TOPOLOGY,
    VECTOR,
    exact,
    kernel,
    lanes,
    part,
)
from robokin_ros.kernels.lane_blocks import all_within
from robokin_ros.kernels.poses import chain_pose, is_finite, pose_and_jacobian, to_tip_axes, write_pose
from robokin_ros.kernels.sine_cosine import LARGEST_ANGLE, sine_cosine

__all__ = ['tip_jacobian_batch', 'tip_pose_batch']

LANES = 64
"""Joint vectors of a block: a Jacobian of seven joints takes 21 kB of the 32 kB first-level cache."""


@part
def largest_tame(topology, constants, chain):
    """Largest |q| for which no joint angle of the chain (mimic joints too) exceeds LARGEST_ANGLE."""
    limit = LARGEST_ANGLE
    for i in range(chain.shape[0]):
        body = chain[i]
        if topology[body, 1] == 0:
            limit = min(limit, (LARGEST_ANGLE - abs(constants[body, 23])) / abs(constants[body, 22]))
    return limit


@exact
def joint_values(q, first, column, gain, offset, turn):
    """Values of one joint in all lanes, rounded as the scalar kernels do: large angles keep their error."""
    for j in range(LANES):
        turn[j] = gain * q[first + j, column] + offset


@lanes
def start_lanes(k, pose):
    """Pose `k` in all lanes."""
    for e in range(12):
        for j in range(LANES):
            pose[e * LANES + j] = k[e]


@lanes
def place_lanes(k, pose):
    """Pose in all lanes times the constant pose `k`."""
    k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11 = (
        k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8], k[9], k[10], k[11])
    for r in range(3):
        row = 3 * r * LANES
        position = (9 + r) * LANES
        for j in range(LANES):
            x = pose[row + j]
            y = pose[row + LANES + j]
            z = pose[row + 2 * LANES + j]
            pose[row + j] = x * k0 + y * k3 + z * k6
            pose[row + LANES + j] = x * k1 + y * k4 + z * k7
            pose[row + 2 * LANES + j] = x * k2 + y * k5 + z * k8
            pose[position + j] += x * k9 + y * k10 + z * k11


@lanes
def turn_lanes(turn, pose):
    """Turn the pose in each lane about its z axis by the angle in `turn`."""
    for j in range(LANES):
        s, c = sine_cosine(turn[j])
        for r in range(3):
            x = pose[3 * r * LANES + j]
            y = pose[(3 * r + 1) * LANES + j]
            pose[3 * r * LANES + j] = x * c + y * s
            pose[(3 * r + 1) * LANES + j] = y * c - x * s


@lanes
def slide_lanes(turn, pose):
    """Shift the pose in each lane along its z axis."""
    for r in range(3):
        for j in range(LANES):
            pose[(9 + r) * LANES + j] += pose[(3 * r + 2) * LANES + j] * turn[j]


@lanes
def move_lanes(topology, constants, body, q, first, turn, pose):
    """From the frame of the parent to that of the body, in all lanes."""
    k = constants[body]
    place_lanes(k, pose)
    joint_values(q, first, topology[body, 2], k[22], k[23], turn)
    if topology[body, 1] == 0:
        turn_lanes(turn, pose)
    else:
        slide_lanes(turn, pose)


@part
def write_lanes(pose, first, out):
    """Poses of the lanes into 4x4 matrices."""
    for j in range(LANES):
        m = out[first + j]
        for r in range(3):
            m[r, 0] = pose[3 * r * LANES + j]
            m[r, 1] = pose[(3 * r + 1) * LANES + j]
            m[r, 2] = pose[(3 * r + 2) * LANES + j]
            m[r, 3] = pose[(9 + r) * LANES + j]
        m[3, 0], m[3, 1], m[3, 2], m[3, 3] = 0.0, 0.0, 0.0, 1.0


UNIT = np.array((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))


@kernel(FLAG, TOPOLOGY, MATRIX, INDICES, VECTOR, MATRIX, OUT_CUBE)
def tip_pose_batch(topology, constants, chain, tip, q, out):
    """Poses of the tip for (m, n) joint vectors, (m, 4, 4)."""
    pose = np.empty(12 * LANES)
    turn = np.empty(LANES)
    limit = largest_tame(topology, constants, chain)
    count = q.shape[0]
    for start in range(0, count, LANES):
        first = max(0, min(start, count - LANES))  # the last block overlaps the one before
        if count >= LANES and all_within(q[first:first + LANES], limit):
            start_lanes(UNIT, pose)
            for i in range(chain.shape[0]):
                move_lanes(topology, constants, chain[i], q, first, turn, pose)
            place_lanes(tip, pose)
            write_lanes(pose, first, out)
        else:
            for i in range(first, min(first + LANES, count)):
                if not is_finite(q[i]):
                    return False
                write_pose(chain_pose(topology, constants, chain, tip, q[i]), out[i])
    return True


@lanes
def turning_column(gain, pose, twist):
    """Add the twist that a revolute joint at `pose` gives a body at the base's origin."""
    for j in range(LANES):
        zx, zy, zz = gain * pose[2 * LANES + j], gain * pose[5 * LANES + j], gain * pose[8 * LANES + j]
        x, y, z = pose[9 * LANES + j], pose[10 * LANES + j], pose[11 * LANES + j]
        twist[j] += zz * y - zy * z
        twist[LANES + j] += zx * z - zz * x
        twist[2 * LANES + j] += zy * x - zx * y
        twist[3 * LANES + j] += zx
        twist[4 * LANES + j] += zy
        twist[5 * LANES + j] += zz


@lanes
def sliding_column(gain, pose, twist):
    """Add the twist that a prismatic joint at `pose` gives."""
    for r in range(3):
        for j in range(LANES):
            twist[r * LANES + j] += gain * pose[(3 * r + 2) * LANES + j]


@lanes
def twist_at_tip(pose, twist):
    """Move the twist of a column from the base's origin to the tip's."""
    for j in range(LANES):
        wx, wy, wz = twist[3 * LANES + j], twist[4 * LANES + j], twist[5 * LANES + j]
        x, y, z = pose[9 * LANES + j], pose[10 * LANES + j], pose[11 * LANES + j]
        twist[j] += wy * z - wz * y
        twist[LANES + j] += wz * x - wx * z
        twist[2 * LANES + j] += wx * y - wy * x


@lanes
def column_to_tip_axes(pose, twist):
    """Express a column in tip axes."""
    for first in (0, 3):
        at = first * LANES
        for j in range(LANES):
            x, y, z = twist[at + j], twist[at + LANES + j], twist[at + 2 * LANES + j]
            for r in range(3):
                twist[at + r * LANES + j] = (
                    pose[r * LANES + j] * x + pose[(3 + r) * LANES + j] * y + pose[(6 + r) * LANES + j] * z)


@part
def write_column(twist, first, column, out):
    """A column of the lanes into (6, n) matrices."""
    for j in range(LANES):
        m = out[first + j]
        m[0, column] = twist[j]
        m[1, column] = twist[LANES + j]
        m[2, column] = twist[2 * LANES + j]
        m[3, column] = twist[3 * LANES + j]
        m[4, column] = twist[4 * LANES + j]
        m[5, column] = twist[5 * LANES + j]


@kernel(FLAG, TOPOLOGY, MATRIX, INDICES, VECTOR, MATRIX, FLAG, OUT_CUBE)
def tip_jacobian_batch(topology, constants, chain, tip, q, in_tip_axes, out):
    """Jacobians of the tip for (m, n) joint vectors, (m, 6, n)."""
    pose = np.empty(12 * LANES)
    turn = np.empty(LANES)
    jacobian = np.empty((q.shape[1], 6 * LANES))
    work = np.empty((chain.shape[0], 6))
    limit = largest_tame(topology, constants, chain)
    count = q.shape[0]
    for start in range(0, count, LANES):
        first = max(0, min(start, count - LANES))  # the last block overlaps the one before
        if count >= LANES and all_within(q[first:first + LANES], limit):
            jacobian[:, :] = 0.0
            start_lanes(UNIT, pose)
            for i in range(chain.shape[0]):
                body = chain[i]
                move_lanes(topology, constants, body, q, first, turn, pose)
                if topology[body, 1] == 0:
                    turning_column(constants[body, 22], pose, jacobian[topology[body, 2]])
                else:
                    sliding_column(constants[body, 22], pose, jacobian[topology[body, 2]])
            place_lanes(tip, pose)
            for column in range(q.shape[1]):
                twist_at_tip(pose, jacobian[column])
                if in_tip_axes:
                    column_to_tip_axes(pose, jacobian[column])
                write_column(jacobian[column], first, column, out)
        else:
            for i in range(first, min(first + LANES, count)):
                if not is_finite(q[i]):
                    return False
                end = pose_and_jacobian(topology, constants, chain, tip, q[i], work, out[i])
                if in_tip_axes:
                    to_tip_axes(end, out[i])
    return True
