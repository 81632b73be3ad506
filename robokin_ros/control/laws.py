"""The laws of the controller: gravity compensation, PD with gravity, computed torque."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics import STANDARD_GRAVITY, gravity_torque, inverse_dynamics, mass_matrix
from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]
POSITION = 'position'
"""The mode without a law: the drives' own servos follow the reference."""
CONTROL_MODES = ('gravity_compensation', 'pd_gravity', 'computed_torque', POSITION)
"""Names of the modes, as the service set_control_mode takes them."""


@dataclass
class JointState:
    """Measured position and velocity of all joints [rad, m, s]."""

    position: Array
    velocity: Array


@dataclass
class JointReference:
    """Where the joints should be, how fast, with which acceleration [rad, m, s]."""

    position: Array
    velocity: Array
    acceleration: Array

    def after(self, dt: float) -> JointReference:
        """The reference `dt` [s] later, at constant acceleration: bridges the time to the next one."""
        return JointReference(self.position + dt * (self.velocity + 0.5 * dt * self.acceleration),
                              self.velocity + dt * self.acceleration, self.acceleration)


class ControlLaw(Protocol):
    """A law: torque [N m] or [N] from state and reference, `dt` [s] after the last update."""

    def update(self, state: JointState, reference: JointReference, dt: float) -> Array:
        """Torque before saturation."""
        ...


class GravityCompensation:
    """tau = G(q) - b qd: the arm floats, with `damping` b >= 0 (n,) [N m s/rad]."""

    def __init__(self, model: RobotModel, damping: Array | float = 0.0, gravity: ArrayLike = STANDARD_GRAVITY) -> None:
        self.model, self.gravity = model, gravity
        self.damping = np.broadcast_to(np.asarray(damping, dtype=float), (model.dof,))

    def update(self, state: JointState, reference: JointReference, dt: float) -> Array:
        """Ignore the reference; carry the arm's weight."""
        return gravity_torque(self.model, state.position, self.gravity) - self.damping * state.velocity


class PdGravity:
    """tau = Kp e + Kd de + G(q), Craig (10.51); diagonal gains scaled with the inertia at mid-range."""

    def __init__(self, model: RobotModel, bandwidth: float, damping_ratio: float = 1.0,
                 gravity: ArrayLike = STANDARD_GRAVITY) -> None:
        _check_gains(bandwidth, damping_ratio)
        self.model, self.gravity = model, gravity
        inertia = np.diag(mass_matrix(model, model.middle()))
        self.stiffness = inertia * bandwidth**2
        self.damping = inertia * 2.0 * damping_ratio * bandwidth

    def update(self, state: JointState, reference: JointReference, dt: float) -> Array:
        """Spring and damper to the reference, on top of gravity."""
        return (gravity_torque(self.model, state.position, self.gravity)
                + self.stiffness * (reference.position - state.position)
                + self.damping * (reference.velocity - state.velocity))


class ComputedTorque:
    """tau = M(q) (qdd_d + kv de + kp e) + V + G + friction of the reference, Craig (10.14)-(10.18).

    Every joint then answers like a unit mass with natural frequency `bandwidth` [rad/s].
    """

    def __init__(self, model: RobotModel, bandwidth: float, damping_ratio: float = 1.0,
                 gravity: ArrayLike = STANDARD_GRAVITY) -> None:
        _check_gains(bandwidth, damping_ratio)
        self.model, self.gravity = model, gravity
        self.stiffness = bandwidth**2
        self.damping = 2.0 * damping_ratio * bandwidth

    def update(self, state: JointState, reference: JointReference, dt: float) -> Array:
        """Linearise and decouple, then servo the error."""
        servo = (reference.acceleration + self.damping * (reference.velocity - state.velocity)
                 + self.stiffness * (reference.position - state.position))
        friction = (self.model.damping * reference.velocity
                    + self.model.friction * np.tanh(reference.velocity / 1e-2))
        return inverse_dynamics(self.model, state.position, state.velocity, servo, self.gravity) + friction


def control_law(mode: str, model: RobotModel, bandwidth: float, damping_ratio: float,
                free_drive_damping: float) -> ControlLaw:
    """The law of a mode: bandwidth [rad/s] and damping ratio of the servo, damping [N m s/rad] of the floating arm."""
    if mode == 'gravity_compensation':
        return GravityCompensation(model, free_drive_damping)
    if mode == 'pd_gravity':
        return PdGravity(model, bandwidth, damping_ratio)
    if mode == 'computed_torque':
        return ComputedTorque(model, bandwidth, damping_ratio)
    raise UnknownNameError('control law', mode, [name for name in CONTROL_MODES if name != POSITION])


def saturate(torque: Array, limit: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Torque within plus and minus the limit, and which joints were cut."""
    cut = np.abs(torque) > limit
    return np.clip(torque, -limit, limit), cut


def _check_gains(bandwidth: float, damping_ratio: float) -> None:
    for field, value in (('bandwidth', bandwidth), ('damping_ratio', damping_ratio)):
        if not 0.0 < value < np.inf:
            raise InputError(f'{field} is {value}; it must be positive and finite.', field=field, value=value)
