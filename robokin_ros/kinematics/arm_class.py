"""Which closed form, if any, solves the inverse kinematics of an arm, and why (KIN-21, KIN-25)."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from robokin_ros.errors import ModelError
from robokin_ros.kernels.closed_form import PARALLEL_234, SPHERICAL_SHOULDER, SPHERICAL_WRIST
from robokin_ros.model.dh_detect import DhChain, dh_of_model
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import invert_transform

Array = NDArray[np.float64]
LENGTH = 1e-5
"""Share of the arm's size below which an offset counts as zero: descriptions round; solutions are polished."""
ANGLE = 1e-5
"""[rad] likewise for right angles and parallel axes."""


@dataclass(frozen=True)
class ArmClass:
    """The solver of an arm.

    Attributes
    ----------
    name
        'spherical wrist', 'spherical shoulder', 'three parallel axes' or 'numeric'.
    reason
        One sentence that says what decided.
    kind
        Number of the compiled solver; -1: numeric.
    """

    name: str
    reason: str
    kind: int = -1
    chain: DhChain | None = None
    table: Array | None = None
    size: float = 0.0
    to_base: Array | None = None
    to_flange: Array | None = None


_CLASSES: WeakKeyDictionary[RobotModel, ArmClass] = WeakKeyDictionary()


def classify_arm(model: RobotModel) -> ArmClass:
    """Class of a model's chain from base to tip; computed once per model."""
    if model not in _CLASSES:
        _CLASSES[model] = _classify(model)
    return _CLASSES[model]


def _classify(model: RobotModel) -> ArmClass:
    try:
        chain = dh_of_model(model)
    except ModelError as error:
        return ArmClass('numeric', str(error))
    number = len(chain.alpha)
    if number != 6 or np.any(chain.prismatic):
        kinds = ''.join('P' if slides else 'R' for slides in chain.prismatic)
        return ArmClass('numeric', f'The chain is {kinds}; closed forms are known here for six revolute joints.',
                        chain=chain)
    table = chain.table()
    size = float(np.sum(np.abs(table[:, 1:3])))
    zero = np.abs(table[:, 1:3]) <= LENGTH * size  # columns a_{i-1}, d_i
    right = np.abs(np.cos(table[:, 0])) <= ANGLE
    parallel = np.abs(np.sin(table[:, 0])) <= ANGLE
    coaxial = zero[:, 0] & parallel  # an axis that coincides with the one before it
    if zero[4, 0] and zero[5, 0] and zero[4, 1] and not (parallel[4] or parallel[5] or coaxial[1]):
        return _closed('spherical wrist', 'Axes 4, 5 and 6 meet in one point.', SPHERICAL_WRIST, chain, table, size)
    if zero[1, 0] and zero[2, 0] and zero[1, 1] and not (parallel[1] or parallel[2] or coaxial[5]):
        return _closed('spherical shoulder', 'Axes 1, 2 and 3 meet in one point.', SPHERICAL_SHOULDER, chain,
                       _reversed(table), size)
    if (parallel[2] and parallel[3] and right[1] and right[4] and right[5] and zero[4, 0] and zero[5, 0]
            and not zero[2, 0] and not zero[3, 0]):
        return _closed('three parallel axes', 'Axes 2, 3 and 4 are parallel, axes 5 and 6 meet at a right angle.',
                       PARALLEL_234, chain, table, size)
    return ArmClass('numeric', 'No three neighbouring axes meet, and axes 2, 3, 4 are not those of a UR-type arm.',
                    chain=chain)


def _closed(name: str, reason: str, kind: int, chain: DhChain, table: Array, size: float) -> ArmClass:
    return ArmClass(name, reason, kind, chain, np.ascontiguousarray(table), size,
                    invert_transform(chain.base), invert_transform(chain.tool))


def _reversed(table: Array) -> Array:
    """Table of the same arm from tip to base: joints j' = 7 - j, all signs turned (case F of KIN-25)."""
    back = np.zeros((6, 4))
    back[1:, :2] = -table[:0:-1, :2]
    back[:, 2] = -table[::-1, 2]
    return back
