"""Packaging for colcon (ament_python) and pip; package.xml holds the version."""

from pathlib import Path
from xml.etree import ElementTree

import numpy
from setuptools import Extension, find_packages, setup

PACKAGE = 'robokin_ros'
ROOT = Path(__file__).parent
NODES = ('kinematics_node', 'trajectory_node', 'dynamics_node', 'hardware_node', 'state_publisher',
         'viewer_node')


def files(folder: str) -> list[str]:
    """Files of a shipped folder."""
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / folder).glob('*') if path.is_file())


setup(
    name=PACKAGE,
    version=ElementTree.parse(ROOT / 'package.xml').findtext('version'),
    packages=find_packages(include=[PACKAGE, f'{PACKAGE}.*']),
    package_data={PACKAGE: ['py.typed'], f'{PACKAGE}.nodes': ['parameters/*.yaml']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{PACKAGE}']),
        (f'share/{PACKAGE}', ['package.xml']),
        *((f'share/{PACKAGE}/{folder}', files(folder)) for folder in ('urdf', 'launch', 'config')),
    ],
    python_requires='>=3.11',
    install_requires=['numpy', 'scipy', 'numba', 'urdf-parser-py', 'lxml', 'xacro', 'pyyaml', 'click', 'rich',
                      'matplotlib'],
    extras_require={'ros': ['transforms3d'], 'viewer': ['viser'], 'symbolic': ['sympy'], 'motion': ['ruckig']},
    ext_modules=[  # optional: without a compiler single calls take the general way and are slower
        Extension(f'{PACKAGE}.kernels.direct_call', [f'{PACKAGE}/kernels/direct_call.c'],
                  include_dirs=[numpy.get_include()], extra_compile_args=['-O2'], optional=True)],
    zip_safe=False,
    author='The robokin_ros maintainers',
    description='Kinematics, dynamics, trajectories, control and simulation of robot arms, with ROS 2 nodes.',
    license='Apache-2.0',
    entry_points={
        'console_scripts': ['robokin = robokin_ros.cli.main:main',
                            *(f'{node} = {PACKAGE}.nodes.{node}:main' for node in NODES)],
        'robokin_ros.drivers': ['simulated = robokin_ros.hardware.simulated:SimulatedDriver'],
    },
)
