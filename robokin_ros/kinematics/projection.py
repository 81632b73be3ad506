"""The nearest pose that an arm with few joints can take: position first, then orientation (KIN-23, KIN-28)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.kinematics.forward import forward_kinematics
from robokin_ros.kinematics.jacobian import jacobian
from robokin_ros.kinematics.numeric import random_starts
from robokin_ros.model.joint_vector import joint_array
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import check_transform, rotation_vector

Array = NDArray[np.float64]
STARTS = 16
STEPS = 80
LONGEST_STEP = 0.5
"""[rad], [m] of one joint."""


@dataclass(frozen=True)
class Projection:
    """Nearest pose (4, 4) of the arm, a joint vector that has it, distance [m] and angle [rad] given up."""

    pose: Array
    joints: Array
    distance: float
    angle: float


def project_pose(model: RobotModel, pose: ArrayLike, seed: ArrayLike | None = None) -> Projection:
    """The pose, without regard to joint limits, whose position is nearest, and of those the one turned least.

    Distance is Euclidean, turning is the angle of R_goal^T R_projected (KIN-08).
    """
    target = check_transform(pose)
    if not len(model.chain_joints):
        raise InputError(f"No joint moves tip '{model.tip}': there is nothing to project into.", field='tip')
    near = model.middle() if seed is None else joint_array(model, seed, 'seed')
    best = None
    for start in np.vstack((near, random_starts(model, STARTS))):
        q = near.copy()
        q[model.chain_joints] = start[model.chain_joints]
        found = _descend(model, target, q)
        if best is None or (round(found.distance, 7), found.angle) < (round(best.distance, 7), best.angle):
            best = found
    assert best is not None
    return best


def _descend(model: RobotModel, target: Array, q: Array) -> Projection:
    """Gauss-Newton with the orientation in the null space of the position."""
    linear, angular = _error(model, target, q)
    for _ in range(STEPS):
        matrix = jacobian(model, q)
        inverse = _pseudo_inverse(matrix[:3], matrix[:3])
        step = inverse @ linear
        rest = np.eye(model.dof) - inverse @ matrix[:3]
        step = step + _pseudo_inverse(matrix[3:] @ rest, matrix[3:]) @ (angular - matrix[3:] @ step)
        step *= min(1.0, LONGEST_STEP / max(float(np.max(np.abs(step))), 1e-300))
        size = (np.linalg.norm(linear), np.linalg.norm(angular))
        while True:
            trial = q + step
            new_linear, new_angular = _error(model, target, trial)
            worse = np.linalg.norm(new_linear) > 0.9 * size[0] + 1e-9 and np.linalg.norm(new_angular) > size[1] + 1e-12
            if not worse or np.max(np.abs(step)) < 1e-10:
                break
            step *= 0.5
        q, linear, angular = trial, new_linear, new_angular
        if np.max(np.abs(step)) < 1e-10:
            break
    return Projection(forward_kinematics(model, q), q, float(np.linalg.norm(linear)), float(np.linalg.norm(angular)))


def _pseudo_inverse(matrix: Array, scale: Array) -> Array:
    """Pseudo-inverse without singular values that are nothing beside the size of `scale`."""
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    keep = values > 1e-6 * max(float(np.linalg.norm(scale)), 1e-300)
    return np.asarray((right[keep].T / values[keep]) @ left[:, keep].T)


def _error(model: RobotModel, target: Array, q: Array) -> tuple[Array, Array]:
    reached = forward_kinematics(model, q)
    return target[:3, 3] - reached[:3, 3], rotation_vector(target[:3, :3] @ reached[:3, :3].T)
