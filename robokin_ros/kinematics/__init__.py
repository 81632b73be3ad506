"""Forward, differential and inverse kinematics of the tip and of every link."""

from robokin_ros.kinematics.arm_class import ArmClass, classify_arm
from robokin_ros.kinematics.forward import forward_kinematics, frame_poses
from robokin_ros.kinematics.inverse import IkBatch, IkResult, inverse_kinematics
from robokin_ros.kinematics.jacobian import jacobian, manipulability

__all__ = ['ArmClass', 'IkBatch', 'IkResult', 'classify_arm', 'forward_kinematics', 'frame_poses',
           'inverse_kinematics', 'jacobian', 'manipulability']
