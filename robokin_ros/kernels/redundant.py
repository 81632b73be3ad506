"""Arms with seven joints in closed form: every branch with one joint held at many values."""

from __future__ import annotations

import numpy as np

from robokin_ros.kernels.closed_form import BRANCHES, CANDIDATES, flange_pose, sift, six_branches
from robokin_ros.kernels.jit import (
    CUBE,
    INDICES,
    INTEGER,
    MATRIX,
    OUT_CUBE,
    OUT_INDICES,
    OUT_MATRIX,
    OUT_VECTOR,
    REAL,
    TOPOLOGY,
    VECTOR,
    kernel,
    part,
)
from robokin_ros.kernels.loop import factor_pose
from robokin_ros.kernels.poses import compose, inverse_pose, link_pose, read_pose, write_pose
from robokin_ros.kernels.solution_list import insert_branch

__all__ = ['lock_joint', 'solve_redundant']


@part
def locked_table(dh, slides, lock, value, parameters, table, shift, before, after):
    """Table of six joints of an arm of seven with one joint held at `value` (DH angle or offset).

    Angles of the new table are those of the arm plus `shift`; the pose of frame {6} in {0} is before^-1 pose after^-1,
    both 4x4.
    """
    for k in range(6):
        joint = k if k < lock else k + 1
        for c in range(4):
            table[k, c] = dh[joint, c]
        shift[k] = 0.0
    turn, lift = (dh[lock, 3], value) if slides[lock] else (value, dh[lock, 2])
    own = link_pose(dh[lock, 0], dh[lock, 1], turn, lift)
    nothing = link_pose(0.0, 0.0, 0.0, 0.0)
    write_pose(nothing, before)
    write_pose(nothing, after)
    if lock == 6:
        write_pose(own, after)
        return
    joined = compose(own, link_pose(dh[lock + 1, 0], dh[lock + 1, 1], 0.0, 0.0))
    if lock == 0:
        write_pose(joined, before)
        table[0, 0] = table[0, 1] = 0.0
        return
    link = np.empty((4, 4))
    write_pose(joined, link)
    factor_pose(link, link[:, 3].copy(), parameters)
    shift[lock - 1] = parameters[0]
    table[lock - 1, 2] += parameters[1]
    table[lock, 0], table[lock, 1] = parameters[2], parameters[3]
    shift[lock] = parameters[4]
    table[lock, 2] += parameters[5]


@kernel(INTEGER, MATRIX, INDICES, INTEGER, REAL, OUT_MATRIX, OUT_VECTOR, OUT_MATRIX, OUT_MATRIX)
def lock_joint(dh, slides, lock, value, table, shift, before, after):
    """`locked_table` from Python; 0."""
    locked_table(dh, slides, lock, value, np.empty(6), table, shift, before, after)
    return 0


@kernel(INTEGER, INTEGER, INTEGER, INTEGER, MATRIX, VECTOR, VECTOR, INDICES, INDICES, MATRIX, MATRIX, REAL, TOPOLOGY,
        MATRIX, INDICES, VECTOR, VECTOR, VECTOR, MATRIX, CUBE, MATRIX, INTEGER, VECTOR, OUT_CUBE, OUT_CUBE, OUT_INDICES,
        OUT_INDICES)
def solve_redundant(kind, first, lock, dh, offset, sign, joints, slides, to_base, to_flange, size, topology, constants,
                    chain, tip, lower, upper, seeds, poses, values, wanted, tolerance, solutions, residuals, counts,
                    blocked):
    """Branches of an arm of seven joints with one of them held at each of `values` (a row, or one per pose); 0.

    Values are tried in order until there are `wanted` solutions. Solutions come unsorted.
    """
    n = seeds.shape[1]
    thetas, work, near = np.empty((CANDIDATES, 6)), np.empty((22, 6)), np.empty(6)
    pose, table, shift = np.empty((4, 4)), np.empty((6, 4)), np.empty(6)
    before, after, parameters = np.empty((4, 4)), np.empty((4, 4)), np.empty(6)
    q, trial, unbounded, cost = np.empty(n), np.empty(n), np.full(n, np.inf), np.empty(BRANCHES)
    ladder, jacobian, error = np.empty((chain.shape[0], 6)), np.empty((6, n)), np.empty(6)
    others = np.empty(6, dtype=np.int64)
    turns = np.empty(6, dtype=np.int64)
    signs, offsets = np.empty(6), np.empty(6)
    for k in range(6):
        joint = k if k < lock else k + 1
        others[k], signs[k], turns[k] = joints[joint], sign[joint], slides[joint]
    normal, step = np.empty((6, 6)), np.empty((2, 6))
    here, there, number_here = np.empty((BRANCHES, n)), np.empty((BRANCHES, 2)), np.empty(1, dtype=np.int64)
    held = np.empty(n)
    for m in range(poses.shape[0]):
        seed = seeds[m if seeds.shape[0] > 1 else 0]
        row = values[m if values.shape[0] > 1 else 0]
        flange_pose(poses[m], to_base, to_flange, pose)
        target = read_pose(pose)
        counts[m] = 0
        blocked[m] = 0
        for v in range(row.shape[0]):
            if counts[m] >= wanted:
                break
            for i in range(n):
                held[i] = seed[i]
            held[joints[lock]] = row[v]
            locked_table(dh, slides, lock, offset[lock] + sign[lock] * row[v], parameters, table, shift, before, after)
            write_pose(compose(compose(inverse_pose(read_pose(before)), target), inverse_pose(read_pose(after))), pose)
            for k in range(6):
                joint = k if k < lock else k + 1
                offsets[k] = offset[joint] + shift[k]
                near[k] = offsets[k] + signs[k] * seed[others[k]]
            number, _ = six_branches(kind, first, table, pose, near, size, work, thetas)
            number_here[0] = 0
            for b in range(number):
                legal = sift(thetas[b], offsets, signs, others, turns, topology, constants, chain, tip, lower, upper,
                             held, poses[m], tolerance, q, trial, ladder, jacobian, error, normal, step, others,
                             unbounded, False)
                if legal == 1:
                    insert_branch(q, seed, error, cost, here, there, 0, number_here)
                elif legal == -1:
                    blocked[m] += 1
            for b in range(min(number_here[0], solutions.shape[1] - counts[m])):
                for i in range(n):
                    solutions[m, counts[m], i] = here[b, i]
                residuals[m, counts[m], 0], residuals[m, counts[m], 1] = there[b, 0], there[b, 1]
                counts[m] += 1
    return 0
