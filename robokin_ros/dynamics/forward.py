"""Forward dynamics: how the arm accelerates under given torques."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import joint_rows, refuse_rows, solve_mass, vector
from robokin_ros.dynamics.inverse import STANDARD_GRAVITY, inverse_dynamics
from robokin_ros.dynamics.mass import mass_matrix
from robokin_ros.dynamics.wrenches import outer_loads
from robokin_ros.errors import NoDynamicsError
from robokin_ros.kernels.articulated import NOT_FINITE, OK
from robokin_ros.kernels.articulated_lanes import forward_dynamics_batch
from robokin_ros.kernels.direct_dynamics import forward_call
from robokin_ros.kinematics.threads import in_parts
from robokin_ros.model.robot_model import RobotModel


def forward_dynamics(model: RobotModel, q: ArrayLike, qd: ArrayLike, tau: ArrayLike,
                     gravity: ArrayLike = STANDARD_GRAVITY, tip_wrench: ArrayLike | None = None,
                     external_wrenches: Mapping[str, ArrayLike] | None = None,
                     threads: int | None = 1) -> NDArray[np.float64]:
    """Joint accelerations, O(n), by Vereshchagin's method of separate bodies (DYN-18).

    Joints that mimic another couple bodies beyond the tree: such models are solved with the mass matrix.

    Parameters
    ----------
    q, qd, tau
        Positions, rates [rad, m, s] and torques [N m] or [N], (..., n); batches broadcast.
    gravity
        In base axes [m/s^2].
    tip_wrench, external_wrenches, threads
        As for `inverse_dynamics`.

    Returns
    -------
    (..., n) [rad/s^2] or [m/s^2].
    """
    if gravity is STANDARD_GRAVITY and tip_wrench is None and external_wrenches is None:
        try:
            acceleration = model.calls['forward dynamics'](q, qd, tau)
        except KeyError:
            model.require_dynamics()
            model.calls['forward dynamics'] = forward_call(model, np.array(STANDARD_GRAVITY))
            return forward_dynamics(model, q, qd, tau, threads=threads)
        if acceleration is not None:
            return acceleration
    return _accelerations(model, q, qd, tau, gravity, tip_wrench, external_wrenches, threads)


def _accelerations(model: RobotModel, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, gravity: ArrayLike,
                   tip_wrench: ArrayLike | None, external_wrenches: Mapping[str, ArrayLike] | None,
                   threads: int | None) -> NDArray[np.float64]:
    """The general way: any shape, checked, batches over lanes and threads."""
    model.require_dynamics()
    shape, (positions, rates, torques) = joint_rows(model, q=q, qd=qd, tau=tau)
    if len(model.topology) != model.dof:
        refuse_rows(model, shape, q=positions, qd=rates, tau=torques)
        bias = inverse_dynamics(model, positions, rates, np.zeros(model.dof), gravity, tip_wrench, external_wrenches)
        solved = solve_mass(model, mass_matrix(model, positions), (torques - bias)[..., None])
        return solved[..., 0].reshape(shape)
    accelerations, down = np.empty(positions.shape), vector(gravity, 3, 'gravity')
    loads = outer_loads(model, tip_wrench, external_wrenches)

    def work(part: slice) -> None:
        code = forward_dynamics_batch(model.topology, model.constants, model.rotor_inertia, positions[part],
                                      rates[part], torques[part], down, loads, accelerations[part])
        if code == NOT_FINITE:
            refuse_rows(model, shape, q=positions, qd=rates, tau=torques)
        if code != OK:
            joint = model.joint_names[model.topology[code - 1, 2]]
            raise NoDynamicsError(
                f"Joint '{joint}' has no inertia to accelerate (link '{model.body_names[code - 1]}').", element=joint)

    in_parts(len(positions), threads, work)
    return accelerations.reshape(shape)
