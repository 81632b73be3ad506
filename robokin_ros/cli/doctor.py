"""`robokin doctor`: what the suite finds on this machine."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.table import Table

from robokin_ros import __version__
from robokin_ros.bringup.system import package_installed

LIBRARIES = ('numpy', 'scipy', 'numba', 'urdf-parser-py', 'xacro')
REQUIRED_MODULES = ('rclpy', 'robokin_interfaces', 'control_msgs', 'tf2_msgs', 'sensor_msgs')
OPTIONAL_MODULES = {
    'launch_ros': 'ros2 launch', 'tf_transformations': 'quaternions as in ROS (transforms3d serves otherwise)',
    'moveit_msgs': 'MoveIt service types', 'matplotlib': 'plots of the demo', 'viser': 'web viewer',
    'pinocchio': 'oracle in tests', 'mujoco': 'oracle in tests',
}
OPTIONAL_PACKAGES = {'robot_state_publisher': 'our state_publisher serves otherwise', 'rviz2': 'RViz'}


def show() -> int:
    """Print the table; 1 if something that is needed is missing."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    missing = []

    def row(name: str, value: str, good: bool | None = None) -> None:
        mark = {True: '[green]yes[/]', False: '[red]NO[/]', None: ''}[good]
        table.add_row(mark, name, value)

    row('robokin_ros', f'{__version__}, {Path(__file__).resolve().parents[2]}')
    row('Python', f'{platform.python_version()}, {sys.executable}')
    row('ROS 2', _ros_source())
    row('middleware', os.environ.get('RMW_IMPLEMENTATION', 'default of the installation'))
    row('domain', f"ROS_DOMAIN_ID {os.environ.get('ROS_DOMAIN_ID', '0 (default)')}, discovery "
        f"{os.environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET (default)')}"
        + (f', {Path(profile).name}' if (profile := os.environ.get('FASTRTPS_DEFAULT_PROFILES_FILE')) else ''))
    row('compiled kernels', _cache())
    from robokin_ros.kernels.direct import DirectCall
    direct = DirectCall is not None
    row('direct calls [dim](optional)', 'compiled' if direct else 'not compiled: single calls from Python are slower',
        direct or None)
    for name in LIBRARIES:
        found = _version(name)
        row(name, found or 'missing', bool(found))
        missing += [] if found else [name]
    for name in REQUIRED_MODULES:
        present = find_spec(name) is not None
        row(name, '' if present else 'missing', present)
        missing += [] if present else [name]
    for name, purpose in OPTIONAL_MODULES.items():
        present = find_spec(name) is not None
        row(f'{name} [dim](optional)', purpose if present else f'not here: {purpose}', present or None)
    for name, purpose in OPTIONAL_PACKAGES.items():
        present = package_installed(name)
        row(f'{name} [dim](optional)', purpose if present else f'not here: {purpose}', present or None)
    console = Console()
    console.print(table)
    if missing:
        console.print(f"[red]Missing: {', '.join(missing)}.[/] In a checkout: ./robokin setup; with ROS 2: rosdep "
                      'install.')
        return 1
    return 0


def _ros_source() -> str:
    distro = os.environ.get('ROS_DISTRO')
    if distro:
        return f"{distro}, sourced from {os.environ.get('AMENT_PREFIX_PATH', '?').split(os.pathsep)[-1]}"
    found = _version('ros-jazzy-rclpy')
    return f'jazzy, wheels (rclpy {found})' if found else 'none'


def _cache() -> str:
    from robokin_ros.kernels.cache import cache_directory
    folder = cache_directory()
    files = list(folder.rglob('*.nbc')) if folder.is_dir() else []
    return f'{len(files)} in {folder}'


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ''
