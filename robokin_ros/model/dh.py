"""Denavit-Hartenberg tables to a model: Craig's modified convention, and the standard (distal) one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from robokin_ros.errors import InputError
from robokin_ros.model.compile import compile_tree
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.model.tree import Inertial, Joint, Link, Tree, Visual
from robokin_ros.model.urdf_export import urdf_of_tree
from robokin_ros.spatial import check_transform, make_transform, matrix_from_rpy


@dataclass(frozen=True)
class DhRow:
    """One joint: alpha [rad], a [m], d [m], theta [rad]; the joint's own variable adds to d or theta.

    In the modified convention alpha and a are those of the link before the joint (alpha_{i-1}, a_{i-1}).
    `inertial` is the link's, in its DH frame {i}.
    """

    alpha: float = 0.0
    a: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    type: str = 'revolute'
    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf
    inertial: Inertial | None = field(default=None, compare=False)


def model_from_dh(rows: Sequence[DhRow | Sequence[float]], convention: str = 'modified', *,
                  name: str = 'dh_arm', joint_names: Sequence[str] | None = None,
                  tool: ArrayLike | None = None, base: ArrayLike | None = None,
                  visuals: Sequence[tuple[Visual, ...]] | None = None) -> RobotModel:
    """Serial arm of a DH table.

    Parameters
    ----------
    rows
        `DhRow`s, or (alpha, a, d, theta) for revolute joints.
    convention
        'modified': T = Rx(alpha) Tx(a) Rz(theta) Tz(d), Craig (3.6); 'standard': Rz(theta) Tz(d) Tx(a) Rx(alpha).
    joint_names
        Default joint_1 ... joint_n. Links are link_0 (base) ... link_n, the last frame is 'tip'.
    tool
        Pose of the tip in the last DH frame; default identity.
    base
        Pose of frame {0} in the base link; default identity.
    visuals
        Shapes of each moving link, for viewers.

    The model's `urdf` is the arm as URDF (KIN-16).
    """
    if convention not in ('modified', 'standard'):
        raise InputError(f"The DH convention is 'modified' or 'standard', not '{convention}'.",
                         field='convention', value=convention)
    try:
        table = [row if isinstance(row, DhRow) else _row(row, i) for i, row in enumerate(rows)]
    except TypeError as error:
        raise InputError(f'A DH table is a sequence of rows, not {rows!r}.', field='rows', value=rows) from error
    names = tuple(joint_names or (f'joint_{i + 1}' for i in range(len(table))))
    if len(names) != len(table):
        raise InputError(f'{len(table)} DH rows need as many joint names, got {len(names)}.', field='joint_names')
    links = [Link('link_0')]
    joints = []
    carried = (
        np.eye(4) if base is None else check_transform(base)
    )  # from the frame of the previous link to where the next joint is described
    for i, (row, joint_name) in enumerate(zip(table, names, strict=True)):
        _check(row, i)
        turn = make_transform(matrix_from_rpy(0.0, 0.0, row.theta), (0.0, 0.0, row.d))
        shift = make_transform(matrix_from_rpy(row.alpha, 0.0, 0.0), (row.a, 0.0, 0.0))
        inertial = row.inertial
        if convention == 'modified':
            origin, carried = carried @ shift @ turn, np.eye(4)
        else:
            origin, carried = carried @ turn, shift
            if inertial is not None:
                inertial = Inertial(inertial.mass, shift[:3, :3] @ inertial.center + shift[:3, 3],
                                    shift[:3, :3] @ inertial.inertia @ shift[:3, :3].T)
        links.append(Link(f'link_{i + 1}', inertial, visuals[i] if visuals is not None else ()))
        joints.append(Joint(joint_name, row.type, f'link_{i}', f'link_{i + 1}', origin, lower=row.lower,
                            upper=row.upper, velocity=row.velocity, effort=row.effort))
    links.append(Link('tip'))
    last = carried if tool is None else carried @ check_transform(tool)
    joints.append(Joint('tip_joint', 'fixed', f'link_{len(table)}', 'tip', last))
    tree = Tree(name, links, joints)
    return compile_tree(tree, tip='tip', urdf=urdf_of_tree(tree))


def _row(values: Sequence[float], index: int) -> DhRow:
    if len(values) != 4:
        raise InputError(f'DH row {index + 1} needs alpha, a, d, theta, got {len(values)} values.', field='rows')
    try:
        alpha, a, d, theta = (float(value) for value in values)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f'DH row {index + 1} is no row of numbers: {error}.', field='rows', value=values) from error
    return DhRow(alpha, a, d, theta)


def _check(row: DhRow, index: int) -> None:
    if row.type not in ('revolute', 'prismatic'):
        raise InputError(f"DH row {index + 1} has type '{row.type}', not revolute or prismatic.", field='type')
    numbers = (row.alpha, row.a, row.d, row.theta, row.lower, row.upper, row.velocity, row.effort)
    if not all(isinstance(value, int | float) for value in numbers):
        raise InputError(f'DH row {index + 1} is no row of numbers: {row}.', field='rows', value=row)
    if not np.all(np.isfinite(numbers[:4])):
        raise InputError(f'DH row {index + 1} contains NaN or infinity: {row}.', field='rows', value=row)
    if not (row.velocity > 0.0 and row.effort > 0.0):
        raise InputError(f'DH row {index + 1} has the velocity limit {row.velocity} and the effort limit {row.effort}; '
                         'they must be positive.', field='rows', value=row)
    if not row.lower <= row.upper:
        raise InputError(f'DH row {index + 1} has lower limit {row.lower} above upper {row.upper}.', field='lower')
