"""What inverse kinematics answers: solutions of one pose, or of many."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from robokin_ros.kernels.solution_list import smallest_margins
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class IkResult:
    """Solutions of one pose, nearest to the seed first.

    Attributes
    ----------
    status
        'OK', 'SINGULAR' (solved, but `free_joints` could have any value; they have the seed's), 'UNREACHABLE',
        'OFF_SUBSPACE', 'OUT_OF_LIMITS' or 'BAD_INPUT'.
    reason
        Why there is no solution, or what to know about those found.
    solutions
        (k, n) [rad], [m].
    residuals
        (k, 2) distance [m] and angle [rad] to the wanted pose, by forward kinematics.
    limit_margins
        (k,) distance [rad], [m] of the joint that is nearest to one of its limits.
    free_joints
        Names of joints that a singular pose or a redundant arm leaves free.
    method
        Class of the arm (`classify_arm`), or 'numeric'.
    projected
        The pose that was solved in place of the wanted one (option `project`); None: the wanted one.
    given_up
        Distance [m] and angle [rad] between the two.
    """

    status: str
    reason: str
    solutions: Array
    residuals: Array
    limit_margins: Array = field(default_factory=lambda: np.empty(0))
    free_joints: tuple[str, ...] = ()
    method: str = ''
    projected: Array | None = None
    given_up: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class IkBatch:
    """Solutions of m poses: (m, k, n) solutions, (m, k, 2) residuals; rows beyond `counts` are NaN.

    A batch does not tell OFF_SUBSPACE from UNREACHABLE, and gives samples of a redundant arm as they are: ask pose by
    pose for reasons and refinement.
    """

    status: NDArray[np.str_]
    counts: NDArray[np.int64]
    solutions: Array
    residuals: Array
    method: str = ''


def nothing(model: RobotModel, status: str, reason: str, method: str = '') -> IkResult:
    """A result without solutions."""
    return IkResult(status, reason, np.empty((0, model.dof)), np.empty((0, 2)), np.empty(0), method=method)


def solved(model: RobotModel, status: str, reason: str, solutions: Array, residuals: Array, free: tuple[str, ...],
           method: str) -> IkResult:
    """A result with solutions."""
    return IkResult(status, reason, solutions, residuals, limit_margins(model, solutions), free, method)


def limit_margins(model: RobotModel, solutions: Array) -> Array:
    """Distance (k,) of the joint that is nearest to one of its limits, of (k, n) solutions; inf without limits."""
    margins = np.empty(len(solutions))
    smallest_margins(solutions, model.lower, model.upper, model.chain_joints, margins)
    return margins
