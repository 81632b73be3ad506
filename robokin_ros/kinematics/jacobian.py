"""Jacobian of any point of any link, expressed in any frame (VEL-05), and its change along a motion (VEL-08)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.kernels.packed_chain import jacobian_call
from robokin_ros.kernels.pose_lanes import tip_jacobian_batch, tip_pose_batch
from robokin_ros.kernels.rates import jacobian_derivative_batch
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial.rotation import finite

Array = NDArray[np.float64]


def jacobian(model: RobotModel, q: ArrayLike, frame: str = 'base', link: str | None = None,
             point: ArrayLike | None = None) -> Array:
    """Jacobian: twist = J(q) qd, Craig (5.64).

    Parameters
    ----------
    q
        Joint vectors (..., n) [rad] or [m].
    frame
        Axes of the rows: 'base', 'tip' (the link's own axes), or the name of a link. It does not change the point.
    link
        Link whose twist is meant; default the tip.
    point
        Point of the link whose velocity is meant, in the link's frame [m]; default its origin.

    Returns
    -------
    (..., 6, n), rows linear x y z then angular x y z.
    """
    if frame == 'base' and link is None and point is None:
        try:
            result = model.calls['jacobian'](q)
        except KeyError:
            model.calls['jacobian'] = jacobian_call(model)
            return jacobian(model, q)
        if result is not None:
            return result
    joints = joint_array(model, q)  # refuses a wrong length
    chain, placement = model.chain_to(model.tip if link is None else link)
    if point is not None:
        placement = shifted(placement, point)
    own_axes = frame in ('tip', link)
    flat = joints.reshape(math.prod(joints.shape[:-1]), model.dof)
    result = np.empty((len(flat), 6, model.dof))
    if not tip_jacobian_batch(model.topology, model.constants, chain, placement, flat, own_axes, result):
        refuse_non_finite(model, q=joints)
    result = result.reshape(*joints.shape[:-1], 6, model.dof)
    if not own_axes and frame not in ('base', model.base):
        return _in_axes_of(model, joints, frame, result)
    return result


def shifted(placement: Array, point: ArrayLike) -> Array:
    """Placement (12 numbers) of a frame moved to a point given in it."""
    offset = finite(point, 'point', (3,))
    if offset.ndim != 1:
        raise InputError(f'A point is three numbers, got shape {offset.shape}.', field='point', value=point)
    moved = placement.copy()
    moved[9:] += placement[:9].reshape(3, 3) @ offset
    return moved


def frame_rotation(model: RobotModel, joints: Array, frame: str) -> Array:
    """Rotations (..., 3, 3) of a link in the base."""
    if frame not in model.frame_index:
        raise UnknownNameError('frame', frame, ('base', 'tip', *model.frame_names))
    chain, placement = model.chain_to(frame)
    flat = np.ascontiguousarray(joints.reshape(-1, model.dof))
    pose = np.empty((len(flat), 4, 4))
    tip_pose_batch(model.topology, model.constants, chain, placement, flat, pose)
    return pose[:, :3, :3].reshape(*joints.shape[:-1], 3, 3)


def _in_axes_of(model: RobotModel, joints: Array, frame: str, matrix: Array) -> Array:
    """Rows of a Jacobian in base axes, expressed in the axes of a link: Craig (5.71)."""
    rotation = np.swapaxes(frame_rotation(model, joints, frame), -1, -2)
    return np.concatenate((rotation @ matrix[..., :3, :], rotation @ matrix[..., 3:, :]), axis=-2)


def jacobian_derivative(model: RobotModel, q: ArrayLike, qd: ArrayLike, link: str | None = None,
                        point: ArrayLike | None = None) -> Array:
    """Time derivative (..., 6, n) of the Jacobian in base axes, for joint vectors and rates (..., n)."""
    joints, rates = np.broadcast_arrays(joint_array(model, q), joint_array(model, qd, 'qd'))
    chain, placement = model.chain_to(model.tip if link is None else link)
    if point is not None:
        placement = shifted(placement, point)
    flat = [np.ascontiguousarray(values).reshape(-1, model.dof) for values in (joints, rates)]
    result = np.empty((len(flat[0]), 6, model.dof))
    if not jacobian_derivative_batch(model.topology, model.constants, chain, placement, *flat, result):
        refuse_non_finite(model, q=joints, qd=rates)
    return result.reshape(*joints.shape[:-1], 6, model.dof)


def bias_acceleration(model: RobotModel, q: ArrayLike, qd: ArrayLike, link: str | None = None,
                      point: ArrayLike | None = None) -> Array:
    """Acceleration Jdot qd (..., 6) in base axes without joint accelerations: xdd = J qdd + Jdot qd; Craig (6.96)."""
    rates = joint_array(model, qd, 'qd')
    return np.asarray(np.einsum('...ij,...j->...i', jacobian_derivative(model, q, rates, link, point), rates))
