"""Does a motion stay within the limits: on the whole curve, by its exact extrema."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import NDArray

from robokin_ros.errors import LimitError
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.trajectory.motion import PolynomialMotion

Array = NDArray[np.float64]
SLACK = 1e-6
"""Excess [rad, m, rad/s, m/s] that is rounding, not a violation."""


def check_motion(model: RobotModel, motion: PolynomialMotion) -> None:
    """Raise LimitError with joint, time, value and limit where position or velocity leaves its limits.

    A joint that starts beyond a position limit may come back: it must not go farther out than it is.
    """
    start = motion.coefficients[0, 0]
    _check(model, motion.breaks, motion.coefficients, np.minimum(model.lower, start), np.maximum(model.upper, start),
           'position')
    rates = motion.coefficients[:, 1:] * np.arange(1, motion.coefficients.shape[1])[:, None]
    _check(model, motion.breaks, rates, -model.velocity_limit, model.velocity_limit, 'velocity')


def _check(model: RobotModel, breaks: Array, coefficients: Array, lower: Array, upper: Array, what: str) -> None:
    """Look closer only at pieces whose control points leave the limits: a polynomial stays within their hull."""
    control = _control_points(coefficients, np.diff(breaks))
    suspects = np.any((control < lower - SLACK) | (control > upper + SLACK), axis=1)
    for piece, joint in np.argwhere(suspects):
        curve = coefficients[piece, :, joint]
        for local in _extremal_times(curve, breaks[piece + 1] - breaks[piece]):
            value = float(polynomial.polyval(local, curve))
            if value < lower[joint] - SLACK or value > upper[joint] + SLACK:
                limit = float(lower[joint] if value < lower[joint] else upper[joint])
                time, name = float(breaks[piece] + local), model.joint_names[joint]
                raise LimitError(f"Joint '{name}' would reach {what} {value:.4f} at {time:.3f} s; "
                                 f'the limit is {limit:.4f}.', joint=name, value=value, limit=limit, time=time)


def _control_points(coefficients: Array, lengths: Array) -> Array:
    """Bernstein coefficients (s, degree + 1, n) of pieces (s, degree + 1, n) over their lengths [s] (s,)."""
    degree = coefficients.shape[1] - 1
    powers = lengths[:, None] ** np.arange(degree + 1)
    convert = np.array([[comb(i, k) / comb(degree, k) if k <= i else 0.0 for k in range(degree + 1)]
                        for i in range(degree + 1)])
    return np.asarray(np.einsum('ik,skn->sin', convert, coefficients * powers[:, :, None]))


def _extremal_times(curve: Array, length: float) -> list[float]:
    """Ends of a piece, and where the slope vanishes within."""
    times = [0.0, length]
    slope = np.trim_zeros(polynomial.polyder(curve), 'b') if len(curve) > 1 else np.empty(0)
    if len(slope) > 1:
        roots = polynomial.polyroots(slope)
        inner = roots.real[(np.abs(roots.imag) < 1e-9 * (1.0 + np.abs(roots.real)))]
        times += [float(root) for root in inner if 0.0 < root < length]
    return times
