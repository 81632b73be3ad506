"""Closed form for the position alone: up to three revolute joints that carry a point (KIN-22, KIN-25, KIN-30)."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from robokin_ros.errors import ModelError
from robokin_ros.kernels.closed_form import POSITION
from robokin_ros.kinematics.arm_class import ANGLE, LENGTH, ArmClass, SixJoints
from robokin_ros.model.dh_detect import dh_of_model
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import invert_transform

_CLASSES: WeakKeyDictionary[RobotModel, ArmClass] = WeakKeyDictionary()


def position_arm(model: RobotModel) -> ArmClass:
    """Class of an arm whose orientation does not matter; computed once per model."""
    found = _CLASSES.get(model)
    if found is None:
        found = _CLASSES[model] = _classify(model)
    return found


def _classify(model: RobotModel) -> ArmClass:
    try:
        chain = dh_of_model(model, ANGLE)
    except ModelError as error:
        return ArmClass('numeric', str(error))
    table = chain.table()
    size = float(np.sum(np.abs(table[:, 1:3])) + np.linalg.norm(chain.tool[:3, 3]))
    number = len(table)
    point = chain.tool[:3, 3].copy()
    # joints whose axis passes through the point do not move it
    while number > 0 and not chain.prismatic[number - 1] and np.hypot(point[0], point[1]) <= LENGTH * size:
        alpha, a, d, _ = table[number - 1]
        height = point[2] + d
        point = np.array([a, -np.sin(alpha) * height, np.cos(alpha) * height])
        number -= 1
    if number == 0 or number > 3 or np.any(chain.prismatic[:number]):
        return ArmClass('numeric', f'{number} joints move the point; closed forms are known for two or three revolute '
                        'ones.', chain)
    rows, offset, sign = np.zeros((6, 4)), np.zeros(6), np.ones(6)
    rows[:number] = table[:number]
    offset[:number], sign[:number] = chain.theta[:number], chain.sign[:number]
    joints = np.full(6, -1, dtype=np.int64)
    joints[:number] = chain.joints[:number]
    if number < 3:  # an imagined joint whose axis passes through the point: its angle does not matter
        offset[number - 1] += np.arctan2(point[1], point[0])
        rows[number, 1] = np.hypot(point[0], point[1])
        point = np.array([0.0, 0.0, point[2]])
    # where the solver looks for the point: (a3, -d4 sin alpha3, d4 cos alpha3) in frame {3}
    rows[3, 0], rows[3, 1], rows[3, 2] = np.arctan2(-point[1], point[2]), point[0], np.hypot(point[1], point[2])
    six = SixJoints(POSITION, 0, rows, offset, sign, joints, np.zeros(6, dtype=np.int64), size or 1.0,
                    invert_transform(chain.base), np.eye(4))
    return ArmClass('position of a point', f'{number} revolute joints carry the point.', chain, six)
