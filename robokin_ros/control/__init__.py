"""Control laws: small objects with `update(state, reference) -> torque`, free of ROS."""

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

__all__ = ['CONTROL_MODES', 'POSITION', 'ComputedTorque', 'ControlLaw', 'GravityCompensation', 'JointReference',
           'JointState', 'PdGravity', 'control_law', 'saturate']
