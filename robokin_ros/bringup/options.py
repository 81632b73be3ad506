"""What a user chooses at bring-up: the options of `robokin up` and the arguments of the launch file."""

from __future__ import annotations

from dataclasses import dataclass


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
    use_sim_time: bool = False


OPTION_HELP = {
    'robot': 'Name of a robot shipped in urdf/.',
    'urdf': 'Path of your own URDF or xacro file; takes the place of robot.',
    'base': 'Base link; empty for the root of the description.',
    'tip': 'Tip link; empty to choose it from the description.',
    'driver': 'Hardware driver.',
    'controller': 'Control mode after start: computed_torque, pd_gravity or gravity_compensation.',
    'namespace': 'Namespace of all nodes and topics.',
    'rviz': 'Start RViz (needs rviz2).',
    'use_sim_time': 'Take the time from /clock.',
}
