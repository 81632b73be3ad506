"""Which closed form, if any, solves the inverse kinematics of an arm, and why (KIN-21, KIN-23 to KIN-30)."""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from robokin_ros.errors import ModelError
from robokin_ros.kernels.closed_form import (
    MEETING_AXES,
    PARALLEL_AXES,
    PARALLEL_PAIR,
    SLIDING_WRIST,
    SPHERICAL,
)
from robokin_ros.kernels.redundant import lock_joint
from robokin_ros.kinematics.forward import forward_kinematics
from robokin_ros.kinematics.jacobian import jacobian
from robokin_ros.kinematics.joint_groups import JointGroups, group_joints
from robokin_ros.model.dh_detect import DhChain, axes_of_model, dh_of_model
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import invert_transform, screw, wrap_angle

Array = NDArray[np.float64]
LENGTH = 1e-5
"""Share of the arm's size below which an offset counts as zero: descriptions round; solutions are polished."""
ANGLE = 1e-4
"""[rad] likewise for parallel axes."""
LOCK_TRIALS = (-1.3, 0.4, 0.9)
"""Values [rad] of a held joint at which the arm of the other six is looked at."""


@dataclass(frozen=True)
class SixJoints:
    """A table of six joints and the compiled solver for it; joint -1 is one that the arm does not have."""

    kind: int
    first: int
    table: Array
    offset: Array
    sign: Array
    joints: NDArray[np.int64]
    slides: NDArray[np.int64]
    size: float
    to_base: Array
    to_flange: Array


@dataclass(frozen=True)
class ArmClass:
    """The solver of an arm.

    Attributes
    ----------
    name
        'spherical wrist', 'spherical shoulder', 'spherical middle', 'three parallel axes', 'one-variable search',
        'orientation first', 'redundant' (with the class of the other six joints) or 'numeric'.
    reason
        One sentence that says what decided.
    chain
        Detected DH parameters; None if the arm has none.
    six, groups
        What the solver needs; both None: numeric.
    lock
        Row of the chain whose joint parametrises a redundant arm; -1: none.
    """

    name: str
    reason: str
    chain: DhChain | None = field(default=None, repr=False)
    six: SixJoints | None = field(default=None, repr=False)
    groups: JointGroups | None = field(default=None, repr=False)
    lock: int = -1

    @property
    def closed_form(self) -> bool:
        """Whether all branches are found without a numeric search."""
        return self.six is not None or self.groups is not None

    @property
    def exact(self) -> bool:
        """Whether a pose without branches has none for certain: no samples, no search, no imagined joints.

        Two slides may become parallel by a turn between them: then they are not told apart by their directions.
        """
        if self.groups is not None:
            return int(np.sum(self.groups.slides)) < 2
        return self.six is not None and self.lock < 0 and not self.searches and bool(np.all(self.six.joints >= 0))

    @property
    def searches(self) -> bool:
        """Whether the closed form contains a search in one variable."""
        return self.six is not None and self.six.kind in (MEETING_AXES, PARALLEL_PAIR)


_CLASSES: WeakKeyDictionary[RobotModel, ArmClass] = WeakKeyDictionary()


def classify_arm(model: RobotModel) -> ArmClass:
    """Class of a model's chain from base to tip; computed once per model."""
    found = _CLASSES.get(model)
    if found is None:
        found = _CLASSES[model] = _classify(model)
    return found


def _classify(model: RobotModel) -> ArmClass:
    try:
        axes = axes_of_model(model)
    except ModelError as error:
        return ArmClass('numeric', str(error))
    chain = dh_of_model(model, ANGLE)
    number = len(chain.alpha)
    kinds = ''.join('P' if slides else 'R' for slides in chain.prismatic)
    if number > 7:
        return ArmClass(
            'numeric', f'The chain {kinds} has {number} joints; closed forms are known for up to seven.', chain
        )
    if number == 7:
        return _redundant(chain, kinds)
    rank = _freedom(model)
    if rank < number:
        return ArmClass('numeric', f'The chain {kinds} has {number} joints but only {rank} freedom(s): what it '
                        'reaches, it reaches in infinitely many ways.', chain)
    if number == 6:
        found = _six(chain)
        if found is not None:
            return found
    groups = group_joints(axes, ANGLE)
    if isinstance(groups, JointGroups):
        return ArmClass('orientation first', groups.reason, chain, groups=groups)
    if 3 <= number < 6 and not np.any(chain.prismatic):
        for wrist in (True, False):
            found = _six(_with_imagined_joints(chain, wrist))
            if found is not None and _finds_its_joints(model, found):
                reason = f'With {6 - number} imagined joint(s) that must stay at zero: {found.reason}'
                return ArmClass(found.name, reason, chain, found.six)
    why = groups if number < 6 or np.any(chain.prismatic) else 'No two neighbouring axes meet or are parallel.'
    return ArmClass('numeric', f'The chain is {kinds}. {why}', chain)


def _freedom(model: RobotModel) -> int:
    """Number of independent motions of the tip at a joint vector that is nothing special."""
    joints = np.random.default_rng(2).uniform(-2.0, 2.0, (4, model.dof))
    values = np.linalg.svd(jacobian(model, joints)[:, :, model.chain_joints], compute_uv=False)
    return int(np.max(np.sum(values > 1e-7 * values[:, :1], axis=1)))


def _six(chain: DhChain) -> ArmClass | None:
    """Class of a chain of six joints."""
    table = chain.table()
    size = float(np.sum(np.abs(table[:, 1:3])))
    slides = chain.prismatic
    if slides.any():
        found = _sliding(table, size) if slides.tolist() == [False, False, True, False, False, False] else None
    else:
        found = classify_table(table, size)
    if found is None:
        return None
    name, reason, kind, first = found
    return ArmClass(name, reason, chain, _solver(chain, table, size, kind, first))


def _solver(chain: DhChain, table: Array, size: float, kind: int, first: int) -> SixJoints:
    offset = np.where(chain.prismatic, chain.d, chain.theta)
    return SixJoints(kind, first, np.ascontiguousarray(table), np.ascontiguousarray(offset), chain.sign, chain.joints,
                     chain.prismatic.astype(np.int64), size, invert_transform(chain.base),
                     invert_transform(chain.tool))


def _sliding(table: Array, size: float) -> tuple[str, str, int, int] | None:
    look = _Look(table, size)
    if look.three_meet(4) and (look.parallel[1] or look.zero_a[1]) and not (look.parallel[1] and look.zero_a[1]):
        return ('spherical wrist', 'Axes 4, 5 and 6 meet in one point; joint 3 slides.', SLIDING_WRIST, 0)
    return None


class _Look:
    """What a table of six revolute joints shows; axes are counted from 1, rows of the table from 0."""

    def __init__(self, table: Array, size: float) -> None:
        self.zero_a = np.abs(table[:, 1]) <= LENGTH * size
        self.zero_d = np.abs(table[:, 2]) <= LENGTH * size
        self.parallel = np.abs(np.sin(table[:, 0])) <= ANGLE

    def three_meet(self, axis: int) -> bool:
        """Axes `axis`, +1 and +2 meet in one point."""
        return bool(self.zero_a[axis] and self.zero_a[axis + 1] and self.zero_d[axis]
                    and not self.parallel[axis] and not self.parallel[axis + 1])

    def three_parallel(self, axis: int) -> bool:
        """Axes `axis`, +1 and +2 are parallel and apart."""
        return bool(self.parallel[axis] and self.parallel[axis + 1]
                    and not self.zero_a[axis] and not self.zero_a[axis + 1])

    def row(self, first: int, row: int) -> int:
        """Row of the table that stands in `row` when the loop is cut before joint `first`; 0 is the closing link."""
        return (first + row) % 6

    def position_problem(self, first: int) -> bool:
        """Whether the three joints that carry the point do so in all directions."""
        one, two = self.row(first, 1), self.row(first, 2)
        coaxial = one != 0 and self.parallel[one] and self.zero_a[one]
        planar = one != 0 and two != 0 and self.parallel[one] and self.parallel[two]
        return not (coaxial or planar)


def classify_table(table: Array, size: float) -> tuple[str, str, int, int] | None:
    """Name, reason, solver and cut of a table of six revolute joints (alpha, a, d, theta); None: no closed form."""
    look = _Look(table, size)
    names = {4: 'spherical wrist', 1: 'spherical shoulder', 2: 'spherical middle', 3: 'spherical middle'}
    for axis, name in names.items():
        first = (axis - 4) % 6
        if look.three_meet(axis) and look.position_problem(first):
            return name, f'Axes {axis}, {axis + 1} and {axis + 2} meet in one point.', SPHERICAL, first
    for axis in (2, 1, 3, 4):
        first = (axis - 2) % 6
        before, after, last = (look.row(first, row) for row in (1, 4, 5))
        if (
            look.three_parallel(axis)
            and not (before and look.parallel[before])
            and not (after and look.parallel[after])
            and (last == 0 or not (look.parallel[last] and look.zero_a[last]))
        ):
            return (
                'three parallel axes',
                f'Axes {axis}, {axis + 1} and {axis + 2} are parallel.',
                PARALLEL_AXES,
                first,
            )
    for axis in (5, 1, 4, 2, 3):
        first = (axis - 5) % 6
        if look.zero_a[axis] and not look.parallel[axis] and look.position_problem(first):
            return (
                'one-variable search',
                f'Axes {axis} and {axis + 1} meet: one joint is searched, the others follow.',
                MEETING_AXES,
                first,
            )
    for axis in (5, 1, 4, 2, 3):
        first = (axis - 5) % 6
        three, four = look.row(first, 3), look.row(first, 4)
        if (look.parallel[axis] and not look.zero_a[axis] and not (four and look.parallel[four])
                and not (three and look.parallel[three] and look.zero_a[three])):
            return ('one-variable search',
                    f'Axes {axis} and {axis + 1} are parallel: one joint is searched, the others follow.',
                    PARALLEL_PAIR, first)
    return None


def _finds_its_joints(model: RobotModel, arm: ArmClass) -> bool:
    """Whether the closed form of an arm finds the joints that poses were made of: imagined joints may be in the way."""
    from robokin_ros.kinematics.branches import solve_branches
    joints = np.random.default_rng(3).uniform(-2.5, 2.5, (8, model.dof))
    found = solve_branches(model, arm, forward_kinematics(model, joints), model.middle()[None], np.array([1e-6, 1e-6]),
                           limited=False)
    chain = model.chain_joints
    return all(np.any(np.max(np.abs(wrap_angle(found.solutions[i, :count][:, chain] - q[chain])), axis=1) < 1e-4)
               for i, (q, count) in enumerate(zip(joints, found.counts, strict=True)))


def _with_imagined_joints(chain: DhChain, wrist: bool) -> DhChain:
    """The chain with revolute joints added behind its last one, so that it has six; they must stay at zero.

    With `wrist` they make one in the last axis: at a point of link 3 for an arm of three joints, on axis 4 for one of
    four; the one added to five joints passes through the point where axes 4 and 5 meet, or else through a point of axis
    5. Without, they stand anywhere, for arms whose first axes meet.
    """
    number = len(chain.a)
    size = float(np.sum(np.abs(chain.a) + np.abs(chain.d))) or 1.0
    tool, d = chain.tool, chain.d.copy()
    if wrist and number == 5 and abs(chain.a[4]) <= LENGTH * size:
        tool = screw([0, 0, 1], d[4], 0.0) @ tool
        d[4] = 0.0
    if wrist and number == 4:  # off axis 3, which may meet axis 4
        tool = screw([0, 0, 1], -0.3 * size, 0.0) @ tool
        d[3] += 0.3 * size
    rows = {3: [(np.pi / 2, 0.31 * size, 0.17 * size, 0.4), (np.pi / 2, 0.0, 0.0, 1.3), (-np.pi / 2, 0.0, 0.0, 0.7)],
            4: [(np.pi / 2, 0.0, 0.0, 1.3), (-np.pi / 2, 0.0, 0.0, 0.7)], 5: [(np.pi / 2, 0.0, 0.0, 0.7)]}.get(number)
    if rows is None:
        return chain
    if not wrist:
        rows = [(0.9, 0.23 * size, 0.19 * size, 0.4), (-1.1, 0.17 * size, 0.29 * size, 1.3),
                (0.7, 0.31 * size, 0.13 * size, 0.7)][:6 - number]
    placed = np.eye(4)
    for alpha, a, offset, theta in rows:
        placed = placed @ screw([1, 0, 0], a, alpha) @ screw([0, 0, 1], offset, theta)
    more = np.array(rows)
    return DhChain(np.append(chain.alpha, more[:, 0]), np.append(chain.a, more[:, 1]), np.append(d, more[:, 2]),
                   np.append(chain.theta, more[:, 3]), np.append(chain.sign, np.ones(len(rows))),
                   np.append(chain.prismatic, np.zeros(len(rows), dtype=bool)),
                   np.append(chain.joints, np.full(len(rows), -1)), chain.base, invert_transform(placed) @ tool)


def _redundant(chain: DhChain, kinds: str) -> ArmClass:
    """Class of seven joints: the one of them whose choice leaves the best six."""
    slides = np.flatnonzero(chain.prismatic)
    if len(slides) > 1:
        return ArmClass('numeric', f'The chain {kinds} has {len(slides)} sliding joints.', chain)
    table = chain.table()
    size = float(np.sum(np.abs(table[:, 1:3])))
    candidates = slides.tolist() or [2, 6, 0, 4, 5, 3, 1]
    best = None
    for lock in candidates:
        seen = {classify_table(held_table(chain, lock, value), size) for value in LOCK_TRIALS}
        found = seen.pop() if len(seen) == 1 else None
        if found is not None and (best is None or found[2] < best[1][2]):
            best = lock, found
    if best is None:
        return ArmClass(
            'numeric', f'The chain is {kinds}; with no joint held do the other six have a closed form.', chain
        )
    lock, (name, reason, kind, first) = best
    # axes of the sentence are counted without the held joint
    return ArmClass(f'redundant, {name}', f'With joint {lock + 1} held, and not counted: {reason}', chain,
                    _solver(chain, table, size, kind, first), lock=lock)


def held_table(chain: DhChain, lock: int, value: float) -> Array:
    """Table of the other six joints of a chain of seven with one joint held at a DH angle [rad] or offset [m]."""
    table, shift = np.empty((6, 4)), np.empty(6)
    before, after = np.empty((4, 4)), np.empty((4, 4))
    lock_joint(chain.table(), chain.prismatic.astype(np.int64), lock, value, table, shift, before, after)
    return table
