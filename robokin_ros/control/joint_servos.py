"""Servos of the joints with gains in torque: PID with anti-windup, PD on feed-forward torques (CTL-13, CTL-16)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.control.laws import JointReference, JointState
from robokin_ros.dynamics import STANDARD_GRAVITY, Friction, gravity_torque, inverse_dynamics, mass_matrix
from robokin_ros.errors import InputError
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


def critical_damping(model: RobotModel, stiffness: ArrayLike, q: ArrayLike | None = None) -> Array:
    """K_v = 2 sqrt(K_p M_ii) (n,) [N m s/rad] that damps each joint critically at a pose; default mid-range (10.27)."""
    inertia = np.diag(mass_matrix(model, model.middle() if q is None else np.asarray(q, dtype=float)))
    return np.asarray(2.0 * np.sqrt(gains(model, 'stiffness', stiffness) * inertia))


class JointPid:
    """tau = K_p E + K_v Edot + K_i int E, each joint for itself, with or without gravity (10.26)-(10.28).

    Parameters
    ----------
    stiffness, damping, integral
        K_p [N m/rad], K_v [N m s/rad], K_i [N m/(rad s)]: (n,) or one for all.
    gravity_compensation
        Add G(q).
    torque_limit
        (n,); None: the model's efforts. The integral stands still while a joint is saturated and the error would drive
        it further, and never asks for more than this by itself.
    """

    def __init__(self, model: RobotModel, stiffness: ArrayLike, damping: ArrayLike, integral: ArrayLike = 0.0,
                 gravity_compensation: bool = False, torque_limit: ArrayLike | None = None,
                 gravity: ArrayLike = STANDARD_GRAVITY) -> None:
        self.model, self.gravity, self.gravity_compensation = model, gravity, gravity_compensation
        self.stiffness = gains(model, 'stiffness', stiffness)
        self.damping = gains(model, 'damping', damping)
        self.integral = gains(model, 'integral', integral, least=0.0)
        self.limit = gains(model, 'torque_limit', model.effort_limit if torque_limit is None else torque_limit)
        self.reset()

    def reset(self) -> None:
        """Forget the past: on a change of mode, after a stop, on a new plan."""
        self.sum = np.zeros(self.model.dof)

    def update(self, state: JointState, reference: JointReference, dt: float) -> Array:
        """Torque before saturation."""
        error = reference.position - state.position
        torque = self.stiffness * error + self.damping * (reference.velocity - state.velocity)
        if self.gravity_compensation:
            torque = torque + gravity_torque(self.model, state.position, self.gravity)
        grown = self.sum + dt * error
        wound = np.abs(torque + self.integral * grown) > self.limit
        self.sum = np.where(wound & (grown * error > 0.0), self.sum, grown)
        return np.asarray(torque + np.clip(self.integral * self.sum, -self.limit, self.limit))


class FeedforwardPd:
    """tau = M(q_d) qdd_d + V(q_d, qd_d) + G(q_d) + friction + K_v Edot + K_p E (10.19).

    The model part depends on the reference only. A start farther than `start_error` [rad, m] from it is refused.
    """

    def __init__(self, model: RobotModel, stiffness: ArrayLike, damping: ArrayLike, start_error: float = 0.1,
                 gravity: ArrayLike = STANDARD_GRAVITY) -> None:
        self.model, self.gravity, self.start_error = model, gravity, start_error
        self.stiffness, self.damping = gains(model, 'stiffness', stiffness), gains(model, 'damping', damping)
        self.friction = Friction.of_model(model)
        self._begun = False

    def feedforward(self, reference: JointReference) -> Array:
        """The part that can be computed in advance (9.1); never enough by itself."""
        return inverse_dynamics(self.model, reference.position, reference.velocity, reference.acceleration,
                                self.gravity) + self.friction.torque(reference.velocity)

    def update(self, state: JointState, reference: JointReference, dt: float) -> Array:
        """Torque before saturation; InputError when the arm does not start on the reference."""
        error = reference.position - state.position
        if not self._begun:
            joint = int(np.argmax(np.abs(error)))
            if abs(error[joint]) > self.start_error:
                raise InputError(f"Joint '{self.model.joint_names[joint]}' is {abs(error[joint]):.4f} away from where "
                                 f'the reference starts; at most {self.start_error:g} is allowed.', field='reference')
            self._begun = True
        return (self.feedforward(reference) + self.stiffness * error
                + self.damping * (reference.velocity - state.velocity))


def worst_damping(model: RobotModel, stiffness: ArrayLike, damping: ArrayLike, poses: ArrayLike) -> tuple[float, int]:
    """Smallest damping ratio of the quasi-static poles over poses (m, n), and where: PD gains do not decouple."""
    k_p, k_v = np.diag(gains(model, 'stiffness', stiffness)), np.diag(gains(model, 'damping', damping))
    ratios = []
    for q in np.asarray(poses, dtype=float):
        poles = servo_poles(mass_matrix(model, q), k_p, k_v)
        ratios.append(float(np.min(-poles.real / np.abs(poles))))
    worst = int(np.argmin(ratios))
    return ratios[worst], worst


def servo_poles(mass: Array, k_p: Array, k_v: Array) -> NDArray[np.complex128]:
    """Eigenvalues of M e'' + K_v e' + K_p e = 0 at one pose."""
    n = len(mass)
    inverse = np.linalg.inv(mass)
    return np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ k_p, -inverse @ k_v]]))


def gains(model: RobotModel, name: str, values: ArrayLike, least: float | None = None) -> Array:
    """Gains (n,) > 0 (or >= `least`), or InputError."""
    try:
        given = np.broadcast_to(np.asarray(values, dtype=float), (model.dof,)).copy()
    except ValueError as error:
        raise InputError(f'{name} needs {model.dof} values, got shape {np.shape(values)}.', field=name,
                         value=values) from error
    if not (np.all(given > 0.0) if least is None else np.all(given >= least)) or np.any(np.isnan(given)):
        joint = int(np.argmax(~(given > 0.0) if least is None else ~(given >= least)))
        raise InputError(f"{name} of joint '{model.joint_names[joint]}' is {given[joint]}; it must be "
                         f"{'positive' if least is None else f'at least {least:g}'}.", field=name, value=values)
    return given
