"""The robots shipped in urdf/: their names and files."""

from __future__ import annotations

from pathlib import Path

from robokin_ros.errors import UnknownNameError
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
        raise UnknownNameError('shipped robot', name, files)
    return files[name]
