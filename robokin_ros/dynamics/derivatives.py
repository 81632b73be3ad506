"""Derivatives of inverse and forward dynamics with respect to positions and rates."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import joint_rows, refuse_rows, solve_mass, vector
from robokin_ros.dynamics.forward import forward_dynamics
from robokin_ros.dynamics.inverse import STANDARD_GRAVITY
from robokin_ros.dynamics.mass import mass_matrix
from robokin_ros.dynamics.wrenches import outer_loads
from robokin_ros.kernels.derivatives import inverse_dynamics_derivatives as derivatives
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


def inverse_dynamics_derivatives(
        model: RobotModel, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, gravity: ArrayLike = STANDARD_GRAVITY,
        tip_wrench: ArrayLike | None = None,
        external_wrenches: Mapping[str, ArrayLike] | None = None) -> tuple[Array, Array, Array]:
    """D tau / d q, d tau / d qd and d tau / d qdd = M, each (..., n, n); analytical.

    Arguments as for `inverse_dynamics`; wrenches turn with the links they are given in.
    """
    model.require_dynamics()
    shape, (positions, rates, accelerations) = joint_rows(model, q=q, qd=qd, qdd=qdd)
    by_position, by_rate = np.empty((2, *positions.shape, model.dof))
    if not derivatives(model.topology, model.constants, positions, rates, accelerations, vector(gravity, 3, 'gravity'),
                       outer_loads(model, tip_wrench, external_wrenches), by_position, by_rate):
        refuse_rows(model, shape, q=positions, qd=rates, qdd=accelerations)
    full = (*shape, model.dof)
    return by_position.reshape(full), by_rate.reshape(full), mass_matrix(model, positions).reshape(full)


def forward_dynamics_derivatives(
        model: RobotModel, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, gravity: ArrayLike = STANDARD_GRAVITY,
        tip_wrench: ArrayLike | None = None,
        external_wrenches: Mapping[str, ArrayLike] | None = None) -> tuple[Array, Array, Array]:
    """D qdd / d q, d qdd / d qd and d qdd / d tau = M^-1, each (..., n, n).

    From those of inverse dynamics at the acceleration that the torques give: d qdd = -M^-1 d tau.
    """
    acceleration = forward_dynamics(model, q, qd, tau, gravity, tip_wrench, external_wrenches)
    by_position, by_rate, mass = inverse_dynamics_derivatives(model, q, qd, acceleration, gravity, tip_wrench,
                                                              external_wrenches)
    inverse = solve_mass(model, mass, np.broadcast_to(np.eye(model.dof), mass.shape))
    return -inverse @ by_position, -inverse @ by_rate, inverse
