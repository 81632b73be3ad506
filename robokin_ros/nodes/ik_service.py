"""Requests for inverse kinematics to options, results to responses."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from robokin_interfaces.msg import ErrorCode, ProjectedPose
from robokin_interfaces.msg import IkOptions as IkOptionsMessage
from robokin_interfaces.srv import ComputeIK, ComputeIKBatch

from robokin_ros.errors import InputError
from robokin_ros.kernels.closed_form import BRANCHES
from robokin_ros.kernels.direct_inverse import HEAD
from robokin_ros.kinematics import IkBatch, IkOptions, IkResult, inverse_kinematics
from robokin_ros.kinematics.branches import direct_solver
from robokin_ros.kinematics.ik_options import DEFAULT
from robokin_ros.model import RobotModel
from robokin_ros.nodes.conversions import STATUS_CODES, JointOrder, doubles, pose_message
from robokin_ros.nodes.static_frames import StaticFrames

Array = NDArray[np.float64]


def options_of(wishes: Sequence[IkOptionsMessage]) -> IkOptions:
    """Options of a request; what it leaves at 0 or empty is the default."""
    if not wishes:
        return DEFAULT
    wish = wishes[0]
    chosen = {name: value for name, value in (
        ('method', wish.method), ('position_tolerance', wish.position_tolerance),
        ('orientation_tolerance', wish.orientation_tolerance), ('objective', wish.objective), ('timeout', wish.timeout),
        ('position_only', wish.position_only), ('project', wish.project)) if value}
    if len(wish.tolerances):
        chosen['tolerances'] = np.asarray(wish.tolerances)
    if len(wish.weights):
        chosen['weights'] = np.asarray(wish.weights)
    if wish.every_turn:
        chosen['images'] = 'all'
    return IkOptions(**chosen)


def solve_request(model: RobotModel, order: JointOrder, frames: StaticFrames, request: ComputeIK.Request,
                  response: ComputeIK.Response) -> str:
    """Fill a response; the remark that goes with it."""
    if request.all_solutions and _solve_plain_request(model, order, request, response):
        return ''
    seed = order.vector(request.joint_names, request.seed, 'seed', model.middle())
    target = frames.goal(model, request.pose.header, request.pose.pose, seed, request.tool)
    result = inverse_kinematics(model, target, seed, request.all_solutions, options_of(request.options))
    assert isinstance(result, IkResult)
    response.error_code.val = STATUS_CODES[result.status]
    response.joint_names = order.names
    response.positions = doubles(result.solutions)
    response.residuals = doubles(result.residuals)
    response.limit_margins = doubles(result.limit_margins)
    if result.free_joints:
        response.free_joints = list(result.free_joints)
    response.method = result.method
    if result.projected is not None:
        distance, angle = result.given_up
        response.projected = [ProjectedPose(pose=pose_message(result.projected), distance=distance, angle=angle)]
    return result.reason


def _solve_plain_request(model: RobotModel, order: JointOrder, request: ComputeIK.Request,
                         response: ComputeIK.Response) -> bool:
    """Fill the response of a request that leaves everything but the pose at its default, if it has a regular solution.

    Half the time of the general way: the round trip of this service is short enough to show it.
    """
    frame = request.pose.header.frame_id
    if request.options or request.tool or request.joint_names or len(request.seed) or frame not in ('', model.base):
        return False
    place, turn, solver = request.pose.pose.position, request.pose.pose.orientation, direct_solver(model)
    row = solver.of_quaternion(np.array((place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w)),
                               model.usual_seed)
    if row is None or row[2]:
        return False
    count, n, numbers = int(row[0]), model.dof, row.tobytes()
    residuals, margins = 8 * (HEAD + BRANCHES * n), 8 * (HEAD + BRANCHES * (n + 2))
    response.joint_names = order.names
    response.positions = array('d', numbers[8 * HEAD:8 * (HEAD + count * n)])
    response.residuals = array('d', numbers[residuals:residuals + 16 * count])
    response.limit_margins = array('d', numbers[margins:margins + 8 * count])
    response.method = solver.name
    return True


def solve_batch_request(model: RobotModel, order: JointOrder, frames: StaticFrames, request: ComputeIKBatch.Request,
                        response: ComputeIKBatch.Response) -> str:
    """Fill a response for many poses; poses that cannot be used have error codes of their own."""
    number = len(request.poses.poses)
    seeds = _seeds(model, order, request, number)
    targets = np.full((number, 4, 4), np.nan)
    problems = []
    for i, pose in enumerate(request.poses.poses):
        try:
            targets[i] = frames.goal(model, request.poses.header, pose, seeds[i if len(seeds) > 1 else 0])
        except InputError as error:
            problems.append(f'Pose {i}: {error}')
    result = inverse_kinematics(model, targets, seeds if len(seeds) > 1 else seeds[0], request.all_solutions,
                                IkOptions(method=request.method or 'auto'))
    assert isinstance(result, IkBatch)
    response.joint_names = order.names
    response.error_codes = [ErrorCode(val=STATUS_CODES[status]) for status in result.status.tolist()]
    response.counts = result.counts.astype(np.int32)
    found = np.arange(result.solutions.shape[1]) < result.counts[:, None]
    response.positions = doubles(result.solutions[found])
    response.residuals = doubles(result.residuals[found])
    return ' '.join(problems[:10])


def _seeds(model: RobotModel, order: JointOrder, request: ComputeIKBatch.Request, number: int) -> Array:
    """Seeds (1, n) or (m, n)."""
    values = np.asarray(request.seed, dtype=float)
    if len(values) <= model.dof:
        return order.vector(request.joint_names, request.seed, 'seed', model.middle())[None]
    if len(values) != number * model.dof:
        raise InputError(
            f'seed has {len(values)} values; one joint vector has {model.dof}, one for each of {number} poses '
            f'{number * model.dof}.',
            field='seed',
            value=values,
        )
    rows = values.reshape(number, model.dof).tolist()
    return np.array([order.vector(request.joint_names, row, 'seed') for row in rows])
