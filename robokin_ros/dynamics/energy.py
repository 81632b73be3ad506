"""Kinetic and potential energy of an arm, Craig (6.69)-(6.73)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import joint_rows, refuse_rows, vector
from robokin_ros.dynamics.inverse import STANDARD_GRAVITY
from robokin_ros.kernels.energy import energies
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


def kinetic_energy(model: RobotModel, q: ArrayLike, qd: ArrayLike) -> Array:
    """1/2 qd^T M(q) qd [J], (...); with the rotors."""
    return _energies(model, q, qd, (0.0, 0.0, 0.0))[..., 0]


def potential_energy(model: RobotModel, q: ArrayLike, gravity: ArrayLike = STANDARD_GRAVITY) -> Array:
    """Energy in the field of gravity [J], (...); 0 for mass at the height of the base's origin."""
    return _energies(model, q, np.zeros(model.dof), gravity)[..., 1]


def total_energy(model: RobotModel, q: ArrayLike, qd: ArrayLike, gravity: ArrayLike = STANDARD_GRAVITY) -> Array:
    """Kinetic and potential energy together [J], (...)."""
    return np.asarray(_energies(model, q, qd, gravity).sum(axis=-1))


def _energies(model: RobotModel, q: ArrayLike, qd: ArrayLike, gravity: ArrayLike) -> Array:
    model.require_dynamics()
    shape, (positions, rates) = joint_rows(model, q=q, qd=qd)
    out = np.empty((len(positions), 2))
    if not energies(model.topology, model.constants, model.rotor_inertia, positions, rates,
                    vector(gravity, 3, 'gravity'), out):
        refuse_rows(model, shape, q=positions, qd=rates)
    return out.reshape(*shape[:-1], 2)
