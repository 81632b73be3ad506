"""What a user chooses at bring-up: the options of `robokin up` and the arguments of the launch file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from robokin_ros.errors import InputError


@dataclass(frozen=True)
class SystemOptions:
    """What a user chooses at bring-up; the arguments of the launch file."""

    robot: str = 'puma560'
    urdf: str = ''
    base: str = ''
    tip: str = ''
    driver: str = 'simulated'
    controller: str = 'computed_torque'
    namespace: str = ''
    rviz: bool = False
    viewer: bool = False
    use_sim_time: bool = False

    @classmethod
    def from_texts(cls, texts: Mapping[str, str]) -> SystemOptions:
        """Options of texts, as launch arguments are; flags are true or false."""
        values: dict[str, Any] = {}
        for item in fields(cls):
            text = texts.get(item.name, str(item.default))
            if isinstance(item.default, bool):
                if text.lower() not in ('true', 'false'):
                    raise InputError(f"{item.name} is '{text}'; it must be true or false.", field=item.name, value=text)
                values[item.name] = text.lower() == 'true'
            else:
                values[item.name] = text
        return cls(**values)


OPTION_HELP = {
    'robot': "Name of a robot shipped in urdf/, or of one of the textbook's arms.",
    'urdf': 'Path of your own URDF or xacro file; takes the place of robot.',
    'base': 'Base link; empty for the root of the description.',
    'tip': 'Tip link; empty to choose it from the description.',
    'driver': 'Hardware driver.',
    'controller': 'Control mode after start: computed_torque, pd_gravity or gravity_compensation.',
    'namespace': 'Namespace of all nodes and topics.',
    'rviz': 'Start RViz (needs rviz2).',
    'viewer': 'Serve the robot as a web page on http://127.0.0.1:8080 (needs viser).',
    'use_sim_time': 'Take the time from /clock.',
}
