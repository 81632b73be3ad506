"""Robot models: an immutable tree of links and joints as flat arrays, and its loaders."""

from robokin_ros.model.catalogue import robot_names, robot_path
from robokin_ros.model.dh import DhRow
from robokin_ros.model.dh_detect import DhChain, dh_of_model
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.model.tree import Inertial, Joint, Link, Visual

__all__ = ['DhChain', 'DhRow', 'Inertial', 'Joint', 'Link', 'RobotModel', 'Visual', 'dh_of_model', 'robot_names',
           'robot_path']
