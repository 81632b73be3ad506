"""kinematics_node: forward, inverse and differential kinematics, workspace and work frames as services."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped, Vector3
from robokin_interfaces import srv
from visualization_msgs.msg import MarkerArray

from robokin_ros.errors import InputError, RobokinError
from robokin_ros.kinematics import (
    classify_arm,
    force_ellipsoid,
    forward_kinematics,
    inverse_kinematics,
    jacobian,
    manipulability,
    model_report,
    singularity,
    velocity_ellipsoid,
    workspace_cloud,
    workspace_slice,
)
from robokin_ros.model import WorkFrames
from robokin_ros.nodes import qos
from robokin_ros.nodes.arm_node import ArmNode, spin
from robokin_ros.nodes.conversions import doubles, pose_message, pose_transform, relative_poses
from robokin_ros.nodes.hot_service import HotService
from robokin_ros.nodes.ik_service import solve_batch_request, solve_request
from robokin_ros.nodes.moveit_services import offer_moveit_services
from robokin_ros.nodes.static_frames import StaticFrames
from robokin_ros.nodes.workspace_markers import points_message, workspace_markers
from robokin_ros.spatial import invert_transform

FRAME_NAME = re.compile(r'[\w./-]+', re.ASCII)
CLOUD_SAMPLES, SLICE_SAMPLES, SLICE_CELLS = 20_000, 500_000, 80
MOST_SAMPLES, MOST_POINTS = 5_000_000, 100_000
"""More would keep other requests waiting for seconds."""


class KinematicsNode(ArmNode):
    """Answers as soon as there is a robot description; moves nothing."""

    def __init__(self) -> None:
        super().__init__('kinematics_node')
        self.frames = StaticFrames(self)
        self._markers = self.create_publisher(MarkerArray, 'workspace_markers', qos.MARKERS)
        for name, kind, work in (
                ('compute_fk', srv.ComputeFK, self._forward),
                ('compute_ik_batch', srv.ComputeIKBatch, self._inverse_batch),
                ('compute_jacobian', srv.ComputeJacobian, self._jacobian),
                ('compute_manipulability', srv.ComputeManipulability, self._manipulability),
                ('compute_workspace_slice', srv.ComputeWorkspaceSlice, self._workspace),
                ('inspect', srv.Inspect, self._inspect), ('where', srv.Where, self._where),
                ('set_tool', srv.SetWorkFrame, self._set_tool), ('set_station', srv.SetWorkFrame, self._set_station),
                ('teach_pose', srv.TeachPose, self._teach), ('recall_pose', srv.RecallPose, self._recall)):
            self.create_service(kind, name, self._answering(work))
        self._compute_ik = HotService(self, srv.ComputeIK, 'compute_ik', self._answering(self._inverse))
        self._end_moveit = offer_moveit_services(self) if self.settings.moveit_services else None

    def destroy_node(self) -> None:
        """End what serves from other threads, then the node."""
        self._compute_ik.end()
        if self._end_moveit is not None:
            self._end_moveit()
        super().destroy_node()

    def _answering(self, work: Callable[[Any, Any], str | None]) -> Callable[[Any, Any], Any]:
        """Service callback around a method that fills the response and returns a remark."""
        return lambda request, response: self.answer(response, lambda: work(request, response), needs_active=False)

    def prepare(self) -> None:
        """Read the work frames, compile nothing later: solve one pose now."""
        self.frames.work = WorkFrames()
        self._frames_problem = ''
        if self.settings.work_frames:
            try:
                self.frames.work = WorkFrames.load(self.settings.work_frames)
            except RobokinError as error:
                self._frames_problem = str(error)
                self.get_logger().error(f'No tools and stations: {error}')
        self.frames.publish(self.model)
        arm = classify_arm(self.model)
        self.get_logger().info(f'Inverse kinematics: {arm.name}. {arm.reason}')
        if self.model.dof:
            inverse_kinematics(self.model, forward_kinematics(self.model, self.model.middle()))

    def _forward(self, request: srv.ComputeFK.Request, response: srv.ComputeFK.Response) -> None:
        model = self.model
        joints = self.order.vector(request.joint_names, request.position, 'position')
        reference = request.reference_frame or model.base
        stamp = self.get_clock().now().to_msg()
        names = request.frames or [model.tip]
        if all(name in model.frame_index for name in (*names, reference)):
            poses = relative_poses(model, joints, names, reference)
        else:
            from_base = invert_transform(self.frames.in_base(model, reference, joints))
            poses = np.array([from_base @ self.frames.in_base(model, name, joints) for name in names])
        for transform in poses:
            pose = PoseStamped(pose=pose_message(transform))
            pose.header.frame_id, pose.header.stamp = reference, stamp
            response.poses.append(pose)

    def _inverse(self, request: srv.ComputeIK.Request, response: srv.ComputeIK.Response) -> str:
        return solve_request(self.model, self.order, self.frames, request, response)

    def _inverse_batch(self, request: srv.ComputeIKBatch.Request, response: srv.ComputeIKBatch.Response) -> str:
        return solve_batch_request(self.model, self.order, self.frames, request, response)

    def _jacobian(self, request: srv.ComputeJacobian.Request, response: srv.ComputeJacobian.Response) -> None:
        model = self.model
        joints = self.order.vector(request.joint_names, request.position, 'position')
        point = (request.point.x, request.point.y, request.point.z)
        matrix = jacobian(model, joints, request.frame or 'base', request.link or None, point)
        response.joint_names = self.order.names
        response.jacobian = doubles(np.ravel(matrix))
        response.manipulability = manipulability(matrix)
        if len(model.chain_joints) and request.link in ('', model.tip) and not any(point):
            found = singularity(model, joints)
            response.condition_ratio = found.ratio
            response.singular, response.near_singular = bool(found.singular), bool(found.near)
            response.singularity = found.kind
            response.lost_direction, response.null_direction = (
                doubles(found.lost_direction),
                doubles(found.null_direction),
            )

    def _manipulability(self, request: srv.ComputeManipulability.Request,
                        response: srv.ComputeManipulability.Response) -> None:
        joints = self.order.vector(request.joint_names, request.position, 'position')
        found = singularity(self.model, joints)
        velocity, force = velocity_ellipsoid(self.model, joints), force_ellipsoid(self.model, joints)
        response.manipulability, response.condition_ratio = found.manipulability, found.ratio
        response.singular, response.near_singular = bool(found.singular), bool(found.near)
        response.axes = [Vector3(x=x, y=y, z=z) for x, y, z in velocity.axes.T.tolist()]
        response.velocity_lengths, response.force_lengths = velocity.lengths, force.lengths[::-1]

    def _workspace(self, request: srv.ComputeWorkspaceSlice.Request,
                   response: srv.ComputeWorkspaceSlice.Response) -> None:
        model = self.model
        for field in ('thickness', 'cells', 'samples'):
            if not 0 <= getattr(request, field) <= MOST_SAMPLES:
                raise RobokinError(f'{field} is {getattr(request, field)}; it must be from 0 to {MOST_SAMPLES}.')
        if request.plane:
            found = workspace_slice(model, request.plane, request.at, request.thickness or None,
                                    request.cells or SLICE_CELLS, request.samples or SLICE_SAMPLES)
            response.first_edges, response.second_edges = doubles(found.first), doubles(found.second)
            response.hits, response.area = found.hits.ravel().astype(np.int32), found.area
            points, size = found.centers(), found.first[1] - found.first[0]
        elif request.samples > MOST_POINTS:
            raise RobokinError(f'samples is {request.samples}; a cloud has at most {MOST_POINTS} points.')
        else:
            points, size = workspace_cloud(model, request.samples or CLOUD_SAMPLES), 0.01
        response.points = points_message(points)
        self._markers.publish(workspace_markers(response.points, size, model.base, self.get_clock().now().to_msg()))

    def _inspect(self, request: srv.Inspect.Request, response: srv.Inspect.Response) -> None:
        arm = classify_arm(self.model)
        response.arm_class, response.reason, response.closed_form = arm.name, arm.reason, arm.closed_form
        response.report = json.dumps(model_report(self.model))

    def _where(self, request: srv.Where.Request, response: srv.Where.Response) -> None:
        work = self.frames.work
        joints = self.order.vector(request.joint_names, request.position, 'position')
        station = request.station or work.station
        pose = (invert_transform(work.station_frame(station)) @ forward_kinematics(self.model, joints)
                @ work.tool_frame(request.tool or work.tool))
        response.pose.pose = pose_message(pose)
        response.pose.header.frame_id = station or self.model.base
        response.pose.header.stamp = self.get_clock().now().to_msg()

    def _set_tool(self, request: srv.SetWorkFrame.Request, response: srv.SetWorkFrame.Response) -> None:
        self._set_frame(request, self.frames.work.set_tool, self.frames.work.stations)
        self.frames.work.use(tool=request.name)
        self._keep()
        response.known = list(self.frames.work.tools)

    def _set_station(self, request: srv.SetWorkFrame.Request, response: srv.SetWorkFrame.Response) -> None:
        self._set_frame(request, self.frames.work.set_station, self.frames.work.tools)
        self.frames.work.use(station=request.name)
        self._keep()
        response.known = list(self.frames.work.stations)

    def _set_frame(self, request: srv.SetWorkFrame.Request, store: Callable[[str, Any], None],
                   others: dict[str, Any]) -> None:
        """Add or replace a frame whose name others can use on /tf."""
        self._refuse_to_lose()
        if not request.name or request.only_use:
            return
        if request.name in self.model.frame_index or request.name in others or not FRAME_NAME.fullmatch(request.name):
            raise InputError(f"'{request.name}' cannot name a tool or station: it must differ from links, tools and "
                             'stations, and consist of letters, digits, _, -, . and /.', field='name',
                             value=request.name)
        store(request.name, pose_transform(request.pose))

    def _refuse_to_lose(self) -> None:
        """Do not write over a file of work frames that could not be read."""
        if self._frames_problem:
            raise RobokinError('The file of work frames is kept as it is, it could not be read: '
                               f'{self._frames_problem}')

    def _keep(self) -> None:
        """Write the work frames, if there is a file for them, and publish them."""
        if self.settings.work_frames:
            self.frames.work.save(self.settings.work_frames)
        self.frames.publish(self.model)

    def _teach(self, request: srv.TeachPose.Request, response: srv.TeachPose.Response) -> None:
        self._refuse_to_lose()
        joints = self.order.vector(request.joint_names, request.position, 'position')
        self.frames.work.teach(request.name, joints=joints)
        self._keep()

    def _recall(self, request: srv.RecallPose.Request, response: srv.RecallPose.Response) -> None:
        taught = self.frames.work.recall(request.name)
        if taught.joints is not None:
            response.joint_names, response.position = self.order.names, doubles(taught.joints)
        if taught.pose is not None:
            response.pose.pose = pose_message(taught.pose)
            response.pose.header.frame_id = taught.station or self.model.base


def main() -> None:
    """Run the node."""
    spin(KinematicsNode, events=True)
