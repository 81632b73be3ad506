"""Velocities of all links, and the Jacobian derived in three independent ways (VEL-04, VEL-07)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.kernels.rates import body_velocities
from robokin_ros.kinematics.forward import forward_kinematics
from robokin_ros.kinematics.jacobian import jacobian
from robokin_ros.kinematics.statics import static_forces
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import invert_transform, make_transform, rotation_vector, transform_twist
from robokin_ros.spatial.rotation import finite

Array = NDArray[np.float64]


def link_velocities(model: RobotModel, q: ArrayLike, qd: ArrayLike, base_twist: ArrayLike = (0.0,) * 6) -> Array:
    """Twists (bodies, 6) of all bodies in their own axes at their own origins, Craig (5.45)-(5.48).

    `base_twist` is that of the base in its own axes. Bodies are those of `model.body_names`.
    """
    joints, rates = joint_array(model, q), joint_array(model, qd, 'qd')
    twists = np.empty((len(model.topology), 6))
    if not body_velocities(
        model.topology, model.constants, joints, rates, finite(base_twist, 'base_twist', (6,)), twists
    ):
        refuse_non_finite(model, q=joints, qd=rates)
    return twists


def tip_velocity(model: RobotModel, q: ArrayLike, qd: ArrayLike, base_twist: ArrayLike = (0.0,) * 6) -> Array:
    """Twist (6,) of the tip in its own axes, by propagation from link to link."""
    tip = make_transform(model.tip_placement[:9].reshape(3, 3), model.tip_placement[9:])
    carrier = link_velocities(model, q, qd, base_twist)[model.chain[-1]] if len(model.chain) else finite(
        base_twist, 'base_twist', (6,))
    return transform_twist(invert_transform(tip), carrier)


def verify_jacobian(model: RobotModel, q: ArrayLike, step: float = 1e-6) -> float:
    """Largest difference between the Jacobian in tip axes and three other derivations of it.

    They are: velocities propagated with unit joint rates, static forces of unit wrenches, and differences of the
    forward kinematics (accurate to about `step`).
    """
    joints = joint_array(model, q)
    matrix = jacobian(model, joints, 'tip')
    pose = forward_kinematics(model, joints)
    worst = 0.0
    for i, rates in enumerate(np.eye(model.dof)):
        worst = max(worst, float(np.max(np.abs(matrix[:, i] - tip_velocity(model, joints, rates)))))
        ahead, behind = (forward_kinematics(model, joints + sign * step * rates) for sign in (1.0, -1.0))
        moved = np.concatenate((pose[:3, :3].T @ (ahead[:3, 3] - behind[:3, 3]),
                                rotation_vector(behind[:3, :3].T @ ahead[:3, :3]))) / (2.0 * step)
        worst = max(worst, float(np.max(np.abs(matrix[:, i] - moved))))
    for i, wrench in enumerate(np.eye(6)):
        worst = max(worst, float(np.max(np.abs(matrix[i] - static_forces(model, joints, wrench).torques), initial=0.0)))
    return worst
