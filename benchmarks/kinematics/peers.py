"""Other libraries of inverse kinematics, each on the same arm as ours and called in its fastest way."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

import numpy as np
import ssik
from eaik.IK_Homogeneous import HomogeneousRobot
from numpy.typing import NDArray
from roboticstoolbox import ET, ETS

from benchmarks.arms import steps
from robokin_ros.model import RobotModel

Array = NDArray[np.float64]


def eaik_robot(model: RobotModel) -> HomogeneousRobot:
    """EAIK: closed form in C++."""
    return HomogeneousRobot(np.array(list(accumulate(steps(model), np.matmul))))


def ssik_arm(model: RobotModel) -> ssik.Manipulator:
    """The arm given at run time to ssik, as from a URDF: Python."""
    limits = np.column_stack((model.lower, model.upper))
    return ssik.Manipulator.from_transforms(np.array(steps(model)), limits=limits)


def ssik_prebuilt(name: str) -> ssik.Manipulator:
    """An arm that ssik ships as a generated artifact: C++."""
    return ssik.Manipulator.from_prebuilt(name)


def toolbox_solver(model: RobotModel, tolerance: float, **options: float) -> Callable[[Array], Array | None]:
    """Levenberg-Marquardt of roboticstoolbox, in C++, from the middle of the limits: pose to joints, or None.

    Its residual is half the squared norm of position and rotation. `options` as of `ETS.ik_LM`.
    """
    low = np.where(np.isfinite(model.lower), model.lower, -np.pi)
    high = np.where(np.isfinite(model.upper), model.upper, np.pi)
    *before, last = steps(model)
    parts = []
    for step, *limits in zip(before, low, high, strict=True):
        parts += [ET.SE3(step), ET.Rz(qlim=limits)]
    chain = ETS([*parts, ET.SE3(last)])
    seed, residual = model.middle(), 0.5 * tolerance**2

    def solve(pose: Array) -> Array | None:
        found = chain.ik_LM(pose, q0=seed, tol=residual, **options)
        return found.q if found.success else None
    return solve
