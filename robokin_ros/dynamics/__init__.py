"""Rigid-body dynamics: torques of a motion, motion under torques, and the terms of both."""

from robokin_ros.dynamics.forward import forward_dynamics
from robokin_ros.dynamics.inverse import STANDARD_GRAVITY, coriolis_torque, gravity_torque, inverse_dynamics
from robokin_ros.dynamics.mass import mass_matrix

__all__ = ['STANDARD_GRAVITY', 'coriolis_torque', 'forward_dynamics', 'gravity_torque', 'inverse_dynamics',
           'mass_matrix']
