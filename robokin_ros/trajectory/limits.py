"""Does a motion stay within the limits: on the whole curve, for polynomials by its exact extrema."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, LimitError
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.trajectory.motion import Motion, PolynomialMotion
from robokin_ros.trajectory.time_optimal.drive_limits import TorqueLimits, joint_limits, torque_limits

Array = NDArray[np.float64]
SLACK = 1e-6
"""Excess [rad, m, rad/s, m/s] that is rounding, not a violation."""
SPLINE_SLACK = 1e-4
"""Distance [rad, m] beyond a position limit that a spline through points within it may reach."""
RELATIVE_SLACK = 1e-6
"""Excess of accelerations, jerks and torques, as a share of the limit, that is rounding."""
PER_PIECE, MOST_SAMPLES = 12, 60_000
"""Samples between two knots of a motion that is no polynomial, and of torques; and of the whole."""
CLOSER = 41
"""Samples around the largest value, to find the peak between two samples."""


def check_motion(model: RobotModel, motion: Motion, velocity_limit: ArrayLike | None = None,
                 acceleration_limit: ArrayLike | None = None, jerk_limit: ArrayLike | None = None,
                 start: ArrayLike | None = None, start_tolerance: float = 0.0) -> None:
    """Raise LimitError with joint, time, value and limit where a motion leaves its limits.

    A joint that starts beyond a position limit may come back: it must not go farther out than it is.

    Parameters
    ----------
    velocity_limit, acceleration_limit, jerk_limit
        (n,) [rad, m, s]; None: the model's own velocities, and no limit of the others. Jerks are looked at within the
        pieces of polynomials only.
    start
        Where the arm is (n,) [rad, m]: the motion must begin there within `start_tolerance`.
    """
    speed = joint_limits(model, 'velocity_limit', velocity_limit, model.velocity_limit)
    acceleration = joint_limits(model, 'acceleration_limit', acceleration_limit, np.inf)
    jerk = joint_limits(model, 'jerk_limit', jerk_limit, np.inf)
    first = motion.sample(0.0)[0]
    if start is not None:
        away = np.abs(first - joint_array(model, start, 'start'))
        refuse_non_finite(model, start=away)
        joint = int(np.argmax(away))
        if away[joint] > start_tolerance:
            name = model.joint_names[joint]
            raise LimitError(f"The motion starts with joint '{name}' at {first[joint]:.4f}; it is {away[joint]:.4f} "
                             f'away from there (tolerance {start_tolerance:g}).', joint=name, value=float(away[joint]),
                             limit=start_tolerance, time=0.0)
    lower, upper = np.minimum(model.lower, first), np.maximum(model.upper, first)
    if not isinstance(motion, PolynomialMotion):
        _check_sampled(model, motion, lower, upper, speed, acceleration)
        return
    curve, limits = motion.coefficients, [(lower, upper, 'position')]
    limits += [(-limit, limit, what) for limit, what in ((speed, 'velocity'), (acceleration, 'acceleration'),
                                                        (jerk, 'jerk'))]
    for low, high, what in limits:
        if np.any(np.isfinite(low) | np.isfinite(high)):
            _check(model, motion.breaks, curve, low, high, what)
        curve = curve[:, 1:] * np.arange(1, curve.shape[1])[:, None]
        if curve.shape[1] == 0:
            break


def torque_peaks(motion: Motion) -> tuple[Array, Array]:
    """Largest torques (n,) [N m] or [N] by amount, with their signs, and when they come (n,) [s]."""
    t = sample_times(motion)
    torque = motion.torque(t)
    row = np.argmax(np.abs(torque), axis=0)
    peaks, times = np.empty(len(row)), np.empty(len(row))
    for joint, k in enumerate(row):
        around = np.append(np.linspace(t[max(k - 1, 0)], t[min(k + 1, len(t) - 1)], CLOSER), t[k])
        values = motion.torque(around)[:, joint]
        best = int(np.argmax(np.abs(values)))
        peaks[joint], times[joint] = values[best], around[best]
    return peaks, times


def check_torque(model: RobotModel, motion: Motion, torque_limit: TorqueLimits | ArrayLike | None = None,
                 share: float = 1.0) -> None:
    """LimitError where a motion needs more torque than a share of the limits (TRJ-18); None: the model's efforts."""
    limits = torque_limits(model, torque_limit)
    if not 0.0 < share <= 1.0:
        raise InputError(f'The share is {share}; it must be in (0, 1].', field='share', value=share)
    if limits is None:
        return
    t = sample_times(motion)
    qd, torque = motion.sample(t)[1], motion.torque(t)
    with np.errstate(invalid='ignore'):
        excess = limits.excess(qd, torque / share)
    if np.max(excess) > RELATIVE_SLACK:
        k, joint = (int(v) for v in np.unravel_index(np.argmax(excess), excess.shape))
        name, value = model.joint_names[joint], float(torque[k, joint])
        limit = float(share * (limits.upper if value > 0.0 else limits.lower)[joint])
        raise LimitError(f"Joint '{name}' would need torque {value:.4g} at {t[k]:.3f} s; the limit is {limit:.4g}.",
                         joint=name, value=value, limit=limit, time=float(t[k]))


def sample_times(motion: Motion) -> Array:
    """Times [s] close enough together to see what a motion does: its knots, both sides of them, and between."""
    knots = motion.knots()
    inner = int(np.clip(MOST_SAMPLES // max(len(knots), 1), 1, PER_PIECE))
    share = np.arange(inner) / inner
    times = (knots[:-1, None] + np.diff(knots)[:, None] * share).ravel()
    if len(knots) <= 4:
        times = np.union1d(times, np.linspace(0.0, motion.duration, 101))
    times = np.concatenate((times, np.nextafter(knots[1:-1], 0.0)))
    return np.append(np.sort(times[times < motion.duration]), motion.duration)


def _check_sampled(model: RobotModel, motion: Motion, lower: Array, upper: Array, speed: Array,
                   acceleration: Array) -> None:
    """The same by samples."""
    t = sample_times(motion)
    q, qd, qdd = motion.sample(t)
    loose = RELATIVE_SLACK + 5e-3  # between the grid points of a time-optimal motion
    for values, low, high, what in ((q, lower - SPLINE_SLACK, upper + SPLINE_SLACK, 'position'),
                                    (qd, -speed * (1.0 + loose), speed * (1.0 + loose), 'velocity'),
                                    (qdd, -acceleration * (1.0 + loose), acceleration * (1.0 + loose), 'acceleration')):
        bad = np.argwhere((values < low) | (values > high))
        if len(bad):
            k, joint = (int(v) for v in bad[0])
            limit = float(low[joint] if values[k, joint] < low[joint] else high[joint])
            _raise(model, joint, what, float(values[k, joint]), limit, float(t[k]))


def _raise(model: RobotModel, joint: int, what: str, value: float, limit: float, time: float) -> None:
    name = model.joint_names[joint]
    raise LimitError(f"Joint '{name}' would reach {what} {value:.4f} at {time:.3f} s; the limit is {limit:.4f}.",
                     joint=name, value=value, limit=limit, time=time)


def _check(model: RobotModel, breaks: Array, coefficients: Array, lower: Array, upper: Array, what: str) -> None:
    """Look closer only at pieces whose control points leave the limits: a polynomial stays within their hull."""
    slack = SLACK if what in ('position', 'velocity') else RELATIVE_SLACK * np.where(np.isfinite(upper), upper, 0.0)
    lower, upper = lower - slack, upper + slack
    control = _control_points(coefficients, np.diff(breaks))
    suspects = np.any((control < lower) | (control > upper), axis=1)
    for piece, joint in np.argwhere(suspects):
        curve = coefficients[piece, :, joint]
        for local in _extremal_times(curve, breaks[piece + 1] - breaks[piece]):
            value = float(polynomial.polyval(local, curve))
            if value < lower[joint] or value > upper[joint]:
                _raise(model, int(joint), what, value, float(lower[joint] if value < lower[joint] else upper[joint]),
                       float(breaks[piece] + local))


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
