"""Robot models: an immutable tree of links and joints as flat arrays, and its loaders."""

from robokin_ros.model.actuators import MotomanActuators
from robokin_ros.model.catalogue import load_robot, robot_description, robot_names, robot_path
from robokin_ros.model.dh import DhRow
from robokin_ros.model.dh_arms import dh_arm, dh_arm_names
from robokin_ros.model.dh_detect import DhChain, axes_of_model, dh_of_axes, dh_of_model
from robokin_ros.model.drives import with_drives
from robokin_ros.model.link_parameters import link_of_lines, link_of_transform
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.model.tree import Inertial, Joint, Link, Visual
from robokin_ros.model.urdf_export import urdf_of_tree
from robokin_ros.model.work_frames import NamedPose, WorkFrames

__all__ = [
    'DhChain', 'DhRow', 'Inertial', 'Joint', 'Link', 'MotomanActuators', 'NamedPose', 'RobotModel', 'Visual',
    'WorkFrames', 'axes_of_model', 'dh_arm', 'dh_arm_names', 'dh_of_axes', 'dh_of_model', 'link_of_lines',
    'link_of_transform', 'load_robot', 'robot_description', 'robot_names', 'robot_path', 'urdf_of_tree', 'with_drives',
]
