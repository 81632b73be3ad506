"""The arms of the benchmarks: shipped ones, and chains of real robots from the package example-robot-data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robokin_ros.kinematics import forward_kinematics
from robokin_ros.model import RobotModel, robot_path
from robokin_ros.spatial import make_transform

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Chain:
    """A chain of a real robot: description, base (empty: its root) and tip."""

    file: str
    tip: str
    base: str = ''


CHAINS = {
    'panda': Chain('panda_description/urdf/panda.urdf', 'panda_link8'),
    'baxter': Chain('baxter_description/urdf/baxter.urdf', 'left_gripper', 'torso'),
    'pr2': Chain('pr2_description/urdf/pr2.urdf', 'r_wrist_roll_link', 'torso_lift_link'),
    'kinova': Chain('kinova_description/robots/kinova.urdf', 'j2s6s200_end_effector'),
    'ur5': Chain('ur_description/urdf/ur5_robot.urdf', 'tool0'),
    'xarm7': Chain('xarm_description/urdf/xarm7.urdf', 'link7'),
    'tiago': Chain('tiago_description/robots/tiago.urdf', 'arm_tool_link', 'torso_lift_link'),
}


@cache
def arm(name: str) -> RobotModel:
    """Model of a chain above, or of a shipped robot."""
    if name not in CHAINS:
        return RobotModel.from_urdf(robot_path(name))
    chain = CHAINS[name]
    return RobotModel.from_urdf(_described(chain.file), chain.base or None, chain.tip)


def unlimited(model: RobotModel) -> RobotModel:
    """The same arm with all joints from -pi to pi: every branch exactly once."""
    return replace(model, lower=np.full(model.dof, -np.pi), upper=np.full(model.dof, np.pi))


def random_joints(model: RobotModel, count: int, seed: int = 1) -> Array:
    """Joint vectors (count, n), uniform within the limits; within +-pi where there are none."""
    low = np.where(np.isfinite(model.lower), model.lower, -np.pi)
    high = np.where(np.isfinite(model.upper), model.upper, np.pi)
    return np.random.default_rng(seed).uniform(low, high, (count, model.dof))


def random_poses(model: RobotModel, count: int, seed: int = 1) -> Array:
    """Reachable poses (count, 4, 4)."""
    return forward_kinematics(model, random_joints(model, count, seed))


def steps(model: RobotModel) -> list[Array]:
    """Transforms at q = 0 from joint to joint, the joint axes on z; the first from the base, the last to the tip."""
    rows = [model.constants[body, :12] for body in model.chain] + [model.tip_placement]
    return [make_transform(row[:9].reshape(3, 3), row[9:12]) for row in rows]


def apart(some: Array, others: Array) -> Array:
    """Largest difference in a joint (i, j), modulo whole turns, of each of some joint vectors from each of others."""
    difference = some[:, None] - others[None]
    return np.max(np.abs((difference + np.pi) % (2.0 * np.pi) - np.pi), axis=2)


@cache
def _described(file: str) -> Path:
    for one in files('example-robot-data') or ():
        if str(one).endswith(f'/{file}'):
            return Path(str(one.locate()))
    raise FileNotFoundError(file)
