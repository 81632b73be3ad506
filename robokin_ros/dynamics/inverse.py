"""Inverse dynamics and its parts: what torques a motion, gravity and velocity need."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import joint_rows, refuse_rows, vector
from robokin_ros.dynamics.wrenches import outer_loads
from robokin_ros.kernels.direct_dynamics import gravity_call, inverse_call
from robokin_ros.kernels.newton_euler_lanes import gravity_torques, newton_euler_batch
from robokin_ros.kinematics.threads import in_parts
from robokin_ros.model.robot_model import RobotModel

STANDARD_GRAVITY = (0.0, 0.0, -9.81)
"""Gravity vector in base axes [m/s^2]."""


def inverse_dynamics(model: RobotModel, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                     gravity: ArrayLike = STANDARD_GRAVITY, tip_wrench: ArrayLike | None = None,
                     external_wrenches: Mapping[str, ArrayLike] | None = None,
                     threads: int | None = 1) -> NDArray[np.float64]:
    """Torques tau = M(q) qdd + V(q, qd) + G(q) + J^T F by iterative Newton-Euler, Craig (6.46)-(6.53).

    Parameters
    ----------
    q, qd, qdd
        Joint positions, rates and accelerations (..., n) [rad, m, s]; batches broadcast.
    gravity
        In base axes [m/s^2].
    tip_wrench
        Force [N] and moment [N m] that the hand exerts on the environment, at the tip in tip axes.
    external_wrenches
        By name of a link: force [N] and moment [N m] that the environment exerts on it, at its origin in its axes.
    threads
        Of a large batch; None: one per core.

    Returns
    -------
    (..., n) [N m] or [N].
    """
    if gravity is STANDARD_GRAVITY and tip_wrench is None and external_wrenches is None:
        try:
            torque = model.calls['inverse dynamics'](q, qd, qdd)
        except KeyError:
            model.require_dynamics()
            model.calls['inverse dynamics'] = inverse_call(model, np.array(STANDARD_GRAVITY))
            return inverse_dynamics(model, q, qd, qdd, threads=threads)
        if torque is not None:
            return torque
    return _torques(model, q, qd, qdd, gravity, tip_wrench, external_wrenches, threads)


def _torques(model: RobotModel, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, gravity: ArrayLike,
             tip_wrench: ArrayLike | None, external_wrenches: Mapping[str, ArrayLike] | None,
             threads: int | None) -> NDArray[np.float64]:
    """The general way: any shape, checked, batches over lanes and threads."""
    model.require_dynamics()
    shape, (positions, rates, accelerations) = joint_rows(model, q=q, qd=qd, qdd=qdd)
    torque, down = np.empty(positions.shape), vector(gravity, 3, 'gravity')
    loads = outer_loads(model, tip_wrench, external_wrenches)

    def work(part: slice) -> None:
        if not newton_euler_batch(model.topology, model.constants, model.rotor_inertia, positions[part], rates[part],
                                  accelerations[part], down, loads, torque[part]):
            refuse_rows(model, shape, q=positions, qd=rates, qdd=accelerations)

    in_parts(len(positions), threads, work)
    return torque.reshape(shape)


def gravity_torque(model: RobotModel, q: ArrayLike, gravity: ArrayLike = STANDARD_GRAVITY,
                   threads: int | None = 1) -> NDArray[np.float64]:
    """Torques G(q) that hold the arm still against gravity, (..., n) [N m] or [N]; Craig (6.59)."""
    if gravity is STANDARD_GRAVITY:
        try:
            torque = model.calls['gravity'](q)
        except KeyError:
            model.require_dynamics()
            model.calls['gravity'] = gravity_call(model, np.array(STANDARD_GRAVITY))
            return gravity_torque(model, q, threads=threads)
        if torque is not None:
            return torque
    return _gravity_torques(model, q, gravity, threads)


def _gravity_torques(model: RobotModel, q: ArrayLike, gravity: ArrayLike, threads: int | None) -> NDArray[np.float64]:
    """The general way."""
    model.require_dynamics()
    shape, (positions,) = joint_rows(model, q=q)
    torque, down = np.empty(positions.shape), vector(gravity, 3, 'gravity')

    def work(part: slice) -> None:
        if not gravity_torques(model.topology, model.constants, positions[part], down, torque[part]):
            refuse_rows(model, shape, q=positions)

    in_parts(len(positions), threads, work)
    return torque.reshape(shape)


def coriolis_torque(model: RobotModel, q: ArrayLike, qd: ArrayLike) -> NDArray[np.float64]:
    """Coriolis and centrifugal torques V(q, qd), (..., n) [N m] or [N]; Craig (6.59)."""
    return inverse_dynamics(model, q, qd, np.zeros(model.dof), gravity=(0.0, 0.0, 0.0))
