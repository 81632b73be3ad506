"""Robots for tests: real ones from the installed package example-robot-data, ours, and random trees."""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import files
from pathlib import Path

import numpy as np
import pytest

from robokin_ros.model import RobotModel, robot_path

DATA = Path(__file__).parent.parent / 'data'

REAL_ARMS = {
    'panda': 'panda_description/urdf/panda.urdf',
    'ur3': 'ur_description/urdf/ur3_robot.urdf',
    'ur5': 'ur_description/urdf/ur5_robot.urdf',
    'ur10': 'ur_description/urdf/ur10_robot.urdf',
    'kinova': 'kinova_description/robots/kinova.urdf',
    'xarm7': 'xarm_description/urdf/xarm7.urdf',
    'z1': 'z1_description/urdf/z1.urdf',
    'so100': 'so_arm_description/urdf/so100.urdf',
    'baxter': 'baxter_description/urdf/baxter.urdf',
    'talos_arm': 'talos_data/robots/talos_left_arm.urdf',
}
OWN_ARMS = ('puma560', 'planar_3r', 'two_link_pendulum', 'scara', 'arm7')


def spec_examples(name: str) -> dict:
    """Worked examples of the specification."""
    return json.loads((DATA / f'{name}.json').read_text(encoding='utf-8'))


def spec_cases(capability: str) -> list:
    """Parameters (input, expected, tolerance) of a capability's examples, with their IDs, for pytest."""
    cases = spec_examples(f'spec/{capability}')
    return [pytest.param(case['input'], case['expected'], case['tol'], id=name) for name, case in cases.items()]


@cache
def real_arm_path(name: str) -> Path:
    """URDF file of a real robot in example-robot-data."""
    wanted = REAL_ARMS[name]
    for file in files('example-robot-data') or ():
        if str(file).endswith(f'/{wanted}'):
            return Path(str(file.locate()))
    raise FileNotFoundError(wanted)


def arm_path(name: str) -> Path:
    """URDF or xacro file of a robot of ours or a real one."""
    return robot_path(name) if name in OWN_ARMS else real_arm_path(name)


@cache
def arm(name: str) -> RobotModel:
    """Model of a robot of ours or a real one."""
    return RobotModel.from_urdf(arm_path(name))


def random_joints(model: RobotModel, count: int, seed: int = 0) -> np.ndarray:
    """Joint vectors (count, n) within the limits; within +-pi where there are none."""
    low, high = np.maximum(model.lower, -np.pi), np.minimum(model.upper, np.pi)
    return np.random.default_rng(seed).uniform(low, high, (count, model.dof))
