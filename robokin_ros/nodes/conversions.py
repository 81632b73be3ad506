"""Between messages and arrays."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Pose, PoseStamped, Transform
from numpy.typing import ArrayLike, NDArray
from robokin_interfaces.msg import ErrorCode

from robokin_ros.errors import (
    InputError,
    LimitError,
    NoDynamicsError,
    RobokinError,
    UnknownNameError,
    UnsupportedError,
)
from robokin_ros.kinematics import frame_poses
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.nodes.rotations import quaternion_of, transform_of
from robokin_ros.spatial import invert_transform

Array = NDArray[np.float64]

STATUS_CODES = {
    'OK': ErrorCode.SUCCESS, 'UNREACHABLE': ErrorCode.UNREACHABLE, 'OFF_SUBSPACE': ErrorCode.OFF_SUBSPACE,
    'OUT_OF_LIMITS': ErrorCode.OUT_OF_LIMITS, 'SINGULAR': ErrorCode.SINGULAR, 'BAD_INPUT': ErrorCode.BAD_INPUT,
}


def error_code(error: RobokinError) -> int:
    """Code on the wire of an exception of the library."""
    if isinstance(error, UnknownNameError):
        kinds = {'joint': ErrorCode.UNKNOWN_JOINT, 'frame': ErrorCode.UNKNOWN_FRAME}
        return int(kinds.get(error.kind, ErrorCode.BAD_INPUT))
    for kind, code in ((UnsupportedError, ErrorCode.UNSUPPORTED), (NoDynamicsError, ErrorCode.NO_DYNAMICS),
                       (LimitError, ErrorCode.GOAL_REFUSED), (InputError, ErrorCode.BAD_INPUT)):
        if isinstance(error, kind):
            return int(code)
    return int(ErrorCode.BAD_INPUT)


def doubles(values: ArrayLike) -> array:
    """Sequence field of a message, without touching single elements."""
    return array('d', np.ascontiguousarray(values, dtype=np.float64).tobytes())


def seconds(stamp: Time | Duration) -> float:
    """Time or duration message in seconds."""
    return float(stamp.sec + 1e-9 * stamp.nanosec)


def duration_message(value: float) -> Duration:
    """Duration message of seconds >= 0."""
    whole = int(value)
    return Duration(sec=whole, nanosec=int((value - whole) * 1e9))


def pose_message(transform: Array) -> Pose:
    """Pose message of a 4x4 transform."""
    pose = Pose()
    pose.position.x, pose.position.y, pose.position.z = (float(v) for v in transform[:3, 3])
    (pose.orientation.x, pose.orientation.y,
     pose.orientation.z, pose.orientation.w) = quaternion_of(transform[:3, :3])
    return pose


def set_transform(message: Transform, transform: Array) -> None:
    """Fill a transform message from a 4x4 transform."""
    move, turn = message.translation, message.rotation
    move.x, move.y, move.z = (float(v) for v in transform[:3, 3])
    turn.x, turn.y, turn.z, turn.w = quaternion_of(transform[:3, :3])


def pose_transform(pose: Pose | Transform) -> Array:
    """4x4 transform of a pose or transform message; the quaternion must have unit length within 1e-3."""
    q, p = (pose.orientation, pose.position) if isinstance(pose, Pose) else (pose.rotation, pose.translation)
    x, y, z, w = q.x, q.y, q.z, q.w
    square = x * x + y * y + z * z + w * w
    if not math.isfinite(square + p.x + p.y + p.z):
        raise InputError(
            f'The pose contains NaN or infinity: position {p.x}, {p.y}, {p.z}, orientation {x}, {y}, {z}, {w}.',
            field='pose',
            value=pose,
        )
    length = math.sqrt(square)
    if abs(length - 1.0) > 1e-3:
        raise InputError(f'The orientation quaternion has length {length:.6g}, not 1.', field='orientation',
                         value=(x, y, z, w))
    return transform_of((p.x, p.y, p.z), (x / length, y / length, z / length, w / length))


def goal_transform(model: RobotModel, pose: PoseStamped, joints: Array) -> Array:
    """Pose in the base of a goal given in any link's frame, for the present joints."""
    transform = pose_transform(pose.pose)
    frame = pose.header.frame_id
    if frame and frame != model.base:
        transform = frame_poses(model, joints, [frame])[0] @ transform
    return transform


def relative_poses(model: RobotModel, joints: Array, frames: Sequence[str], reference: str) -> Array:
    """Poses (k, 4, 4) of frames in a reference link."""
    poses = frame_poses(model, joints, [*frames, reference])
    return np.asarray(invert_transform(poses[-1]) @ poses[:-1])


class JointOrder:
    """Puts arrays that come with joint names into the model's order; remembers the last names."""

    def __init__(self, model: RobotModel) -> None:
        self.model = model
        self.names = list(model.joint_names)
        self._names: Sequence[str] = ()
        self._index: NDArray[np.int64] = np.empty(0, dtype=np.int64)

    def index(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Positions of the names in the joint vector; raises for unknown or repeated ones."""
        if names != self._names:
            index = self.model.order_of(names)
            if len(set(names)) != len(names):
                raise InputError(f"A joint is named twice: {', '.join(names)}.", field='joint_names')
            self._names, self._index = list(names), index
        return self._index

    def every(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Positions of names that must be all joints; without names the model's order."""
        if len(names) == 0:
            return np.arange(self.model.dof)
        index = self.index(names)
        if len(index) != self.model.dof:
            lacking = [name for name in self.model.joint_names if name not in set(names)]
            raise InputError(f"The request lacks joint {', '.join(lacking)}.", field='joint_names')
        return index

    def vector(self, names: Sequence[str], values: Sequence[float], field: str,
               missing: Array | None = None) -> Array:
        """Joint vector of named values; without names the model's order; empty: `missing`."""
        model = self.model
        if len(values) == 0 and missing is not None:
            return missing
        given = np.asarray(values, dtype=np.float64)
        if len(names) == 0:
            if len(given) != model.dof:
                raise InputError(f"{field} needs {model.dof} values ({', '.join(model.joint_names)}), "
                                 f'got {len(given)}.', field=field, value=given)
            return given
        index = self.index(names)
        if len(given) != len(index):
            raise InputError(f'{field} has {len(given)} values for {len(index)} joint names.', field=field)
        if len(index) != model.dof:
            lacking = [name for name in model.joint_names if name not in set(names)]
            raise InputError(f"{field} lacks joint {', '.join(lacking)}.", field=field)
        ordered = np.empty(model.dof)
        ordered[index] = given
        return ordered
