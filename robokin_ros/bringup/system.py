"""The one description of the system: which processes, with which parameters.

`launch/robokin.launch.py` and `robokin up` both read it, so they cannot drift apart.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from robokin_ros.bringup.options import SystemOptions
from robokin_ros.control import CONTROL_MODES
from robokin_ros.errors import InputError, ModelError, RobokinError, UnknownNameError
from robokin_ros.hardware import load_driver
from robokin_ros.model import RobotModel, robot_description
from robokin_ros.model.urdf import read_description
from robokin_ros.resources import PACKAGE, share_directory

NAMESPACE = re.compile(r'/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*/?')
ARM_NODES = ('hardware_node', 'dynamics_node', 'trajectory_node', 'kinematics_node')
"""Nodes that must be active before the suite is ready."""


@dataclass(frozen=True)
class NodeProcess:
    """One process: an executable of a ROS package with its node name and parameters.

    `respawn`: started again when it dies. The hardware node is not: an arm must not come back to life unasked.
    """

    name: str
    executable: str
    package: str = PACKAGE
    parameters: dict[str, Any] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    respawn: bool = True


def describe_system(options: SystemOptions) -> list[NodeProcess]:
    """Processes of the suite, in the order in which they are started."""
    description = read_description(Path(options.urdf)) if options.urdf else robot_description(options.robot)
    if options.namespace and not NAMESPACE.fullmatch(options.namespace):
        raise InputError(f"The namespace '{options.namespace}' is not valid: use letters, digits, _ and /, no digit "
                         'after a /.', field='namespace', value=options.namespace)
    model = RobotModel.from_urdf(description, options.base or None, options.tip or None)  # refuse a bad one here
    if model.dof == 0:
        raise ModelError(f"Robot '{model.name}' has no moving joint between base and tip: there is nothing to move.")
    if options.controller not in CONTROL_MODES:
        raise UnknownNameError('control mode', options.controller, CONTROL_MODES)
    load_driver(options.driver)  # refuse an unknown one here
    common = {'use_sim_time': options.use_sim_time}
    arm = {**common, 'base': options.base, 'tip': options.tip}
    publisher = 'state_publisher'
    own_publisher = not package_installed('robot_state_publisher')
    if not own_publisher:
        publisher = 'robot_state_publisher'
    processes = [
        NodeProcess(publisher, publisher, PACKAGE if own_publisher else publisher,
                    {**(arm if own_publisher else common), 'robot_description': description}),
        NodeProcess('hardware_node', 'hardware_node', parameters={**arm, 'driver': options.driver}, respawn=False),
        NodeProcess('dynamics_node', 'dynamics_node', parameters={**arm, 'mode': options.controller}),
        NodeProcess('trajectory_node', 'trajectory_node', parameters=arm),
        NodeProcess('kinematics_node', 'kinematics_node', parameters=arm),
    ]
    if options.viewer:
        if find_spec('viser') is None:
            raise RobokinError('The web viewer needs the Python package viser: pip install viser.')
        processes.append(NodeProcess('viewer_node', 'viewer_node', parameters=arm))
    if options.rviz:
        if not package_installed('rviz2'):
            raise RobokinError('rviz2 is not installed here: start without rviz.')
        processes.append(NodeProcess('rviz2', 'rviz2', 'rviz2', common, respawn=False, arguments=(
            '-d', str(share_directory() / 'config' / 'robokin.rviz'))))
    return processes


def package_installed(name: str) -> bool:
    """Whether a ROS package is in the environment (its ament index)."""
    return any((Path(prefix) / 'share' / 'ament_index' / 'resource_index' / 'packages' / name).is_file()
               for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if prefix)


def executable_path(process: NodeProcess) -> Path:
    """File of a process of another package: prefix/lib/package/executable."""
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        path = Path(prefix) / 'lib' / process.package / process.executable
        if path.is_file():
            return path
    raise RobokinError(f"Package '{process.package}' has no executable '{process.executable}'.")
