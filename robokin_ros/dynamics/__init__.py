"""Dynamics of arms: torques for a motion, motion under torques, and the terms of both."""

from robokin_ros.dynamics.cartesian import CartesianDynamics, cartesian_coriolis_matrices, cartesian_dynamics
from robokin_ros.dynamics.check import check_model
from robokin_ros.dynamics.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from robokin_ros.dynamics.energy import kinetic_energy, potential_energy, total_energy
from robokin_ros.dynamics.forward import forward_dynamics
from robokin_ros.dynamics.friction import Friction
from robokin_ros.dynamics.identification import Identification, identify, predicted_torques
from robokin_ros.dynamics.inverse import STANDARD_GRAVITY, coriolis_torque, gravity_torque, inverse_dynamics
from robokin_ros.dynamics.loads import BodyLoads, body_loads
from robokin_ros.dynamics.mass import mass_matrix
from robokin_ros.dynamics.recording import recorded_motion
from robokin_ros.dynamics.regressor import (
    BaseParameters,
    base_parameters,
    inertial_parameters,
    parameter_names,
    regressor,
    with_inertial_parameters,
)
from robokin_ros.dynamics.separate_bodies import Body, SeparateBodies, SeparateBodiesReport
from robokin_ros.dynamics.symbolic import Equations, equations_of_motion
from robokin_ros.dynamics.torque_parts import TorqueParts, torque_parts
from robokin_ros.dynamics.velocity_terms import (
    christoffel_matrix,
    christoffel_symbols,
    coriolis_matrices,
    mass_matrix_rate,
)

__all__ = [
    'STANDARD_GRAVITY', 'BaseParameters', 'Body', 'BodyLoads', 'CartesianDynamics', 'Equations', 'Friction',
    'Identification', 'SeparateBodies', 'SeparateBodiesReport', 'TorqueParts', 'base_parameters', 'body_loads',
    'cartesian_coriolis_matrices', 'cartesian_dynamics', 'check_model', 'christoffel_matrix', 'christoffel_symbols',
    'coriolis_matrices', 'coriolis_torque', 'equations_of_motion', 'forward_dynamics', 'forward_dynamics_derivatives',
    'gravity_torque', 'identify', 'inertial_parameters', 'inverse_dynamics', 'inverse_dynamics_derivatives',
    'kinetic_energy', 'mass_matrix', 'mass_matrix_rate', 'parameter_names', 'potential_energy', 'predicted_torques',
    'recorded_motion', 'regressor', 'torque_parts', 'total_energy', 'with_inertial_parameters',
]
