"""`plan_cartesian`: the tip along lines, arcs and chains of them, checked before anything moves (TRJ-13 to TRJ-16)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import PPoly

from robokin_ros.dynamics import Friction
from robokin_ros.errors import InputError, LimitError
from robokin_ros.kinematics import IkOptions, forward_kinematics
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import axis_angle
from robokin_ros.trajectory import profiles
from robokin_ros.trajectory.cartesian.shapes import Arc, Chain, Curve, Line
from robokin_ros.trajectory.cartesian.tracking import TrackedPath, track_or_advise
from robokin_ros.trajectory.limits import check_motion
from robokin_ros.trajectory.motion import Polynomials
from robokin_ros.trajectory.path_motion import PathMotion
from robokin_ros.trajectory.slow_down import slow_down_factor, slowed
from robokin_ros.trajectory.time_optimal import TorqueLimits, time_optimal
from robokin_ros.trajectory.time_optimal.drive_limits import RISE, bounded_accelerations, joint_limits

Array = NDArray[np.float64]
TIMINGS = ('trapezoid', 'jerk_limited', 'time_optimal')
TORQUE_SHARE = 0.9
"""Share of the effort limit that a plan may use; the rest is for the controller."""
START_DISTANCE = 1e-3
"""Largest distance [m], [rad] between the tip and the start of a given curve."""
SHORTEST = 0.1
"""Shortest motion planned [s]."""
LOOKED_AT = 1001
"""Places on a curve at which the speed of the tip is looked at."""
SPEED, TURN_SPEED = 0.25, 1.0
"""Usual speeds of the tip [m/s], [rad/s]."""
JERK_RISE = 0.1
"""Time [s] in which usual accelerations are reached."""


class CartesianMotion(PathMotion):
    """A motion of the tip along a curve.

    Attributes
    ----------
    curve
        Of the tip.
    tracked
        Joints along it.
    slowed_by
        Factor by which the motion had to be slowed down to keep the limits of the joints; 1: not at all.
    """

    def __init__(self, model: RobotModel, curve: Curve, tracked: TrackedPath, law: Polynomials) -> None:
        friction = None if model.no_dynamics_reason else Friction.of_model(model)
        super().__init__(model, tracked.path, law, friction)
        self.curve, self.tracked, self.slowed_by = curve, tracked, 1.0

    def poses(self, t: ArrayLike) -> Array:
        """Wanted poses (..., 4, 4) of the tip."""
        s, _, _ = self.progress(np.atleast_1d(t))
        return self.curve.poses(np.clip(s, 0.0, 1.0)).reshape(*np.shape(t), 4, 4)


def plan_cartesian(model: RobotModel, start: ArrayLike, goal: ArrayLike | Curve, *, via: ArrayLike | None = None,
                   blend: ArrayLike = 0.0, timing: str = 'trapezoid', speed: float = SPEED,
                   turn_speed: float = TURN_SPEED, acceleration: float | None = None,
                   turn_acceleration: float | None = None, duration: float | None = None, scaling: float = 1.0,
                   slow_down: bool = True, velocity_limit: ArrayLike | None = None,
                   acceleration_limit: ArrayLike | None = None,
                   torque_limit: TorqueLimits | ArrayLike | None = None,
                   options: IkOptions | None = None) -> CartesianMotion:
    """Motion of the tip along a curve from the present joints, at rest at both ends.

    Parameters
    ----------
    start
        Joint vector (n,) at which the motion begins; its branch is kept.
    goal
        Pose (4, 4) of the tip in the base: a straight line. Poses (m, 4, 4): lines from one to the next. Or a curve of
        `cartesian.shapes` that begins where the tip is.
    via
        Point (3,) [m] that the tip passes on the way to one goal: an arc of a circle.
    blend
        Radius [m] within which the corners between lines are rounded, one or one for each; 0: the tip stops there.
    timing
        'trapezoid' or 'jerk_limited' speed of the tip, or 'time_optimal' for the joints.
    speed, turn_speed, acceleration, turn_acceleration
        Of the tip [m/s], [rad/s], [m/s^2], [rad/s^2], times `scaling` (squared); not for 'time_optimal'.
    duration
        [s]; None: the shortest.
    slow_down
        Slow the whole motion down where a joint would be too fast, or a torque too large (TRJ-15 II); False: refuse.
    velocity_limit, acceleration_limit, torque_limit
        Of the joints, as of `time_optimal`; of torques 90 % of the model's are used.
    options
        Of inverse kinematics, for example `IkOptions(position_only=True)`.

    Raises
    ------
    PathProblem
        Where the arm cannot follow: the kind, the share of the curve at which it begins, and, where there is one, the
        branch from which it could.
    LimitError
        Where a limit of a joint is broken.
    """
    joints = joint_array(model, start, 'start')
    refuse_non_finite(model, start=joints)
    _check_options(timing, scaling, duration, speed=speed, turn_speed=turn_speed, acceleration=acceleration,
                   turn_acceleration=turn_acceleration)
    curve = curve_to(forward_kinematics(model, joints), goal, via, blend, options is not None and options.position_only)
    stops = np.concatenate(([0.0], curve.corners, [1.0])) if isinstance(curve, Chain) else np.array([0.0, 1.0])
    tracked = track_or_advise(model, curve, joints, options, stops)
    allowed = torque_limit
    if torque_limit is None:
        allowed = np.inf if model.no_dynamics_reason else TORQUE_SHARE * model.effort_limit
    if timing == 'time_optimal':
        fastest = scaling * joint_limits(model, 'velocity_limit', velocity_limit, model.velocity_limit)
        hardest = scaling**2 * bounded_accelerations(model, acceleration_limit, allowed, fastest)
        laws = [time_optimal(model, _section(tracked.path, a, b), fastest, hardest, allowed).law
                for a, b in pairwise(stops)]
    else:
        laws = _laws_of_tip(curve, stops, timing, scaling * speed, scaling * turn_speed,
                            scaling**2 * (acceleration or speed / RISE),
                            scaling**2 * (turn_acceleration or turn_speed / RISE))
    motion = CartesianMotion(model, curve, tracked, _joined(laws, stops))
    motion = _in_time(motion, max(motion.duration, SHORTEST) if duration is None else duration)
    factor = slow_down_factor(model, motion, velocity_limit, acceleration_limit, allowed)
    if factor > 1.0 + 5e-3 and (duration is not None or not slow_down):
        raise _too_fast(model, motion, factor, velocity_limit)
    if factor > 1.0 and timing != 'time_optimal':
        motion = slowed(motion, factor)  # type: ignore[assignment]
        motion.slowed_by = factor
    check_motion(model, motion, velocity_limit, acceleration_limit)
    return motion


def curve_to(start: Array, goal: ArrayLike | Curve, via: ArrayLike | None = None, blend: ArrayLike = 0.0,
             position_only: bool = False) -> Curve:
    """Curve from a pose to a goal, as `plan_cartesian` says; `position_only`: without a turn."""
    if hasattr(goal, 'poses'):
        curve: Curve = goal  # type: ignore[assignment]
        begin = curve.poses(np.zeros(1))[0]
        away = float(np.linalg.norm(begin[:3, 3] - start[:3, 3]))
        turned = 0.0 if position_only else float(axis_angle(begin[:3, :3].T @ start[:3, :3]).angle)
        if away > START_DISTANCE or turned > START_DISTANCE:
            raise InputError(f'The curve begins {away:.4g} m and {turned:.4g} rad away from where the tip is.',
                             field='goal')
        return curve
    poses = np.asarray(goal, dtype=float)
    if poses.shape[-2:] != (4, 4) or poses.ndim not in (2, 3):
        raise InputError(f'A goal is a pose (4, 4), poses (m, 4, 4) or a curve, got shape {poses.shape}.', field='goal')
    if position_only:
        poses = poses.copy()
        poses[..., :3, :3] = start[:3, :3]
    if via is not None:
        if poses.ndim != 2:
            raise InputError('An arc goes to one goal.', field='via')
        return Arc.through(start, via, poses)
    corners = [start, *poses.reshape(-1, 4, 4)]
    lines = [Line(a, b) for a, b in pairwise(corners)]
    moves = np.array([max(line.extent) > 1e-9 for line in lines])
    radii = np.asarray(blend, dtype=float)
    if radii.shape not in ((), (max(len(lines) - 1, 0),)):
        raise InputError(f'blend needs one radius, or one for each of {len(lines) - 1} corners, got shape '
                         f'{radii.shape}.', field='blend', value=blend)
    moving = [line for line, moved in zip(lines, moves, strict=True) if moved] or lines[:1]
    if len(moving) == 1:
        return moving[0]
    behind = np.flatnonzero(moves)[1:] - 1  # the corner before each line that moves, but the first
    return Chain(moving, radii if radii.ndim == 0 else radii[behind])


def _check_options(timing: str, scaling: float, duration: float | None, **positive: float | None) -> None:
    if timing not in TIMINGS:
        raise InputError(f"timing is '{timing}'; it must be one of {', '.join(TIMINGS)}.", field='timing', value=timing)
    if not 0.0 < scaling <= 1.0:
        raise InputError(f'The speed scaling is {scaling}; it must be in (0, 1].', field='scaling', value=scaling)
    for name, value in (*positive.items(), ('duration', duration)):
        if value is not None and not 0.0 < value < np.inf:
            raise InputError(f'{name} is {value}; it must be positive.', field=name, value=value)


def _laws_of_tip(curve: Curve, stops: Array, timing: str, speed: float, turn_speed: float, acceleration: float,
                 turn_acceleration: float) -> list[Polynomials]:
    """Time laws of the sections between stops, each over [0, 1], by the speed of the tip."""
    u = np.unique(np.concatenate((np.linspace(0.0, 1.0, LOOKED_AT), stops)))
    poses, step = curve.poses(u), np.diff(u)
    ways = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1) / step
    turns = axis_angle(np.swapaxes(poses[:-1, :3, :3], 1, 2) @ poses[1:, :3, :3]).angle / step
    laws = []
    for begin, end in pairwise(stops):
        inside = (u[:-1] >= begin - 1e-12) & (u[1:] <= end + 1e-12)
        way, turn = (max(float(np.max(rate[inside])) * (end - begin), 1e-12) for rate in (ways, turns))
        v = min(speed / way, turn_speed / turn)
        a = min(acceleration / way, turn_acceleration / turn)
        if timing == 'trapezoid':
            breaks, rows = profiles.trapezoid(0.0, 1.0, profiles.trapezoid_time(1.0, v, a), a)
        else:
            breaks, rows = profiles.jerk_limited(0.0, 1.0, profiles.jerk_limited_time(1.0, v, a, a / JERK_RISE), v, a,
                                                 a / JERK_RISE)
        laws.append(Polynomials(breaks, rows[:, :, None]))
    return laws


def _joined(laws: Sequence[Polynomials], stops: Array) -> Polynomials:
    """One law of laws over the sections between stops."""
    breaks, pieces = [np.zeros(1)], []
    width = max(law.coefficients.shape[1] for law in laws)
    for law, begin, end in zip(laws, stops[:-1], stops[1:], strict=True):
        rows = np.zeros((len(law.coefficients), width, 1))
        rows[:, :law.coefficients.shape[1]] = law.coefficients * (end - begin)
        rows[:, 0] += begin
        pieces.append(rows)
        breaks.append(breaks[-1][-1] + law.breaks[1:])
    return Polynomials(np.concatenate(breaks), np.concatenate(pieces))


def _section(path: PPoly, begin: float, end: float) -> PPoly:
    """Part of a path between two of its breaks, over [0, 1]."""
    first, last = (int(np.argmin(np.abs(path.x - at))) for at in (begin, end))
    length, degree = path.x[last] - path.x[first], path.c.shape[0] - 1
    powers = length ** np.arange(degree, -1, -1)
    return PPoly(path.c[:, first:last] * powers[:, None, None], (path.x[first:last + 1] - path.x[first]) / length)


def _in_time(motion: CartesianMotion, duration: float) -> CartesianMotion:
    """Stretched, or squeezed, to a duration."""
    if duration == motion.duration:
        return motion
    factor = duration / motion.duration
    powers = factor ** -np.arange(motion.law.coefficients.shape[1], dtype=float)
    return motion.timed(Polynomials(motion.law.breaks * factor,  # type: ignore[return-value]
                                    motion.law.coefficients * powers[:, None]))


def _too_fast(model: RobotModel, motion: CartesianMotion, factor: float,
              velocity_limit: ArrayLike | None) -> LimitError:
    """Why a motion must be slower, and by how much."""
    speed = joint_limits(model, 'velocity_limit', velocity_limit, model.velocity_limit)
    t = np.linspace(0.0, motion.duration, 2001)
    share = np.abs(motion.sample(t)[1]) / speed
    k, joint = (int(v) for v in np.unravel_index(np.argmax(share), share.shape))
    name = model.joint_names[joint]
    if share[k, joint] > 1.0:
        value = float(share[k, joint] * speed[joint])
        return LimitError(f"Joint '{name}' would reach velocity {value:.4g} at {t[k]:.3f} s, "
                          f'its limit is {speed[joint]:.4g} (the path passes near a singularity, or is too fast): it '
                          f'must take {factor:.3f} times longer.', joint=name, value=value,
                          limit=float(speed[joint]), time=float(t[k]))
    return LimitError(f'Accelerations or torques are beyond their limits: the motion must take {factor:.3f} times '
                      'longer.', value=factor, limit=1.0)
