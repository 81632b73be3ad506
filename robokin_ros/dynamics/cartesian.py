"""Dynamics as seen at the tip: F = Mx(q) xdd + Vx(q, qd) + Gx(q), Craig (6.90)-(6.99)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import joint_rows, solve_mass
from robokin_ros.dynamics.inverse import STANDARD_GRAVITY, coriolis_torque, gravity_torque
from robokin_ros.dynamics.mass import mass_matrix
from robokin_ros.errors import InputError
from robokin_ros.kinematics import bias_acceleration, forward_kinematics, jacobian
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]
SINGULAR = 1e-6
"""Ratio of the smallest to the largest singular value of the Jacobian below which an arm is singular (VEL-09)."""


@dataclass(frozen=True)
class CartesianDynamics:
    """Terms of F = mass xdd + velocity + gravity at one state, with tau = jacobian^T F.

    Attributes
    ----------
    mass, mass_inverse
        Mx (k, k) and J M^-1 J^T. Near a singularity (`regular` False) the mass in the lost directions is infinite: then
        `mass` holds in the directions that are left, and is zero in the others.
    velocity, gravity
        Vx and Gx (k,) [N, N m].
    jacobian
        The rows in use (k, n).
    regular
        Whether the arm can move in all rows.
    torques_to_forces
        (k, n) transpose of the dynamically consistent inverse of the Jacobian.
    """

    mass: Array
    mass_inverse: Array
    velocity: Array
    gravity: Array
    jacobian: Array
    regular: bool
    torques_to_forces: Array

    def force_of(self, torque: ArrayLike) -> Array:
        """Force (k,) at the tip that joint torques (n,), such as friction, amount to: J^-T tau."""
        return np.asarray(self.torques_to_forces @ np.asarray(torque, dtype=float))


def cartesian_dynamics(model: RobotModel, q: ArrayLike, qd: ArrayLike, gravity: ArrayLike = STANDARD_GRAVITY,
                       frame: str = 'base', rows: Sequence[int] | None = None) -> CartesianDynamics:
    """Cartesian-space dynamics of the tip at one state (DYN-11).

    Parameters
    ----------
    q, qd
        (n,) [rad, m, s].
    gravity
        In base axes [m/s^2].
    frame
        Axes of x and F: 'base', or 'tip': there xdd is the derivative of the components of xd in the turning axes.
    rows
        Which of linear x y z, angular x y z; default all six. An arm with fewer than six joints needs to be told.

    Returns
    -------
    `CartesianDynamics`; with more joints than rows the forces are those of the dynamically consistent inverse.
    """
    position, rate = _state(model, q, qd)
    chosen = _rows(model, rows)
    matrix = jacobian(model, position, _axes(frame))[chosen]
    mass = mass_matrix(model, position)
    if not (np.all(np.isfinite(mass)) and np.all(np.isfinite(matrix))):
        raise InputError('The numbers are too large: the mass matrix is not finite.', field='q', value=q)
    moved = solve_mass(model, mass, matrix.T)
    inverse = matrix @ moved
    inverse = 0.5 * (inverse + inverse.T)
    directions, values, _ = np.linalg.svd(matrix, full_matrices=False)
    left = directions[:, values > SINGULAR * values[0]]  # directions in which the arm can move
    regular = left.shape[1] == len(chosen)
    effective = np.asarray(left @ np.linalg.inv(left.T @ inverse @ left) @ left.T, dtype=float)
    # Jbar^T = Mx J M^-1 takes torques to forces
    forces = effective @ moved.T
    bias = _bias(model, position, rate, frame)[chosen]
    velocity = forces @ coriolis_torque(model, position, rate) - effective @ bias
    return CartesianDynamics(effective, inverse, velocity, forces @ gravity_torque(model, position, gravity), matrix,
                             regular, forces)


def cartesian_coriolis_matrices(model: RobotModel, q: ArrayLike, frame: str = 'base',
                                rows: Sequence[int] | None = None) -> tuple[Array, Array]:
    """Bx (n, n (n - 1) / 2) and Cx (n, n) of tau = J^T Mx xdd + Bx [qd qd] + Cx [qd^2] + G, Craig (6.105)."""
    n = model.dof
    first, second = np.triu_indices(n, 1)
    units = np.eye(n)
    found = []
    for rate in (*units, *(units[first] + units[second])):
        terms = cartesian_dynamics(model, q, rate, frame=frame, rows=rows)
        if not terms.regular:
            raise InputError('The arm is singular here: the Cartesian form does not exist.', field='q', value=q)
        found.append(terms.jacobian.T @ terms.velocity)
    torques = np.array(found)
    centrifugal = torques[:n]
    coriolis = torques[n:] - centrifugal[first] - centrifugal[second]
    return np.ascontiguousarray(coriolis.T), np.ascontiguousarray(centrifugal.T)


def _bias(model: RobotModel, q: Array, qd: Array, frame: str) -> Array:
    """Jdot qd (6,), with J in the given axes."""
    bias = bias_acceleration(model, q, qd)
    if frame == 'base':
        return bias
    rotation = forward_kinematics(model, q)[:3, :3]
    twist = jacobian(model, q, 'tip') @ qd
    return np.concatenate((bias[:3] @ rotation - np.cross(twist[3:], twist[:3]), bias[3:] @ rotation))


def _state(model: RobotModel, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
    shape, (positions, rates) = joint_rows(model, q=q, qd=qd)
    if len(shape) != 1:
        raise InputError(f'One state is needed, got shape {shape}.', field='q', value=q)
    return positions[0], rates[0]


def _axes(frame: str) -> str:
    if frame not in ('base', 'tip'):
        raise InputError(f"Cartesian dynamics is in the axes of 'base' or 'tip', not '{frame}'.", field='frame',
                         value=frame)
    return frame


def _rows(model: RobotModel, rows: Sequence[int] | None) -> list[int]:
    if rows is None:
        if model.dof < 6:
            raise InputError(f'An arm with {model.dof} joints cannot move in all six rows: say which are meant.',
                             field='rows')
        return list(range(6))
    chosen = [row for row in rows if row in range(6)]
    if not chosen or len(set(chosen)) != len(chosen) or len(chosen) != len(rows):
        raise InputError(f'Rows are different numbers from 0 to 5, got {list(rows)}.', field='rows', value=rows)
    return [int(row) for row in chosen]
