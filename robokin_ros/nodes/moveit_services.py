"""MoveIt's GetPositionFK and GetPositionIK, so that its clients work unchanged; only where moveit_msgs is installed.

They have the names of our own services, compute_fk and compute_ik, and other types. One DDS participant cannot serve
both, so these are served by a node in a ROS context of its own.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import rclpy
from geometry_msgs.msg import PoseStamped
from numpy.typing import NDArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.type_support import check_for_type_support
from rosidl_generator_py.import_type_support_impl import UnsupportedTypeSupport

from robokin_ros.errors import InputError, RobokinError, UnknownNameError
from robokin_ros.kinematics import IkOptions, IkResult, inverse_kinematics
from robokin_ros.model import RobotModel
from robokin_ros.nodes.conversions import doubles, pose_message, seconds
from robokin_ros.spatial import invert_transform

if TYPE_CHECKING:
    from robokin_ros.nodes.kinematics_node import KinematicsNode

Array = NDArray[np.float64]


def offer_moveit_services(owner: KinematicsNode) -> Callable[[], None] | None:
    """Serve MoveIt's types beside the owner's; returns what ends it, or None where moveit_msgs is not installed."""
    try:
        from moveit_msgs.msg import MoveItErrorCodes
        from moveit_msgs.srv import GetPositionFK, GetPositionIK
    except ImportError:
        owner.get_logger().debug('moveit_msgs is not installed: MoveIt service types are not offered.')
        return None
    try:
        check_for_type_support(GetPositionFK)
        check_for_type_support(GetPositionIK)
    except UnsupportedTypeSupport as error:
        owner.get_logger().warning(f'MoveIt service types are not offered, moveit_msgs cannot be loaded: {error}.')
        return None
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=owner.context.get_domain_id())
    node = rclpy.create_node(f'{owner.get_name()}_moveit', namespace=owner.get_namespace(), context=context,
                             use_global_arguments=False)
    answers = MoveItAnswers(owner, MoveItErrorCodes)
    for kind, name, callback in ((GetPositionFK, 'compute_fk', answers.forward),
                                 (GetPositionIK, 'compute_ik', answers.inverse)):
        node.create_service(kind, owner.resolve_service_name(name), callback)  # remapped like our own
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)

    ended = threading.Event()

    def serve() -> None:
        while not ended.is_set():
            try:
                executor.spin_once()
            except Exception as error:  # noqa: BLE001  (one bad request must not end the service)
                owner.get_logger().error(f'A callback of MoveIt failed: {error!r}\n{traceback.format_exc()}')

    thread = threading.Thread(target=serve, name='moveit_services', daemon=True)
    thread.start()
    owner.get_logger().info("MoveIt's GetPositionFK and GetPositionIK are served too.")

    def end() -> None:
        ended.set()
        executor.create_task(lambda: None)  # wakes it; shut down while it spins, it raises
        thread.join()
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown(context=context)

    return end


class MoveItAnswers:
    """Answers requests of MoveIt's types with the owner's model; `codes` is moveit_msgs/MoveItErrorCodes."""

    def __init__(self, owner: KinematicsNode, codes: Any) -> None:
        self._owner = owner
        self._codes = codes

    def forward(self, request: Any, response: Any) -> Any:
        """GetPositionFK."""
        def work() -> None:
            model, frames = self._owner.model, self._owner.frames
            joints = self._joints(model, request.robot_state)
            to_reference = invert_transform(frames.in_base(model, request.header.frame_id, joints))
            stamp = self._owner.get_clock().now().to_msg()
            for name in request.fk_link_names or [model.tip]:
                if name not in model.frame_index:
                    raise UnknownNameError('link', name, model.frame_names)
                pose = PoseStamped(pose=pose_message(to_reference @ frames.in_base(model, name, joints)))
                pose.header.frame_id, pose.header.stamp = request.header.frame_id or model.base, stamp
                response.pose_stamped.append(pose)
                response.fk_link_names.append(name)
        return self._answer(response, work)

    def inverse(self, request: Any, response: Any) -> Any:
        """GetPositionIK: the solution nearest to the robot state of the request."""
        def work() -> None:
            wish = request.ik_request
            model, frames = self._owner.model, self._owner.frames
            seed = self._joints(model, wish.robot_state)
            stamped = wish.pose_stamped
            link = wish.ik_link_name
            if wish.pose_stamped_vector:
                if len(wish.pose_stamped_vector) != 1:
                    raise InputError(
                        f'{len(wish.pose_stamped_vector)} poses are asked for at once; this arm has one tip.',
                        field='pose_stamped_vector',
                    )
                stamped, link = wish.pose_stamped_vector[0], (wish.ik_link_names or [link])[0]
            target = frames.goal(model, stamped.header, stamped.pose, seed) @ self._link_to_tip(model, link)
            limit = seconds(wish.timeout)
            result = inverse_kinematics(model, target, seed, False, IkOptions(timeout=limit if limit > 0.0 else None))
            assert isinstance(result, IkResult)
            if not len(result.solutions):
                code = self._codes.INVALID_ROBOT_STATE if result.status == 'BAD_INPUT' else self._codes.NO_IK_SOLUTION
                self._set_code(response, code, f'{result.status}: {result.reason}')
                return
            response.solution.joint_state.name = list(model.joint_names)
            response.solution.joint_state.position = doubles(result.solutions[0])
            response.solution.joint_state.header.frame_id = model.base
            if wish.avoid_collisions:
                self._set_code(response, self._codes.SUCCESS, 'Collisions are not checked here.')
        return self._answer(response, work)

    def _answer(self, response: Any, work: Callable[[], None]) -> Any:
        self._set_code(response, self._codes.SUCCESS, '')
        try:
            work()
        except UnknownNameError as error:
            kinds = {'frame': self._codes.FRAME_TRANSFORM_FAILURE, 'link': self._codes.INVALID_LINK_NAME}
            self._set_code(response, kinds.get(error.kind, self._codes.INVALID_ROBOT_STATE), str(error))
        except InputError as error:
            codes = self._codes
            kinds = {'pose': codes.INVALID_GOAL_CONSTRAINTS, 'orientation': codes.INVALID_GOAL_CONSTRAINTS,
                     'pose_stamped_vector': codes.INVALID_LINK_NAME, 'ik_link_name': codes.INVALID_LINK_NAME}
            self._set_code(response, kinds.get(error.field, codes.INVALID_ROBOT_STATE), str(error))
        except RobokinError as error:
            self._set_code(response, self._codes.FAILURE, str(error))
        return response

    @staticmethod
    def _set_code(response: Any, code: int, message: str) -> None:
        response.error_code.val = code
        if hasattr(response.error_code, 'message'):  # since moveit_msgs 2.4
            response.error_code.message = message

    @staticmethod
    def _joints(model: RobotModel, state: Any) -> Array:
        """Joint vector of a robot state; joints that it does not name are at the middle of their limits."""
        joints = model.middle()
        names, values = state.joint_state.name, state.joint_state.position
        if len(names) != len(values):
            raise InputError(
                f'robot_state has {len(names)} joint names and {len(values)} positions.', field='robot_state'
            )
        for name, value in zip(names, values, strict=True):
            if not np.isfinite(value):
                raise InputError(f"robot_state has joint '{name}' at {value}.", field='robot_state', value=value)
            if name in model.joint_index:  # others belong to the rest of the robot
                joints[model.joint_index[name]] = value
        return joints

    @staticmethod
    def _link_to_tip(model: RobotModel, link: str) -> Array:
        """Pose of the tip in a link that is rigidly joined to it."""
        if link in ('', model.tip):
            return np.eye(4)
        if link not in model.frame_index:
            raise UnknownNameError('link', link, model.frame_names)
        body, placement = model.frame_placement(link)
        tip_body, tip = model.frame_placement(model.tip)
        if body != tip_body:
            carried = [name for name, carrier in zip(model.frame_names, model.frame_bodies, strict=True)
                       if carrier == tip_body]
            raise InputError(f"Link '{link}' is not rigidly joined to the tip; these are: {', '.join(carried)}.",
                             field='ik_link_name', value=link)
        return np.asarray(invert_transform(placement) @ tip)
