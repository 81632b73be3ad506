"""Adaptive control: the model's parameters follow the tracking error (CTL-21, the law of Slotine and Li)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.control.joint_servos import gains
from robokin_ros.control.laws import JointReference, JointState
from robokin_ros.dynamics import STANDARD_GRAVITY, regressor
from robokin_ros.errors import InputError
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


def mixed_regressor(model: RobotModel, q: Array, qd: Array, reference_rate: Array, reference_acceleration: Array,
                    gravity: ArrayLike = STANDARD_GRAVITY) -> Array:
    """Y (n, 10 bodies) with M(q) ar + C(q, qd) vr + G(q) = Y p, C with the Christoffel symbols.

    The velocity terms are quadratic in the rates: what mixes two rates follows from their sum.
    """
    rest = np.zeros_like(q)
    rates = np.stack((qd + reference_rate, qd, reference_rate, rest))
    accelerations = np.stack((rest, rest, rest, reference_acceleration))
    both, one, other, still = regressor(model, np.tile(q, (4, 1)), rates, accelerations, gravity)
    weight = regressor(model, q, rest, rest, gravity)
    return np.asarray(still + 0.5 * (both - one - other + weight))


class AdaptiveControl:
    """tau = Y p_hat + K_D s, p_hat' = Gamma Y^T s, with s = Edot + Lambda E.

    Parameters
    ----------
    basis
        (10 bodies, k): columns that the parameters are sought in; tau = Y basis a. None: each by itself.
    initial
        (k,) first guess of a.
    adaptation
        Gamma (k,) > 0.
    lower, upper
        (k,) intervals that a is kept in; None: none.
    slope, damping
        Lambda [1/s] and K_D [N m s/rad] (n,).
    deadband
        Length of s below which nothing is adapted. Nor is it while a joint is saturated.
    """

    def __init__(self, model: RobotModel, initial: ArrayLike, adaptation: ArrayLike, slope: ArrayLike,
                 damping: ArrayLike, basis: ArrayLike | None = None, lower: ArrayLike | None = None,
                 upper: ArrayLike | None = None, deadband: float = 0.0,
                 gravity: ArrayLike = STANDARD_GRAVITY) -> None:
        self.model, self.gravity, self.deadband = model, gravity, deadband
        number = 10 * len(model.topology)
        self.basis = np.eye(number) if basis is None else np.asarray(basis, dtype=float)
        self.parameters = np.array(initial, dtype=float)
        k = len(self.parameters)
        if self.basis.shape != (number, k):
            raise InputError(f'The basis needs shape ({number}, {k}), got {self.basis.shape}.', field='basis')
        self.adaptation = np.broadcast_to(np.asarray(adaptation, dtype=float), (k,))
        if not np.all(self.adaptation > 0.0):
            raise InputError(f'adaptation must be positive, got {self.adaptation.tolist()}.', field='adaptation')
        self.slope, self.damping = gains(model, 'slope', slope), gains(model, 'damping', damping)
        self.lower = np.full(k, -np.inf) if lower is None else np.broadcast_to(np.asarray(lower, dtype=float), (k,))
        self.upper = np.full(k, np.inf) if upper is None else np.broadcast_to(np.asarray(upper, dtype=float), (k,))

    def update(self, state: JointState, reference: JointReference, dt: float) -> Array:
        """Torque before saturation; the parameters move on by `dt` [s]."""
        error, rate = reference.position - state.position, reference.velocity - state.velocity
        slide = rate + self.slope * error
        matrix = mixed_regressor(self.model, state.position, state.velocity, reference.velocity + self.slope * error,
                                 reference.acceleration + self.slope * rate, self.gravity) @ self.basis
        torque = matrix @ self.parameters + self.damping * slide
        saturated = np.any(np.abs(torque) > self.model.effort_limit)
        if dt > 0.0 and not saturated and np.linalg.norm(slide) > self.deadband:
            step = dt * self.adaptation * (matrix.T @ slide)
            self.parameters = np.clip(self.parameters + step, self.lower, self.upper)
        return np.asarray(torque)
