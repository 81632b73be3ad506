"""From a tree of links and joints to the flat arrays of a `RobotModel`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from robokin_ros.errors import ModelError
from robokin_ros.model.robot_model import PRISMATIC, REVOLUTE, RobotModel, pack_body
from robokin_ros.model.tree import Joint, Tree
from robokin_ros.spatial import (
    axis_angle_matrix,
    check_inertia,
    combine_bodies,
    make_transform,
    shift_inertia,
)
from robokin_ros.spatial.inertia import Body


@dataclass
class _Assembly:
    """What the walk over the tree gathers, body by body and link by link."""

    parents: list[int] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    placements: list[NDArray[np.float64]] = field(default_factory=list)
    parts: list[list[Body]] = field(default_factory=list)
    base_parts: list[Body] = field(default_factory=list)
    base_problems: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    link_bodies: list[int] = field(default_factory=list)
    link_placements: list[NDArray[np.float64]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def compile_tree(tree: Tree, base: str | None = None, tip: str | None = None, urdf: str = '',
                 warnings: tuple[str, ...] = ()) -> RobotModel:
    """Build the model; `base` and `tip` as in `RobotModel.from_urdf`."""
    base_link = tree.require_link('base', base) if base is not None else tree.root
    tip_link = tree.require_link('tip', tip) if tip is not None else tree.default_tip(base_link)
    chain_joints = tree.chain(base_link, tip_link)
    below = set(tree.below(base_link))
    candidates = chain_joints if tip is not None else [j for j in tree.joints.values() if j.child in below]
    masters = {_master(tree, joint)[0].name for joint in candidates if joint.moves}
    active = [j for j in tree.joints.values() if j.name in masters]
    outside = [j.name for j in active if j.child not in below]
    if outside:
        raise ModelError(f"Joint '{outside[0]}', which others mimic, is not below base '{base_link}'.",
                         element=outside[0])
    dof_index = {joint.name: i for i, joint in enumerate(_depth_first(tree, base_link, active))}
    gathered = _walk(tree, base_link, dof_index)

    names = tuple(dof_index)
    joints = [_limited(tree, tree.joints[name], gathered.joints) for name in names]
    topology = np.zeros((len(gathered.joints), 3), dtype=np.int64)
    constants = np.zeros((len(gathered.joints), 24))
    for body, joint in enumerate(gathered.joints):
        master, multiplier, offset = _master(tree, joint)
        kind = PRISMATIC if joint.type == 'prismatic' else REVOLUTE
        topology[body] = gathered.parents[body], kind, dof_index[master.name]
        constants[body, :12] = _flat(gathered.placements[body])
        constants[body, 12:22] = pack_body(*combine_bodies(gathered.parts[body]))
        constants[body, 22:] = multiplier, offset
    index = {link: i for i, link in enumerate(gathered.links)}
    body_index = {joint.name: i for i, joint in enumerate(gathered.joints)}
    return RobotModel(
        name=tree.name, base=base_link, tip=tip_link, joint_names=names,
        joint_types=tuple(joint.type for joint in joints),
        **{key: np.array([getattr(j, attribute) for j in joints], dtype=float) for key, attribute in (
            ('lower', 'lower'), ('upper', 'upper'), ('velocity_limit', 'velocity'),
            ('effort_limit', 'effort'), ('damping', 'damping'), ('friction', 'friction'),
            ('rotor_inertia', 'rotor_inertia'))},
        topology=topology, constants=constants,
        chain=np.array([body_index[j.name] for j in chain_joints if j.name in body_index], dtype=np.int64),
        tip_placement=_flat(gathered.link_placements[index[tip_link]]),
        body_names=tuple(joint.child for joint in gathered.joints),
        frame_names=tuple(gathered.links),
        frame_parents=('', *(tree.parent_joint[link].parent for link in gathered.links[1:])),
        frame_bodies=np.array(gathered.link_bodies, dtype=np.int64),
        frame_placements=np.array([_flat(t) for t in gathered.link_placements]),
        visuals={name: tree.links[name].visuals for name in gathered.links},
        no_dynamics_reason='; '.join(gathered.problems) or _axis_without_inertia(topology, constants, gathered),
        base_inertial=pack_body(*combine_bodies(gathered.base_parts)),
        no_base_reason='; '.join(gathered.base_problems),
        warnings=(*warnings, *gathered.warnings), urdf=urdf)


def _depth_first(tree: Tree, base: str, active: list[Joint]) -> list[Joint]:
    """Active joints from base to tips: parents before children, document order among siblings."""
    order = {link: i for i, link in enumerate(tree.below(base))}
    return sorted(active, key=lambda joint: order[joint.child])


def _master(tree: Tree, joint: Joint) -> tuple[Joint, float, float]:
    """The independent joint behind a mimic joint (itself if it is none), multiplier and offset."""
    multiplier, offset = 1.0, 0.0
    while joint.mimic is not None:
        offset += multiplier * joint.mimic.offset
        multiplier *= joint.mimic.multiplier
        joint = tree.joints[joint.mimic.joint]
    return joint, multiplier, offset


def _limited(tree: Tree, joint: Joint, moving: list[Joint]) -> Joint:
    """The joint with its range cut to what the joints that mimic it allow."""
    lower, upper = joint.lower, joint.upper
    for follower in moving:
        master, multiplier, offset = _master(tree, follower)
        if master.name != joint.name or follower.name == joint.name or multiplier == 0.0:
            continue
        ends = sorted(((follower.lower - offset) / multiplier, (follower.upper - offset) / multiplier))
        lower, upper = max(lower, ends[0]), min(upper, ends[1])
    if not lower <= upper:
        raise ModelError(f"The joints that mimic '{joint.name}' leave it no range within their own limits.",
                         element=joint.name)
    return replace(joint, lower=lower, upper=upper)


def _locked_position(tree: Tree, joint: Joint) -> float:
    """Where a joint off the chain stays: zero, or the limit nearest to it."""
    master, multiplier, offset = _master(tree, joint)
    return multiplier * float(np.clip(0.0, master.lower, master.upper)) + offset


def _walk(tree: Tree, base: str, dof_index: dict[str, int]) -> _Assembly:
    """Visit the links from the base outward, merging what does not move into its body."""
    out = _Assembly()
    placed: dict[str, tuple[int, NDArray[np.float64]]] = {base: (-1, np.eye(4))}
    for link in tree.below(base):
        if link != base:
            joint = tree.parent_joint[link]
            body, placement = placed[joint.parent]
            frame = placement @ joint.origin
            if joint.moves and _master(tree, joint)[0].name in dof_index:
                align = make_transform(_z_to(joint.axis), np.zeros(3))
                out.parents.append(body)
                out.joints.append(joint)
                out.placements.append(frame @ align)
                out.parts.append([])
                placed[link] = len(out.joints) - 1, align.T
            else:
                placed[link] = body, frame @ _displacement(joint, _locked_position(tree, joint))
        body, placement = placed[link]
        out.links.append(link)
        out.link_bodies.append(body)
        out.link_placements.append(placement)
        _gather_inertia(tree, link, body, placement, out)
    return out


def _gather_inertia(tree: Tree, link: str, body: int, placement: NDArray[np.float64], out: _Assembly) -> None:
    inertial = tree.links[link].inertial
    if inertial is None:
        return
    problem = check_inertia(inertial.mass, inertial.inertia)
    if not np.all(np.isfinite(inertial.center)):
        problem = 'its centre of mass is not finite'
    if problem and body >= 0:
        out.problems.append(f"link '{link}': {problem}")
    if problem and body < 0:
        out.base_problems.append(f"link '{link}': {problem}")
        return
    rotation = placement[:3, :3]
    gathered = out.parts[body] if body >= 0 else out.base_parts
    gathered.append((inertial.mass, rotation @ inertial.center + placement[:3, 3],
                     rotation @ inertial.inertia @ rotation.T))


def _axis_without_inertia(topology: NDArray[np.int64], constants: NDArray[np.float64],
                          gathered: _Assembly) -> str:
    """Name the first outermost body that its joint could accelerate without any torque (DYN-18)."""
    inner = set(topology[:, 0].tolist())
    for body, joint in enumerate(gathered.joints):
        mass, center, tensor = combine_bodies(gathered.parts[body])
        about_axis = shift_inertia(tensor, mass, center)[2, 2]
        if body in inner:
            if mass == 0.0:
                gathered.warnings.append(f"Link '{joint.child}' has no mass.")
        elif (mass if topology[body, 1] == PRISMATIC else about_axis) <= 0.0:
            what = 'no <inertial> data' if mass == 0.0 else 'no inertia about its axis'
            return f"link '{joint.child}' (joint '{joint.name}') has {what}"
    return ''


def _displacement(joint: Joint, position: float) -> NDArray[np.float64]:
    if not joint.moves:
        return np.eye(4)
    if joint.type == 'prismatic':
        return make_transform(np.eye(3), joint.axis * position)
    return make_transform(axis_angle_matrix(joint.axis, position), np.zeros(3))


def _z_to(axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """A rotation that takes the z axis to a unit vector; exact for the coordinate axes."""
    if axis[2] == 1.0:
        return np.eye(3)
    helper = np.array([1.0, 0.0, 0.0]) if abs(axis[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x = helper - (helper @ axis) * axis
    x /= np.linalg.norm(x)
    return np.column_stack((x, np.cross(axis, x), axis))


def _flat(transform: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate((transform[:3, :3].ravel(), transform[:3, 3]))
