"""Control laws: small objects with `update(state, reference) -> torque`, free of ROS."""

from robokin_ros.control.laws import (
    ComputedTorque,
    ControlLaw,
    GravityCompensation,
    JointReference,
    JointState,
    PdGravity,
    saturate,
)

__all__ = ['ComputedTorque', 'ControlLaw', 'GravityCompensation', 'JointReference', 'JointState', 'PdGravity',
           'saturate']
