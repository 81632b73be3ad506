"""Calling the closed-form solvers: all branches of many poses, and which joints stand in the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robokin_ros.kernels.closed_form import BRANCHES, solve_six, solve_small
from robokin_ros.kernels.direct_inverse import six_call
from robokin_ros.kernels.redundant import solve_redundant
from robokin_ros.kinematics.arm_class import ArmClass, classify_arm
from robokin_ros.kinematics.ik_options import DEFAULT
from robokin_ros.kinematics.threads import in_parts
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


@dataclass
class Branches:
    """Branches of m poses: (m, k, n) solutions, (m, k, 2) residuals, rows beyond `counts` undefined.

    `blocked` counts branches that break a limit; `free` has a bit for each joint of the chain that is free.
    """

    solutions: Array
    residuals: Array
    counts: NDArray[np.int64]
    blocked: NDArray[np.int64]
    free: NDArray[np.int64]
    joints: NDArray[np.int64]

    @property
    def real(self) -> int:
        """Bits of the joints that the arm has."""
        return int(sum(1 << bit for bit, joint in enumerate(self.joints) if joint >= 0))

    def free_joints(self, model: RobotModel, pose: int) -> tuple[str, ...]:
        """Names of the joints that a singular pose leaves free."""
        return tuple(model.joint_names[joint] for bit, joint in enumerate(self.joints)
                     if self.free[pose] >> bit & 1)


def solve_branches(model: RobotModel, arm: ArmClass, poses: Array, seeds: Array, tolerance: Array,
                   limited: bool = True, threads: int | None = 1) -> Branches:
    """Every branch of valid poses (m, 4, 4), within limits or not, nearest to the seed first.

    `seeds` is (1, n), or (m, n) for one per pose.
    """
    number = len(poses)
    found = _room(model, number, BRANCHES, arm)
    lower, upper = (model.lower, model.upper) if limited else _endless(model)
    poses = np.ascontiguousarray(poses)

    def work(part: slice) -> None:
        common = (model.topology, model.constants, model.chain, model.tip_placement, lower, upper,
                  seeds[part] if len(seeds) > 1 else seeds, poses[part], tolerance, found.solutions[part],
                  found.residuals[part], found.counts[part], found.blocked[part], found.free[part])
        if arm.groups is not None:
            g = arm.groups
            solve_small(g.pattern, g.axes, g.centers, g.plan, g.signs, g.groups, g.zero, g.joints, g.slides, g.size,
                        *common)
        else:
            assert arm.six is not None
            s = arm.six
            solve_six(s.kind, s.first, s.table, s.offset, s.sign, s.joints, s.slides, s.to_base, s.to_flange, s.size,
                      *common)

    in_parts(number, threads, work)
    if found.free.any():
        found.free &= found.real
    return found


class DirectSolver:
    """Branches of one pose, within limits and the default tolerances, in one compiled call.

    `of_matrix` takes a pose (4, 4), `of_quaternion` one (7,), position and quaternion x, y, z, w; both a seed (n,).
    They give a row of `kernels.direct_inverse`, or None where such a call does not apply: no table of six joints, no
    branch, arguments that need a closer look.
    """

    def __init__(self, model: RobotModel) -> None:
        arm = classify_arm(model)
        self.name = arm.name
        self.names: tuple[str, ...] = ()
        self.of_matrix = self.of_quaternion = _not_directly
        if arm.six is not None and arm.lock < 0:
            self.names = tuple(model.joint_names[joint] if joint >= 0 else '' for joint in arm.six.joints)
            real = sum(1 << bit for bit, name in enumerate(self.names) if name)
            self.of_matrix = six_call(model, arm.six, real, DEFAULT.tolerance)
            self.of_quaternion = six_call(model, arm.six, real, DEFAULT.tolerance, quaternion=True)

    def free_joints(self, row: Array) -> tuple[str, ...]:
        """Names of the joints that a singular pose leaves free."""
        return tuple(name for bit, name in enumerate(self.names) if int(row[2]) >> bit & 1)


def direct_solver(model: RobotModel) -> DirectSolver:
    """The solver of a model; made once."""
    try:
        return model.calls['branches']  # type: ignore[return-value]
    except KeyError:
        model.calls['branches'] = DirectSolver(model)  # type: ignore[assignment]
        return direct_solver(model)


def _not_directly(pose: object, seed: object) -> None:
    """No direct call for this arm."""


def solve_with_free_joint(model: RobotModel, arm: ArmClass, poses: Array, seeds: Array, values: Array, wanted: int,
                          tolerance: Array, threads: int | None = 1) -> Branches:
    """Branches of a redundant arm with its free joint at each of `values` (1, v) or (m, v), nearest first.

    The values are tried in order until there are `wanted` solutions.
    """
    s = arm.six
    assert s is not None
    found = _room(model, len(poses), min(wanted + BRANCHES, BRANCHES // 2 * values.shape[1]), arm)
    poses = np.ascontiguousarray(poses)

    def work(part: slice) -> None:
        solve_redundant(s.kind, s.first, arm.lock, s.table, s.offset, s.sign, s.joints, s.slides, s.to_base,
                        s.to_flange, s.size, model.topology, model.constants, model.chain, model.tip_placement,
                        model.lower, model.upper, seeds[part] if len(seeds) > 1 else seeds, poses[part],
                        values[part] if len(values) > 1 else values, wanted, tolerance, found.solutions[part],
                        found.residuals[part], found.counts[part], found.blocked[part])

    in_parts(len(poses), threads, work)
    found.free[:] = 0
    _sort(found, seeds)
    return found


def free_joint_values(model: RobotModel, arm: ArmClass, seeds: Array, samples: int) -> Array:
    """Values (1 or m, v) of the free joint of a redundant arm: the seed's, then evenly spread, nearest first."""
    assert arm.chain is not None
    joint = int(arm.chain.joints[arm.lock])
    low, high = model.lower[joint], model.upper[joint]
    slides = bool(arm.chain.prismatic[arm.lock])
    if slides and not (np.isfinite(low) and np.isfinite(high)):
        return seeds[:, joint:joint + 1].copy()
    own = np.clip(seeds[:, joint], low, high)
    if not slides and not high - low < 2.0 * np.pi:
        # a whole turn of it, the one nearest to the middle of the limits
        middle = 0.5 * (low + high) if np.isfinite(low) and np.isfinite(high) else np.clip(0.0, low, high)
        turned = own[:, None] + np.arange(samples) * 2.0 * np.pi / samples
        values = middle - np.pi + np.mod(turned - middle + np.pi, 2.0 * np.pi)
    else:
        spread = np.tile(np.linspace(low, high, samples + 1), (len(own), 1))
        same = np.abs(spread - own[:, None]) < 1e-9
        spread[same] += np.where(spread[same] < high, 0.5, -0.5) * (high - low) / samples
        values = np.column_stack((own, spread))
    return np.take_along_axis(values, np.argsort(np.abs(values - own[:, None]), axis=1, kind='stable'), axis=1)


def _room(model: RobotModel, number: int, most: int, arm: ArmClass) -> Branches:
    joints = arm.groups.joints if arm.groups is not None else arm.six.joints  # type: ignore[union-attr]
    counts, blocked, free = np.empty((3, number), dtype=np.int64)
    return Branches(np.empty((number, most, model.dof)), np.empty((number, most, 2)), counts, blocked, free, joints)


def _endless(model: RobotModel) -> tuple[Array, Array]:
    return np.full(model.dof, -np.inf), np.full(model.dof, np.inf)


def _sort(found: Branches, seeds: Array) -> None:
    """Solutions nearest to the seed first, in place."""
    beyond = np.arange(found.solutions.shape[1]) >= found.counts[:, None]
    found.solutions[beyond] = 0.0
    distance = np.linalg.norm(found.solutions - seeds[:, None, :], axis=2)
    distance[beyond] = np.inf
    order = np.argsort(distance, axis=1, kind='stable')[:, :, None]
    found.solutions = np.take_along_axis(found.solutions, order, axis=1)
    found.residuals = np.take_along_axis(found.residuals, order, axis=1)
