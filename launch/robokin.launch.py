"""Bring the arm suite up: `ros2 launch robokin_ros robokin.launch.py robot:=puma560`.

The processes and their parameters come from `robokin_ros.bringup.system`, which `robokin up` reads too.
"""

from dataclasses import fields

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from robokin_ros.bringup.options import OPTION_HELP, SystemOptions
from robokin_ros.bringup.system import describe_system

RESPAWN_DELAY = 1.0


def nodes(context: LaunchContext) -> list[Node]:
    """One launch action per process of the described system."""
    texts = {item.name: LaunchConfiguration(item.name).perform(context) for item in fields(SystemOptions)}
    options = SystemOptions.from_texts(texts)
    return [Node(package=process.package, executable=process.executable, name=process.name,
                 namespace=options.namespace, parameters=[process.parameters], arguments=list(process.arguments),
                 output='screen', respawn=process.respawn, respawn_delay=RESPAWN_DELAY)
            for process in describe_system(options)]


def generate_launch_description() -> LaunchDescription:
    """Arguments as in `SystemOptions`, then the nodes."""
    return LaunchDescription([
        *(DeclareLaunchArgument(item.name, default_value=str(item.default).lower() if isinstance(item.default, bool)
                                else str(item.default), description=OPTION_HELP[item.name])
          for item in fields(SystemOptions)),
        OpaqueFunction(function=nodes)])
