"""Small arms, SCARAs and gantries seen as groups of parallel joints, for the solver that takes the orientation first.

Arms of at most three groups of revolute joints with parallel axes, and what else the position can decide, are described
here once per arm; `kernels/orientation_first.py` solves them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robokin_ros.kernels.orientation_first import (
    ALL_KNOWN,
    ANGLE_AND_SLIDE,
    ONE_ANGLE,
    TRIANGLE,
    TRIANGLE_AND_ANGLE,
    TWO_GROUPS,
)
from robokin_ros.model.dh_detect import JointAxes

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointGroups:
    """An arm whose orientation decides first; arrays as `kernels.orientation_first` takes them."""

    pattern: int
    reason: str
    axes: Array
    centers: Array
    plan: NDArray[np.int64]
    signs: Array
    groups: Array
    zero: Array
    joints: NDArray[np.int64]
    slides: NDArray[np.int64]
    size: float


def group_joints(chain: JointAxes, parallel: float) -> JointGroups | str:
    """The groups of a chain, or a sentence that says why it is not of this kind."""
    number = len(chain.joints)
    group_of = np.full(number, -1, dtype=np.int64)
    signs = np.ones(number)
    groups: list[Array] = []
    for i in np.flatnonzero(~chain.prismatic):
        z = chain.directions[i]
        if groups and np.linalg.norm(np.cross(groups[-1], z)) < parallel:
            signs[i] = 1.0 if groups[-1] @ z > 0.0 else -1.0
        else:
            groups.append(z)
        group_of[i] = len(groups) - 1
    if len(groups) > 3:
        return (
            f'Its revolute axes have {len(groups)} directions one after the other; the orientation alone decides up to '
            'three.'
        )
    plan = np.full((number, 4), -1, dtype=np.int64)
    plan[:, 0], plan[:, 1] = chain.prismatic, group_of
    members = [np.flatnonzero(group_of == k) for k in range(len(groups))]
    plan[:, 2] = 0
    for joints in members:
        plan[joints[-1], 2] = 1
    angles = [[int(i) for i in joints[:-1]] for joints in members]
    order = sorted((group for group in angles if group), key=len, reverse=True)
    for place, joint in enumerate(joint for group in order for joint in group):
        plan[joint, 3] = place
    free, inner = _place_slides(chain, plan, groups, members, parallel)
    sizes = tuple(len(group) for group in order)
    pattern = _pattern(sizes, free, inner, [groups[group_of[group[0]]] for group in order], int(group_of[order[0][0]])
                       if order else -1)
    if pattern is None:
        return (f'Beyond the orientation the position would have to decide {sum(sizes)} angle(s) and '
                f'{len(free) + inner} slide(s) in a way that has no closed form here.')
    lengths = np.linalg.norm(np.diff(np.vstack((chain.points, chain.tip[:3, 3])), axis=0), axis=1)
    words = [f"{len(joints)} joint{'s' if len(joints) > 1 else ''} about one direction" for joints in members]
    reason = f"The orientation decides {', then '.join(words)}" if words else 'All joints slide'
    rest = ', '.join(part for part in (f'{sum(sizes)} more angle(s)' if sizes else '',
                                       f'{len(free) + inner} slide(s)' if free or inner else '') if part)
    reason += f'; the position decides {rest}.' if rest else '.'
    return JointGroups(
        pattern,
        reason,
        np.ascontiguousarray(chain.directions),
        np.ascontiguousarray(chain.points),
        plan,
        signs,
        np.ascontiguousarray(np.array(groups).reshape(-1, 3)),
        np.ascontiguousarray(chain.tip),
        chain.joints,
        chain.prismatic.astype(np.int64),
        float(np.sum(lengths)) or 1.0,
    )


def _place_slides(chain: JointAxes, plan: NDArray[np.int64], groups: list[Array], members: list[NDArray[np.int64]],
                  parallel: float) -> tuple[list[tuple[int, Array]], int]:
    """Free slides (the group they follow, their axis), and how many turn with an angle that is not known yet."""
    free: list[tuple[int, Array]] = []
    inner = 0
    for i in np.flatnonzero(chain.prismatic):
        before = [k for k, joints in enumerate(members) if joints[0] < i]
        group = before[-1] if before else -1
        inside = group >= 0 and members[group][-1] > i
        plan[i, 1] = -1
        plan[i, 2] = 0 if inside else 1
        if inside and np.linalg.norm(np.cross(groups[group], chain.directions[i])) >= parallel:
            plan[i, 3] = 0
            inner += 1
        else:
            free.append((group, chain.directions[i]))
    return free, inner


def _pattern(sizes: tuple[int, ...], free: list[tuple[int, Array]], inner: int, axes: list[Array],
             group: int) -> int | None:
    """Number of the position problem; None if it has no closed form here. `axes`, `group`: where angles are left."""
    for i, (place, axis) in enumerate(free):
        if any(place == other and np.linalg.norm(np.cross(axis, direction)) < 1e-3 for other, direction in free[:i]):
            return None  # two slides in one direction
    key = (sizes, len(free), inner)
    if not sizes and inner == 0 and len(free) <= 3:
        return ALL_KNOWN
    if key == ((1,), 0, 1):
        return ANGLE_AND_SLIDE
    if sizes == (1,) and inner == 0 and len(free) <= 2:
        return ONE_ANGLE
    if key == ((2,), 0, 0):
        return TRIANGLE
    if key == ((2,), 1, 0):
        place, axis = free[0]
        return TRIANGLE if place in (group - 1, group) and np.linalg.norm(np.cross(axis, axes[0])) < 1e-3 else None
    last: dict[tuple[tuple[int, ...], int, int], int] = {((1, 1), 0, 0): TWO_GROUPS, ((2, 1), 0, 0): TRIANGLE_AND_ANGLE}
    return last.get(key)
