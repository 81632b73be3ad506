"""Calling the closed-form solvers: all branches of many poses, and which joints stand in the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robokin_ros.kernels.closed_form import BRANCHES, solve_closed_form
from robokin_ros.kinematics.arm_class import ArmClass
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import nearest_rotation, orthonormality_defect
from robokin_ros.spatial.rotation import ORTHONORMAL_ACCEPT, ORTHONORMAL_STRICT

Array = NDArray[np.float64]
TOLERANCE = np.array([1e-6, 1e-6])
"""[m], [rad] every branch is checked against by forward kinematics (KIN-01)."""


@dataclass
class Branches:
    """Branches of m poses: (m, 8, n) solutions, (m, 8, 2) residuals, rows beyond `counts` undefined.

    `blocked` counts branches that break a limit; `free` has a bit for each joint of the chain that is free.
    """

    solutions: Array
    residuals: Array
    counts: NDArray[np.int64]
    blocked: NDArray[np.int64]
    free: NDArray[np.int64]
    joint_names: tuple[str, ...]

    def free_joints(self, pose: int) -> tuple[str, ...]:
        """Names of the free joints of a pose."""
        return tuple(name for bit, name in enumerate(self.joint_names) if self.free[pose] >> bit & 1)


def solve_branches(model: RobotModel, arm: ArmClass, poses: Array, seed: Array, limited: bool = True) -> Branches:
    """Every branch of valid poses (m, 4, 4), within limits or not."""
    assert arm.chain is not None
    number = len(poses)
    solutions, residuals = np.empty((number, BRANCHES, model.dof)), np.empty((number, BRANCHES, 2))
    counts, blocked, free = (np.empty(number, dtype=np.int64) for _ in range(3))
    endless = np.full(model.dof, np.inf)
    chain = arm.chain
    solve_closed_form(arm.kind, arm.table, chain.theta, chain.sign, chain.joints, arm.to_base, arm.to_flange, arm.size,
                      model.topology, model.constants, model.chain, model.tip_placement,
                      model.lower if limited else -endless, model.upper if limited else endless, seed,
                      np.ascontiguousarray(poses), TOLERANCE, solutions, residuals, counts, blocked, free)
    return Branches(solutions, residuals, counts, blocked, free, tuple(model.joint_names[i] for i in chain.joints))


def explain_limits(model: RobotModel, arm: ArmClass, pose: Array, seed: Array) -> str:
    """Sentence that names the joint that blocks each branch."""
    found = solve_branches(model, arm, pose[None], seed, limited=False)
    blockers = []
    for q in found.solutions[0, :found.counts[0]]:
        images = q[:, None] + 2.0 * np.pi * np.arange(-2, 3)
        legal = np.any((images >= model.lower[:, None]) & (images <= model.upper[:, None]), axis=1)
        joint = int(np.argmin(legal))
        blockers.append(f'{model.joint_names[joint]} at {q[joint]:.4f} (limits {model.lower[joint]:.4f} to '
                        f'{model.upper[joint]:.4f})')
    return f"{len(blockers)} branches reach the pose, none within the joint limits: {'; '.join(blockers)}."


def usable_poses(poses: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Poses (m, 4, 4) with rounded rotations repaired, and which of them are poses; the others become the identity."""
    good = np.all(np.isfinite(poses), axis=(1, 2))
    targets = np.where(good[:, None, None], poses, np.eye(4))
    good &= np.max(np.abs(targets[:, 3] - (0.0, 0.0, 0.0, 1.0)), axis=1) <= 1e-9
    rotation = targets[:, :3, :3]
    defect = orthonormality_defect(rotation)
    good &= (defect <= ORTHONORMAL_ACCEPT) & (np.linalg.det(rotation) > 0.0)
    rounded = good & (defect > ORTHONORMAL_STRICT)
    if np.any(rounded):
        targets[rounded, :3, :3] = nearest_rotation(rotation[rounded])
    targets[~good] = np.eye(4)
    return targets, good
