"""Links and joints as a description gives them, before they become a model's arrays.

Loaders (URDF, DH) produce these; `compile.py` consumes them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from robokin_ros.errors import ModelError, UnknownNameError

MOVING_TYPES = ('revolute', 'continuous', 'prismatic')


@dataclass(frozen=True)
class Inertial:
    """Mass [kg], centre [m] and inertia about the centre [kg m^2], in link axes."""

    mass: float
    center: NDArray[np.float64]
    inertia: NDArray[np.float64]


@dataclass(frozen=True)
class Visual:
    """A shape for viewers: `kind` box (x, y, z), cylinder (radius, length), sphere (radius) or mesh (scale)."""

    kind: str
    size: tuple[float, ...]
    origin: NDArray[np.float64]
    mesh: str = ''
    color: tuple[float, float, float, float] | None = None


@dataclass(frozen=True)
class Link:
    """A rigid body; `inertial` is None where the description has none."""

    name: str
    inertial: Inertial | None = None
    visuals: tuple[Visual, ...] = ()


@dataclass(frozen=True)
class Mimic:
    """position = multiplier * position of `joint` + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Joint:
    """A joint of type revolute, continuous, prismatic or fixed; `origin` is its frame in the parent link."""

    name: str
    type: str
    parent: str
    child: str
    origin: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))
    axis: NDArray[np.float64] = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf
    damping: float = 0.0
    friction: float = 0.0
    rotor_inertia: float = 0.0
    mimic: Mimic | None = None

    @property
    def moves(self) -> bool:
        return self.type in MOVING_TYPES


class Tree:
    """Links joined to a tree, validated: one root, no loop, no unknown names."""

    def __init__(self, name: str, links: Sequence[Link], joints: Sequence[Joint]) -> None:
        self.name = name
        self.links: Mapping[str, Link] = _unique('link', links)
        self.joints: Mapping[str, Joint] = _unique('joint', joints)
        if not self.links:
            raise ModelError(f"Robot '{name}' has no links.")
        self.parent_joint: dict[str, Joint] = {}
        self.child_joints: dict[str, list[Joint]] = defaultdict(list)
        for joint in joints:
            self._attach(joint)
        roots = [link for link in self.links if link not in self.parent_joint]
        if len(roots) != 1:
            what = f"has {len(roots)} root links ({', '.join(roots)})" if roots else 'is a closed loop'
            raise ModelError(f"Robot '{name}' {what}; a tree with exactly one root is needed.")
        self.root = roots[0]
        reached = self.below(self.root)
        if len(reached) != len(self.links):
            lost = [link for link in self.links if link not in set(reached)]
            raise ModelError(f"Links {', '.join(lost)} form a loop apart from root '{self.root}'.",
                             element=lost[0])
        for joint in joints:
            self._check_mimic(joint)

    def _attach(self, joint: Joint) -> None:
        for end, link in (('parent', joint.parent), ('child', joint.child)):
            if link not in self.links:
                raise ModelError(f"Joint '{joint.name}' names {end} link '{link}', which does not exist.",
                                 element=joint.name)
        if joint.child in self.parent_joint:
            other = self.parent_joint[joint.child].name
            raise ModelError(f"Link '{joint.child}' has two parents (joints '{other}' and '{joint.name}'): "
                             'a closed loop is not a tree.', element=joint.child)
        self.parent_joint[joint.child] = joint
        self.child_joints[joint.parent].append(joint)

    def _check_mimic(self, joint: Joint) -> None:
        seen = [joint.name]
        while joint.mimic is not None:
            master = self.joints.get(joint.mimic.joint)
            if master is None or not master.moves:
                raise ModelError(f"Joint '{joint.name}' mimics '{joint.mimic.joint}', which is no moving joint.",
                                 element=joint.name)
            if master.name in seen:
                raise ModelError(f"Joints {', '.join(seen)} mimic each other in a circle.", element=joint.name)
            seen.append(master.name)
            joint = master

    def below(self, link: str) -> list[str]:
        """Links of the subtree of `link`, itself first, parents before children, document order."""
        found = []
        stack = [link]
        while stack:
            current = stack.pop()
            found.append(current)
            stack.extend(joint.child for joint in reversed(self.child_joints[current]))
        return found

    def chain(self, base: str, tip: str) -> list[Joint]:
        """Joints from `base` down to `tip`."""
        joints: list[Joint] = []
        link = tip
        while link != base:
            joint = self.parent_joint.get(link)
            if joint is None:
                raise ModelError(f"Link '{tip}' is not below base '{base}'.", element=tip)
            joints.append(joint)
            link = joint.parent
        return joints[::-1]

    def require_link(self, kind: str, name: str) -> str:
        """Return `name`, or raise with the links that exist."""
        if name not in self.links:
            raise UnknownNameError(f'{kind} link', name, self.links)
        return name

    def default_tip(self, base: str) -> str:
        """Link that an arm user means by the tip when none is named.

        The end of the longest chain of moving joints; where that chain ends in a gripper (a link with several
        moving branches of at most two joints each), the link that carries the fingers. Of several fixed frames
        at the end `tool0` is preferred, then the deepest.
        """
        depth: dict[str, int] = {}
        for link in reversed(self.below(base)):
            depth[link] = max((depth[j.child] + j.moves for j in self.child_joints[link]), default=0)
        link, passed = base, 0
        while depth[link] > 0:
            moving = [j for j in self.child_joints[link] if depth[j.child] + j.moves > 0]
            if len(moving) > 1 and passed > depth[link] and depth[link] <= 2:
                return link
            joint = max(moving, key=lambda j: depth[j.child] + j.moves)
            link, passed = joint.child, passed + joint.moves
        ends = [name for name in self.below(link) if not self.child_joints[name]]
        if 'tool0' in ends:
            return 'tool0'
        return max(ends, key=lambda name: len(self.chain(link, name)))


def _unique(kind: str, items: Sequence[Link] | Sequence[Joint]) -> dict:
    table: dict = {}
    for item in items:
        if item.name in table:
            raise ModelError(f"There are two {kind}s named '{item.name}'.", element=item.name)
        table[item.name] = item
    return table
