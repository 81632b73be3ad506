"""The launch file, where the real launch is installed (every ROS 2 machine)."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.suite import eventually, fresh_domain

from robokin_ros.client import RobotClient

LAUNCH_FILE = Path(__file__).resolve().parents[2] / 'launch' / 'robokin.launch.py'
pytest.importorskip('launch_ros', reason='launch and launch_ros are part of a ROS 2 installation, not of the wheels')


def test_arguments_are_the_options_of_up():
    from dataclasses import fields

    from launch.actions import DeclareLaunchArgument
    from launch.launch_description_sources import PythonLaunchDescriptionSource

    from robokin_ros.bringup.options import SystemOptions
    description = PythonLaunchDescriptionSource(str(LAUNCH_FILE)).try_get_launch_description_without_context()
    declared = [entity.name for entity in description.entities if isinstance(entity, DeclareLaunchArgument)]
    assert declared == [item.name for item in fields(SystemOptions)]


def test_launch_brings_the_arm_up_and_down():
    fresh_domain()
    program = ('import sys; from launch import LaunchService; from launch.actions import IncludeLaunchDescription;'
               'from launch import LaunchDescription;'
               f's = LaunchService(); s.include_launch_description(LaunchDescription([IncludeLaunchDescription('
               f'{str(LAUNCH_FILE)!r}, launch_arguments=[("robot", "scara"), ("namespace", "left")])]));'
               'sys.exit(s.run())')
    with subprocess.Popen([sys.executable, '-c', program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as launched:
        try:
            with RobotClient('left', 'test_client') as client:
                client.wait_until_ready(150.0)  # the first start of an installation compiles the kernels
                assert client.joint_names == ['joint_1', 'joint_2', 'joint_3', 'joint_4']
                client.move_to(client.joints + np.array([0.1, 0.1, 0.01, 0.1]))
        finally:
            os.kill(launched.pid, signal.SIGINT)
            output, _ = launched.communicate(timeout=30)
        assert output.count('process has finished cleanly') == 5, output
        eventually(lambda: launched.poll() is not None)
