"""The textbook's Cartesian scheme: six numbers of the pose on straight lines with parabolic blends in time (TRJ-13)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.kinematics import IkOptions, forward_kinematics
from robokin_ros.model.joint_vector import joint_array
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.trajectory.blends import BlendPlan, common_blend_plan
from robokin_ros.trajectory.cartesian.plan import CartesianMotion
from robokin_ros.trajectory.cartesian.pose_vector import pose_vectors, transform_of_vector
from robokin_ros.trajectory.cartesian.shapes import Formula
from robokin_ros.trajectory.cartesian.tracking import track
from robokin_ros.trajectory.limits import check_motion
from robokin_ros.trajectory.motion import Polynomials

Array = NDArray[np.float64]


def pose_blend_plan(poses: ArrayLike, durations: ArrayLike, blend_times: ArrayLike) -> BlendPlan:
    """Plan of position and angle-axis vector through poses (m, 4, 4), with blend times [s] common to all six."""
    return common_blend_plan(pose_vectors(poses), durations, blend_times)


def plan_pose_blends(model: RobotModel, start: ArrayLike, poses: ArrayLike, durations: ArrayLike,
                     blend_times: ArrayLike, options: IkOptions | None = None) -> CartesianMotion:
    """Motion of the tip from the present joints over poses (m, 4, 4), by the textbook's scheme.

    In the straight parts the position is exactly straight; the rotation changes smoothly, but not about one axis. The
    inner poses are passed at a distance. Limits of joints are checked on the whole motion: LimitError.
    """
    joints = joint_array(model, start, 'start')
    all_poses = np.concatenate((forward_kinematics(model, joints)[None], np.asarray(poses, dtype=float)))
    plan = pose_blend_plan(all_poses, durations, blend_times)
    curves, total = plan.curves(), plan.duration
    curve = Formula(lambda u: np.array([transform_of_vector(x) for x in curves.sample(np.asarray(u) * total)[0]]))
    tracked = track(model, curve, joints, options=options, stops=curves.knots() / total)
    law = Polynomials(np.array([0.0, total]), np.array([[[0.0], [1.0 / total], [0.0]]]))
    motion = CartesianMotion(model, curve, tracked, law)
    check_motion(model, motion)
    return motion
