"""Coriolis and centrifugal terms as matrices: the configuration-space form, and Vm of V = Vm(q, qd) qd."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import joint_rows
from robokin_ros.dynamics.inverse import coriolis_torque
from robokin_ros.errors import InputError
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


def coriolis_matrices(model: RobotModel, q: ArrayLike) -> tuple[Array, Array]:
    """B(q) and C(q) of tau = M qdd + B [qd qd] + C [qd^2] + G, Craig (6.63).

    Returns
    -------
    B (n, n (n - 1) / 2), columns in the order (12), (13), ... (n-1 n), and C (n, n) [kg m^2, kg m, kg].
    """
    n, joints = model.dof, _one(model, q)
    first, second = np.triu_indices(n, 1)
    units = np.eye(n)
    rates = np.vstack((units, units[first] + units[second]))
    torques = coriolis_torque(model, joints, rates)
    centrifugal = torques[:n]
    coriolis = torques[n:] - centrifugal[first] - centrifugal[second]
    return np.ascontiguousarray(coriolis.T), np.ascontiguousarray(centrifugal.T)


def christoffel_symbols(model: RobotModel, q: ArrayLike) -> Array:
    """Symbols c (n, n, n), 1/2 (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i): V_i = sum_jk c_ijk qd_j qd_k."""
    n = model.dof
    coriolis, centrifugal = coriolis_matrices(model, q)
    symbols = np.zeros((n, n, n))
    first, second = np.triu_indices(n, 1)
    symbols[:, first, second] = symbols[:, second, first] = 0.5 * coriolis
    symbols[:, np.arange(n), np.arange(n)] = centrifugal
    return symbols


def christoffel_matrix(model: RobotModel, q: ArrayLike, qd: ArrayLike) -> Array:
    """Vm (n, n) of V = Vm qd, by Christoffel symbols: Mdot - 2 Vm is skew (DYN-08)."""
    return np.asarray(christoffel_symbols(model, q) @ _one(model, qd, 'qd'))


def mass_matrix_rate(model: RobotModel, q: ArrayLike, qd: ArrayLike) -> Array:
    """dM/dt (n, n) along a motion: Vm + Vm^T."""
    matrix = christoffel_matrix(model, q, qd)
    return matrix + matrix.T


def _one(model: RobotModel, values: ArrayLike, field: str = 'q') -> Array:
    shape, (rows,) = joint_rows(model, **{field: values})
    if len(shape) != 1:
        raise InputError(f'One joint vector is needed, got shape {shape}.', field=field, value=values)
    return rows[0]
