"""Forward dynamics: how the arm accelerates under given torques."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import joint_rows, vector
from robokin_ros.dynamics.inverse import STANDARD_GRAVITY, inverse_dynamics
from robokin_ros.dynamics.mass import mass_matrix
from robokin_ros.errors import NoDynamicsError
from robokin_ros.kernels.articulated import NOT_FINITE, OK, forward_dynamics_batch
from robokin_ros.model.joint_vector import refuse_non_finite
from robokin_ros.model.robot_model import RobotModel


def forward_dynamics(model: RobotModel, q: ArrayLike, qd: ArrayLike, tau: ArrayLike,
                     gravity: ArrayLike = STANDARD_GRAVITY) -> NDArray[np.float64]:
    """Joint accelerations, O(n), by Vereshchagin's method of separate bodies (DYN-18).

    Joints that mimic another couple bodies beyond the tree: such models are solved with the mass matrix.

    Parameters
    ----------
    q, qd, tau
        Positions, rates [rad, m, s] and torques [N m] or [N], (..., n); batches broadcast.
    gravity
        In base axes [m/s^2].

    Returns
    -------
    (..., n) [rad/s^2] or [m/s^2].
    """
    model.require_dynamics()
    shape, (positions, rates, torques) = joint_rows(model, q=q, qd=qd, tau=tau)
    if len(model.topology) != model.dof:
        refuse_non_finite(model, q=positions, qd=rates, tau=torques)
        bias = inverse_dynamics(model, positions, rates, np.zeros(model.dof), gravity)
        solved = np.linalg.solve(mass_matrix(model, positions), (torques - bias)[..., None])
        return np.asarray(solved[..., 0].reshape(shape))
    accelerations = np.empty(positions.shape)
    code = forward_dynamics_batch(model.topology, model.constants, model.rotor_inertia, positions, rates, torques,
                                  vector(gravity, 3, 'gravity'), accelerations)
    if code == NOT_FINITE:
        refuse_non_finite(model, q=positions, qd=rates, tau=torques)
    if code != OK:
        joint = model.joint_names[model.topology[code - 1, 2]]
        raise NoDynamicsError(f"Joint '{joint}' has no inertia to accelerate (link '{model.body_names[code - 1]}').",
                              element=joint)
    return accelerations.reshape(shape)
