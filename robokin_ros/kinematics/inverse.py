"""Inverse kinematics: `inverse_kinematics` chooses the solver and words the result."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.kernels.closed_form import BRANCHES
from robokin_ros.kernels.direct_inverse import HEAD
from robokin_ros.kernels.poses import is_pose
from robokin_ros.kinematics.arm_class import ArmClass, classify_arm
from robokin_ros.kinematics.branches import (
    DirectSolver,
    direct_solver,
    free_joint_values,
    solve_branches,
    solve_with_free_joint,
)
from robokin_ros.kinematics.explain import explain
from robokin_ros.kinematics.ik_options import DEFAULT, IkOptions
from robokin_ros.kinematics.ik_result import IkBatch, IkResult, limit_margins, nothing, solved
from robokin_ros.kinematics.numeric import MOST_SOLUTIONS, NumericSearch, improve
from robokin_ros.kinematics.position import position_arm
from robokin_ros.kinematics.projection import project_pose
from robokin_ros.kinematics.selection import all_images, joint_distance
from robokin_ros.kinematics.usable_poses import usable_poses
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import check_transform
from robokin_ros.spatial.rotation import ORTHONORMAL_STRICT

Array = NDArray[np.float64]
FINER = 6
"""How many times more values of the free joint are tried where the usual ones give nothing."""
REFINED = 6
"""Sampled solutions of a redundant arm, nearest to the seed, that are led along the null space."""
FARTHEST = 1e6
"""Coordinate [m] beyond which no arm is asked, and joint value [rad], [m] beyond which no seed is taken."""
TIGHT = 1e-5
"""[m], [rad] up to which closed forms need no search for near misses."""
LAST_LOOK = 20
"""Random starts of the search that has the last word before a pose is called unreachable."""


def inverse_kinematics(model: RobotModel, pose: ArrayLike, seed: ArrayLike | None = None, all_solutions: bool = True,
                       options: IkOptions | None = None) -> IkResult | IkBatch:
    """Joint vectors within limits that bring the tip to a pose.

    Arms with a closed form (`classify_arm`) get every branch; those with seven joints every branch at each of many
    values of their free joint; others are searched numerically from many starts.

    Parameters
    ----------
    pose
        (4, 4) pose of the tip in the base, or (m, 4, 4) for a batch.
    seed
        Joint vector (n,) that solutions should be near to; for a batch also (m, n). Default the middle of the limits.
        Joints that do not move the tip keep its value.
    all_solutions
        True: every solution, nearest to the seed first. False: the nearest only (numeric: the one found from the seed).
    options
        Tolerances, method, objective, selection: `IkOptions`.

    Returns
    -------
    `IkResult` or `IkBatch`. Never NaN in a solution, never an exception for a pose that has none.
    """
    wishes = DEFAULT if options is None else options
    if wishes is DEFAULT:
        solver = direct_solver(model)
        row = solver.of_matrix(pose, model.usual_seed if seed is None else seed)
        if row is not None:
            return _result_of_row(model, solver, row, int(row[0]) if all_solutions else 1)
    try:
        poses = np.asarray(pose, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        return nothing(model, 'BAD_INPUT', f'The pose is not an array of numbers: {error}.')
    batch = poses.ndim == 3 and poses.shape[1:] == (4, 4)
    seeds = _seeds(model, seed, len(poses) if batch else 1)
    arm = _solver(model, wishes)
    if batch:
        return _solve_batch(model, arm, poses, seeds, all_solutions, wishes)
    return _solve(model, arm, poses, seeds, all_solutions, wishes)


def _result_of_row(model: RobotModel, solver: DirectSolver, row: Array, kept: int) -> IkResult:
    """Result of a direct call, its nearest solutions."""
    n = model.dof
    residuals, margins = HEAD + BRANCHES * n, HEAD + BRANCHES * (n + 2)
    free = solver.free_joints(row) if row[2] else ()
    return IkResult('SINGULAR' if free else 'OK', _freedom(free), row[HEAD:HEAD + kept * n].reshape(kept, n),
                    row[residuals:residuals + 2 * kept].reshape(kept, 2), row[margins:margins + kept], free,
                    solver.name)


def _seeds(model: RobotModel, seed: ArrayLike | None, poses: int) -> Array:
    """Seeds (1, n) or (m, n)."""
    if seed is None:
        return model.middle()[None]
    near = joint_array(model, seed, 'seed')
    if near.ndim > 2 or (near.ndim == 2 and len(near) != poses):
        raise InputError(
            f'The seed is one joint vector, or one per pose ({poses}), got shape {near.shape}.',
            field='seed',
            value=near,
        )
    if not np.abs(near).max(initial=0.0) <= FARTHEST:
        refuse_non_finite(model, seed=near)
        largest = near.ravel()[np.argmax(np.abs(near))]
        raise InputError(f'The seed has the value {largest:.3g}; {FARTHEST:g} is the most.', field='seed', value=near)
    return near.reshape(-1, model.dof)


def _solver(model: RobotModel, options: IkOptions) -> ArmClass | None:
    """Class of the arm that gives the closed form to use; None: search numerically."""
    if options.method == 'numeric':
        return None
    if options.whole_pose:
        arm = classify_arm(model)
    elif options.position_only and options.tolerances is None:
        arm = position_arm(model)
    else:
        arm = ArmClass('numeric', 'Free or wide axes of the pose are searched numerically.')
    if arm.closed_form:
        return arm
    if options.method == 'closed_form':
        raise InputError(f'There is no closed form: {arm.reason}', field='method', value=options.method)
    return None


def _solve(model: RobotModel, arm: ArmClass | None, pose: Array, seeds: Array, every: bool,
           options: IkOptions) -> IkResult:
    if pose.shape != (4, 4):
        return nothing(model, 'BAD_INPUT', f'A pose is a 4x4 matrix or a batch (m, 4, 4), got shape {pose.shape}.')
    target = np.ascontiguousarray(pose)
    if not is_pose(target, ORTHONORMAL_STRICT):
        try:
            target = check_transform(pose)
        except InputError as error:
            return nothing(model, 'BAD_INPUT', str(error))
    away = max(abs(target.item(3)), abs(target.item(7)), abs(target.item(11)))
    if away > FARTHEST:
        return nothing(model, 'UNREACHABLE', f'The position is {away:.3g} m away.')
    if arm is None:
        result = _search(model, target, seeds, every, options)
    elif arm.lock >= 0:
        result = _solve_redundant(model, arm, target, seeds, every, options)
    else:
        result = _solve_closed(model, arm, target, seeds, every, options)
    if result.status in ('OFF_SUBSPACE', 'UNREACHABLE') and options.project and 0 < len(model.chain_joints) < 6:
        return _solve_projected(model, target, seeds, every, options)
    if len(result.solutions) and _selects(options):
        return _select(model, result, seeds[0], every, options)
    return result


def _solve_closed(model: RobotModel, arm: ArmClass, target: Array, seeds: Array, every: bool,
                  options: IkOptions) -> IkResult:
    found = solve_branches(model, arm, target[None], seeds, options.tolerance)
    count = int(found.counts[0])
    if not count:
        return _without_branches(model, arm, target, seeds, every, options, int(found.blocked[0]))
    free = found.free_joints(model, 0) if found.free[0] else ()
    kept = count if every or _selects(options) else 1
    return solved(
        model,
        'SINGULAR' if free else 'OK',
        _freedom(free),
        found.solutions[0, :kept],
        found.residuals[0, :kept],
        free,
        arm.name,
    )


def _freedom(free: tuple[str, ...]) -> str:
    """What a singular pose leaves free."""
    if not free:
        return ''
    if len(free) == 1:
        return f"Singular: {free[0]} could have any value here; the seed's is kept."
    return (f"Singular: {' and '.join(free)} are free together, only their sum or difference is fixed; {free[0]} has "
            "the seed's value, or the nearest within limits.")


def _solve_redundant(model: RobotModel, arm: ArmClass, target: Array, seeds: Array, every: bool,
                     options: IkOptions) -> IkResult:
    """Every branch at many values of the free joint; the nearest ones led along the null space to the best."""
    assert arm.chain is not None
    wish = replace(options, objective=options.objective or 'seed')
    if arm.searches and not every and not _selects(options):
        return _search(model, target, seeds, every, wish)
    for samples in (options.samples, FINER * options.samples):
        values = free_joint_values(model, arm, seeds, samples)
        found = solve_with_free_joint(model, arm, target[None], seeds, values, BRANCHES * values.shape[1],
                                      options.tolerance)
        if found.counts[0]:
            break
    count = int(found.counts[0])
    if not count:
        return _without_branches(model, arm, target, seeds, every, options, int(found.blocked[0]))
    solutions, residuals = found.solutions[0, :count], found.residuals[0, :count]
    refined, rest = solutions[:REFINED].copy(), residuals[:REFINED].copy()
    improve(model, target, seeds[0], wish, refined, rest)
    best = int(np.argmin(joint_distance(refined, seeds[0]))) if wish.objective == 'seed' else 0
    refined, rest = refined[best:best + 1], rest[best:best + 1]
    if every or _selects(options):
        apart = np.max(np.abs(solutions - refined), axis=1) > 1e-6
        solutions, residuals = np.vstack((refined, solutions[apart])), np.vstack((rest, residuals[apart]))
    else:
        solutions, residuals = refined, rest
    free = (model.joint_names[int(arm.chain.joints[arm.lock])],)
    reason = f'Redundant: solved at {values.shape[1]} values of {free[0]}.' if every else ''
    return solved(model, 'OK', reason, solutions, residuals, free, arm.name)


def _without_branches(model: RobotModel, arm: ArmClass, target: Array, seeds: Array, every: bool, options: IkOptions,
                      blocked: int) -> IkResult:
    """Last look at a pose without branches: a near miss may be within wide tolerances, a free joint between samples."""
    starts = LAST_LOOK if arm.exact else max(options.starts, LAST_LOOK)
    look = NumericSearch(model, target[None], seeds, replace(options, objective='none', starts=starts), 1)
    if look.counts[0] and options.method != 'closed_form':
        return _search(model, target, seeds, every, options)
    return explain(model, arm, target, seeds, options, blocked, look.miss[0])


def _search(model: RobotModel, target: Array, seeds: Array, every: bool, options: IkOptions) -> IkResult:
    found = NumericSearch(model, target[None], seeds, options, MOST_SOLUTIONS if every or _selects(options) else 1)
    count = int(found.counts[0])
    if not count:
        return explain(model, None, target, seeds, options, 0, found.miss[0])
    return solved(model, 'OK', '', found.solutions[0, :count], found.residuals[0, :count], (), 'numeric')


def _solve_projected(model: RobotModel, target: Array, seeds: Array, every: bool, options: IkOptions) -> IkResult:
    """Solutions of the nearest pose in the subspace of a small arm (KIN-23)."""
    nearest = project_pose(model, target, seeds[0])
    result = inverse_kinematics(model, nearest.pose, seeds[0], every, replace(options, project=False))
    assert isinstance(result, IkResult)
    reason = (f'Projected into the subspace of the arm: {nearest.distance:.4g} m and {nearest.angle:.4g} rad given up. '
              + result.reason).strip()
    return replace(result, reason=reason, projected=nearest.pose, given_up=(nearest.distance, nearest.angle))


def _selects(options: IkOptions) -> bool:
    """Whether the nearest solution can only be told when all are known."""
    return options.images == 'all' or options.weights is not None or options.norm != 'euclidean'


def _select(model: RobotModel, result: IkResult, seed: Array, every: bool, options: IkOptions) -> IkResult:
    """Images within limits, sorted by the distance that was asked for."""
    solutions, residuals = result.solutions, result.residuals
    if options.images == 'all':
        solutions, origin = all_images(model, solutions)
        residuals = residuals[origin]
    order = np.argsort(joint_distance(solutions, seed, options.weights, options.norm), kind='stable')
    order = order if every else order[:1]
    return replace(result, solutions=solutions[order], residuals=residuals[order],
                   limit_margins=limit_margins(model, solutions[order]))


def _solve_batch(model: RobotModel, arm: ArmClass | None, poses: Array, seeds: Array, every: bool,
                 options: IkOptions) -> IkBatch:
    """Results of many poses in one compiled call."""
    if _selects(options) or options.project or (arm is not None and options.objective not in (None, 'none')):
        raise InputError('A batch gives each branch once, sorted by Euclidean distance to the seed: ask for images, '
                         'weights, norms, projections or objectives of closed forms pose by pose.', field='options')
    targets, good = usable_poses(poses)
    blocked = free = np.zeros(len(poses), dtype=np.int64)
    if arm is None:
        search = NumericSearch(model, targets, seeds, options, MOST_SOLUTIONS if every else 1)
        solutions, residuals, counts = search.solutions, search.residuals, search.counts
    elif arm.lock >= 0:
        values = free_joint_values(model, arm, seeds, options.samples)
        found = solve_with_free_joint(model, arm, targets, seeds, values, BRANCHES * values.shape[1],
                                      options.tolerance, options.threads)
        solutions, residuals, counts, blocked = found.solutions, found.residuals, found.counts, found.blocked
    else:
        found = solve_branches(model, arm, targets, seeds, options.tolerance, threads=options.threads)
        solutions, residuals, counts, blocked, free = (found.solutions, found.residuals, found.counts, found.blocked,
                                                       found.free)
    lacking = np.flatnonzero((counts == 0) & good)
    widened = max(options.position_tolerance, options.orientation_tolerance) > TIGHT
    if arm is not None and (widened or not arm.exact) and len(lacking) and options.method != 'closed_form':
        last = NumericSearch(model, targets[lacking], seeds[lacking] if len(seeds) > 1 else seeds,
                             replace(options, objective='none', starts=LAST_LOOK), 1)
        solutions[lacking, 0], residuals[lacking, 0] = last.solutions[:, 0], last.residuals[:, 0]
        counts[lacking] = last.counts
        free = np.where(counts > 0, free, 0)
        free[lacking] = 0
    counts = np.where(good, counts if every else np.minimum(counts, 1), 0)
    widest = int(counts.max(initial=0))
    solutions, residuals = solutions[:, :widest], residuals[:, :widest]
    rows = np.arange(widest) >= counts[:, None]
    solutions[rows] = np.nan
    residuals[rows] = np.nan
    status = np.where(counts > 0, np.where(free != 0, 'SINGULAR', 'OK'), np.where(blocked > 0, 'OUT_OF_LIMITS',
                                                                                  'UNREACHABLE'))
    return IkBatch(np.where(good, status, 'BAD_INPUT'), counts, solutions, residuals,
                   'numeric' if arm is None else arm.name)
