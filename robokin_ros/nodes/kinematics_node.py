"""kinematics_node: forward and inverse kinematics and the Jacobian as services."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import PoseStamped
from robokin_interfaces.msg import JointSolution
from robokin_interfaces.srv import ComputeFK, ComputeIK, ComputeJacobian

from robokin_ros.kinematics import inverse_kinematics, jacobian, manipulability
from robokin_ros.kinematics.inverse import IkResult
from robokin_ros.nodes.arm_node import ArmNode, spin
from robokin_ros.nodes.conversions import (
    STATUS_CODES,
    doubles,
    goal_transform,
    pose_message,
    relative_poses,
)


class KinematicsNode(ArmNode):
    """Services compute_fk, compute_ik, compute_jacobian."""

    def __init__(self) -> None:
        super().__init__('kinematics_node')
        self.create_service(ComputeFK, 'compute_fk', self._forward)
        self.create_service(ComputeIK, 'compute_ik', self._inverse)
        self.create_service(ComputeJacobian, 'compute_jacobian', self._jacobian)

    def _forward(self, request: ComputeFK.Request, response: ComputeFK.Response) -> ComputeFK.Response:
        def work() -> None:
            joints = self.order.vector(request.joint_names, request.position, 'position')
            reference = request.reference_frame or self.model.base
            stamp = self.get_clock().now().to_msg()
            for transform in relative_poses(self.model, joints, request.frames or [self.model.tip], reference):
                pose = PoseStamped(pose=pose_message(transform))
                pose.header.frame_id = reference
                pose.header.stamp = stamp
                response.poses.append(pose)
        return self.answer(response, work, needs_active=False)

    def _inverse(self, request: ComputeIK.Request, response: ComputeIK.Response) -> ComputeIK.Response:
        def work() -> str:
            seed = self.order.vector(request.joint_names, request.seed, 'seed', self.model.middle())
            target = goal_transform(self.model, request.pose, seed)
            result = inverse_kinematics(self.model, target, seed, request.all_solutions)
            assert isinstance(result, IkResult)
            response.error_code.val = STATUS_CODES[result.status]
            response.joint_names = list(self.model.joint_names)
            response.solutions = [
                JointSolution(position=doubles(q), position_residual=float(r[0]), orientation_residual=float(r[1]))
                for q, r in zip(result.solutions, result.residuals, strict=True)]
            return result.reason
        return self.answer(response, work, needs_active=False)

    def _jacobian(self, request: ComputeJacobian.Request,
                  response: ComputeJacobian.Response) -> ComputeJacobian.Response:
        def work() -> None:
            joints = self.order.vector(request.joint_names, request.position, 'position')
            matrix = jacobian(self.model, joints, request.frame or 'base')
            response.joint_names = list(self.model.joint_names)
            response.jacobian = doubles(np.ravel(matrix))
            response.manipulability = manipulability(matrix)
        return self.answer(response, work, needs_active=False)


def main() -> None:
    """Run the node."""
    spin(KinematicsNode)
