"""Forward kinematics: where the tip, or any link, is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.kernels.packed_chain import pose_call
from robokin_ros.kernels.pose_lanes import tip_pose_batch
from robokin_ros.kernels.poses import body_poses
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel


def forward_kinematics(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Pose of the tip in the base, Craig (3.8).

    Parameters
    ----------
    q
        Joint vectors (..., n) [rad] or [m].

    Returns
    -------
    (..., 4, 4) homogeneous transforms.
    """
    try:
        pose = model.calls['pose'](q)
    except KeyError:
        model.calls['pose'] = pose_call(model)
        return forward_kinematics(model, q)
    if pose is not None:
        return pose
    joints = joint_array(model, q)  # refuses a wrong length
    flat = joints.reshape(math.prod(joints.shape[:-1]), model.dof)
    pose = np.empty((len(flat), 4, 4))
    if not tip_pose_batch(model.topology, model.constants, model.chain, model.tip_placement, flat, pose):
        refuse_non_finite(model, q=joints)
    return pose.reshape(*joints.shape[:-1], 4, 4)


def frame_poses(model: RobotModel, q: ArrayLike, frames: Sequence[str] | None = None) -> NDArray[np.float64]:
    """Poses in the base of the named links (all links by default) for one joint vector, (k, 4, 4)."""
    joints = joint_array(model, q)
    if joints.ndim != 1:
        raise InputError(f'frame_poses takes one joint vector, got shape {joints.shape}.', field='q', value=q)
    names = model.frame_names if frames is None else frames
    for name in names:
        if name not in model.frame_index:
            raise UnknownNameError('frame', name, model.frame_names)
    index = [model.frame_index[name] for name in names]
    bodies = np.empty((len(model.topology) + 1, 12))
    bodies[-1] = (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)
    if not body_poses(model.topology, model.constants, joints, bodies[:-1]):
        refuse_non_finite(model, q=joints)
    carrier = bodies[model.frame_bodies[index]]
    placed = model.frame_placements[index]
    rotation = carrier[:, :9].reshape(-1, 3, 3)
    result = np.zeros((len(index), 4, 4))
    result[:, :3, :3] = rotation @ placed[:, :9].reshape(-1, 3, 3)
    result[:, :3, 3] = np.einsum('kij,kj->ki', rotation, placed[:, 9:]) + carrier[:, 9:]
    result[:, 3, 3] = 1.0
    return result
