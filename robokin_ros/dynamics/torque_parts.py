"""Where the torques of a motion come from: inertia, velocity, gravity (DYN-21)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.inverse import STANDARD_GRAVITY, coriolis_torque, gravity_torque, inverse_dynamics
from robokin_ros.dynamics.mass import mass_matrix
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TorqueParts:
    """Torques along a motion, (..., n) each [N m] or [N]; total = inertial + velocity + gravity.

    `mass_matrix` (..., n, n) is what the inertial part comes from: M qdd.
    """

    total: Array
    inertial: Array
    velocity: Array
    gravity: Array
    mass_matrix: Array


def torque_parts(model: RobotModel, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                 gravity: ArrayLike = STANDARD_GRAVITY) -> TorqueParts:
    """Parts of the torques of motions; arguments as for `inverse_dynamics`."""
    total = inverse_dynamics(model, q, qd, qdd, gravity)
    mass = mass_matrix(model, q)
    inertial = np.einsum('...ij,...j->...i', mass, np.asarray(qdd, dtype=float))
    return TorqueParts(total, np.asarray(inertial), coriolis_torque(model, q, qd), gravity_torque(model, q, gravity),
                       mass)
