"""Accuracy and repeatability of an arm that is not quite what its controller believes (KIN-31)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.kinematics.forward import forward_kinematics
from robokin_ros.kinematics.ik_result import IkResult
from robokin_ros.kinematics.inverse import inverse_kinematics
from robokin_ros.model.joint_vector import joint_array
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import rotation_vector

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PoseErrors:
    """Errors of N trials: vectors (N, 3) [m], angles (N,) [rad], and the statistics of their lengths."""

    vectors: Array
    angles: Array

    @property
    def distances(self) -> Array:
        """(N,) [m]."""
        return np.asarray(np.linalg.norm(self.vectors, axis=-1))

    @property
    def mean(self) -> float:
        """[m]."""
        return float(np.mean(self.distances))

    @property
    def largest(self) -> float:
        """[m]."""
        return float(np.max(self.distances))

    @property
    def deviation(self) -> float:
        """Standard deviation [m]."""
        return float(np.std(self.distances))


def computed_point_error(nominal: RobotModel, actual: RobotModel, goals: ArrayLike, seed: ArrayLike | None = None,
                         joint_noise: float = 0.0, random_seed: int = 0) -> PoseErrors:
    """Accuracy: errors at Cartesian goals (..., 4, 4) that the controller solves with its nominal model.

    InputError names the first goal that the nominal arm cannot reach. `joint_noise` [rad] is a standard deviation.
    """
    poses = np.asarray(goals, dtype=float).reshape(-1, 4, 4)
    joints = []
    for i, pose in enumerate(poses):
        result = inverse_kinematics(nominal, pose, seed, all_solutions=False)
        assert isinstance(result, IkResult)
        if not len(result.solutions):
            raise InputError(f'Goal {i} cannot be solved with the nominal model: {result.status}. {result.reason}',
                             field='goals', value=pose)
        joints.append(result.solutions[0])
    return _errors(actual, poses, np.array(joints), joint_noise, random_seed)


def taught_point_error(actual: RobotModel, taught: ArrayLike, trials: int = 30, joint_noise: float = 0.0,
                       random_seed: int = 0) -> PoseErrors:
    """Repeatability: errors of returning to a taught joint vector (n,), with noise [rad] of the joints."""
    joints = np.tile(joint_array(actual, taught), (trials, 1))
    return _errors(actual, forward_kinematics(actual, joints), joints, joint_noise, random_seed)


def _errors(actual: RobotModel, poses: Array, joints: Array, noise: float, seed: int) -> PoseErrors:
    if not 0.0 <= noise < np.inf:
        raise InputError(f'joint_noise is {noise} rad; it must not be negative.', field='joint_noise', value=noise)
    moved = joints + np.random.default_rng(seed).normal(0.0, 1.0, joints.shape) * noise
    reached = forward_kinematics(actual, moved)
    turns = rotation_vector(np.swapaxes(poses[:, :3, :3], -1, -2) @ reached[:, :3, :3])
    return PoseErrors(reached[:, :3, 3] - poses[:, :3, 3], np.asarray(np.linalg.norm(turns, axis=-1)))
