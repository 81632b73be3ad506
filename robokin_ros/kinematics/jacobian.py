"""Jacobian of the tip and what is read off it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import UnknownNameError
from robokin_ros.kernels import poses
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel

FRAMES = ('base', 'tip')


def jacobian(model: RobotModel, q: ArrayLike, frame: str = 'base') -> NDArray[np.float64]:
    """Jacobian of the tip: twist = J(q) qd, Craig (5.64).

    Parameters
    ----------
    q
        Joint vectors (..., n) [rad] or [m].
    frame
        Axes of the rows: 'base' or 'tip'. The twist is that of the tip's origin in both.

    Returns
    -------
    (..., 6, n), rows linear x y z then angular x y z.
    """
    if frame not in FRAMES:
        raise UnknownNameError('Jacobian frame', frame, FRAMES)
    joints = joint_array(model, q)
    if joints.ndim == 1:
        result = np.empty((6, model.dof))
        done = poses.tip_jacobian(model.topology, model.constants, model.chain, model.tip_placement, joints,
                                  frame == 'tip', result)
    else:
        flat = joints.reshape(math.prod(joints.shape[:-1]), model.dof)
        result = np.empty((len(flat), 6, model.dof))
        done = poses.tip_jacobian_batch(model.topology, model.constants, model.chain, model.tip_placement, flat,
                                        frame == 'tip', result)
        result = result.reshape(*joints.shape[:-1], 6, model.dof)
    if not done:
        refuse_non_finite(model, q=joints)
    return result


def manipulability(matrix: NDArray[np.float64]) -> float:
    """Product of the singular values of a Jacobian: Yoshikawa's sqrt(det(J J^T)), or of J^T J if n < 6."""
    return float(np.prod(np.linalg.svd(matrix, compute_uv=False)))
