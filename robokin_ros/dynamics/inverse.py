"""Inverse dynamics and its parts: what torques a motion, gravity and velocity need."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import joint_rows, vector
from robokin_ros.kernels import newton_euler
from robokin_ros.model.joint_vector import refuse_non_finite
from robokin_ros.model.robot_model import RobotModel

STANDARD_GRAVITY = (0.0, 0.0, -9.81)
"""Gravity vector in base axes [m/s^2]."""
_NO_WRENCH = np.zeros(6)


def inverse_dynamics(model: RobotModel, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                     gravity: ArrayLike = STANDARD_GRAVITY,
                     tip_wrench: ArrayLike | None = None) -> NDArray[np.float64]:
    """Torques tau = M(q) qdd + V(q, qd) + G(q) + J^T F by iterative Newton-Euler, Craig (6.46)-(6.53).

    Parameters
    ----------
    q, qd, qdd
        Joint positions, rates and accelerations (..., n) [rad, m, s]; batches broadcast.
    gravity
        In base axes [m/s^2].
    tip_wrench
        Force [N] and moment [N m] that the hand exerts on the environment, at the tip in tip axes.

    Returns
    -------
    (..., n) [N m] or [N].
    """
    model.require_dynamics()
    shape, (positions, rates, accelerations) = joint_rows(model, q=q, qd=qd, qdd=qdd)
    body = -1
    wrench = _NO_WRENCH
    if tip_wrench is not None and len(model.chain):
        body = int(model.chain[-1])
        wrench = vector(tip_wrench, 6, 'tip_wrench')
    torque = np.empty(positions.shape)
    if not newton_euler.newton_euler_batch(
            model.topology, model.constants, model.rotor_inertia, positions, rates, accelerations,
            vector(gravity, 3, 'gravity'), body, model.tip_placement, wrench, torque):
        refuse_non_finite(model, q=positions, qd=rates, qdd=accelerations)
    return torque.reshape(shape)


def gravity_torque(model: RobotModel, q: ArrayLike, gravity: ArrayLike = STANDARD_GRAVITY) -> NDArray[np.float64]:
    """Torques G(q) that hold the arm still against gravity, (..., n) [N m] or [N]; Craig (6.59)."""
    model.require_dynamics()
    shape, (positions,) = joint_rows(model, q=q)
    torque = np.empty(positions.shape)
    if not newton_euler.gravity_torques(model.topology, model.constants, positions, vector(gravity, 3, 'gravity'),
                                        torque):
        refuse_non_finite(model, q=positions)
    return torque.reshape(shape)


def coriolis_torque(model: RobotModel, q: ArrayLike, qd: ArrayLike) -> NDArray[np.float64]:
    """Coriolis and centrifugal torques V(q, qd), (..., n) [N m] or [N]; Craig (6.59)."""
    return inverse_dynamics(model, q, qd, np.zeros(model.dof), gravity=(0.0, 0.0, 0.0))
