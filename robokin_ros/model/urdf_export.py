"""A tree of links and joints as URDF text (KIN-16)."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from robokin_ros.model.tree import Joint, Link, Tree
from robokin_ros.spatial import angles_from_matrix

ENDLESS = 1e6
"""[m] written as the limit of a slide that has none."""


def urdf_of_tree(tree: Tree) -> str:
    """URDF with the links, joints, limits, inertias and primitive shapes of a tree."""
    robot = ElementTree.Element('robot', name=tree.name)
    for link in tree.links.values():
        _link(robot, link)
    for joint in tree.joints.values():
        _joint(robot, joint)
    ElementTree.indent(robot)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(robot, encoding='unicode') + '\n'


def _link(robot: ElementTree.Element, link: Link) -> None:
    element = ElementTree.SubElement(robot, 'link', name=link.name)
    if link.inertial is not None:
        inertial = ElementTree.SubElement(element, 'inertial')
        ElementTree.SubElement(inertial, 'origin', xyz=_words(link.inertial.center), rpy='0 0 0')
        ElementTree.SubElement(inertial, 'mass', value=_words([link.inertial.mass]))
        tensor = link.inertial.inertia
        ElementTree.SubElement(inertial, 'inertia', {
            name: _words([tensor[i, j]]) for name, i, j in (('ixx', 0, 0), ('ixy', 0, 1), ('ixz', 0, 2), ('iyy', 1, 1),
                                                            ('iyz', 1, 2), ('izz', 2, 2))})
    for visual in link.visuals:
        shape = ElementTree.SubElement(element, 'visual')
        _origin(shape, visual.origin)
        geometry = ElementTree.SubElement(shape, 'geometry')
        if visual.kind == 'cylinder':
            ElementTree.SubElement(geometry, 'cylinder', radius=_words(visual.size[:1]), length=_words(visual.size[1:]))
        elif visual.kind == 'sphere':
            ElementTree.SubElement(geometry, 'sphere', radius=_words(visual.size))
        elif visual.kind == 'box':
            ElementTree.SubElement(geometry, 'box', size=_words(visual.size))
        else:
            ElementTree.SubElement(geometry, 'mesh', filename=visual.mesh, scale=_words(visual.size))


def _joint(robot: ElementTree.Element, joint: Joint) -> None:
    kind = joint.type
    if kind == 'revolute' and not (np.isfinite(joint.lower) and np.isfinite(joint.upper)):
        kind = 'continuous'
    element = ElementTree.SubElement(robot, 'joint', name=joint.name, type=kind)
    ElementTree.SubElement(element, 'parent', link=joint.parent)
    ElementTree.SubElement(element, 'child', link=joint.child)
    _origin(element, joint.origin)
    if kind == 'fixed':
        return
    ElementTree.SubElement(element, 'axis', xyz=_words(joint.axis))
    limits = {'velocity': joint.velocity, 'effort': joint.effort}
    written = {name: _words([value if np.isfinite(value) else 0.0]) for name, value in limits.items()}  # 0: no limit
    if kind != 'continuous':
        written['lower'], written['upper'] = (
            _words([np.clip(v, -ENDLESS, ENDLESS)]) for v in (joint.lower, joint.upper)
        )
    ElementTree.SubElement(element, 'limit', written)
    if joint.damping or joint.friction:
        ElementTree.SubElement(element, 'dynamics', damping=_words([joint.damping]), friction=_words([joint.friction]))
    if joint.mimic is not None:
        ElementTree.SubElement(element, 'mimic', joint=joint.mimic.joint, multiplier=_words([joint.mimic.multiplier]),
                       offset=_words([joint.mimic.offset]))


def _origin(element: ElementTree.Element, pose: NDArray[np.float64]) -> None:
    rpy = angles_from_matrix('fixed XYZ', pose[:3, :3]).first
    ElementTree.SubElement(element, 'origin', xyz=_words(pose[:3, 3]), rpy=_words(rpy))


def _words(values: object) -> str:
    return ' '.join(repr(float(value) + 0.0) for value in np.asarray(values).ravel())
