"""Forward, differential and inverse kinematics of the tip and of every link."""

from robokin_ros.kinematics.forward import forward_kinematics, frame_poses
from robokin_ros.kinematics.inverse import IkBatch, IkResult, inverse_kinematics
from robokin_ros.kinematics.jacobian import jacobian, manipulability

__all__ = ['IkBatch', 'IkResult', 'forward_kinematics', 'frame_poses', 'inverse_kinematics', 'jacobian',
           'manipulability']
