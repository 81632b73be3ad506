"""URDF and xacro to a model. The XML is read by urdf_parser_py (ROS package `urdfdom_py`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from robokin_ros.errors import ModelError
from robokin_ros.model.compile import compile_tree
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.model.tree import Inertial, Joint, Link, Mimic, Tree, Visual
from robokin_ros.spatial import make_transform, matrix_from_rpy


def load_urdf(source: str | Path, base: str | None = None, tip: str | None = None,
              mappings: dict[str, str] | None = None) -> RobotModel:
    """Read, validate and compile; see `RobotModel.from_urdf`."""
    text = read_description(source, mappings)
    tree, warnings = parse_urdf(text)
    return compile_tree(tree, base, tip, urdf=text, warnings=warnings)


def read_description(source: str | Path, mappings: dict[str, str] | None = None) -> str:
    """URDF text of a path or of XML; xacro is expanded."""
    if not isinstance(source, str | Path):
        raise ModelError(f'A robot description is a path or XML text, not {type(source).__name__}.')
    text, path = str(source), None
    if isinstance(source, Path) or not ('<' in text or '\n' in text or '\0' in text):
        path, text = _read_file(source)
    if 'http://www.ros.org/wiki/xacro' in text or 'http://wiki.ros.org/xacro' in text:
        return _expand_xacro(text, path, mappings)
    return text


def _read_file(source: str | Path) -> tuple[Path, str]:
    try:
        path = Path(source).expanduser()
        if not path.is_file():
            raise ModelError(f"There is no robot description file '{path}'.", element=str(path))
        return path, path.read_text(encoding='utf-8')
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        raise ModelError(f"The robot description file '{str(source)[:200]}' cannot be read: {error}.",
                         element=str(source)) from error


def _expand_xacro(text: str, path: Path | None, mappings: dict[str, str] | None) -> str:
    """Expanded xacro; includes are relative to the file, if it is one."""
    import xacro
    try:
        if path is not None:
            document = xacro.process_file(str(path.resolve()), mappings=mappings or {})
        else:
            document = xacro.parse(text)
            xacro.process_doc(document, mappings=mappings or {})
    except Exception as error:
        raise ModelError(f'The xacro description cannot be expanded: {error or type(error).__name__}.') from error
    return str(document.toprettyxml(indent='  '))


def parse_urdf(text: str) -> tuple[Tree, tuple[str, ...]]:
    """Tree of URDF text, and remarks on what was odd but usable."""
    try:
        root = ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        raise ModelError(f'The robot description is not well-formed XML: {error}.') from error
    if root.tag != 'robot':
        raise ModelError(f'The robot description starts with <{root.tag}>, not with <robot>.')
    warnings: list[str] = []
    rotors = _rotor_inertias(root)
    robot = _read(_kinematic_part(root), warnings)
    colors = {m.name: _rgba(m) for m in robot.materials if m.color is not None}
    links = [_link(link, colors) for link in robot.links]
    joints = [_joint(joint, rotors.get(joint.name, 0.0), warnings) for joint in robot.joints]
    return Tree(robot.name or 'robot', links, joints), tuple(warnings)


def _rotor_inertias(root: ElementTree.Element) -> dict[str, float]:
    """Reflected inertia per joint: <transmission> with <mechanicalReduction> and <rotorInertia> [kg m^2]."""
    found = {}
    for transmission in root.iter('transmission'):
        joint = transmission.find('joint')
        rotor = transmission.findtext('.//rotorInertia')
        if joint is None or rotor is None:
            continue
        name = joint.get('name', '')
        try:
            found[name] = float(rotor) * float(transmission.findtext('.//mechanicalReduction') or 1.0) ** 2
        except (ValueError, OverflowError) as error:
            raise ModelError(f"The transmission of joint '{name}' has no usable numbers: {error}.",
                             element=name) from error
        if not 0.0 <= found[name] < np.inf:
            raise ModelError(f"The transmission of joint '{name}' gives a rotor inertia of {found[name]:g} kg m^2.",
                             element=name)
    return found


def _kinematic_part(root: ElementTree.Element) -> bytes:
    """Description without what a model does not use and the parser is needlessly strict about."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ('transmission', 'gazebo', 'ros2_control', 'sensor', 'texture'):
                parent.remove(child)
    return ElementTree.tostring(root, encoding='utf-8')


def _read(text: bytes, warnings: list[str]) -> Any:
    """Run the parser; its remarks about unknown tags and attributes become warnings."""
    from urdf_parser_py import urdf, xml_reflection
    from urdf_parser_py.xml_reflection import core
    previous = core.on_error
    core.on_error = xml_reflection.on_error = warnings.append
    try:
        return urdf.URDF.from_xml_string(text)
    except Exception as error:
        raise ModelError(f'The robot description is not valid URDF: {error or type(error).__name__}.') from error
    finally:
        core.on_error = xml_reflection.on_error = previous


def _transform(origin: Any, owner: str) -> NDArray[np.float64]:
    """Pose of an <origin>; `owner` is named when it cannot be one."""
    if origin is None:
        return np.eye(4)
    xyz, rpy = (values or (0.0, 0.0, 0.0) for values in (origin.xyz, origin.rpy))
    if len(xyz) != 3 or len(rpy) != 3 or not np.all(np.isfinite([*xyz, *rpy])):
        raise ModelError(f'{owner} has the origin xyz {list(xyz)}, rpy {list(rpy)}; six finite numbers are needed.',
                         element=owner)
    return make_transform(matrix_from_rpy(*rpy), xyz)


def _link(link: Any, colors: dict[str, tuple[float, float, float, float]]) -> Link:
    inertial = None
    if link.inertial is not None:
        if link.inertial.inertia is None:
            raise ModelError(f"Link '{link.name}' has <inertial> without <inertia>.", element=link.name)
        origin = _transform(link.inertial.origin, f"The inertial of link '{link.name}'")
        tensor = np.array(link.inertial.inertia.to_matrix(), dtype=float)
        if not np.all(np.isfinite(tensor)):
            raise ModelError(f"The inertia of link '{link.name}' contains NaN or infinity.", element=link.name)
        inertial = Inertial(float(link.inertial.mass or 0.0), origin[:3, 3],
                            origin[:3, :3] @ tensor @ origin[:3, :3].T)
    return Link(link.name, inertial, tuple(_visual(visual, colors, link.name) for visual in link.visuals))


def _visual(visual: Any, colors: dict[str, tuple[float, float, float, float]], link: str) -> Visual:
    shape = visual.geometry
    kind = type(shape).__name__.lower()
    size: tuple[float, ...]
    if kind == 'box':
        size = tuple(shape.size)
    elif kind == 'cylinder':
        size = (shape.radius, shape.length)
    elif kind == 'sphere':
        size = (shape.radius,)
    else:
        size = tuple(shape.scale or (1.0, 1.0, 1.0))
    material = visual.material
    color = None
    if material is not None:
        color = _rgba(material) if material.color is not None else colors.get(material.name)
    return Visual(kind, size, _transform(visual.origin, f"A visual of link '{link}'"),
                  getattr(shape, 'filename', ''), color)


def _rgba(material: Any) -> tuple[float, float, float, float]:
    r, g, b, a = material.color.rgba
    return float(r), float(g), float(b), float(a)


def _joint(joint: Any, rotor_inertia: float, warnings: list[str]) -> Joint:
    name, kind = joint.name, joint.joint_type
    common: dict[str, Any] = {'name': name, 'parent': joint.parent, 'child': joint.child,
              'origin': _transform(joint.origin, f"Joint '{name}'")}
    if kind == 'fixed':
        return Joint(type='fixed', **common)
    if kind not in ('revolute', 'continuous', 'prismatic'):
        raise ModelError(f"Joint '{name}' has type '{kind}'; a URDF model may use revolute, continuous, "
                         'prismatic and fixed joints.', element=name)
    axis = np.array(joint.axis if joint.axis is not None else (1.0, 0.0, 0.0), dtype=float)
    length = float(np.linalg.norm(axis))
    if not np.isfinite(length) or length < 1e-9:
        raise ModelError(f"Joint '{name}' has the axis {axis.tolist()}, which is no direction.", element=name)
    limit = joint.limit
    if limit is None and kind != 'continuous' and joint.mimic is None:
        raise ModelError(f"Joint '{name}' is {kind} but has no <limit>.", element=name)
    bounds: dict[str, Any] = {}
    if limit is not None:
        if kind != 'continuous':
            bounds['lower'], bounds['upper'] = float(limit.lower or 0.0), float(limit.upper or 0.0)
            if not bounds['lower'] <= bounds['upper']:
                raise ModelError(f"Joint '{name}' has lower limit {limit.lower} above upper {limit.upper}.",
                                 element=name)
        for key in ('velocity', 'effort'):
            value = float(getattr(limit, key) or 0.0)
            if value < 0.0 or not np.isfinite(value):
                raise ModelError(f"Joint '{name}' has the {key} limit {value:g}.", element=name)
            if value == 0.0:
                warnings.append(f"Joint '{name}' has the {key} limit 0: taken as no limit.")
            else:
                bounds[key] = value
    if joint.mimic is not None and not np.all(np.isfinite(
            [float(joint.mimic.multiplier or 1.0), float(joint.mimic.offset or 0.0)])):
        raise ModelError(f"Joint '{name}' mimics with multiplier {joint.mimic.multiplier} and offset "
                         f'{joint.mimic.offset}.', element=name)
    losses: dict[str, Any] = {key: float(getattr(joint.dynamics, key, None) or 0.0) for key in ('damping', 'friction')}
    for key, value in losses.items():
        if not 0.0 <= value < np.inf:
            raise ModelError(f"Joint '{name}' has the {key} {value:g}.", element=name)
    return Joint(
        type=kind, axis=axis / length, **common, **bounds, **losses, rotor_inertia=rotor_inertia,
        mimic=None if joint.mimic is None else Mimic(
            joint.mimic.joint,
            1.0 if joint.mimic.multiplier is None else float(joint.mimic.multiplier),
            float(joint.mimic.offset or 0.0)))
