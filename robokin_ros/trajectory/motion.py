"""What a motion is, and curves and motions made of polynomial pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics import Friction, inverse_dynamics
from robokin_ros.errors import InputError
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


class Motion(Protocol):
    """A motion of all joints of a model over `duration` [s]."""

    model: RobotModel
    duration: float

    def sample(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Position, velocity, acceleration (..., n) at times t (...), held at both ends."""
        ...

    def torque(self, t: ArrayLike) -> Array:
        """What the motors have to give along the motion (..., n) [N m] or [N]: inverse dynamics and friction."""
        ...

    def knots(self) -> Array:
        """Times [s] between which the motion is smooth, from 0 to `duration`."""
        ...


class Polynomials:
    """A curve of pieces sum_k c_k (t - t_i)^k between break times.

    Parameters
    ----------
    breaks
        (s + 1,) increasing times [s], the first 0.
    coefficients
        (s, degree + 1, n), constant term first; degree at least 2.
    """

    def __init__(self, breaks: Array, coefficients: Array) -> None:
        if coefficients.shape[0] != len(breaks) - 1:
            raise InputError(f'{len(breaks) - 1} pieces need coefficients of that number, got {coefficients.shape}.',
                             field='coefficients')
        if len(breaks) < 2 or breaks[0] != 0.0 or np.any(np.diff(breaks) <= 0.0):
            raise InputError(f'Break times must start at 0 and increase, got {breaks.tolist()}.', field='breaks')
        if not np.all(np.isfinite(coefficients)):
            raise InputError('The motion needs infinite numbers: its points are too far or too close in time.',
                             field='coefficients')
        self.breaks = breaks
        self.coefficients = coefficients
        self.duration = float(breaks[-1])
        orders = np.arange(1, coefficients.shape[1])
        self._rates = coefficients[:, 1:] * orders[:, None]
        self._accelerations = self._rates[:, 1:] * orders[:-1, None]

    def knots(self) -> Array:
        """Times [s] between which the curve is smooth."""
        return self.breaks

    def sample(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Position, velocity, acceleration (..., n); at rest before the start and after the end."""
        times = np.asarray(t, dtype=float)
        clipped = np.clip(times, 0.0, self.duration)
        piece = np.clip(np.searchsorted(self.breaks, clipped, side='right') - 1, 0, len(self.breaks) - 2)
        local = (clipped - self.breaks[piece])[..., None]
        moving = ((times >= 0.0) & (times <= self.duration))[..., None]
        return (_horner(self.coefficients[piece], local), _horner(self._rates[piece], local) * moving,
                _horner(self._accelerations[piece], local) * moving)


class PolynomialMotion(Polynomials):
    """A motion of all joints of a model in polynomial pieces."""

    def __init__(self, model: RobotModel, breaks: Array, coefficients: Array) -> None:
        if coefficients.ndim != 3 or coefficients.shape[2] != model.dof:
            raise InputError(f'{model.dof} joints need coefficients of that width, got {coefficients.shape}.',
                             field='coefficients')
        super().__init__(breaks, coefficients)
        self.model = model

    def torque(self, t: ArrayLike) -> Array:
        """Torque that the motion needs (..., n) [N m] or [N]."""
        return motor_torque(self.model, *self.sample(t))


def motor_torque(model: RobotModel, q: Array, qd: Array, qdd: Array) -> Array:
    """Inverse dynamics and the friction of the description (..., n) [N m] or [N]."""
    return inverse_dynamics(model, q, qd, qdd) + Friction.of_model(model).torque(qd)


def joint_polynomials(pieces: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Breaks and coefficients (s, degree + 1, n) of n curves with breaks of their own.

    `pieces`: for each curve its breaks (s_i + 1,) and coefficients (s_i, degree + 1). All end at the same time, within
    rounding.
    """
    end = max(float(breaks[-1]) for breaks, _ in pieces)
    merged = np.unique(np.concatenate([np.minimum(breaks, end) for breaks, _ in pieces]))
    merged = merged[np.concatenate(([True], np.diff(merged) > 1e-12 * max(end, 1.0)))]
    merged[-1] = end
    degree = max(coefficients.shape[1] for _, coefficients in pieces) - 1
    result = np.zeros((len(merged) - 1, degree + 1, len(pieces)))
    for joint, (breaks, coefficients) in enumerate(pieces):
        middle = 0.5 * (merged[:-1] + merged[1:])
        piece = np.clip(np.searchsorted(breaks, middle, side='right') - 1, 0, len(coefficients) - 1)
        result[:, :coefficients.shape[1], joint] = shifted(coefficients[piece], merged[:-1] - breaks[piece])
    return merged, result


def shifted(coefficients: Array, by: Array) -> Array:
    """Coefficients (s, degree + 1) of the same polynomials about points that are `by` (s,) later."""
    moved = coefficients.copy()
    for k in range(coefficients.shape[1] - 1):
        for i in range(coefficients.shape[1] - 2, k - 1, -1):
            moved[:, i] += by * moved[:, i + 1]
    return moved


def _horner(coefficients: Array, t: Array) -> Array:
    """Value of polynomials (..., degree + 1, n) at t (..., 1)."""
    value = np.zeros((*coefficients.shape[:-2], coefficients.shape[-1]))
    for k in range(coefficients.shape[-2] - 1, -1, -1):
        value = value * t + coefficients[..., k, :]
    return value
