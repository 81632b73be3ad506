"""Why a pose has no solution, and by how much: limits, the subspace of a small arm, or reach (KIN-01)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from robokin_ros.kinematics.arm_class import ArmClass
from robokin_ros.kinematics.branches import solve_branches
from robokin_ros.kinematics.forward import forward_kinematics
from robokin_ros.kinematics.ik_options import IkOptions
from robokin_ros.kinematics.ik_result import IkResult, nothing
from robokin_ros.kinematics.jacobian import jacobian
from robokin_ros.kinematics.numeric import NumericSearch, random_starts
from robokin_ros.kinematics.projection import project_pose
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import rotation_vector, skew

Array = NDArray[np.float64]
STARTS = 20
"""Starts from which a pose is sought beyond the limits."""


def explain(model: RobotModel, arm: ArmClass | None, target: Array, seeds: Array, options: IkOptions, blocked: int,
            miss: Array) -> IkResult:
    """Status and reason of a pose that has no solution.

    `blocked` counts branches in closed form that break limits; `miss` [m, rad] is the nearest that a search came.
    """
    method = 'numeric' if arm is None else arm.name
    if blocked and arm is not None:
        return nothing(model, 'OUT_OF_LIMITS', _blockers(model, arm, target, seeds, options, blocked), method)
    search = replace(options, objective='none', starts=STARTS)
    missed = f'the nearest that was found is {miss[0]:.4g} m and {miss[1]:.4g} rad away'
    if arm is None and NumericSearch(model, target[None], seeds, search, 1, limited=False).counts[0]:
        return nothing(model, 'OUT_OF_LIMITS', 'Without the joint limits the pose can be reached; within them no '
                       f'solution was found: {missed}.', method)
    if options.whole_pose and 0 < len(model.chain_joints) < 6:
        outside = _outside_subspace(model, target)
        if outside:
            return nothing(model, 'OFF_SUBSPACE', outside, method)
    verdict = 'No joint vector reaches the pose' if arm is not None and arm.exact else 'No joint vector was found'
    return nothing(model, 'UNREACHABLE', f'{verdict}: {missed}.', method)


def _blockers(model: RobotModel, arm: ArmClass, target: Array, seeds: Array, options: IkOptions, blocked: int) -> str:
    """Sentence that names the joint that blocks each branch."""
    if arm.lock >= 0:
        return f'{blocked} branches reach the pose, none within the joint limits.'
    found = solve_branches(model, arm, target[None], seeds, options.tolerance, limited=False)
    blockers = []
    for q in found.solutions[0, :found.counts[0]]:
        images = q[:, None] + 2.0 * np.pi * np.arange(-2, 3)
        legal = (images >= model.lower[:, None]) & (images <= model.upper[:, None])
        sliding = np.array(model.joint_types) == 'prismatic'
        legal[sliding, :2] = legal[sliding, 3:] = False
        legal[np.setdiff1d(np.arange(model.dof), model.chain_joints)] = True
        joint = int(np.argmin(np.any(legal, axis=1)))
        blockers.append(f'{model.joint_names[joint]} at {q[joint]:.4f} (limits {model.lower[joint]:.4f} to '
                        f'{model.upper[joint]:.4f})')
    return f"{len(blockers)} branches reach the pose, none within the joint limits: {'; '.join(blockers)}."


def _outside_subspace(model: RobotModel, target: Array) -> str:
    """How far a pose is from all that a small arm could take if it were large enough; '' if it is not."""
    number = len(model.chain_joints)
    nearest = project_pose(model, target)
    # directions that the arm has somewhere, as twists of the base's origin: displacements in them are a matter of reach
    twists = np.hstack([_spatial(model, q) for q in random_starts(model, 6)])
    basis, sizes, _ = np.linalg.svd(twists)
    basis = basis[:, :int(np.sum(sizes > 1e-9 * sizes[0]))]
    turn = rotation_vector(target[:3, :3] @ nearest.pose[:3, :3].T)
    moved = np.concatenate((target[:3, 3] - nearest.pose[:3, 3] - np.cross(turn, nearest.pose[:3, 3]), turn))
    outside = moved - basis @ (basis.T @ moved)
    if nearest.distance <= 1e-6 and nearest.angle > 1e-6:
        return (f'{number} joints reach the position, but not this orientation: the nearest is {nearest.angle:.4g} rad '
                'away. Option project takes it.')
    if np.linalg.norm(outside) > 1e-6:
        return (
            f'{number} joints cannot take this pose, however long the arm: the nearest is {nearest.distance:.4g} m and '
            f'{nearest.angle:.4g} rad away. Option project takes it.'
        )
    return ''


def _spatial(model: RobotModel, q: Array) -> Array:
    """Jacobian of the point of the tip's body that is at the base's origin."""
    matrix = jacobian(model, q)
    return np.vstack((matrix[:3] + skew(forward_kinematics(model, q)[:3, 3]) @ matrix[3:], matrix[3:]))
