"""Torques as linear in the inertial parameters: tau = Y(q, qd, qdd) p, and which parameters can be told apart."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import joint_rows, refuse_rows, vector
from robokin_ros.dynamics.inverse import STANDARD_GRAVITY
from robokin_ros.errors import InputError
from robokin_ros.kernels.regressor import PARAMETERS, regressors
from robokin_ros.model.robot_model import RobotModel, pack_body, unpack_inertia
from robokin_ros.spatial import check_inertia, shift_inertia

Array = NDArray[np.float64]
NAMES = ('m', 'm_cx', 'm_cy', 'm_cz', 'Ixx', 'Ixy', 'Ixz', 'Iyy', 'Iyz', 'Izz')
"""The ten parameters of a body, the last six about the origin of the body frame (entries of the matrix)."""
DEPENDENT = 1e-9
"""Share of the largest below which a column of the regressor counts as a combination of others."""


def regressor(model: RobotModel, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
              gravity: ArrayLike = STANDARD_GRAVITY) -> Array:
    """Y (..., n, 10 bodies) with tau = Y p, p as `inertial_parameters`; without the rotors.

    Arguments as for `inverse_dynamics`.
    """
    shape, (positions, rates, accelerations) = joint_rows(model, q=q, qd=qd, qdd=qdd)
    out = np.empty((*positions.shape, PARAMETERS * len(model.topology)))
    if not regressors(model.topology, model.constants, positions, rates, accelerations, vector(gravity, 3, 'gravity'),
                      out):
        refuse_rows(model, shape, q=positions, qd=rates, qdd=accelerations)
    return out.reshape(*shape, out.shape[-1])


def parameter_names(model: RobotModel) -> list[str]:
    """Names of the parameters: 'm of link_1', ..."""
    return [f'{name} of {body}' for body in model.body_names for name in NAMES]


def inertial_parameters(model: RobotModel) -> Array:
    """P (10 bodies,) of a model: mass [kg], mass times centre [kg m], inertia about the body origin [kg m^2]."""
    model.require_dynamics()
    rows = [np.zeros(0)]
    for row in model.constants:
        mass, center = float(row[12]), row[13:16]
        rows.append(pack_body(mass, mass * center, shift_inertia(unpack_inertia(row[16:22]), mass, center)))
    return np.concatenate(rows)


def with_inertial_parameters(model: RobotModel, parameters: ArrayLike) -> RobotModel:
    """The model with other inertial parameters; refused where no real body can have them."""
    given = vector(parameters, PARAMETERS * len(model.topology), 'parameters').reshape(-1, PARAMETERS)
    constants = model.constants.copy()
    for body, row in enumerate(given):
        mass = float(row[0])
        if mass < 0.0 or (mass == 0.0 and np.any(row != 0.0)):
            raise InputError(f"Body '{model.body_names[body]}' would have the mass {mass:g} kg.", field='parameters',
                             value=row)
        center = row[1:4] / mass if mass else np.zeros(3)
        tensor = shift_inertia(unpack_inertia(row[4:]), -mass, center)
        problem = check_inertia(mass, tensor)
        if problem:
            raise InputError(f"No body can be what '{model.body_names[body]}' would be: {problem}.", field='parameters',
                             value=row)
        constants[body, 12:22] = pack_body(mass, center, tensor)
    return replace(model, constants=constants, no_dynamics_reason='')


@dataclass(frozen=True)
class BaseParameters:
    """Parameters that torques depend on: p_base = combination @ p, and Y p = Y[:, columns] p_base.

    Attributes
    ----------
    columns
        Indices of the independent columns of Y, one per base parameter.
    combination
        (k, 10 bodies): each base parameter is that column's parameter plus multiples of dependent ones.
    names
        What each base parameter consists of.
    sizes
        Root mean square of the columns in lively motions (rates and accelerations within 2): what they can amount to.
    """

    columns: NDArray[np.int64]
    combination: Array
    names: tuple[str, ...]
    sizes: Array


def base_parameters(model: RobotModel, gravity: ArrayLike = STANDARD_GRAVITY, seed: int = 0) -> BaseParameters:
    """Reduce the parameters to those that can be identified: from Y at random motions.

    Independent columns are preferred in the order of the bodies from the tip inward, the usual choice.
    """
    generator = np.random.default_rng(seed)
    low = np.where(np.isfinite(model.lower), model.lower, -np.pi)
    high = np.where(np.isfinite(model.upper), model.upper, np.pi)
    number = 20 * len(model.topology) + 20
    q = generator.uniform(low, high, (number, model.dof))
    qd, qdd = generator.uniform(-2.0, 2.0, (2, number, model.dof))
    stacked = regressor(model, q, qd, qdd, gravity).reshape(-1, PARAMETERS * len(model.topology))
    columns = _independent(stacked)
    rest = np.setdiff1d(np.arange(stacked.shape[1]), columns)
    relation = np.linalg.lstsq(stacked[:, columns], stacked[:, rest], rcond=None)[0]
    relation[np.abs(relation) < DEPENDENT * 1e2] = 0.0
    combination = np.zeros((len(columns), stacked.shape[1]))
    combination[np.arange(len(columns)), columns] = 1.0
    combination[:, rest] = relation
    labels = parameter_names(model)
    names = tuple(_worded(row, own, labels) for row, own in zip(combination, columns.tolist(), strict=True))
    sizes = np.sqrt(np.mean(stacked[:, columns] ** 2, axis=0))
    return BaseParameters(columns, combination, names, sizes)


def _independent(matrix: Array) -> NDArray[np.int64]:
    """Columns that are no combination of those after them: Gram-Schmidt from the last column on."""
    small = scipy.linalg.qr(matrix, mode='r')[0][:matrix.shape[1]]  # the same lengths and angles between columns
    least = DEPENDENT * np.linalg.norm(small, axis=0).max(initial=0.0)
    basis, columns = np.zeros((len(small), 0)), []
    for column in range(small.shape[1] - 1, -1, -1):
        rest = small[:, column]
        for _ in range(2):  # the second time for what rounding left
            rest = rest - basis @ (basis.T @ rest)
        size = np.linalg.norm(rest)
        if size > least:
            basis = np.column_stack((basis, rest / size))
            columns.append(column)
    return np.array(columns[::-1], dtype=np.int64)


def _worded(row: Array, own: int, labels: list[str]) -> str:
    """A base parameter in words."""
    others = (f"{'-' if row[i] < 0.0 else '+'} {abs(row[i]):.4g} {labels[i]}" for i in np.flatnonzero(row) if i != own)
    return ' '.join((labels[own], *others))
