"""The library works where ROS is not installed: nothing but nodes, client and what starts them imports it."""

import subprocess
import sys

PROGRAM = """
import sys

class NoRos:
    ROS = ('rclpy', 'sensor_msgs', 'std_msgs', 'geometry_msgs', 'control_msgs', 'robokin_interfaces', 'launch',
           'ament_index_python', 'diagnostic_msgs', 'trajectory_msgs', 'tf2_msgs', 'std_srvs', 'lifecycle_msgs',
           'rcl_interfaces', 'action_msgs', 'builtin_interfaces')
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in self.ROS:
            raise ImportError('no ROS here: ' + name)

sys.meta_path.insert(0, NoRos())
import importlib, pkgutil
import robokin_ros
for room in ('spatial', 'model', 'kernels', 'kinematics', 'dynamics', 'trajectory', 'control', 'simulation',
             'hardware', 'bringup'):
    package = importlib.import_module(f'robokin_ros.{room}')
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f'robokin_ros.{room}.{module.name}')

import numpy as np
from robokin_ros.dynamics import forward_dynamics, gravity_torque
from robokin_ros.kinematics import forward_kinematics, inverse_kinematics
from robokin_ros.model import RobotModel, robot_path
model = RobotModel.from_urdf(robot_path('puma560'))
q = model.middle() + 0.1
assert inverse_kinematics(model, forward_kinematics(model, q)).status == 'OK'
assert np.allclose(forward_dynamics(model, q, 0 * q, gravity_torque(model, q)), 0.0, atol=1e-9)
print('works without ROS')
"""


def test_library_without_ros():
    done = subprocess.run([sys.executable, '-c', PROGRAM], capture_output=True, text=True, check=False)
    assert done.stdout == 'works without ROS\n', done.stderr
