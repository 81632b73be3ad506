"""Named tools, stations and taught poses, kept in a YAML file (KIN-10, KIN-20).

    tools:
      gripper: {xyz: [0.0, 0.0, 0.15], rpy_deg: [0, 0, 45]}      # pose of {T} in the wrist {W}
    stations:
      table: {xyz: [0.5, 0.2, -0.3], quaternion: [0, 0, 0, 1]}   # pose of {S} in the base {B}
    poses:
      home: {joints: [0.0, -1.57, 1.57, 0.0, 0.0, 0.0]}           # taught joint vector [rad], [m]
      above: {xyz: [0.1, 0.0, 0.3], orientation: down, station: table}

An orientation is `rpy`, `rpy_deg`, `quaternion` (x, y, z, w) or the name of an `orientation`; without one it is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, RobokinError, UnknownNameError
from robokin_ros.spatial import (
    check_transform,
    make_transform,
    matrix_from_quaternion,
    matrix_from_rpy,
    named_orientation,
    quaternion_from_matrix,
)
from robokin_ros.spatial.rotation import finite

Array = NDArray[np.float64]
POSE_KEYS = ('xyz', 'rpy', 'rpy_deg', 'quaternion', 'orientation', 'station', 'joints')


@dataclass(frozen=True)
class NamedPose:
    """A taught joint vector, or a pose (4, 4) of the tool in a station ('' is the base)."""

    joints: Array | None = None
    pose: Array | None = None
    station: str = ''


@dataclass
class WorkFrames:
    """Tools {T} in the wrist, stations {S} in the base, and named poses; which tool and station are in use.

    An empty name is the frame that needs none: {T} = {W}, {S} = {B}.
    """

    tools: dict[str, Array] = field(default_factory=dict)
    stations: dict[str, Array] = field(default_factory=dict)
    poses: dict[str, NamedPose] = field(default_factory=dict)
    tool: str = ''
    station: str = ''

    def tool_frame(self, name: str | None = None) -> Array:
        """W_T_T of a tool; default the one in use."""
        return _lookup('tool', self.tools, self.tool if name is None else name)

    def station_frame(self, name: str | None = None) -> Array:
        """B_T_S of a station; default the one in use."""
        return _lookup('station', self.stations, self.station if name is None else name)

    def use(self, tool: str | None = None, station: str | None = None) -> None:
        """Choose the tool and the station that are in use from now on; nothing changes if one is unknown."""
        chosen = self.tool if tool is None else tool, self.station if station is None else station
        self.tool_frame(chosen[0])
        self.station_frame(chosen[1])
        self.tool, self.station = chosen

    def set_tool(self, name: str, transform: ArrayLike) -> None:
        """Add or replace a tool."""
        self.tools[_name('tool', name)] = check_transform(transform)

    def set_station(self, name: str, transform: ArrayLike) -> None:
        """Add or replace a station."""
        self.stations[_name('station', name)] = check_transform(transform)

    def teach(
        self, name: str, joints: ArrayLike | None = None, pose: ArrayLike | None = None, station: str = ''
    ) -> None:
        """Store where the arm is, as joints or as a pose of the tool in a station, under a name."""
        if (joints is None) == (pose is None):
            raise InputError('A taught pose is either a joint vector or a pose.', field='joints')
        self.station_frame(station)
        self.poses[_name('pose', name)] = NamedPose(
            None if joints is None else finite(joints, 'joints', (np.size(joints),)).copy(),
            None if pose is None else check_transform(pose), station)

    def recall(self, name: str) -> NamedPose:
        """What was taught under a name."""
        if name not in self.poses:
            raise UnknownNameError('named pose', name, self.poses)
        return self.poses[name]

    @classmethod
    def load(cls, path: str | Path) -> WorkFrames:
        """Read a YAML file; InputError, naming the entry, if something in it cannot be used."""
        import yaml
        try:
            content = yaml.safe_load(Path(path).read_text(encoding='utf-8')) or {}
        except (OSError, UnicodeDecodeError, RecursionError, yaml.YAMLError) as error:
            raise InputError(
                f"The file of tools and stations '{path}' cannot be read: {error}.", field=str(path)
            ) from error
        return cls.from_mapping(content)

    @classmethod
    def from_mapping(cls, content: Any) -> WorkFrames:
        """Frames of the mapping that a YAML file holds."""
        try:
            return cls._from_mapping(content)
        except RobokinError:
            raise
        except (TypeError, ValueError) as error:
            raise InputError(f'The tools and stations cannot be used: {error}.', field='') from error

    @classmethod
    def _from_mapping(cls, content: Any) -> WorkFrames:
        if not isinstance(content, Mapping):
            raise InputError(f'Tools and stations are a mapping, not {type(content).__name__}.', field='')
        frames = cls()
        for section in content:
            if section not in ('tools', 'stations', 'poses', 'tool', 'station'):
                raise UnknownNameError(
                    'section of tools and stations', str(section), ('tools', 'stations', 'poses', 'tool', 'station')
                )
        for section, store in (('tools', frames.set_tool), ('stations', frames.set_station)):
            for name, entry in _entries(content, section):
                store(name, _pose(entry, f'{section}/{name}'))
        for name, entry in _entries(content, 'poses'):
            where = f'poses/{name}'
            if 'joints' in entry:
                frames.teach(name, joints=finite(entry['joints'], where, (np.size(entry['joints']),)))
            else:
                frames.teach(name, pose=_pose(entry, where), station=str(entry.get('station', '')))
        frames.use(str(content.get('tool') or ''), str(content.get('station') or ''))
        return frames

    def to_mapping(self) -> dict[str, Any]:
        """Mapping for a YAML file."""
        poses: dict[str, Any] = {}
        for name, taught in self.poses.items():
            if taught.joints is not None:
                poses[name] = {'joints': taught.joints.tolist()}
            else:
                assert taught.pose is not None
                poses[name] = {**_entry(taught.pose), **({'station': taught.station} if taught.station else {})}
        return {'tools': {name: _entry(pose) for name, pose in self.tools.items()},
                'stations': {name: _entry(pose) for name, pose in self.stations.items()},
                'poses': poses, 'tool': self.tool, 'station': self.station}

    def save(self, path: str | Path) -> None:
        """Write a YAML file, whole or not at all."""
        import yaml
        target = Path(path)
        draft = target.with_name(target.name + '.new')
        try:
            draft.write_text(yaml.safe_dump(self.to_mapping(), sort_keys=False), encoding='utf-8')
            draft.replace(target)
        except OSError as error:
            raise InputError(
                f"The file of tools and stations '{path}' cannot be written: {error}.", field=str(path)
            ) from error


def _lookup(kind: str, frames: Mapping[str, Array], name: str) -> Array:
    if name == '':
        return np.eye(4)
    if name not in frames:
        raise UnknownNameError(kind, name, frames)
    return frames[name]


def _name(kind: str, name: str) -> str:
    if not isinstance(name, str) or not name:
        raise InputError(f'A {kind} needs a name.', field='name', value=name)
    return name


def _entries(content: Mapping[str, Any], section: str) -> list[tuple[str, Mapping[str, Any]]]:
    entries = content.get(section) or {}
    if not isinstance(entries, Mapping):
        raise InputError(f"'{section}' is not a mapping of names.", field=section)
    for name, entry in entries.items():
        if not isinstance(entry, Mapping):
            raise InputError(
                f"'{section}/{name}' is not a mapping with xyz and an orientation.", field=f'{section}/{name}'
            )
        for key in entry:
            if key not in POSE_KEYS:
                raise UnknownNameError(f"entry of '{section}/{name}'", str(key), POSE_KEYS)
    return [(str(name), entry) for name, entry in entries.items()]


def _pose(entry: Mapping[str, Any], where: str) -> Array:
    given = [key for key in ('rpy', 'rpy_deg', 'quaternion', 'orientation') if key in entry]
    if len(given) > 1:
        raise InputError(f"'{where}' has two orientations: {', '.join(given)}.", field=where)
    rotation = np.eye(3)
    if given:
        value = entry[given[0]]
        if given[0] == 'orientation':
            rotation = named_orientation(str(value))
        elif given[0] == 'quaternion':
            rotation = matrix_from_quaternion(finite(value, where, (4,)))
        else:
            angles = finite(value, where, (3,))
            rotation = matrix_from_rpy(*(np.radians(angles) if given[0] == 'rpy_deg' else angles))
    return make_transform(rotation, finite(entry.get('xyz', (0.0, 0.0, 0.0)), where, (3,)))


def _entry(pose: Array) -> dict[str, Any]:
    return {'xyz': pose[:3, 3].tolist(), 'quaternion': quaternion_from_matrix(pose[:3, :3]).tolist()}
