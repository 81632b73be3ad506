"""What drives can give: torque that falls with speed, current limits, rates, accelerations (CAP-07)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]
RISE = 0.25
"""Time [s] in which a joint reaches its speed where nothing else limits its acceleration."""


@dataclass(frozen=True, init=False, eq=False)
class TorqueLimits:
    """What drives give: lower - droop qd <= tau <= upper - droop qd, and lower <= tau <= upper if `clipped`.

    Parameters
    ----------
    upper
        (n,) [N m] or [N] at standstill.
    lower
        (n,) negative; None: minus `upper`.
    droop
        (n,) [N m s/rad]: what a voltage-limited motor loses with speed. It gains as much when it brakes, unless
        `clipped`.
    clipped
        The current is limited too, as real amplifiers do.
    """

    upper: Array
    lower: Array
    droop: Array
    clipped: bool

    def __init__(self, upper: ArrayLike, lower: ArrayLike | None = None, droop: ArrayLike = 0.0,
                 clipped: bool = True) -> None:
        high = np.atleast_1d(np.asarray(upper, dtype=float))
        low = -high if lower is None else np.atleast_1d(np.asarray(lower, dtype=float))
        loss = np.broadcast_to(np.asarray(droop, dtype=float), high.shape)
        if low.shape != high.shape or np.any(np.isnan(high)) or not (np.all(high > 0.0) and np.all(low < 0.0)):
            raise InputError(f'Torque limits must be positive above and negative below, got {low.tolist()} to '
                             f'{high.tolist()}.', field='torque_limit', value=upper)
        if not (np.all(loss >= 0.0) and np.all(np.isfinite(loss))):
            raise InputError(f'The droop is {loss.tolist()}; it must be finite and not negative.', field='droop',
                             value=droop)
        for name, value in (('upper', high), ('lower', low), ('droop', loss), ('clipped', bool(clipped))):
            object.__setattr__(self, name, value)

    @classmethod
    def of_motor(cls, torque_constant: float, resistance: float, voltage: float, gear: float = 1.0) -> TorqueLimits:
        """Limits of one direct-current motor behind a gear: [N m/A], [ohm], [V], turns of the motor per turn."""
        for name, value in (('torque_constant', torque_constant), ('resistance', resistance), ('voltage', voltage),
                            ('gear', gear)):
            if not 0.0 < value < np.inf:
                raise InputError(f'{name} is {value}; it must be positive.', field=name, value=value)
        return cls([gear * torque_constant * voltage / resistance],
                   droop=[gear**2 * torque_constant**2 / resistance])

    def excess(self, qd: Array, torque: Array) -> Array:
        """How far torques (..., n) at rates qd are beyond the limits, as a share of them; negative within."""
        shift = self.droop * qd
        over, under = torque + shift - self.upper, self.lower - torque - shift
        with np.errstate(invalid='ignore'):  # limits may be infinite
            share = np.maximum(over / self.upper, under / -self.lower)
            if self.clipped:
                share = np.maximum(share, np.maximum((torque - self.upper) / self.upper,
                                                     (self.lower - torque) / -self.lower))
        return np.where(np.isnan(share), -1.0, share)


def torque_limits(model: RobotModel, given: TorqueLimits | ArrayLike | None) -> TorqueLimits | None:
    """Limits to plan with: the given ones, or the model's efforts (None); None when none of them is finite."""
    if isinstance(given, TorqueLimits):
        limits = given
    else:
        values = np.asarray(model.effort_limit if given is None else given, dtype=float)
        if values.shape not in ((), (model.dof,)):
            raise InputError(f'torque_limit needs {model.dof} values, got shape {values.shape}.', field='torque_limit')
        limits = TorqueLimits(np.broadcast_to(values, (model.dof,)))
    if limits.upper.shape != (model.dof,):
        raise InputError(f'torque_limit needs {model.dof} values, got {limits.upper.shape}.', field='torque_limit')
    return limits if np.any(np.isfinite(limits.upper)) or np.any(np.isfinite(limits.lower)) else None


def bounded_accelerations(model: RobotModel, given: ArrayLike | None, torque: TorqueLimits | ArrayLike | None,
                          speed: Array) -> Array:
    """Limits of accelerations (n,); where neither they nor torques are limited, `speed` is reached in RISE seconds."""
    acceleration = joint_limits(model, 'acceleration_limit', given, np.inf)
    limits = torque_limits(model, torque)
    free = np.ones(model.dof, dtype=bool)
    if limits is not None:
        free = ~(np.isfinite(limits.upper) & np.isfinite(limits.lower))
    usual = np.where(np.isfinite(speed), speed, 1.0) / RISE
    return np.where(free & ~np.isfinite(acceleration), usual, acceleration)


def joint_limits(model: RobotModel, name: str, given: ArrayLike | None, own: Array | float) -> Array:
    """Symmetric limits (n,) > 0, infinite for none: the given ones, or the own (None)."""
    try:
        limits = np.broadcast_to(np.asarray(own if given is None else given, dtype=float), (model.dof,)).copy()
    except ValueError as error:
        raise InputError(f'{name} needs {model.dof} values: {error}.', field=name, value=given) from error
    if not np.all(limits > 0.0):
        joint = int(np.argmax(~(limits > 0.0)))
        raise InputError(f"{name} of joint '{model.joint_names[joint]}' is {limits[joint]}; it must be positive.",
                         field=name, value=given)
    return limits
