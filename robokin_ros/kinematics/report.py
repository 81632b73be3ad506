"""What there is to know of a model, as plain data: joints, limits, DH parameters, class of its inverse kinematics."""

from __future__ import annotations

from typing import Any

import numpy as np

from robokin_ros.kinematics.arm_class import classify_arm
from robokin_ros.kinematics.singularity import arm_reach
from robokin_ros.model.robot_model import RobotModel


def model_report(model: RobotModel) -> dict[str, Any]:
    """Report that can be written as JSON; limits that do not exist are None, units are SI."""
    arm = classify_arm(model)
    joints = [{'name': name, 'type': kind, 'lower': _number(low), 'upper': _number(high), 'velocity': _number(speed),
               'effort': _number(effort), 'moves_tip': i in set(model.chain_joints.tolist())}
              for i, (name, kind, low, high, speed, effort) in enumerate(zip(
                  model.joint_names, model.joint_types, model.lower, model.upper, model.velocity_limit,
                  model.effort_limit, strict=True))]
    rows = []
    if arm.chain is not None:
        chain = arm.chain
        rows = [
            {
                'joint': model.joint_names[int(chain.joints[i])],
                'alpha': float(chain.alpha[i]),
                'a': float(chain.a[i]),
                'd': float(chain.d[i]),
                'theta': float(chain.theta[i]),
                'sign': int(chain.sign[i]),
                'type': 'prismatic' if chain.prismatic[i] else 'revolute',
            }
            for i in range(len(chain.a))
        ]
    return {
        'name': model.name,
        'base': model.base,
        'tip': model.tip,
        'joints': joints,
        'links': list(model.frame_names),
        'reach': arm_reach(model),
        'inverse_kinematics': {'class': arm.name, 'reason': arm.reason, 'closed_form': arm.closed_form},
        'dh': rows,
        'dynamics': model.no_dynamics_reason or 'complete',
        'warnings': list(model.warnings),
    }


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
