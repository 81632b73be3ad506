"""The textbook's arms by name, with dimensions as parameters (KIN-17 to KIN-19).

`alpha` and `a` are those of the link before the joint. The book gives no masses: for simulation the links are rods of
2 kg/m.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature

import numpy as np
from numpy.typing import NDArray

from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.model.dh import DhRow, model_from_dh
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.model.tree import Inertial, Visual
from robokin_ros.spatial import make_transform, matrix_from_rpy, translation

Array = NDArray[np.float64]
PI = np.pi


@dataclass(frozen=True)
class TextbookArm:
    """Rows of a modified-DH table, pose of the tip in the last frame, pose of {0} in the base."""

    rows: list[DhRow]
    tool: Array = field(default_factory=lambda: np.eye(4))
    base: Array = field(default_factory=lambda: np.eye(4))


REVOLUTE_LIMIT = np.radians(170.0)
ROD_MASS, ROD_RADIUS = 2.0, 0.03
"""[kg/m] and [m] of the rods that the links are in simulations."""


def _rows(alpha_deg: Sequence[float], a: Sequence[float], d: Sequence[float], slides: Sequence[int] = (),
          theta_deg: Sequence[float] | None = None, limit: float = PI, stroke: tuple[float, float] = (-1.0, 1.0)
          ) -> list[DhRow]:
    turns = np.zeros(len(a)) if theta_deg is None else np.radians(theta_deg)
    return [DhRow(float(al), float(length), float(offset), float(turn),
                  'prismatic' if i in slides else 'revolute', *(stroke if i in slides else (-limit, limit)),
                  velocity=2.0, effort=200.0)
            for i, (al, length, offset, turn) in enumerate(zip(np.radians(alpha_deg), a, d, turns, strict=True))]


def _along_x(length: float) -> Array:
    return translation((1.0, 0.0, 0.0), length)


def planar2r(l1: float = 0.5, l2: float = 0.3) -> TextbookArm:
    """Two parallel joints; the tip at l2 along x2."""
    return TextbookArm(_rows([0, 0], [0, l1], [0, 0]), _along_x(l2))


def planar3r(l1: float = 0.5, l2: float = 0.5, tool: float = 0.0) -> TextbookArm:
    """Example 3.3 and the programming exercises: the wrist is the origin of {3}, limits +-170 degrees."""
    return TextbookArm(_rows([0, 0, 0], [0, l1, l2], [0, 0, 0], limit=REVOLUTE_LIMIT), _along_x(tool))


def cylindrical_rpr(l2: float = 0.2, shortest: float = 0.0, longest: float = 1.0) -> TextbookArm:
    """Example 3.4."""
    return TextbookArm(_rows([0, 90, 0], [0, 0, 0], [0, 0, l2], slides=(1,), stroke=(shortest, longest)))


def spatial3r_33(l1: float = 15.0, l2: float = 10.0, l3: float = 0.0) -> TextbookArm:
    """Exercise 3.3; the tip at l3 along x3. The lengths are those of exercise 4.1."""
    return TextbookArm(_rows([0, 90, 0], [0, l1, l2], [0, 0, 0]), _along_x(l3))


def spatial3r_34(l1: float = 0.3, l2: float = 0.2, l3: float = 0.4) -> TextbookArm:
    """Exercise 3.4."""
    return TextbookArm(_rows([0, 90, 0], [0, 0, l3], [l1 + l2, 0, 0]))


def twolink_39(l1: float = 0.5, l2: float = 0.3) -> TextbookArm:
    """Exercise 3.9; the tip at l2 along x2."""
    return TextbookArm(_rows([0, 90], [0, l1], [0, 0]), _along_x(l2))


def puma_prismatic(d2: float = 0.15, a3: float = 0.02, d4: float = 0.43, longest: float = 1.0) -> TextbookArm:
    """Exercise 3.2: a PUMA whose third joint slides."""
    return TextbookArm(_rows([0, -90, 90, 0, 90, -90], [0, 0, 0, a3, 0, 0], [0, d2, 0, d4, 0, 0], slides=(2,),
                 theta_deg=[0, 0, 180, 0, 0, 0], stroke=(0.0, longest)))


def planar_rpr_316(a1: float = 0.5, longest: float = 2.0) -> TextbookArm:
    """Exercise 3.16."""
    return TextbookArm(_rows([0, 90, -90], [0, a1, 0], [0, 0, 0], slides=(1,), stroke=(-longest, longest)))


def polar_rp(longest: float = 6.0) -> TextbookArm:
    """Example 4.2."""
    return TextbookArm(_rows([0, -90], [0, 0], [0, 0], slides=(1,), stroke=(0.0, longest)))


def positioner_411(l1: float = 0.4, l2: float = 0.2, h1: float = 0.5) -> TextbookArm:
    """Exercise 4.11: a tilting and turning table; joint 1 turns about y of the base at (l1, 0, h1)."""
    return TextbookArm(_rows([-90, 90], [0, 0], [0, l2]), base=make_transform(np.eye(3), (l1, 0.0, h1)))


def arm4r_416() -> TextbookArm:
    """Exercise 4.16."""
    root = float(np.sqrt(2.0))
    return TextbookArm(_rows([0, 0, 45, 0], [0, 1, 0, root], [0, 0, root, 0]))


def arm4r_417() -> TextbookArm:
    """Exercise 4.17."""
    return TextbookArm(_rows([0, -90, 45, 0], [0, 0, 0, 1], [0, 1, 1, 0]))


def puma560_dh(a2: float = 0.425, a3: float = 0.02, d3: float = 0.1225, d4: float = 0.425) -> TextbookArm:
    """PUMA 560 of exercise 4.5 with its joint limits; see also the shipped robot puma560, which has masses."""
    rows = _rows([0, -90, 0, -90, 90, -90], [0, 0, a2, a3, 0, 0], [0, 0, d3, d4, 0, 0])
    limits = np.radians([(-170, 170), (-225, 45), (-250, 75), (-135, 135), (-100, 100), (-180, 180)])
    return TextbookArm([replace(row, lower=float(low), upper=float(high))
                        for row, (low, high) in zip(rows, limits, strict=True)])


def motoman_l3(l2: float = 0.8, l3: float = 0.67) -> TextbookArm:
    """Yasukawa Motoman L-3; its actuators are in `actuators.py`."""
    return TextbookArm(_rows([0, -90, 0, 0, 90], [0, 0, l2, l3, 0], [0, 0, 0, 0, 0]))


ARMS: dict[str, Callable[..., TextbookArm]] = {
    function.__name__: function
    for function in (
        planar2r,
        planar3r,
        cylindrical_rpr,
        spatial3r_33,
        spatial3r_34,
        twolink_39,
        puma_prismatic,
        planar_rpr_316,
        polar_rp,
        positioner_411,
        arm4r_416,
        arm4r_417,
        puma560_dh,
        motoman_l3,
    )
}


def dh_arm_names() -> tuple[str, ...]:
    """Names of the textbook's arms."""
    return tuple(ARMS)


def dh_arm(name: str, **dimensions: float) -> RobotModel:
    """Model of one of the textbook's arms; dimensions [m] by the names of its function in this file."""
    if name not in ARMS:
        raise UnknownNameError('textbook arm', name, ARMS)
    known = signature(ARMS[name]).parameters
    for key, value in dimensions.items():
        if key not in known:
            raise UnknownNameError(f'dimension of {name}', key, known)
        if not np.isfinite(value):
            raise InputError(f'Dimension {key} of {name} is {value}.', field=key, value=value)
    arm = ARMS[name](**dimensions)
    ends = [np.array([row.a, -np.sin(row.alpha) * row.d, np.cos(row.alpha) * row.d]) for row in arm.rows[1:]]
    ends.append(arm.tool[:3, 3])
    rows = [replace(row, inertial=_rod(end)) for row, end in zip(arm.rows, ends, strict=True)]
    return model_from_dh(rows, name=name, tool=arm.tool, base=arm.base, visuals=[_bar(end) for end in ends])


def _rod(end: Array) -> Inertial:
    """A uniform rod from the origin to a point, at least 0.1 m long."""
    length = max(float(np.linalg.norm(end)), 0.1)
    mass = ROD_MASS * min(length, 2.0)
    along = end / np.linalg.norm(end) if np.linalg.norm(end) > 1e-9 else np.array([0.0, 0.0, 1.0])
    outer = np.outer(along, along)
    across = mass * (3.0 * ROD_RADIUS**2 + length**2) / 12.0
    return Inertial(mass, 0.5 * end, across * (np.eye(3) - outer) + 0.5 * mass * ROD_RADIUS**2 * outer)


def _bar(end: Array) -> tuple[Visual, ...]:
    """A joint (cylinder on its axis) and a bar to the next one."""
    length = float(np.linalg.norm(end))
    size = max(0.15 * length, 0.02)
    shapes = [Visual('cylinder', (0.6 * size, 1.6 * size), np.eye(4), color=(0.35, 0.37, 0.4, 1.0))]
    if length > 1e-6:
        pitch, yaw = float(np.arccos(np.clip(end[2] / length, -1.0, 1.0))), float(np.arctan2(end[1], end[0]))
        shapes.append(
            Visual(
                'cylinder',
                (0.3 * size, length),
                make_transform(matrix_from_rpy(0.0, pitch, yaw), 0.5 * end),
                color=(0.85, 0.5, 0.15, 1.0),
            )
        )
    return tuple(shapes)
