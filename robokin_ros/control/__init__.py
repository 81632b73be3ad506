"""Control: laws with `update(state, reference, dt) -> torque`, and the design of linear servos. Free of ROS."""

from robokin_ros.control.joint_drive import JointDrive, resonance
from robokin_ros.control.laws import (
    CONTROL_MODES,
    POSITION,
    ComputedTorque,
    ControlLaw,
    GravityCompensation,
    JointReference,
    JointState,
    PdGravity,
    control_law,
    saturate,
)
from robokin_ros.control.sampling import longest_period, sampled_radius, sampling_rate
from robokin_ros.control.second_order import (
    SecondOrder,
    largest_integral_gain,
    regulation_gains,
    steady_error,
    unit_gains,
)

__all__ = [
    'CONTROL_MODES', 'POSITION', 'ComputedTorque', 'ControlLaw', 'GravityCompensation', 'JointDrive', 'JointReference',
    'JointState', 'PdGravity', 'SecondOrder', 'control_law', 'largest_integral_gain', 'longest_period',
    'regulation_gains', 'resonance', 'sampled_radius', 'sampling_rate', 'saturate', 'steady_error', 'unit_gains',
]
