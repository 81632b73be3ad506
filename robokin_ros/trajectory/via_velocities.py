"""Velocities at via points: of tool twists, of the slopes around, or for continuous acceleration (TRJ-04)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_banded

from robokin_ros.errors import InputError
from robokin_ros.kinematics import jacobian
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]
SINGULAR = 1e-6
"""Ratio of singular values below which a twist cannot be turned into joint rates."""
IMPOSSIBLE = 1e-6
"""Part of a twist [m/s, rad/s] that an arm may leave out."""


def heuristic_velocities(times: ArrayLike, positions: ArrayLike) -> Array:
    """Mean slope of the straight lines before and after each inner point, 0 where their signs differ; rest at the ends.

    `times` (k,) [s], `positions` (k, n); velocities (k, n).
    """
    instants, q = _points(times, positions)
    slopes = np.diff(q, axis=0) / np.diff(instants)[:, None]
    before, after = slopes[:-1], slopes[1:]
    inner = np.where(before * after > 0.0, 0.5 * (before + after), 0.0)
    return np.vstack((np.zeros((1, q.shape[1])), inner, np.zeros((1, q.shape[1]))))


def continuous_velocities(times: ArrayLike, positions: ArrayLike, start_velocity: ArrayLike = 0.0,
                          end_velocity: ArrayLike = 0.0) -> Array:
    """Velocities (k, n) that make the acceleration of the cubics continuous: a clamped spline, in O(k)."""
    instants, q = _points(times, positions)
    h = np.diff(instants)
    velocities = np.empty_like(q)
    velocities[0], velocities[-1] = start_velocity, end_velocity
    if not np.all(np.isfinite(velocities[[0, -1]])):
        raise InputError('The velocities at the ends are not finite.', field='start_velocity')
    if len(q) > 2:
        d = np.diff(q, axis=0)
        right = 3.0 * (d[:-1] * (h[1:] / h[:-1])[:, None] + d[1:] * (h[:-1] / h[1:])[:, None])
        right[0] -= h[1] * velocities[0]
        right[-1] -= h[-2] * velocities[-1]
        bands = np.zeros((3, len(q) - 2))
        bands[0, 1:], bands[1], bands[2, :-1] = h[:-2], 2.0 * (h[:-1] + h[1:]), h[2:]
        velocities[1:-1] = solve_banded((1, 1), bands, right)
    return velocities


def velocities_of_twists(model: RobotModel, positions: ArrayLike, twists: ArrayLike) -> Array:
    """Joint rates (k, n) that move the tip with given twists (k, 6) [m/s, rad/s] in base axes at given joint vectors.

    InputError where the arm cannot move so: at a singular point, or with too few joints.
    """
    q, wanted = np.asarray(positions, dtype=float), np.asarray(twists, dtype=float)
    if wanted.shape != (len(q), 6) or not np.all(np.isfinite(wanted)):
        raise InputError(f'{len(q)} points need finite twists of shape ({len(q)}, 6), got {wanted.shape}.',
                         field='twists')
    rates = np.empty_like(q)
    for i, (joints, twist) in enumerate(zip(q, wanted, strict=True)):
        matrix = jacobian(model, joints)
        rates[i], _, _, values = np.linalg.lstsq(matrix, twist, rcond=SINGULAR)
        missed = np.linalg.norm(matrix @ rates[i] - twist)
        if missed > IMPOSSIBLE:
            singular = values[-1] < SINGULAR * values[0]
            raise InputError(f'At via {i} the tip cannot move with the twist {twist.tolist()}: '
                             f"{'the arm is singular there' if singular else 'the arm has too few joints'}, "
                             f'{missed:.3g} of it is missed.', field='twists', value=twist)
    return rates


def _points(times: ArrayLike, positions: ArrayLike) -> tuple[Array, Array]:
    instants, q = np.asarray(times, dtype=float), np.asarray(positions, dtype=float)
    if instants.ndim != 1 or len(instants) < 2 or q.ndim != 2 or len(q) != len(instants):
        raise InputError(f'Times (k,) and positions (k, n) of at least two points are needed, got {instants.shape} and '
                         f'{q.shape}.', field='times')
    if not (np.all(np.isfinite(instants)) and np.all(np.isfinite(q))) or np.any(np.diff(instants) <= 0.0):
        raise InputError(f'Times must increase and all numbers be finite, got {instants.tolist()}.', field='times')
    return instants, q
