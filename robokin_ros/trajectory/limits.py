"""Does a motion stay within the limits: on the whole curve, by its exact extrema."""

from __future__ import annotations

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
    """Raise LimitError with joint, time, value and limit where position or velocity leaves its limits."""
    _check(model, motion, 0, model.lower, model.upper, 'position')
    _check(model, motion, 1, -model.velocity_limit, model.velocity_limit, 'velocity')


def _check(model: RobotModel, motion: PolynomialMotion, order: int, lower: Array, upper: Array, what: str) -> None:
    for joint, name in enumerate(model.joint_names):
        if not (np.isfinite(lower[joint]) or np.isfinite(upper[joint])):
            continue
        for piece in range(len(motion.breaks) - 1):
            curve = motion.coefficients[piece, :, joint]
            if order:
                curve = np.asarray(polynomial.polyder(curve, order), dtype=np.float64)
            for local in _extremal_times(curve, motion.breaks[piece + 1] - motion.breaks[piece]):
                value = float(polynomial.polyval(local, curve))
                limit = lower[joint] if value < lower[joint] else upper[joint]
                if value < lower[joint] - SLACK or value > upper[joint] + SLACK:
                    time = float(motion.breaks[piece] + local)
                    raise LimitError(f"Joint '{name}' would reach {what} {value:.4f} at {time:.3f} s; "
                                     f'the limit is {limit:.4f}.', joint=name, value=value, limit=float(limit),
                                     time=time)


def _extremal_times(curve: Array, length: float) -> list[float]:
    """Ends of a piece, and where the slope vanishes within."""
    times = [0.0, length]
    slope = np.trim_zeros(polynomial.polyder(curve), 'b') if len(curve) > 1 else np.empty(0)
    if len(slope) > 1:
        roots = polynomial.polyroots(slope)
        inner = roots.real[(np.abs(roots.imag) < 1e-9 * (1.0 + np.abs(roots.real)))]
        times += [float(root) for root in inner if 0.0 < root < length]
    return times
