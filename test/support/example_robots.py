"""Every robot description of the installed package example-robot-data: what becomes of it, and its oracle."""

from __future__ import annotations

from functools import cache
from importlib.metadata import files
from pathlib import Path

import numpy as np

from robokin_ros.model import RobotModel
from support.pinocchio_oracle import PinocchioArm
from support.robots import OWN_ARMS, arm

SKIPPED = {
    'alex_description/urdf/alex_psyonic_hands': ('does not load', "mimics 'index_q1', which is no moving joint"),
    'ur_description/urdf/ur3': ('does not load', 'Required attribute not set in XML: name'),
    'hector_description/robots/quadrotor_base': ('nothing moves', ''),
    'iris_description/robots/iris_simple': ('nothing moves', ''),
    'allegro_hand_description/urdf/allegro_left_hand': ('no dynamics', 'break the triangle inequality'),
    'allegro_hand_description/urdf/allegro_right_hand': ('no dynamics', 'break the triangle inequality'),
    'bolt_description/robots/bolt': ('no dynamics', 'inertia without mass'),
    'hyq_description/robots/hyq_no_sensors': ('no dynamics', 'break the triangle inequality'),
    'icub_description/robots/icub': ('no dynamics', 'negative principal moment'),
    'icub_description/robots/icub_reduced': ('no dynamics', 'negative principal moment'),
    'pr2_description/urdf/pr2': ('no dynamics', 'break the triangle inequality'),
    'romeo_description/urdf/romeo': ('no dynamics', 'has no <inertial> data'),
    'romeo_description/urdf/romeo_laas_small': ('no dynamics', 'negative principal moment'),
    'romeo_description/urdf/romeo_small': ('no dynamics', 'break the triangle inequality'),
}
"""Descriptions that no dynamics can be tested on: what is wrong, and the words of the refusal."""
USED = {
    'a1_description/urdf/a1': 12, 'alex_description/urdf/alex_nub_hands': 19,
    'alex_description/urdf/alex_sake_hands': 23, 'alexander_description/urdf/alexander_v1.lowerBodyOnly': 13,
    'anymal_b_simple_description/robots/anymal': 12, 'anymal_b_simple_description/robots/anymal-kinova': 18,
    'anymal_c_simple_description/urdf/anymal': 12, 'asr_twodof_description/urdf/TwoDofs': 2,
    'b1_description/urdf/b1': 12, 'b1_description/urdf/b1-z1': 19, 'baxter_description/urdf/baxter': 17,
    'borinot_description/urdf/borinot_flying_arm_2': 2, 'centauro_description/urdf/centauro': 39,
    'double_pendulum_description/urdf/double_pendulum': 2,
    'double_pendulum_description/urdf/double_pendulum_continuous': 2,
    'double_pendulum_description/urdf/double_pendulum_simple': 2, 'finger_edu_description/robots/finger_edu': 3,
    'g1_description/urdf/g1_29dof_rev_1_0': 29, 'g1_description/urdf/g1_29dof_with_hand_rev_1_0': 43,
    'go1_description/urdf/go1': 12, 'go2_description/urdf/go2': 12, 'hextilt_description/urdf/hextilt_flying_arm_5': 5,
    'human_description/robots/human': 36, 'iris_description/robots/iris': 4, 'kinova_description/robots/kinova': 6,
    'laikago_description/urdf/laikago': 12, 'panda_description/urdf/panda': 8,
    'panda_description/urdf/panda_collision': 8, 'quadruped_description/urdf/quadruped': 8,
    'simple_humanoid_description/urdf/simple_humanoid': 29,
    'simple_humanoid_description/urdf/simple_humanoid_classical': 29, 'so_arm_description/urdf/so100': 6,
    'so_arm_description/urdf/so101': 6, 'solo_description/robots/solo': 8, 'solo_description/robots/solo12': 12,
    'talos_data/robots/talos_full_v2': 32, 'talos_data/robots/talos_full_v2_box': 32,
    'talos_data/robots/talos_left_arm': 7, 'talos_data/robots/talos_reduced': 32,
    'talos_data/robots/talos_reduced_box': 32, 'talos_data/robots/talos_reduced_corrected': 32,
    'tiago_description/robots/tiago': 48, 'tiago_description/robots/tiago_dual': 101,
    'tiago_description/robots/tiago_no_hand': 12, 'tiago_pro_description/robots/tiago_pro': 23,
    'ur_description/urdf/ur10_joint_limited_robot': 6, 'ur_description/urdf/ur10_robot': 6,
    'ur_description/urdf/ur3_gripper': 6, 'ur_description/urdf/ur3_joint_limited_robot': 6,
    'ur_description/urdf/ur3_robot': 6, 'ur_description/urdf/ur5_gripper': 6,
    'ur_description/urdf/ur5_joint_limited_robot': 6, 'ur_description/urdf/ur5_robot': 6,
    'xarm_description/urdf/xarm7': 7, 'z1_description/urdf/z1': 7,
}
"""Descriptions with dynamics, and the number of their independent joints."""
ROBOTS = (*OWN_ARMS, *USED)


@cache
def descriptions() -> dict[str, Path]:
    """Every URDF file of the package, by its path below 'robots' without the ending."""
    found = [file for file in files('example-robot-data') or () if str(file).endswith('.urdf')]
    return {str(file).split('/robots/', 1)[1].removesuffix('.urdf'): Path(str(file.locate())) for file in found}


@cache
def robot(name: str) -> RobotModel:
    """Model of a robot of `ROBOTS`, the whole tree."""
    return arm(name) if name in OWN_ARMS else RobotModel.from_urdf(descriptions()[name])


@cache
def oracle(name: str) -> PinocchioArm:
    """Pinocchio on the same description."""
    return PinocchioArm(robot(name))


def distance(ours: np.ndarray, theirs: np.ndarray, floor: float = 1e-3) -> float:
    """Norm of the difference, relative to the norm of theirs; below `floor`, to that."""
    return float(np.linalg.norm(ours - theirs) / max(float(np.linalg.norm(theirs)), floor))
