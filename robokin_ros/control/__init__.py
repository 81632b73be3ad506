"""Control: laws with `update(state, reference, dt) -> torque`, and the design of linear servos. Free of ROS."""

from robokin_ros.control.adaptive import AdaptiveControl, mixed_regressor
from robokin_ros.control.joint_drive import JointDrive, resonance
from robokin_ros.control.joint_servos import FeedforwardPd, JointPid, critical_damping, servo_poles, worst_damping
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
from robokin_ros.control.tip_servos import InverseJacobian, OperationalSpace, TipReference, TransposeJacobian, tip_error

__all__ = [
    'CONTROL_MODES', 'POSITION', 'AdaptiveControl', 'ComputedTorque', 'ControlLaw', 'FeedforwardPd',
    'GravityCompensation', 'InverseJacobian', 'JointDrive', 'JointPid', 'JointReference', 'JointState',
    'OperationalSpace', 'PdGravity', 'SecondOrder', 'TipReference', 'TransposeJacobian', 'control_law',
    'critical_damping', 'largest_integral_gain', 'longest_period', 'mixed_regressor', 'regulation_gains',
    'resonance', 'sampled_radius', 'sampling_rate', 'saturate', 'servo_poles', 'steady_error', 'tip_error',
    'unit_gains', 'worst_damping',
]
