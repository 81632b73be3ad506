"""Inverse kinematics: `inverse_kinematics`, its results, and why a pose has none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.kernels.closed_form import BRANCHES
from robokin_ros.kernels.inverse import solve_from_starts
from robokin_ros.kinematics.arm_class import classify_arm
from robokin_ros.kinematics.branches import explain_limits, solve_branches, usable_poses
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import check_transform

POSITION_TOLERANCE = 1e-6
"""[m] every solution is checked against (KIN-01)."""
ORIENTATION_TOLERANCE = 1e-6
"""[rad] likewise."""
MERGE = 1e-4
"""Solutions closer than this in all joints are one [rad, m]."""
STARTS = 100
"""Random starts tried before a pose is called unreachable."""
STARTS_FOR_ALL = 200
"""Random starts from which the set of all solutions is gathered."""
STARTS_TO_EXPLAIN = 20
"""Starts from which the nearest miss of a pose is told that has no closed-form solution."""
UNLIMITED_RANGE = 2.0 * np.pi
"""Half-width of the random starts of a joint without limits."""


@dataclass(frozen=True)
class IkResult:
    """Solutions of one pose: status, reason, (k, n) solutions and (k, 2) residuals [m], [rad].

    With status SINGULAR the solutions are good, but `free_joints` could take any value (they have the seed's).
    """

    status: str
    reason: str
    solutions: NDArray[np.float64]
    residuals: NDArray[np.float64]
    free_joints: tuple[str, ...] = ()


@dataclass(frozen=True)
class IkBatch:
    """Solutions of m poses; rows beyond `counts` are NaN."""

    status: NDArray[np.str_]
    counts: NDArray[np.int64]
    solutions: NDArray[np.float64]
    residuals: NDArray[np.float64]


def inverse_kinematics(model: RobotModel, pose: ArrayLike, seed: ArrayLike | None = None,
                       all_solutions: bool = True) -> IkResult | IkBatch:
    """Joint vectors within limits that bring the tip to a pose.

    Arms with a closed form (`classify_arm`) get every branch, each joint at the whole turn nearest to the seed; others
    are searched numerically from many starts.

    Parameters
    ----------
    pose
        (4, 4) pose of the tip in the base, or (m, 4, 4) for a batch.
    seed
        Joint vector (n,) that solutions should be near to; default the middle of the limits. Joints that do
        not move the tip keep its value.
    all_solutions
        True: every solution, nearest to the seed first. False: the nearest only (numeric: the one found from the seed).

    Returns
    -------
    `IkResult` or `IkBatch`. Status OK, SINGULAR, UNREACHABLE, OFF_SUBSPACE, OUT_OF_LIMITS or BAD_INPUT; never NaN in
    a solution, never an exception for a pose that has none.
    """
    near = _seed(model, seed)
    try:
        poses = np.asarray(pose, dtype=float)
    except (TypeError, ValueError) as error:
        return _nothing(model, 'BAD_INPUT', f'The pose is not an array of numbers: {error}.')
    if poses.ndim == 3 and poses.shape[1:] == (4, 4):
        return _solve_batch(model, poses, near, all_solutions)
    return _solve(model, poses, near, all_solutions)


def _seed(model: RobotModel, seed: ArrayLike | None) -> NDArray[np.float64]:
    if seed is None:
        return model.middle()
    near = joint_array(model, seed, 'seed')
    if near.ndim != 1:
        raise InputError(f'The seed is one joint vector, got shape {near.shape}.', field='seed', value=near)
    refuse_non_finite(model, seed=near)
    return near


def _nothing(model: RobotModel, status: str, reason: str) -> IkResult:
    return IkResult(status, reason, np.empty((0, model.dof)), np.empty((0, 2)))


def _solve(model: RobotModel, pose: NDArray[np.float64], seed: NDArray[np.float64], every: bool) -> IkResult:
    if pose.shape != (4, 4):
        return _nothing(model, 'BAD_INPUT', f'A pose is a 4x4 matrix or a batch (m, 4, 4), got shape {pose.shape}.')
    try:
        target = check_transform(pose)
    except InputError as error:
        return _nothing(model, 'BAD_INPUT', str(error))
    arm = classify_arm(model)
    if arm.kind >= 0:
        found = solve_branches(model, arm, target[None], seed)
        count = int(found.counts[0]) if every else min(int(found.counts[0]), 1)
        if count:
            free = found.free_joints(0)
            reason = (f"Singular: {', '.join(free)} could have any value here; the seed's is kept." if free else '')
            return IkResult('SINGULAR' if free else 'OK', reason, found.solutions[0, :count],
                            found.residuals[0, :count], free)
        if found.blocked[0]:
            return _nothing(model, 'OUT_OF_LIMITS', explain_limits(model, arm, target, seed))
        return _explain(model, target, np.clip(seed, model.lower, model.upper), None)
    within = np.clip(seed, model.lower, model.upper)
    count = STARTS_FOR_ALL if every else STARTS
    number, solutions, residuals = _descend(model, target, within, count, count if every else 1, True)
    if number:
        _unwind(model, solutions[:number], seed)
        order = _distinct(solutions[:number], seed)
        return IkResult('OK', '', solutions[order], residuals[order])
    return _explain(model, target, within, residuals[0])


def _solve_batch(model: RobotModel, poses: NDArray[np.float64], seed: NDArray[np.float64], every: bool) -> IkBatch:
    """Batch results; arms with a closed form in one compiled call."""
    arm = classify_arm(model)
    if arm.kind < 0:
        results = [_solve(model, one, seed, every) for one in poses]
        return _stack(model, results)
    targets, good = usable_poses(poses)
    found = solve_branches(model, arm, targets, seed)
    counts = np.where(good, found.counts if every else np.minimum(found.counts, 1), 0)
    rows = np.arange(BRANCHES) >= counts[:, None]
    found.solutions[rows] = np.nan
    found.residuals[rows] = np.nan
    status = np.where(found.blocked > 0, 'OUT_OF_LIMITS', 'UNREACHABLE')
    status = np.where(counts > 0, np.where(found.free != 0, 'SINGULAR', 'OK'), status)
    widest = int(counts.max(initial=0))
    return IkBatch(np.where(good, status, 'BAD_INPUT'), counts, found.solutions[:, :widest],
                   found.residuals[:, :widest])


def _descend(model: RobotModel, target: NDArray[np.float64], seed: NDArray[np.float64], count: int, wanted: int,
             limited: bool) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """Run the kernel from the seed and `count` - 1 random starts (always the same ones)."""
    low = np.where(np.isfinite(model.lower), model.lower, -UNLIMITED_RANGE)
    high = np.where(np.isfinite(model.upper), model.upper, UNLIMITED_RANGE)
    starts = np.random.default_rng(1).uniform(low, high, (count, model.dof))
    starts[0] = seed
    moving = model.chain_joints
    fixed = np.setdiff1d(np.arange(model.dof), moving)
    starts[:, fixed] = seed[fixed]
    unlimited = np.full(model.dof, np.inf)
    solutions = np.empty((count, model.dof))
    residuals = np.full((count, 2), np.inf)
    found = solve_from_starts(
        model.topology, model.constants, model.chain, model.tip_placement, moving,
        model.lower if limited else -unlimited, model.upper if limited else unlimited, target, starts,
        np.array([POSITION_TOLERANCE, ORIENTATION_TOLERANCE]), wanted, solutions, residuals)
    return found, solutions, residuals


def _unwind(model: RobotModel, solutions: NDArray[np.float64], seed: NDArray[np.float64]) -> None:
    """Turn joints without limits back, in place, to the whole turn nearest to the seed (KIN-01)."""
    endless = np.isinf(model.lower) & np.isinf(model.upper) & (np.array(model.joint_types) != 'prismatic')
    turns = np.round((solutions[:, endless] - seed[endless]) / (2.0 * np.pi))
    solutions[:, endless] -= 2.0 * np.pi * turns


def _distinct(solutions: NDArray[np.float64], seed: NDArray[np.float64]) -> list[int]:
    """Indices of solutions that differ, nearest to the seed first."""
    kept: list[int] = []
    for index in np.argsort(np.linalg.norm(solutions - seed, axis=1), kind='stable'):
        if all(np.max(np.abs(solutions[index] - solutions[other]), initial=0.0) > MERGE for other in kept):
            kept.append(int(index))
    return kept


def _explain(model: RobotModel, target: NDArray[np.float64], seed: NDArray[np.float64],
             miss: NDArray[np.float64] | None) -> IkResult:
    """Why no solution was found, as far as a search can tell; `miss` None: nothing was searched yet."""
    starts = STARTS if miss is not None else STARTS_TO_EXPLAIN
    if miss is None:
        _, _, residuals = _descend(model, target, seed, starts, 1, True)
        miss = residuals[0]
    elif _descend(model, target, seed, starts, 1, False)[0]:
        return _nothing(model, 'OUT_OF_LIMITS', 'The pose can be reached, but not within the joint limits '
                        f'(nearest miss within them: {miss[0]:.4g} m, {miss[1]:.4g} rad).')
    nearest = f'nearest of {starts} searches: {miss[0]:.4g} m and {miss[1]:.4g} rad away'
    if len(model.chain_joints) < 6 and miss[0] <= POSITION_TOLERANCE:
        return _nothing(model, 'OFF_SUBSPACE', f'The position can be reached, but {len(model.chain_joints)} joints '
                        f'cannot give this orientation ({nearest}).')
    return _nothing(model, 'UNREACHABLE', f'No joint vector reaches the pose ({nearest}).')


def _stack(model: RobotModel, results: list[IkResult]) -> IkBatch:
    counts = np.array([len(result.solutions) for result in results], dtype=np.int64)
    widest = int(counts.max(initial=0))
    solutions = np.full((len(results), widest, model.dof), np.nan)
    residuals = np.full((len(results), widest, 2), np.nan)
    for i, result in enumerate(results):
        solutions[i, :counts[i]] = result.solutions
        residuals[i, :counts[i]] = result.residuals
    return IkBatch(np.array([result.status for result in results]), counts, solutions, residuals)
