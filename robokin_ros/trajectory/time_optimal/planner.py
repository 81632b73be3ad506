"""`time_optimal`: the fastest motion along a path within rates, accelerations and torques (TOP-06, TOP-07)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline

from robokin_ros.dynamics import STANDARD_GRAVITY, Friction, inverse_dynamics
from robokin_ros.errors import InputError, LimitError
from robokin_ros.kernels.path_profile import controllable_speeds, fastest_profile, rate_caps
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.trajectory.motion import Polynomials
from robokin_ros.trajectory.path_motion import Path, PathCurves, PathMotion
from robokin_ros.trajectory.time_optimal.drive_limits import TorqueLimits, joint_limits, torque_limits
from robokin_ros.trajectory.time_optimal.path_rows import PathPoints, Rows, path_rows
from robokin_ros.trajectory.time_optimal.phase_plane import PhasePlane, phase_plane, zero_crossings

Array = NDArray[np.float64]
SCHEMES = ('interpolation', 'collocation')
PASSES = 20
"""Most passes that follow the term in y to the end of each cell."""
SETTLED = 1e-10
"""Relative change of speeds at which the passes end."""
CLOSEST = 1e-6
"""Distance of grid points, as a share of the path, below which one is left out."""
FARTHEST = 1e6
"""Largest distance [rad, m] of neighbouring waypoints; the smallest is its inverse."""
MOST_KNOTS = 20_000
"""Knots of a spline that are taken into the grid."""
BETWEEN = 0.0003
"""Excess of a torque between grid points, as a share of its limit, above which the grid is made finer there."""
REFINEMENTS, HALVINGS = 6, 6
"""How often the grid is made finer where torques are too large, and everywhere when no profile is found."""
POSITION_SLACK = 1e-4
"""Distance [rad, m] beyond a position limit that is let pass: splines through points at it overshoot a little."""
BETWEEN_RATES = 3
"""Places within each cell at which the rates of joints are looked at."""


def time_optimal(model: RobotModel, path: Path | ArrayLike, velocity_limit: ArrayLike | None = None,
                 acceleration_limit: ArrayLike | None = None, torque_limit: TorqueLimits | ArrayLike | None = None,
                 start_speed: float = 0.0, end_speed: float = 0.0, grid: int | ArrayLike = 200,
                 scheme: str = 'interpolation', friction: Friction | None = None,
                 gravity: ArrayLike = STANDARD_GRAVITY, smoothing: float = 0.0) -> TimeOptimalMotion:
    """The fastest motion along a path within the limits of the joints.

    Parameters
    ----------
    path
        (m, n) waypoints, joined by a natural C2 spline over s in [0, 1], or a callable q(s), s in [0, 1], with
        `.derivative(k)` as scipy's splines have.
    velocity_limit, acceleration_limit
        (n,) [rad/s, m/s], [rad/s^2, m/s^2]. None: the model's own (it has none for accelerations); inf: none.
    torque_limit
        (n,) [N m, N], or `TorqueLimits`. None: the model's efforts; inf: none. Payload: `model.with_payload`.
    start_speed, end_speed
        Path speeds ds/dt [1/s] at both ends.
    grid
        Number of cells, or path parameters from 0 to 1. Zero-inertia points are added, and cells are halved where a
        torque between their ends would exceed its limit by more than 0.03 %.
    scheme
        'interpolation': limits hold at both ends of each cell. 'collocation': at its start only, as many programs do; a
        little faster, and limits are exceeded by about the size of a cell.
    friction
        That the motors overcome besides; None: the description's. Dry friction counts in full as soon as a joint moves,
        and not where the motion begins and ends.
    smoothing
        [s]: window of a filter on the path speed: accelerations become continuous, jerk finite. It takes that much
        longer, and more where the limits ask for it.

    Raises
    ------
    LimitError
        Where the arm cannot hold itself, or a start or end speed is too fast; says where and how much.
    """
    curve = _spline(model, path)
    planner = PathPlanner(model, curve, velocity_limit, acceleration_limit, torque_limit, friction, gravity)
    if scheme not in SCHEMES:
        raise InputError(f"scheme is '{scheme}'; it must be one of {', '.join(SCHEMES)}.", field='scheme', value=scheme)
    for name, value in (('start_speed', start_speed), ('end_speed', end_speed), ('smoothing', smoothing)):
        if not 0.0 <= value < np.inf:
            raise InputError(f'{name} is {value}; it must be finite and not negative.', field=name, value=value)
    if smoothing and (start_speed or end_speed):
        raise InputError('Smoothing is for motions from rest to rest.', field='smoothing', value=smoothing)
    motion = planner.solve(_grid(curve, grid), scheme == 'interpolation', start_speed, end_speed)
    return planner.smooth(motion, smoothing) if smoothing else motion


class TimeOptimalMotion(PathMotion):
    """A path motion with the profile it was made of.

    Attributes
    ----------
    s, speed
        (k,) path parameters of the grid, and path speeds there.
    reachable
        (k,) largest speeds from which the end can be reached; None after smoothing.
    """

    def __init__(self, planner: PathPlanner, law: Polynomials, s: Array, speed: Array,
                 reachable: Array | None = None) -> None:
        super().__init__(planner.model, planner.curves, law, planner.friction, planner.gravity)
        self.planner, self.s, self.speed, self.reachable = planner, s, speed, reachable

    @cached_property
    def phase_plane(self) -> PhasePlane:
        """Limits along the path, on the grid of the motion."""
        return phase_plane(self.s, self.planner.rows(self.s))

    def largest_excess(self, between: int = 5) -> float:
        """Largest share by which a torque exceeds its limit, with `between` samples in each cell; negative: none."""
        knots = self.law.knots()
        share = (np.arange(between) + 0.5) / between
        t = (knots[:-1, None] + np.diff(knots)[:, None] * share).ravel()
        return float(np.max(self.planner.excess(*self.progress(t))))


class PathPlanner:
    """A path with all that limits the motion on it."""

    def __init__(self, model: RobotModel, path: Path, velocity_limit: ArrayLike | None = None,
                 acceleration_limit: ArrayLike | None = None, torque_limit: TorqueLimits | ArrayLike | None = None,
                 friction: Friction | None = None, gravity: ArrayLike = STANDARD_GRAVITY) -> None:
        self.model, self.gravity = model, gravity
        self.curves = PathCurves(path)
        self.velocity = joint_limits(model, 'velocity_limit', velocity_limit, model.velocity_limit)
        self.acceleration = joint_limits(model, 'acceleration_limit', acceleration_limit, np.inf)
        self.torque = torque_limits(model, torque_limit)
        self.friction: Friction | None = None
        if self.torque is not None:
            model.require_dynamics()
            self.friction = Friction.of_model(model) if friction is None else friction
            if not np.any(self.friction.static) and not np.any(self.friction.viscous):
                self.friction = None
        elif not (np.any(np.isfinite(self.velocity)) or np.any(np.isfinite(self.acceleration))):
            raise InputError(f"Nothing limits motions of '{model.name}': give limits of velocity, acceleration or "
                             'torque.', field='velocity_limit')

    def points(self, s: ArrayLike) -> PathPoints:
        """The path and its dynamics at path parameters."""
        return PathPoints.of(self.model, self.curves, s, self.torque is not None, self.gravity)

    def rows(self, s: ArrayLike) -> Rows:
        """Limits at path parameters."""
        return self.rows_of(self.points(s))

    def rows_of(self, points: PathPoints) -> Rows:
        """Limits at points of the path."""
        return path_rows(self.model, points, self.velocity, self.acceleration, self.torque, self.friction)

    def excess(self, s: Array, rate: Array, acceleration: Array) -> Array:
        """Share (k, n) by which accelerations or torques exceed their limits at states of the path; negative within."""
        q, first, second = self.curves(s)
        qd = first * rate[:, None]
        qdd = first * acceleration[:, None] + second * rate[:, None]**2
        share = np.abs(qdd) / self.acceleration - 1.0
        if self.torque is None:
            return np.asarray(share)
        torque = inverse_dynamics(self.model, q, qd, qdd, self.gravity)
        if self.friction is not None:
            torque = torque + self.friction.torque(qd)
        return np.maximum(share, self.torque.excess(qd, torque))

    def solve(self, s: Array, both_ends: bool, start_speed: float, end_speed: float) -> TimeOptimalMotion:
        """The fastest motion, on a grid that is made finer where it is too coarse."""
        points = self.points(s)
        if not np.any(points.first):
            raise InputError('The path stands still: no joint moves on it.', field='path')
        added = zero_crossings(self._factors, s, _factors_of(points))
        points = self._with(points, added)
        for attempt in range(REFINEMENTS + HALVINGS):
            s = points.s
            reachable, speed, lost = self._profile(points, both_ends, start_speed, end_speed)
            if lost and (attempt >= HALVINGS or len(s) > MOST_KNOTS):
                raise LimitError(f'The profile comes to rest, or is lost, at s = {s[lost - 1]:.6g}: the path stands '
                                 'still there, or a limit is too tight for the arm to creep.', value=float(s[lost - 1]))
            if lost:  # where limits change quickly with the speed, cells must be short
                points = self._with(points, 0.5 * (s[:-1] + s[1:]))
                continue
            coarse = self._too_coarse(s, speed) if both_ends else np.zeros(len(s) - 1, dtype=bool)
            if not np.any(coarse) or attempt >= REFINEMENTS:
                break
            points = self._with(points, 0.5 * (s[:-1] + s[1:])[coarse])
        self._check_positions(points)
        return TimeOptimalMotion(self, law_of(s, speed), s, speed, reachable)

    def _check_positions(self, points: PathPoints) -> None:
        """LimitError where the path leaves the position limits: a spline may do so between its waypoints."""
        model, q = self.model, points.q
        lower, upper = np.minimum(model.lower, q[0]), np.maximum(model.upper, q[0])
        out = (q < lower - POSITION_SLACK) | (q > upper + POSITION_SLACK)
        if np.any(out):
            k, joint = (int(v) for v in np.argwhere(out)[0])
            limit = float(lower[joint] if q[k, joint] < lower[joint] else upper[joint])
            raise LimitError(f"The path leads joint '{model.joint_names[joint]}' to {q[k, joint]:.4f} at s = "
                             f'{points.s[k]:.4f}; the limit is {limit:.4f}.', joint=model.joint_names[joint],
                             value=float(q[k, joint]), limit=limit)

    def _factors(self, s: Array) -> Array:
        """What an acceleration of the path means for torques and joints: where it is zero the limits have notches."""
        return _factors_of(self.points(s))

    def _with(self, points: PathPoints, more: Array) -> PathPoints:
        """Points added, unless they are as good as there already."""
        new = np.unique(more)
        place = np.searchsorted(points.s, new)
        apart = np.minimum(new - points.s[place - 1], points.s[np.minimum(place, len(points.s) - 1)] - new) > CLOSEST
        apart[1:] &= np.diff(new) > CLOSEST
        return points.merged(self.points(new[apart])) if np.any(apart) else points

    def _profile(self, points: PathPoints, both_ends: bool, start_speed: float,
                 end_speed: float) -> tuple[Array, Array, int]:
        """Controllable speeds, speeds of the fastest profile, and 1 + the cell at which it is lost, or 0."""
        s, rows, caps = points.s, self.rows_of(points), self._speed_caps(points)
        args, curved = rows.args(), bool(np.any(rows.c))
        reachable, speed, around = np.empty(len(s)), np.empty(len(s)), np.zeros(len(s))
        cells, counts = np.empty((len(s), 4, 2 * rows.a.shape[1] + 1)), np.zeros(len(s), dtype=np.int64)
        for attempt in range(PASSES if both_ends and curved else 1):
            ends = both_ends and not (curved and attempt == 0)
            controllable_speeds(*args, caps, s, ends, around, end_speed, cells, counts, reachable)
            self._check_ends(reachable, start_speed, end_speed)
            lost = fastest_profile(cells, counts, s, reachable, start_speed, speed)
            if lost and attempt + 1 < PASSES and curved and both_ends and attempt == 0:
                around = reachable.copy()  # a first guess need not be a motion
                continue
            if lost:
                return reachable, speed, int(lost)
            change = np.max(np.abs(speed - around)) / np.max(speed)
            around = speed.copy()
            if change < SETTLED:
                break
        return reachable, speed, 0

    def _speed_caps(self, points: PathPoints) -> Array:
        """Largest speeds at the grid points for which no joint passes its rate limit, there and in the cells beside."""
        s, caps = points.s, np.empty(len(points.s))
        share = np.arange(BETWEEN_RATES + 1) / (BETWEEN_RATES + 1)
        places = np.append((s[:-1, None] + np.diff(s)[:, None] * share), s[-1])
        rate_caps(s, self.curves(places)[1], BETWEEN_RATES, self.velocity, caps)
        return caps

    def _check_ends(self, reachable: Array, start_speed: float, end_speed: float) -> None:
        ends = ('end_speed', end_speed, reachable[-1]), ('start_speed', start_speed, reachable[0])
        for name, wanted, limit in ends:
            if wanted > limit * (1.0 + 1e-9):
                raise LimitError(f'{name} is {wanted:.6g}; at most {limit:.6g} keeps the limits.', value=wanted,
                                 limit=float(limit))

    def _too_coarse(self, s: Array, speed: Array) -> NDArray[np.bool_]:
        """Cells between whose ends an acceleration or a torque exceeds its limit."""
        square = speed * speed
        middle, rate = 0.5 * (s[:-1] + s[1:]), np.sqrt(0.5 * (square[:-1] + square[1:]))
        excess = self.excess(middle, rate, 0.5 * np.diff(square) / np.diff(s))
        return np.asarray(excess.max(axis=1) > BETWEEN)

    def smooth(self, motion: TimeOptimalMotion, window: float) -> TimeOptimalMotion:
        """The motion with its path speed averaged over a window [s], then slowed down until all limits hold again."""
        law = _averaged(motion.law, window)
        slow = 1.0
        for _ in range(200):
            powers = slow ** -np.arange(law.coefficients.shape[1], dtype=float)
            played = Polynomials(law.breaks * slow, law.coefficients * powers[:, None])
            knots = played.knots()
            t = np.unique(np.concatenate((knots, knots[:-1] + 0.5 * np.diff(knots))))
            s, rate, acceleration = (part[:, 0] for part in played.sample(t))
            rows = self.rows(np.clip(s, 0.0, 1.0))
            value = (rows.a * acceleration[:, None] + rows.b * rate[:, None]**2 + rows.c * rate[:, None])
            slack = 1e-9 * (rows.hi - rows.lo)
            if np.all(rate <= rows.cap * (1.0 + 1e-9)) and np.all((value <= rows.hi + slack)
                                                                 & (value >= rows.lo - slack)):
                return TimeOptimalMotion(self, played, s, rate)
            slow *= 1.01
        raise LimitError('The smoothed motion does not keep the limits at any speed tried: use a shorter window.',
                         value=window)


def law_of(s: Array, speed: Array) -> Polynomials:
    """Time law of path speeds on a grid, with constant acceleration in each cell (TOP-07)."""
    lengths = 2.0 * np.diff(s) / (speed[:-1] + speed[1:])
    acceleration = np.diff(speed) / lengths
    coefficients = np.stack((s[:-1], speed[:-1], 0.5 * acceleration), axis=1)[:, :, None]
    return Polynomials(np.concatenate(([0.0], np.cumsum(lengths))), coefficients)


def _factors_of(points: PathPoints) -> Array:
    return np.hstack((points.a, points.first))


def merged_grid(s: Array, more: Array) -> Array:
    """Grid with points added, unless they are as good as there already."""
    both = np.sort(np.concatenate((s, more)))
    apart = np.diff(both) > CLOSEST
    kept = both[np.concatenate(([True], apart))]
    kept[-1] = s[-1]
    return np.asarray(kept)


def _spline(model: RobotModel, path: Any) -> Path:
    """The path as a callable."""
    if callable(path):
        if not callable(getattr(path, 'derivative', None)):
            raise InputError('A path that is called needs .derivative(k), as the splines of scipy have.', field='path')
        ends = np.asarray(getattr(path, 'x', [0.0, 1.0]), dtype=float)[[0, -1]]
        if not np.allclose(ends, [0.0, 1.0]):
            raise InputError(f'The path is defined from s = {ends[0]:g} to {ends[1]:g}; it must be from 0 to 1.',
                             field='path')
        begin = np.asarray(path(np.zeros(1)))
        if begin.shape != (1, model.dof):
            raise InputError(f'The path gives {begin.shape} for one s; (1, {model.dof}) is needed.', field='path')
        return path
    points = joint_array(model, path, 'path')
    refuse_non_finite(model, path=points)
    if points.ndim != 2:
        raise InputError(f'A path needs waypoints (m, n), got shape {points.shape}.', field='path', value=path)
    apart = np.concatenate(([True], np.any(np.diff(points, axis=0) != 0.0, axis=1)))
    points = points[apart]
    if len(points) < 2:
        raise InputError('A path needs at least two different waypoints.', field='path', value=path)
    steps = np.max(np.abs(np.diff(points, axis=0)), axis=1)
    if not (np.all(steps < FARTHEST) and np.all(steps > 1.0 / FARTHEST)):
        raise InputError(f'Waypoints must be from {1.0 / FARTHEST:g} to {FARTHEST:g} apart, got {steps.min():.3g} to '
                         f'{steps.max():.3g}.', field='path', value=path)
    length = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))))
    return CubicSpline(length / length[-1], points, bc_type='natural')


def _grid(path: Path, grid: int | ArrayLike) -> Array:
    if np.ndim(grid) == 0:
        if not np.isfinite(grid):
            raise InputError(f'grid is {np.asarray(grid)}; it must be a number of cells.', field='grid', value=grid)
        number = int(grid)  # type: ignore[arg-type]
        if not 2 <= number <= 1_000_000:
            raise InputError(f'grid is {number}; it must be from 2 to 1000000 cells.', field='grid', value=grid)
        s = 0.5 * (1.0 - np.cos(np.pi * np.arange(number + 1) / number))
        knots = np.asarray(getattr(path, 'x', np.empty(0)), dtype=float)  # of a spline: q'' has corners there
        return merged_grid(s, knots[(knots > 0.0) & (knots < 1.0)]) if len(knots) < MOST_KNOTS else s
    s = np.asarray(grid, dtype=float)
    if s.ndim != 1 or len(s) < 3 or s[0] != 0.0 or s[-1] != 1.0 or not np.all(np.diff(s) > 0.0):
        raise InputError('A grid goes from 0 to 1 in at least two increasing steps.', field='grid', value=grid)
    return s


def _averaged(law: Polynomials, window: float) -> Polynomials:
    """The law convolved with a box: s becomes a cubic of time, its speed continuous in slope.

    Between the knots of the law and of the law shifted by the window, the average is a polynomial again.
    """
    knots = np.unique(np.concatenate((law.knots(), law.knots() + window)))
    knots = knots[np.concatenate(([True], np.diff(knots) > 1e-9 * window))]

    def value(t: Array) -> tuple[Array, Array, Array]:
        (s1, y1, _), (s0, y0, _) = law.sample(t), law.sample(t - window)
        area = _integral(law, t) - _integral(law, t - window)
        return area / window, ((s1 - s0) / window)[:, 0], ((y1 - y0) / window)[:, 0]

    (s, y, u) = value(knots)
    h = np.diff(knots)
    third = np.diff(u) / h
    coefficients = np.stack((s[:-1], y[:-1], 0.5 * u[:-1], third / 6.0), axis=1)[:, :, None]
    return Polynomials(knots - knots[0], coefficients)


def _integral(law: Polynomials, t: Array) -> Array:
    """Integral of s over time from 0 to t; s is 0 before 0 and stays after the end."""
    h = np.diff(law.breaks)
    c = law.coefficients[:, :, 0]
    areas = np.concatenate(([0.0], np.cumsum(h * (c[:, 0] + h * (c[:, 1] / 2.0 + h * c[:, 2] / 3.0)))))
    inside = np.clip(t, 0.0, law.duration)
    k = np.clip(np.searchsorted(law.breaks, inside, side='right') - 1, 0, len(h) - 1)
    x = inside - law.breaks[k]
    area = areas[k] + x * (c[k, 0] + x * (c[k, 1] / 2.0 + x * c[k, 2] / 3.0))
    end = float(law.sample(law.duration)[0][0])
    return np.asarray(area + np.maximum(t - law.duration, 0.0) * end)
