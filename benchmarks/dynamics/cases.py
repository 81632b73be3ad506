"""What is measured of the dynamics: our functions, and those of Pinocchio that do the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio
from numpy.typing import NDArray

from benchmarks.arms import random_joints
from robokin_ros.dynamics import (
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    mass_matrix,
)
from robokin_ros.model import DhRow, Inertial, RobotModel

Array = NDArray[np.float64]
ARMS = ('panda', 'arm7')
SAME = 1e-11
"""Difference from Pinocchio, relative to the largest number of the row or matrix."""


@dataclass(frozen=True)
class Case:
    """A function of ours, Pinocchio's binding, the number of joint vectors they take, and the name of the C++ loop."""

    name: str
    ours: Callable[..., Any]
    binding: Callable[..., Any]
    inputs: int
    loop: str = ''


CASES = (
    Case('inverse dynamics', inverse_dynamics, pinocchio.rnea, 3, 'rnea'),
    Case('forward dynamics', forward_dynamics, pinocchio.aba, 3, 'aba'),
    Case('mass matrix', mass_matrix, pinocchio.crba, 1, 'crba'),
    Case('gravity torque', gravity_torque, pinocchio.computeGeneralizedGravity, 1, 'gravity'),
)
DERIVATIVES = Case('derivatives of inverse dynamics', inverse_dynamics_derivatives, pinocchio.computeRNEADerivatives, 3)
"""Measured without a goal."""


def random_states(model: RobotModel, count: int) -> tuple[Array, Array, Array]:
    """Positions within the limits, rates, and accelerations (or torques), each (count, n)."""
    rates, others = np.random.default_rng(2).normal(size=(2, count, model.dof))
    return random_joints(model, count), rates, others


def agreement(ours: Array, theirs: Array) -> dict[str, bool]:
    """How far results are from Pinocchio's, as a check of a row."""
    scale = np.max(np.abs(theirs), axis=tuple(range(1, theirs.ndim)), keepdims=True)
    defect = float(np.max(np.abs(ours - theirs) / scale))
    return {f'largest relative difference {defect:.0e}': defect < SAME}


def chain(links: int) -> RobotModel:
    """A chain of equal links with crossed axes."""
    inertial = Inertial(1.0, np.array((0.05, 0.01, 0.02)), np.diag((1e-3, 2e-3, 2e-3)))
    return RobotModel.from_dh([DhRow(alpha=(-1.0) ** i * 0.5 * np.pi, a=0.1, inertial=inertial) for i in range(links)],
                              name=f'chain of {links}')
