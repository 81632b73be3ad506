"""What a motion is, and motions made of polynomial pieces."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics import inverse_dynamics
from robokin_ros.errors import InputError
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


class Motion(Protocol):
    """A motion of all joints over `duration` [s]."""

    duration: float

    def sample(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Position, velocity, acceleration (..., n) at times t (...), held at both ends."""
        ...

    def torque(self, t: ArrayLike) -> Array:
        """Inverse dynamics along the motion (..., n) [N m] or [N]."""
        ...


class PolynomialMotion:
    """Pieces q(t) = sum_k c_k (t - t_i)^k between the break times.

    Parameters
    ----------
    model
        Whose joints move.
    breaks
        (s + 1,) increasing times [s], the first 0.
    coefficients
        (s, degree + 1, n), constant term first.
    """

    def __init__(self, model: RobotModel, breaks: Array, coefficients: Array) -> None:
        if coefficients.shape != (len(breaks) - 1, coefficients.shape[1], model.dof):
            raise InputError(f'{len(breaks) - 1} pieces of {model.dof} joints need coefficients of that shape, '
                             f'got {coefficients.shape}.', field='coefficients')
        if breaks[0] != 0.0 or np.any(np.diff(breaks) <= 0.0):
            raise InputError(f'Break times must start at 0 and increase, got {breaks.tolist()}.', field='breaks')
        if not np.all(np.isfinite(coefficients)):
            raise InputError('The motion needs infinite numbers: its points are too far or too close in time.',
                             field='coefficients')
        self.model = model
        self.breaks = breaks
        self.coefficients = coefficients
        self.duration = float(breaks[-1])
        orders = np.arange(1, coefficients.shape[1])
        self._rates = coefficients[:, 1:] * orders[:, None]
        self._accelerations = self._rates[:, 1:] * orders[:-1, None]

    def sample(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Position, velocity, acceleration (..., n); at rest before the start and after the end."""
        times = np.asarray(t, dtype=float)
        clipped = np.clip(times, 0.0, self.duration)
        piece = np.clip(np.searchsorted(self.breaks, clipped, side='right') - 1, 0, len(self.breaks) - 2)
        local = (clipped - self.breaks[piece])[..., None]
        moving = ((times >= 0.0) & (times <= self.duration))[..., None]
        return (_horner(self.coefficients[piece], local), _horner(self._rates[piece], local) * moving,
                _horner(self._accelerations[piece], local) * moving)

    def torque(self, t: ArrayLike) -> Array:
        """Torque that the motion needs (..., n) [N m] or [N]."""
        return inverse_dynamics(self.model, *self.sample(t))


def _horner(coefficients: Array, t: Array) -> Array:
    """Value of polynomials (..., degree + 1, n) at t (..., 1)."""
    value = np.zeros((*coefficients.shape[:-2], coefficients.shape[-1]))
    for k in range(coefficients.shape[-2] - 1, -1, -1):
        value = value * t + coefficients[..., k, :]
    return value
