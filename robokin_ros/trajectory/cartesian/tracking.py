"""From a curve of the tip to a path of the joints, on one branch, and what stands in its way (TRJ-14, TRJ-15)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline, PPoly

from robokin_ros.errors import LimitError
from robokin_ros.kinematics import IkBatch, IkOptions, IkResult, classify_arm, forward_kinematics, inverse_kinematics
from robokin_ros.model.joint_vector import joint_array
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.trajectory.cartesian.shapes import Curve

Array = NDArray[np.float64]
STEP, TURN = 0.005, np.radians(2.0)
"""Largest way [m] and turn [rad] between two poses that are solved."""
LEAST_POSES, MOST_POSES = 101, 4001
BEND, ROUNDS = 1e-3, 6
"""Second difference [rad, m] of the solutions above which poses are put between, and how often at most."""
JUMP = 0.35
"""Largest change [rad, m] of a joint from pose to pose that counts as the same branch."""
HALVINGS = 7
"""How often poses are put between two whose solutions seem far apart."""


class PathProblem(LimitError):
    """A curve that the arm cannot follow.

    Attributes
    ----------
    kind
        'UNREACHABLE' (TRJ-15 I), 'BRANCH_CHANGE' (III) or 'JOINT_LIMIT': solutions exist, beyond the limits.
    s
        Share of the curve at which it begins.
    better_start
        Joint vector (n,) of the same start pose from which the whole curve can be followed; None: none is known.
    """

    def __init__(self, kind: str, s: float, message: str, joint: str = '', better_start: Array | None = None) -> None:
        super().__init__(message, joint=joint)
        self.kind = kind
        self.s = s
        self.better_start = better_start


@dataclass(frozen=True)
class TrackedPath:
    """Joints that follow a curve.

    Attributes
    ----------
    path
        q(s), a C2 spline (one between stops) over [0, 1].
    s, joints
        (k,) and (k, n) where the curve was solved.
    branches
        Number of branches that lead from end to end.
    """

    path: PPoly
    s: Array
    joints: Array
    branches: int


def track(model: RobotModel, curve: Curve, start: ArrayLike | None = None, near: ArrayLike | None = None,
          options: IkOptions | None = None, stops: ArrayLike = ()) -> TrackedPath:
    """Joints that follow a curve, found on every branch; PathProblem where there are none.

    Parameters
    ----------
    start
        Joint vector at which the path must begin; None: any branch may be taken.
    near
        Joint vector that decides between branches: the one that stays nearest to it. Default the start, or the middle.
    options
        Tolerances; `position_only` for arms and tasks to which the orientation does not matter.
    stops
        Parameters at which the curve may have a corner: the path is smooth between them only.
    """
    begin = None if start is None else joint_array(model, start, 'start')
    target = begin if begin is not None else model.middle()
    target = target if near is None else joint_array(model, near, 'near')
    s = _parameters(curve, np.asarray(stops, dtype=float))
    for attempt in range(ROUNDS + 1):
        solved = _all_branches(model, curve, s, target, options, begin)
        s, joints, number = _followed(model, curve, s, solved, target, begin, options)
        coarse = _coarse(s, joints, np.asarray(stops, dtype=float))
        if not np.any(coarse) or len(s) > MOST_POSES or attempt == ROUNDS:
            return TrackedPath(_spline(s, joints, np.asarray(stops, dtype=float)), s, joints, number)
        s = np.sort(np.concatenate((s, 0.5 * (s[:-1] + s[1:])[coarse])))
    raise AssertionError('unreachable')


def _coarse(s: Array, joints: Array, stops: Array) -> NDArray[np.bool_]:
    """Steps beside which the joints bend too much for a spline, corners aside."""
    slopes = np.diff(joints, axis=0) / np.diff(s)[:, None]
    bend = np.max(np.abs(np.diff(slopes, axis=0)) * (0.5 * (s[2:] - s[:-2]))[:, None], axis=1) > BEND
    bend &= ~np.any(np.abs(s[1:-1, None] - stops) < 1e-9, axis=1)
    return np.concatenate((bend, [False])) | np.concatenate(([False], bend))


def track_or_advise(model: RobotModel, curve: Curve, start: Array, options: IkOptions | None,
                    stops: ArrayLike) -> TrackedPath:
    """As `track` from a start; where that fails, the error says from which other branch the curve can be followed."""
    try:
        return track(model, curve, start, options=options, stops=stops)
    except PathProblem as problem:
        if problem.kind == 'UNREACHABLE':
            raise
        try:
            other = track(model, curve, None, start, options, stops)
        except PathProblem:
            raise problem from None
        values = ', '.join(f'{value:.4f}' for value in other.joints[0])
        advice = (f'From the joints ({values}), which hold the same pose, the whole path can be followed: move there '
                  'first.')
        raise PathProblem(problem.kind, problem.s, f'{problem} {advice}', better_start=other.joints[0]) from problem


def _parameters(curve: Curve, stops: Array) -> Array:
    length, angle = curve.extent
    number = int(np.clip(np.ceil(max(length / STEP, angle / TURN)), LEAST_POSES, MOST_POSES))
    inner = stops[(stops > 1e-9) & (stops < 1.0 - 1e-9)]
    s = np.unique(np.concatenate((np.linspace(0.0, 1.0, number), inner)))
    return np.asarray(s[np.concatenate(([True], np.diff(s) > 1e-9))])


def _all_branches(model: RobotModel, curve: Curve, s: Array, near: Array, options: IkOptions | None,
                  begin: Array | None) -> list[Array]:
    """Solutions (k, n) of each pose; PathProblem for the first pose without any."""
    poses = curve.poses(s)
    if begin is not None and np.max(np.abs(forward_kinematics(model, begin) - poses[0])) < 1e-3:
        first: list[Array] = [begin[None]]
    else:
        first = []
    whole = options is None or options.whole_pose
    arm = classify_arm(model)
    if (whole and arm.closed_form and arm.lock < 0) or (not whole and model.dof <= 3):
        result = inverse_kinematics(model, poses, near, options=options)
        assert isinstance(result, IkBatch)
        found = [result.solutions[i, :count] for i, count in enumerate(result.counts)]
    else:
        found = _one_after_the_other(model, poses, near, first, options)
    if first:
        found[0] = first[0]
    for i, solutions in enumerate(found):
        if not len(solutions):
            raise _unsolved(model, poses[i], float(s[i]), near, options)
    return found


def _one_after_the_other(model: RobotModel, poses: Array, near: Array, first: list[Array],
                         options: IkOptions | None) -> list[Array]:
    """Solutions of an arm that has infinitely many, or no closed form: each row follows one of the first pose."""
    if not first:
        result = inverse_kinematics(model, poses[0], near, options=options)
        assert isinstance(result, IkResult)
        first = [result.solutions[:8]]
    rows = list(first[0])
    found = [first[0]]
    wishes = IkOptions(method='numeric', starts=1) if options is None else IkOptions(
        method='numeric', starts=1, position_only=options.position_only, tolerances=options.tolerances)
    for pose in poses[1:]:
        following = []
        for row in rows:
            result = inverse_kinematics(model, pose, row, False, wishes)
            assert isinstance(result, IkResult)
            if len(result.solutions) and np.max(np.abs(result.solutions[0] - row)) < JUMP:
                following.append(result.solutions[0])
        rows = following
        found.append(np.array(rows).reshape(-1, model.dof))
        if not rows:
            break
    return found


def _unsolved(model: RobotModel, pose: Array, s: float, near: Array, options: IkOptions | None) -> PathProblem:
    result = inverse_kinematics(model, pose, near, options=options)
    assert isinstance(result, IkResult)
    place = ', '.join(f'{value:.4g}' for value in pose[:3, 3])
    if result.status == 'OUT_OF_LIMITS':
        return PathProblem('JOINT_LIMIT', s, f'At s = {s:.4f} of the path, position ({place}) m, every solution is '
                           f'beyond the joint limits. {result.reason} Move in joint space, or over a via point.')
    if len(result.solutions):
        return PathProblem('BRANCH_CHANGE', s, f'At s = {s:.4f} of the path the arm cannot go on from where it comes: '
                           'it reaches the pose only after a jump of its joints. Choose another start, or a via point.')
    return PathProblem('UNREACHABLE', s, f'The path leaves what the arm reaches at s = {s:.4f}, position ({place}) m. '
                       f'{result.reason} Move in joint space, or over a via point.')


def _followed(model: RobotModel, curve: Curve, s: Array, solved: list[Array], near: Array, begin: Array | None,
              options: IkOptions | None) -> tuple[Array, Array, int]:
    """Parameters, joints and number of the branches that lead from the first pose to the last."""
    turning = np.array(['revolute' in kind or kind == 'continuous' for kind in model.joint_types])
    came: list[NDArray[np.int64]] = []
    layers, places = [solved[0]], [float(s[0])]
    for k in range(1, len(s)):
        steps, place = _link(model, curve, float(s[k - 1]), float(s[k]), layers[-1], solved[k], turning, options, near,
                             HALVINGS)
        for joints, origin, at in zip(steps[0], steps[1], place, strict=True):
            if not len(joints):
                raise _broken(model, float(at), len(solved[k]))
            layers.append(joints)
            came.append(origin)
            places.append(at)
    last = layers[-1]
    best = int(np.argmin([np.max(np.abs(row - near)) for row in last])) if begin is None else 0
    chosen, row = [last[best]], best
    for k in range(len(came) - 1, -1, -1):
        row = int(came[k][row])
        chosen.append(layers[k][row])
    return np.array(places), np.array(chosen[::-1]), len(last)


def _link(model: RobotModel, curve: Curve, s0: float, s1: float, before: Array, after: Array,
          turning: NDArray[np.bool_], options: IkOptions | None, near: Array,
          depth: int) -> tuple[tuple[list[Array], list[NDArray[np.int64]]], list[float]]:
    """Solutions after that go on from those before, unwrapped, and where each comes from; poses are put between."""
    change = after[None, :, :] - before[:, None, :]
    change = np.where(turning, np.remainder(change + np.pi, 2.0 * np.pi) - np.pi, change)
    size = np.max(np.abs(change), axis=2)
    joints, origin = [], []
    for b in range(len(before)):
        nearest = int(np.argmin(size[b])) if len(after) else 0
        if len(after) and size[b, nearest] < JUMP:
            reached = before[b] + change[b, nearest]
            if np.all(reached >= model.lower - 1e-9) and np.all(reached <= model.upper + 1e-9):
                joints.append(np.clip(reached, model.lower, model.upper))
                origin.append(b)
    if len(joints) == len(before) or depth == 0:
        kept = np.array(joints).reshape(-1, model.dof)
        return ([kept], [np.array(origin, dtype=np.int64)]), [s1]
    middle = 0.5 * (s0 + s1)
    pose = curve.poses(np.array([middle]))[0]
    result = inverse_kinematics(model, pose, before[0], options=options)
    assert isinstance(result, IkResult)
    first, place = _link(model, curve, s0, middle, before, result.solutions, turning, options, near, depth - 1)
    if not len(first[0][-1]):
        return first, place
    second, more = _link(model, curve, middle, s1, first[0][-1], after, turning, options, near, depth - 1)
    return (first[0] + second[0], first[1] + second[1]), place + more


def _broken(model: RobotModel, s: float, solutions: int) -> PathProblem:
    return PathProblem('BRANCH_CHANGE', s, f'No branch of the arm leads past s = {s:.4f} of the path: the {solutions} '
                       'solution(s) there belong to other branches, or a joint would have to turn beyond its limit. '
                       'Every pose is reachable, the path is not: change branch in joint space on the way, or start '
                       'otherwise.')


def _spline(s: Array, joints: Array, stops: Array) -> PPoly:
    """Cubic spline through joints, C2 but at the stops."""
    inner = stops[(stops > 1e-9) & (stops < 1.0 - 1e-9)]
    cuts = [0, *(int(np.argmin(np.abs(s - stop))) for stop in inner), len(s) - 1]
    parts = [CubicSpline(s[a:b + 1], joints[a:b + 1]) for a, b in pairwise(cuts)]
    return PPoly(np.concatenate([part.c for part in parts], axis=1),
                 np.concatenate([s[:1], *(part.x[1:] for part in parts)]))
