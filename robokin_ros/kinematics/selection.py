"""Choosing among solutions: whole turns within limits, distance to where the arm is (KIN-21)."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial.rotation import finite

Array = NDArray[np.float64]
SLACK = 1e-9
"""Limits are inclusive with this slack [rad]."""
MOST_IMAGES = 4096
"""Most images of all branches together that are listed."""


def images_within_limits(angle: float, lower: float, upper: float) -> Array:
    """Every value angle + 2 pi k within limits, ascending; without limits the one in (-pi, pi]."""
    if not np.isfinite(lower) or not np.isfinite(upper):
        wrapped = np.pi - np.mod(np.pi - angle, 2.0 * np.pi)
        if lower == -np.inf and upper == np.inf:
            return np.array([wrapped])
        lower, upper = max(lower, wrapped - 2.0 * np.pi), min(upper, wrapped + 2.0 * np.pi)
    turns = np.arange(np.ceil((lower - SLACK - angle) / (2.0 * np.pi)),
                      np.floor((upper + SLACK - angle) / (2.0 * np.pi)) + 1.0)
    return np.clip(angle + 2.0 * np.pi * turns, lower, upper)


def joint_distance(solutions: ArrayLike, current: ArrayLike, weights: ArrayLike | None = None,
                   norm: str = 'euclidean') -> Array:
    """Distance (...) of joint vectors (..., n) from the current one: weighted 'sum', 'euclidean' or 'max' norm."""
    apart = np.abs(np.asarray(solutions, dtype=float) - np.asarray(current, dtype=float))
    if weights is not None:
        factors = finite(weights, 'weights', apart.shape[-1:])
        if factors.ndim != 1 or np.any(factors < 0.0):
            raise InputError(f'weights needs {apart.shape[-1]} numbers that are not negative, got {factors.tolist()}.',
                             field='weights', value=factors)
        apart = apart * factors
    if norm == 'sum':
        return np.asarray(np.sum(apart, axis=-1))
    if norm == 'max':
        return np.asarray(np.max(apart, axis=-1, initial=0.0))
    return np.asarray(np.linalg.norm(apart, axis=-1))


def all_images(model: RobotModel, solutions: Array) -> tuple[Array, NDArray[np.int64]]:
    """Solutions with every combination of whole turns within limits, and which branch each comes from."""
    moving = set(model.chain_joints.tolist())
    turning = [kind != 'prismatic' and i in moving and bool(np.isfinite(model.lower[i]) or np.isfinite(model.upper[i]))
               for i, kind in enumerate(model.joint_types)]
    rows: list[tuple[float, ...]] = []
    origin: list[int] = []
    for branch, q in enumerate(solutions):
        choices = [images_within_limits(value, model.lower[i], model.upper[i]) if turning[i] else np.array([value])
                   for i, value in enumerate(q)]
        for row in product(*choices):
            if len(rows) == MOST_IMAGES:
                raise InputError(
                    f'There are more than {MOST_IMAGES} images of the branches within the joint limits: ask '
                    "for images 'nearest'.",
                    field='images',
                    value='all',
                )
            rows.append(row)
            origin.append(branch)
    return np.array(rows).reshape(-1, model.dof), np.array(origin, dtype=np.int64)
