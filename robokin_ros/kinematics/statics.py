"""Static forces: joint torques of a wrench at the tip, what every joint carries, and back (VEL-11, VEL-12).

Wrenches are what the hand exerts on the environment, force first [N, N m].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.kernels.poses import body_poses
from robokin_ros.kinematics.jacobian import jacobian
from robokin_ros.kinematics.singularity import SINGULAR, arm_reach, task_rows
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import make_transform, transform_wrench
from robokin_ros.spatial.rotation import finite

Array = NDArray[np.float64]


def joint_torques(model: RobotModel, q: ArrayLike, wrench: ArrayLike, frame: str = 'tip') -> Array:
    """Torques (..., n) that hold a tip wrench (..., 6) given in `frame` axes at the tip: J^T F, Craig (5.96)."""
    return np.asarray(np.einsum('...ij,...i->...j', jacobian(model, q, frame), finite(wrench, 'wrench', (6,))))


@dataclass(frozen=True)
class StaticForces:
    """Wrench (k, 6) that each joint of the chain carries, in the frame of its body, and torques (n,)."""

    wrenches: Array
    torques: Array


def static_forces(model: RobotModel, q: ArrayLike, wrench: ArrayLike) -> StaticForces:
    """Forces and moments from the tip to the base, Craig (5.80)-(5.83); links without weight.

    Parameters
    ----------
    wrench
        (6,) at the tip, in tip axes.
    """
    joints, carried = joint_array(model, q), finite(wrench, 'wrench', (6,))
    bodies = np.empty((len(model.topology), 12))
    if not body_poses(model.topology, model.constants, joints, bodies):
        refuse_non_finite(model, q=joints)
    frames = [make_transform(row[:9].reshape(3, 3), row[9:]) for row in bodies[model.chain]]
    link = make_transform(model.tip_placement[:9].reshape(3, 3), model.tip_placement[9:])
    wrenches, torques = np.zeros((len(frames), 6)), np.zeros(model.dof)
    for i in range(len(frames) - 1, -1, -1):
        carried = transform_wrench(link, carried)
        wrenches[i] = carried
        body = int(model.chain[i])
        slides = model.topology[body, 1] == 1
        torques[model.topology[body, 2]] += model.constants[body, 22] * carried[2 if slides else 5]
        if i:
            link = np.linalg.inv(frames[i - 1]) @ frames[i]
    return StaticForces(wrenches, torques)


def tip_wrench(model: RobotModel, q: ArrayLike, torques: ArrayLike, frame: str = 'tip',
               rows: tuple[int, ...] = (0, 1, 2, 3, 4, 5)) -> Array:
    """Wrench (6,) at the tip that joint torques (n,) exert, F = J^-T tau; only `rows` of it are not zero.

    InputError where the Jacobian of these rows is not square or singular: there torques do not tell the wrench.
    """
    tau = joint_array(model, torques, 'torques')
    chosen, columns = task_rows(rows), model.chain_joints
    matrix = jacobian(model, q, frame)[chosen][:, columns]
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f'{len(columns)} torques tell as many components of a wrench, not {len(chosen)}: name the rows.',
            field='rows',
            value=chosen,
        )
    scale = np.where(np.array(chosen) < 3, 1.0, arm_reach(model))
    values = np.linalg.svd(scale[:, None] * matrix, compute_uv=False)
    if values[-1] < SINGULAR * values[0]:
        raise InputError('The arm is singular here: some wrenches need no torque, so torques do not tell the wrench '
                         f'(ratio of singular values {values[-1] / max(values[0], 1e-300):.3g}, limit {SINGULAR:g}).',
                         field='q', value=q)
    wrench = np.zeros(6)
    wrench[chosen] = np.linalg.solve(matrix.T, tau[columns])
    return wrench
