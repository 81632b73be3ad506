"""Inverse kinematics in closed form: from a pose to every branch, checked by forward kinematics and within limits.

The solvers of the arm classes are in files of their own (`pieper`, `parallel_axes`, `one_variable`,
`orientation_first`); here they are chosen, fed and their answers sifted. A solver fills rows of `thetas` and returns
their number, and bits for the joints that a singular pose leaves free (they keep the present value).
"""

from __future__ import annotations

import math

import numpy as np

from robokin_ros.kernels.inverse import FULL_TASK, POSITION_TASK, descend
from robokin_ros.kernels.jit import (
    CUBE,
    INDICES,
    INTEGER,
    MATRIX,
    OUT_CUBE,
    OUT_INDICES,
    REAL,
    TOPOLOGY,
    VECTOR,
    exact,
    kernel,
    part,
)
from robokin_ros.kernels.loop import turn_loop
from robokin_ros.kernels.one_variable import one_variable
from robokin_ros.kernels.orientation_first import orientation_first
from robokin_ros.kernels.parallel_axes import parallel_axes
from robokin_ros.kernels.pieper import position_problem, spherical_wrist
from robokin_ros.kernels.pose_error import orientation_part, pose_error, position_part
from robokin_ros.kernels.poses import chain_pose, compose, is_finite, read_pose, write_pose
from robokin_ros.kernels.solution_list import NEAR, insert_branch, nearest_image
from robokin_ros.kernels.trig_equations import wrap

__all__ = ['BRANCHES', 'MEETING_AXES', 'PARALLEL_AXES', 'PARALLEL_PAIR', 'POSITION', 'SLIDING_WRIST', 'SPHERICAL',
           'solve_six', 'solve_small']

SPHERICAL, SLIDING_WRIST, PARALLEL_AXES, MEETING_AXES, PARALLEL_PAIR, POSITION = 0, 1, 2, 3, 4, 5
"""Solvers for six joints: three axes that meet, the same with a sliding third joint, three parallel axes, the search
in one variable with two axes that meet or are parallel; and three joints that carry a point, orientation aside."""
BRANCHES = 16
"""Most branches a pose of a 6R arm can have."""
CANDIDATES = 128
"""Most rows that a solver may propose."""
EXACT = 1e-10
"""Residual [m], [rad] above which a branch is polished."""
TURNS = 16
"""Values of a free joint that are tried where the seed's breaks a limit."""
SPREAD = 48
"""Starts besides those of the search in one variable."""
POLISHED = 1e-11
POLISH_STEPS = 30
SUBSPACE = 0.2
"""Angle [rad] of a joint that the arm does not have, below which a branch is polished onto the arm."""


@part
def six_branches(kind, first, dh, pose, near, size, work, thetas):
    """All branches of a pose of frame {6} in {0} as rows of DH angles; (number, free bits).

    `first`: the joint before which the loop is cut so that the special axes stand where the solver wants them.
    """
    if kind == SLIDING_WRIST:
        return spherical_wrist(dh, pose, near, size, True, work, thetas)
    if kind == POSITION:
        return carried_point(dh, pose, near, size, work, thetas)
    if first == 0:
        return cut_branches(kind, dh, pose, near, size, work, thetas)
    table, turned = np.empty((6, 4)), np.empty((4, 4))
    shift, close = work[20], np.empty(6)
    turn_loop(dh, pose, first, work[21], table, turned, shift)
    for k in range(6):
        close[k] = near[(first + k) % 6] + shift[k]
    count, bits = cut_branches(kind, table, turned, close, size, work, thetas)
    free = 0
    for k in range(6):
        if bits & (1 << k):
            free |= 1 << ((first + k) % 6)
    for b in range(count):
        for k in range(6):
            close[k] = thetas[b, k] - shift[k]
        for k in range(6):
            thetas[b, (first + k) % 6] = close[k]
    return count, free


@part
def carried_point(dh, pose, near, size, work, thetas):
    """Angles of the first three joints that carry a point of link 3 to the position of the pose; others zero."""
    first = work[2:6]
    al3, d4 = dh[3, 0], dh[3, 2]
    number, free = position_problem(dh[1, 0], dh[1, 1], dh[2, 0], dh[2, 1], dh[1, 2], dh[2, 2], dh[3, 1],
                                    -d4 * math.sin(al3), d4 * math.cos(al3), pose[0, 3], pose[1, 3],
                                    pose[2, 3] - dh[0, 2], near[0], near[1], near[2], size, work[0], work[1], first)
    for i in range(number):
        for k in range(6):
            thetas[i, k] = first[i, k] if k < 3 else 0.0
    return number, free


@part
def cut_branches(kind, dh, pose, near, size, work, thetas):
    """Branches of an arm whose special axes stand where the solver wants them."""
    if kind == SPHERICAL:
        return spherical_wrist(dh, pose, near, size, False, work, thetas)
    if kind == PARALLEL_AXES:
        return parallel_axes(dh, pose, near, size, work, thetas)
    return one_variable(kind == PARALLEL_PAIR, dh, pose, near, size, work, thetas), 0


@exact
def sift(theta, offset, sign, joints, slides, topology, constants, chain, tip, lower, upper, seed, target, tolerance,
         q, trial, ladder, jacobian, error, normal, step, moving, unbounded, position_only):
    """A row of angles to a joint vector `q`: 1 a solution within limits, -1 one beyond them, 0 none."""
    for i in range(seed.shape[0]):
        q[i] = seed[i]
    for i in range(joints.shape[0]):
        value = sign[i] * (theta[i] - offset[i])
        if joints[i] < 0:
            if not position_only and abs(wrap(value)) > SUBSPACE:
                return 0
        else:
            q[joints[i]] = value if slides[i] else wrap(value)
    if not is_finite(q):
        return 0
    pose_error(chain_pose(topology, constants, chain, tip, q), target, error)
    if position_only:
        error[3:] = 0.0
    if position_part(error) > EXACT or orientation_part(error) > EXACT:
        descend(
            topology,
            constants,
            chain,
            tip,
            moving,
            -unbounded,
            unbounded,
            target,
            q,
            trial,
            ladder,
            jacobian,
            error,
            normal,
            step,
            POSITION_TASK if position_only else FULL_TASK,
            POLISHED,
            POLISH_STEPS,
        )
        if not (position_part(error) <= tolerance[0] and orientation_part(error) <= tolerance[1]):
            return 0
    legal = 1
    for i in range(joints.shape[0]):
        joint = joints[i]
        if joint < 0:
            continue
        if slides[i]:
            if q[joint] < lower[joint] - NEAR or q[joint] > upper[joint] + NEAR:
                legal = -1
            else:
                q[joint] = min(max(q[joint], lower[joint]), upper[joint])
            continue
        image = nearest_image(wrap(q[joint]), seed[joint], lower[joint], upper[joint])
        if math.isnan(image):
            legal = -1
        else:
            q[joint] = image
    return legal


@exact
def flange_pose(target, to_base, to_flange, out):
    """Pose of the last frame of the table in its first one, 4x4."""
    write_pose(compose(compose(read_pose(to_base), read_pose(target)), read_pose(to_flange)), out)


@part
def spread_starts(thetas, number, joints, offset):
    """Add starts spread evenly over all angles: branches may lie between two points of the searched joint's grid."""
    more = min(SPREAD, thetas.shape[0] - number)
    for e in range(more):
        step = 0.8986537126286993  # the root of x^7 = x + 1, inverted: its powers fill the cube evenly
        share = step
        for k in range(6):
            thetas[number + e, k] = math.pi * (2.0 * ((0.5 + (e + 1) * share) % 1.0) - 1.0)
            if joints[k] < 0:
                thetas[number + e, k] = offset[k]
            share *= step
    return number + more


@part
def moving_joints(joints):
    """Joints of the table that the arm has."""
    count = 0
    moving = np.empty(joints.shape[0], dtype=np.int64)
    for i in range(joints.shape[0]):
        if joints[i] >= 0:
            moving[count] = joints[i]
            count += 1
    return moving[:count]


@kernel(
    INTEGER,
    INTEGER,
    INTEGER,
    MATRIX,
    VECTOR,
    VECTOR,
    INDICES,
    INDICES,
    MATRIX,
    MATRIX,
    REAL,
    TOPOLOGY,
    MATRIX,
    INDICES,
    VECTOR,
    VECTOR,
    VECTOR,
    MATRIX,
    CUBE,
    VECTOR,
    OUT_CUBE,
    OUT_CUBE,
    OUT_INDICES,
    OUT_INDICES,
    OUT_INDICES,
)
def solve_six(kind, first, dh, offset, sign, joints, slides, to_base, to_flange, size, topology, constants, chain, tip,
              lower, upper, seeds, poses, tolerance, solutions, residuals, counts, blocked, free):
    """Every branch of (m, 4, 4) poses of an arm with a table of six joints, nearest to the seed first; 0.

    `offset`, `sign` and `joints` lead from DH angles to the joint vector (joint -1: one that the arm does not have, it
    must come out as 0); `to_base` and `to_flange` (4x4) from a pose of the tip to that of frame {6} in {0}. `seeds`:
    one row, or one per pose. Per pose: `counts` branches, `blocked` ones that break a limit, `free` joints (bits).
    """
    n = seeds.shape[1]
    thetas, work, near = np.empty((CANDIDATES, 6)), np.empty((22, 6)), np.empty(6)
    pose = np.empty((4, 4))
    q, trial, unbounded, cost = np.empty(n), np.empty(n), np.full(n, np.inf), np.empty(solutions.shape[1])
    moving = moving_joints(joints)
    ladder, jacobian, error = np.empty((chain.shape[0], 6)), np.empty((6, n)), np.empty(6)
    normal, step = np.empty((moving.shape[0], moving.shape[0])), np.empty((2, moving.shape[0]))
    for m in range(poses.shape[0]):
        seed = seeds[m if seeds.shape[0] > 1 else 0]
        for i in range(6):
            j = joints[i]
            near[i] = offset[i] + (sign[i] * min(max(seed[j], lower[j]), upper[j]) if j >= 0 else 0.0)
        flange_pose(poses[m], to_base, to_flange, pose)
        number, free[m] = six_branches(kind, first, dh, pose, near, size, work, thetas)
        counts[m] = 0
        blocked[m] = 0
        if kind in (MEETING_AXES, PARALLEL_PAIR):
            number = spread_starts(thetas, number, joints, offset)
        for b in range(number):
            legal = sift(thetas[b], offset, sign, joints, slides, topology, constants, chain, tip, lower, upper, seed,
                         poses[m], tolerance, q, trial, ladder, jacobian, error, normal, step, moving, unbounded,
                         kind == POSITION)
            if legal == 1:
                insert_branch(q, seed, error, cost, solutions[m], residuals[m], m, counts)
            elif legal == -1:
                blocked[m] += 1
        # a singular branch with its free joint as it is may break a limit that other values of that joint do not
        for _ in range(1, TURNS):
            if free[m] == 0 or blocked[m] == 0:
                break
            before = counts[m]
            for i in range(6):
                if free[m] & (1 << i):
                    near[i] += 2.0 * math.pi / TURNS
            number, _ = six_branches(kind, first, dh, pose, near, size, work, thetas)
            for b in range(number):
                if sift(thetas[b], offset, sign, joints, slides, topology, constants, chain, tip, lower, upper, seed,
                        poses[m], tolerance, q, trial, ladder, jacobian, error, normal, step, moving, unbounded,
                        kind == POSITION) == 1:
                    insert_branch(q, seed, error, cost, solutions[m], residuals[m], m, counts)
            if counts[m] > before:
                break
    return 0


@kernel(
    INTEGER,
    INTEGER,
    MATRIX,
    MATRIX,
    TOPOLOGY,
    VECTOR,
    MATRIX,
    MATRIX,
    INDICES,
    INDICES,
    REAL,
    TOPOLOGY,
    MATRIX,
    INDICES,
    VECTOR,
    VECTOR,
    VECTOR,
    MATRIX,
    CUBE,
    VECTOR,
    OUT_CUBE,
    OUT_CUBE,
    OUT_INDICES,
    OUT_INDICES,
    OUT_INDICES,
)
def solve_small(
    pattern,
    axes,
    centers,
    plan,
    signs,
    groups,
    zero,
    joints,
    slides,
    size,
    topology,
    constants,
    chain,
    tip,
    lower,
    upper,
    seeds,
    poses,
    tolerance,
    solutions,
    residuals,
    counts,
    blocked,
    free,
):
    """The same for arms whose orientation decides first; see `orientation_first` for what describes them."""
    n = seeds.shape[1]
    k = joints.shape[0]
    thetas, near = np.empty((8, k)), np.empty(k)
    offset, sign = np.zeros(k), np.ones(k)
    q, trial, unbounded, cost = np.empty(n), np.empty(n), np.full(n, np.inf), np.empty(solutions.shape[1])
    ladder, jacobian, error = np.empty((chain.shape[0], 6)), np.empty((6, n)), np.empty(6)
    normal, step = np.empty((k, k)), np.empty((2, k))
    for m in range(poses.shape[0]):
        seed = seeds[m if seeds.shape[0] > 1 else 0]
        for i in range(k):
            near[i] = seed[joints[i]]
        number, free[m] = orientation_first(pattern, axes, centers, plan, signs, groups, zero, poses[m], near, size,
                                            thetas)
        counts[m] = 0
        blocked[m] = 0
        for b in range(number):
            legal = sift(thetas[b], offset, sign, joints, slides, topology, constants, chain, tip, lower, upper, seed,
                         poses[m], tolerance, q, trial, ladder, jacobian, error, normal, step, joints, unbounded, False)
            if legal == 1:
                insert_branch(q, seed, error, cost, solutions[m], residuals[m], m, counts)
            elif legal == -1:
                blocked[m] += 1
    return 0
