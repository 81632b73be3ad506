"""Numeric inverse kinematics: Levenberg-Marquardt within joint limits, from many starts, with secondary objectives.

A task says what of the pose matters: row 0 the weight of each axis (0: free), row 1 how far off it may be. Its axes are
those of the wanted pose: linear x y z, then rotations about x y z.
"""

from __future__ import annotations

import math

import numpy as np

from robokin_ros.kernels.damped_step import damped_step, solve_spd
from robokin_ros.kernels.jit import (
    CUBE,
    INDICES,
    INTEGER,
    MATRIX,
    OUT_CUBE,
    OUT_INDICES,
    OUT_MATRIX,
    REAL,
    TOPOLOGY,
    VECTOR,
    kernel,
    part,
)
from robokin_ros.kernels.objectives import NO_OBJECTIVE, SEED, joint_cost
from robokin_ros.kernels.pose_error import error_size, orientation_part, pose_error, position_part
from robokin_ros.kernels.poses import chain_frames, frames_jacobian, pose_and_jacobian
from robokin_ros.kernels.solution_list import insert_branch, nearest_image

__all__ = ['FULL_TASK', 'improve_solutions', 'solve_numeric']

FULL_TASK = np.array([[1.0] * 6, [0.0] * 6])
"""All six axes, exactly."""
POSITION_TASK = np.array([[1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [0.0] * 6])
"""The position alone."""
DAMPING = 0.05
"""Damping of the first step, in units of the squared error, and the least one."""
LESS_DAMPING, MORE_DAMPING = 0.3, 4.0
"""Factors of the damping after a step that was taken, and after one that was not."""
BOLD_STEPS = 20
"""First steps of a start that are taken even where they raise the error: few are wasted, some lead out of a valley."""
WINDOW, HOPELESS = 8, 0.5
"""A start whose squared error does not fall to this share within so many steps is given up for the next one."""
LAST_CHANCE = 10
"""How many times more steps the nearest miss gets, which lies where the arm is stretched or at a limit."""
OBJECTIVE_STEPS = 40
PATIENCE = 60
"""Starts without a new solution after which the set is taken as complete."""


@part
def is_full(task):
    """Whether a task asks for the whole pose, exactly."""
    off = 0.0
    for i in range(6):
        off += abs(task[0, i] - 1.0) + task[1, i]
    return off == 0.0


@part
def task_error(target, task, error):
    """Express an error in the axes of the target, and take off what the task leaves free."""
    for first in (0, 3):
        x, y, z = error[first], error[first + 1], error[first + 2]
        for i in range(3):
            value = target[0, i] * x + target[1, i] * y + target[2, i] * z
            slack = task[1, first + i]
            if slack > 0.0:
                value = math.copysign(max(abs(value) - slack, 0.0), value)
            error[first + i] = task[0, first + i] * value


@part
def task_jacobian(target, task, error, jacobian):
    """Express a Jacobian in the axes of the target, without the rows that the task leaves free at this error."""
    for first in (0, 3):
        for column in range(jacobian.shape[1]):
            x, y, z = jacobian[first, column], jacobian[first + 1, column], jacobian[first + 2, column]
            for i in range(3):
                weight = task[0, first + i]
                if task[1, first + i] > 0.0 and error[first + i] == 0.0:
                    weight = 0.0
                jacobian[first + i, column] = weight * (target[0, i] * x + target[1, i] * y + target[2, i] * z)


@part
def measure(topology, constants, chain, tip, target, task, full, q, work, jacobian, error):
    """Error of q and its Jacobian."""
    pose_error(pose_and_jacobian(topology, constants, chain, tip, q, work, jacobian), target, error)
    if not full:
        task_error(target, task, error)
        task_jacobian(target, task, error, jacobian)


@part
def approach(topology, constants, chain, tip, joints, lower, upper, target, q, trial, work, jacobian, error,
             normal, step, task, polished, iterations, bold, window):
    """Improve `q` in place until it is polished, stuck, hopeless, or out of steps; `error` is that of `q`.

    Damping after Chan: proportional to the squared error; rejected steps raise it. The first `bold` steps are never
    rejected. Hopeless is a start whose error has hardly fallen within `window` steps (0: never).
    """
    n = q.shape[0]
    full = is_full(task)
    measure(topology, constants, chain, tip, target, task, full, q, work, jacobian, error)
    size_now = size_before = error_size(error)
    damping = DAMPING
    for count in range(1, iterations + 1):
        if position_part(error) < polished and orientation_part(error) < polished:
            return
        e = (error[0], error[1], error[2], error[3], error[4], error[5])
        used = damped_step(joints, lower, upper, q, jacobian, e, damping * size_now + 1e-12, normal, step)
        if used == 0:
            return
        for i in range(n):
            trial[i] = q[i]
        moved = 0.0
        for a in range(used):
            column = int(step[1, a])
            value = min(max(q[column] + step[0, a], lower[column]), upper[column])
            moved = max(moved, abs(value - q[column]))
            trial[column] = value
        pose = chain_frames(topology, constants, chain, tip, trial, work)
        pose_error(pose, target, error)
        if not full:
            task_error(target, task, error)
        size_next = error_size(error)
        if size_next < size_now or count <= bold:
            settled = 0.999999 * size_now < size_next <= size_now and size_now > 1e-16
            for i in range(n):
                q[i] = trial[i]
            size_now = size_next
            damping = max(damping * LESS_DAMPING, DAMPING)
            if settled or moved < 1e-15:
                return
            frames_jacobian(topology, constants, chain, pose, work, jacobian)
            if not full:
                task_jacobian(target, task, error, jacobian)
        else:  # the Jacobian is still that of q
            error[0], error[1], error[2], error[3], error[4], error[5] = e
            damping *= MORE_DAMPING
            if damping * size_now > 1e6 or moved < 1e-15:
                return
        if window > 0 and count % window == 0:
            if size_now > HOPELESS * size_before:
                return
            size_before = size_now


@part
def descend(topology, constants, chain, tip, joints, lower, upper, target, q, trial, work, jacobian, error,
            normal, step, task, polished, iterations):
    """Improve `q` in place until it is polished, stuck, or out of steps, never uphill; `error` is that of `q`."""
    approach(topology, constants, chain, tip, joints, lower, upper, target, q, trial, work, jacobian, error,
             normal, step, task, polished, iterations, 0, 0)


@part
def improve(objective, topology, constants, chain, tip, joints, lower, upper, target, seed, q, trial, work, jacobian,
            error, normal, step, task, polished, tolerance):
    """Use what the task leaves free to lessen the objective: steps along the null space, each led back to the task."""
    size = joints.shape[0]
    full = is_full(task)
    wide = np.empty((max(size, 6), max(size, 6)))
    gradient, direction, dual, moved = np.empty(size), np.empty(size), np.empty(6), np.empty(q.shape[0])
    cost = joint_cost(objective, topology, constants, chain, tip, joints, lower, upper, seed, q, work, jacobian, wide)
    length = 1.0
    for _ in range(OBJECTIVE_STEPS):
        for a in range(size):
            j = joints[a]
            h = 1e-5
            kept = q[j]
            q[j] = kept + h
            above = joint_cost(objective, topology, constants, chain, tip, joints, lower, upper, seed, q, work,
                               jacobian, wide)
            q[j] = kept - h
            below = joint_cost(objective, topology, constants, chain, tip, joints, lower, upper, seed, q, work,
                               jacobian, wide)
            q[j] = kept
            gradient[a] = (above - below) / (2.0 * h)
        measure(topology, constants, chain, tip, target, task, full, q, work, jacobian, error)
        for a in range(6):
            total = 0.0
            for k in range(size):
                total += jacobian[a, joints[k]] * gradient[k]
            dual[a] = total
            for b in range(a + 1):
                total = 0.0
                for k in range(size):
                    total += jacobian[a, joints[k]] * jacobian[b, joints[k]]
                wide[a, b] = total
            wide[a, a] += 1e-12
        if not solve_spd(wide, dual, 6):
            return
        biggest = 0.0
        for a in range(size):
            total = gradient[a]
            for i in range(6):
                total -= jacobian[i, joints[a]] * dual[i]
            j = joints[a]
            if (total > 0.0 and q[j] <= lower[j]) or (total < 0.0 and q[j] >= upper[j]):
                total = 0.0
            direction[a] = -0.5 * total
            biggest = max(biggest, abs(direction[a]))
        if biggest < 1e-7:
            return
        length = min(length * 2.0, 0.5 / biggest, 1.0 if objective == SEED else 0.5 / biggest)
        better = False
        for _ in range(8):
            for i in range(q.shape[0]):
                moved[i] = q[i]
            for a in range(size):
                j = joints[a]
                moved[j] = min(max(q[j] + length * direction[a], lower[j]), upper[j])
            descend(topology, constants, chain, tip, joints, lower, upper, target, moved, trial, work, jacobian, error,
                    normal, step, task, polished, 12)
            if position_part(error) <= tolerance[0] and orientation_part(error) <= tolerance[1]:
                value = joint_cost(objective, topology, constants, chain, tip, joints, lower, upper, seed, moved, work,
                                   jacobian, wide)
                if value < cost - 1e-10 * abs(cost):
                    gain = cost - value
                    cost = value
                    for i in range(q.shape[0]):
                        q[i] = moved[i]
                    better = gain > 1e-9 * max(abs(cost), 1e-6)
                    break
            length *= 0.35
        if not better:
            return


@kernel(INTEGER, TOPOLOGY, MATRIX, INDICES, VECTOR, INDICES, INDICES, VECTOR, VECTOR, CUBE, MATRIX, MATRIX, MATRIX,
        VECTOR, REAL, INTEGER, INTEGER, INTEGER, OUT_CUBE, OUT_CUBE, OUT_INDICES, OUT_MATRIX)
def solve_numeric(topology, constants, chain, tip, joints, turning, lower, upper, poses, seeds, starts, task, tolerance,
                  polished, iterations, wanted, objective, solutions, residuals, counts, miss):
    """Up to `wanted` solutions of each of (m, 4, 4) poses, nearest to the seed first; 0.

    Searches from the seed (`seeds`: one row, or one per pose) and then from each row of `starts`, which must lie within
    the limits; if nothing is found, goes on patiently from the nearest miss. `joints` may move; `turning` ones may be
    given whole turns. `miss` (m, 2) is the best that was reached where there is no solution.
    """
    n = seeds.shape[1]
    size = joints.shape[0]
    work, jacobian, error = np.empty((chain.shape[0], 6)), np.empty((6, n)), np.empty(6)
    normal, step = np.empty((size, size)), np.empty((2, size))
    trial, q, nearest, cost = np.empty(n), np.empty(n), np.empty(n), np.empty(solutions.shape[1])
    last = starts.shape[0] + 1
    for m in range(poses.shape[0]):
        seed = seeds[m if seeds.shape[0] > 1 else 0]
        counts[m] = 0
        best = np.inf
        fruitless = 0
        for s in range(last + 1):
            if s == last and counts[m] > 0:
                break
            for i in range(n):
                q[i] = seed[i] if s < last or best == np.inf else nearest[i]
            for a in range(size):
                j = joints[a]
                if s == 0:
                    q[j] = min(max(seed[j], lower[j]), upper[j])
                elif s < last:
                    q[j] = starts[s - 1, j]
            approach(topology, constants, chain, tip, joints, lower, upper, poses[m], q, trial, work, jacobian, error,
                     normal, step, task, polished, iterations if s < last else LAST_CHANCE * iterations,
                     BOLD_STEPS if s < last else 0, WINDOW if s < last else 0)
            if not (position_part(error) <= tolerance[0] and orientation_part(error) <= tolerance[1]):
                if counts[m] == 0 and error_size(error) < best:
                    best = error_size(error)
                    miss[m, 0], miss[m, 1] = position_part(error), orientation_part(error)
                    for i in range(n):
                        nearest[i] = q[i]
                fruitless += 1
            else:
                if objective != NO_OBJECTIVE:
                    improve(objective, topology, constants, chain, tip, joints, lower, upper, poses[m], seed, q, trial,
                            work, jacobian, error, normal, step, task, polished, tolerance)
                    measure(topology, constants, chain, tip, poses[m], task, is_full(task), q, work, jacobian, error)
                for a in range(turning.shape[0]):
                    j = turning[a]
                    q[j] = nearest_image(q[j], seed[j], lower[j], upper[j])
                before = counts[m]
                insert_branch(q, seed, error, cost, solutions[m], residuals[m], m, counts)
                fruitless = 0 if counts[m] > before else fruitless + 1
                if counts[m] >= wanted:
                    break
            if counts[m] > 0 and fruitless > PATIENCE:
                break
    return 0


@kernel(INTEGER, TOPOLOGY, MATRIX, INDICES, VECTOR, INDICES, VECTOR, VECTOR, MATRIX, VECTOR, MATRIX, VECTOR, REAL,
        INTEGER, OUT_MATRIX, OUT_MATRIX)
def improve_solutions(topology, constants, chain, tip, joints, lower, upper, pose, seed, task, tolerance, polished,
                      objective, solutions, residuals):
    """Lead solutions (k, n) of a pose, in place, along the null space to the best value of the objective; 0."""
    n, size = seed.shape[0], joints.shape[0]
    work, jacobian, error = np.empty((chain.shape[0], 6)), np.empty((6, n)), np.empty(6)
    normal, step, trial = np.empty((size, size)), np.empty((2, size)), np.empty(n)
    for k in range(solutions.shape[0]):
        if objective != NO_OBJECTIVE:
            improve(objective, topology, constants, chain, tip, joints, lower, upper, pose, seed, solutions[k], trial,
                    work, jacobian, error, normal, step, task, polished, tolerance)
        measure(topology, constants, chain, tip, pose, task, is_full(task), solutions[k], work, jacobian, error)
        residuals[k, 0], residuals[k, 1] = position_part(error), orientation_part(error)
    return 0
