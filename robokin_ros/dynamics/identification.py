"""Inertial parameters and friction from recorded motions: least squares on the regressor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import joint_rows
from robokin_ros.dynamics.inverse import STANDARD_GRAVITY
from robokin_ros.dynamics.regressor import base_parameters, inertial_parameters, regressor
from robokin_ros.errors import InputError
from robokin_ros.model.joint_vector import refuse_non_finite
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]
POOR = 1e3
"""Condition number of the scaled equations above which a motion does not excite all parameters."""


@dataclass(frozen=True)
class Identification:
    """What was found in a recording.

    Attributes
    ----------
    names, values, deviations
        Parameters in words, their estimates, and standard deviations from the residual of the fit.
    expected
        What the model says of the same parameters.
    viscous, coulomb
        (n,) friction [N m s/rad], [N m]; empty when it was not asked for.
    residual
        (n,) root mean square of the torque that the estimate leaves unexplained [N m], [N].
    unexplained_by_model
        The same for the model as it is.
    condition
        Condition number of the equations, scaled by what lively motions make of them: how well the motion excites the
        parameters.
    """

    names: tuple[str, ...]
    values: Array
    deviations: Array
    expected: Array
    viscous: Array
    coulomb: Array
    residual: Array
    unexplained_by_model: Array
    condition: float
    columns: NDArray[np.int64]
    samples: int

    @property
    def exciting(self) -> bool:
        """Whether the motion tells all parameters apart."""
        return self.condition < POOR

    def report(self) -> str:
        """A table of all that was found, for people."""
        lines = [f'{self.samples} samples, condition number {self.condition:.3g}'
                 + ('' if self.exciting else f' (above {POOR:g}: the motion does not excite every parameter)'),
                 f"{'parameter':60s} {'found':>12s} {'deviation':>12s} {'model':>12s}"]
        for name, value, deviation, expected in zip(self.names, self.values, self.deviations, self.expected,
                                                    strict=True):
            short = name if len(name) <= 60 else name[:57] + '...'
            lines.append(f'{short:60s} {value:12.5g} {deviation:12.2g} {expected:12.5g}')
        for joint, (left, before) in enumerate(zip(self.residual, self.unexplained_by_model, strict=True)):
            friction = (f', viscous {self.viscous[joint]:.4g}, Coulomb {self.coulomb[joint]:.4g}'
                        if len(self.viscous) else '')
            lines.append(f'joint {joint + 1}: torque left {left:.4g}, by the model {before:.4g}{friction}')
        return '\n'.join(lines)


def identify(model: RobotModel, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, tau: ArrayLike, friction: bool = True,
             gravity: ArrayLike = STANDARD_GRAVITY) -> Identification:
    """Base parameters, and friction, that explain recorded torques best.

    Parameters
    ----------
    q, qd, qdd, tau
        Recorded motion (m, n) [rad, m, s, N m, N]; rotor inertias are taken from the model.
    friction
        Also viscous and Coulomb friction of every joint.
    gravity
        In base axes [m/s^2].
    """
    model.require_dynamics()
    shape, (positions, rates, accelerations, torques) = joint_rows(model, q=q, qd=qd, qdd=qdd, tau=tau)
    refuse_non_finite(model, q=positions, qd=rates, qdd=accelerations, tau=torques)
    base, n, number = base_parameters(model, gravity), model.dof, len(positions)
    unknowns = len(base.columns) + (2 * n if friction else 0)
    if len(shape) != 2 or number * n < 2 * unknowns:
        raise InputError(f'{number} samples of {n} torques are too few for {unknowns} parameters: at least '
                         f'{-(-2 * unknowns // n)} are needed.', field='q', value=shape)
    full = regressor(model, positions, rates, accelerations, gravity)
    blocks = [full[:, :, base.columns]]
    if friction:
        blocks += [rates[:, :, None] * np.eye(n), np.sign(rates)[:, :, None] * np.eye(n)]
    equations = np.concatenate(blocks, axis=2).reshape(number * n, unknowns)
    wanted = (torques - model.rotor_inertia * accelerations).ravel()
    scale = np.linalg.norm(equations, axis=0)
    scale[scale == 0.0] = 1.0
    left, values, right = np.linalg.svd(equations / scale, full_matrices=False)
    kept = values > 1e-10 * values[0]
    found = (right[kept].T @ ((left.T @ wanted)[kept] / values[kept])) / scale
    rest = (wanted - equations @ found).reshape(number, n)
    variance = np.sum(rest**2) / max(number * n - unknowns, 1)
    spread = np.full(unknowns, np.inf)
    if np.all(kept):
        spread = np.sqrt(variance * np.sum((right.T / values) ** 2, axis=1)) / scale
    parameters = inertial_parameters(model)
    before = (wanted - full.reshape(number * n, -1) @ parameters).reshape(number, n)
    k = len(base.columns)
    lively = np.concatenate((base.sizes, np.ones(unknowns - k))) * np.sqrt(number * n)
    strengths = np.linalg.svd(equations / lively, compute_uv=False)
    with np.errstate(divide='ignore'):
        condition = float(strengths[0] / strengths[-1])
    return Identification(base.names, found[:k], spread[:k], base.combination @ parameters, found[k:k + n],
                          found[k + n:], np.sqrt(np.mean(rest**2, axis=0)), np.sqrt(np.mean(before**2, axis=0)),
                          condition, base.columns, number)


def predicted_torques(found: Identification, model: RobotModel, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                      gravity: ArrayLike = STANDARD_GRAVITY) -> Array:
    """Torques (..., n) of a motion by the parameters found, friction and rotors included."""
    rates, accelerations = np.asarray(qd, dtype=float), np.asarray(qdd, dtype=float)
    torque = regressor(model, q, qd, qdd, gravity)[..., found.columns] @ found.values
    torque = torque + model.rotor_inertia * accelerations
    return np.asarray(torque + (found.viscous * rates + found.coulomb * np.sign(rates) if len(found.viscous) else 0.0))
