"""Robots by name: those shipped in urdf/, and the textbook's arms of `dh_arms.py`."""

from __future__ import annotations

from pathlib import Path

from robokin_ros.errors import UnknownNameError
from robokin_ros.model.dh_arms import dh_arm, dh_arm_names
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.model.urdf import read_description
from robokin_ros.resources import share_directory

SUFFIXES = ('.urdf.xacro', '.urdf')


def _files() -> dict[str, Path]:
    found = {}
    for path in sorted((share_directory() / 'urdf').iterdir()):
        for suffix in SUFFIXES:
            if path.name.endswith(suffix):
                found[path.name.removesuffix(suffix)] = path
                break
    return found


def robot_names() -> tuple[str, ...]:
    """Names of the shipped robots."""
    return tuple(_files())


def robot_path(name: str) -> Path:
    """File of a shipped robot."""
    files = _files()
    if name not in files:
        raise UnknownNameError('shipped robot', name, (*files, *dh_arm_names()))
    return files[name]


def load_robot(name: str, **dimensions: float) -> RobotModel:
    """Model of a shipped robot or of one of the textbook's arms; only the latter take dimensions [m]."""
    if name in dh_arm_names():
        return dh_arm(name, **dimensions)
    for key in dimensions:
        raise UnknownNameError(f'dimension of {name}', key, ())
    return RobotModel.from_urdf(robot_path(name))


def robot_description(name: str) -> str:
    """URDF text of a shipped robot or of one of the textbook's arms."""
    if name in dh_arm_names():
        return dh_arm(name).urdf
    return read_description(robot_path(name))
