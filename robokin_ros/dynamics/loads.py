"""What every body goes through in a motion: velocities, accelerations, and the forces in its joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import joint_rows, vector
from robokin_ros.dynamics.inverse import STANDARD_GRAVITY
from robokin_ros.dynamics.wrenches import outer_loads
from robokin_ros.errors import InputError
from robokin_ros.kernels.newton_euler import WORK, newton_euler
from robokin_ros.model.joint_vector import refuse_non_finite
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import newton_euler_of_body

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BodyLoads:
    """Quantities of the Newton-Euler recursion, (bodies, 3) each in body axes; Craig (6.45)-(6.53).

    Attributes
    ----------
    angular_velocity, angular_acceleration
        w [rad/s], wdot [rad/s^2].
    acceleration, center_acceleration
        Of the origin and of the mass centre [m/s^2], gravity included as an acceleration of the base upwards.
    inertial_force, inertial_moment
        F [N] and N [N m] about the mass centre.
    force, moment
        f [N] and n [N m]: what the parent exerts on the body through the joint, at the body's origin.
    torque
        (n,) joint torques [N m] or forces [N].
    """

    angular_velocity: Array
    angular_acceleration: Array
    acceleration: Array
    center_acceleration: Array
    inertial_force: Array
    inertial_moment: Array
    force: Array
    moment: Array
    torque: Array


def body_loads(model: RobotModel, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, gravity: ArrayLike = STANDARD_GRAVITY,
               tip_wrench: ArrayLike | None = None,
               external_wrenches: Mapping[str, ArrayLike] | None = None) -> BodyLoads:
    """Loads of every body (`model.body_names`) in one motion; arguments as for `inverse_dynamics`, not batched."""
    model.require_dynamics()
    shape, (positions, rates, accelerations) = joint_rows(model, q=q, qd=qd, qdd=qdd)
    if len(shape) != 1:
        raise InputError(f'body_loads takes one motion, got shape {shape}.', field='q', value=q)
    work, torque = np.empty((len(model.topology), WORK)), np.empty(model.dof)
    if not newton_euler(model.topology, model.constants, model.rotor_inertia, positions[0], rates[0], accelerations[0],
                        vector(gravity, 3, 'gravity'), outer_loads(model, tip_wrench, external_wrenches), work, torque):
        refuse_non_finite(model, q=positions, qd=rates, qdd=accelerations)
    w, wdot, a = work[:, 12:15], work[:, 15:18], work[:, 18:21]
    constants = model.constants
    center = constants[:, 13:16]
    at_center = a + np.cross(wdot, center) + np.cross(w, np.cross(w, center))
    inertia = constants[:, [16, 17, 18, 17, 19, 20, 18, 20, 21]].reshape(-1, 3, 3)
    force, moment = newton_euler_of_body(constants[:, 12], inertia, at_center, w, wdot)
    return BodyLoads(w, wdot, a, at_center, force, moment, work[:, 21:24], work[:, 24:27], torque)
