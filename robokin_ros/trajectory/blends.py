"""Straight lines with parabolic blends: one segment, via points, points that are passed exactly (TRJ-07 to TRJ-11).

The curves need not be joints: the components of a pose are planned in the same way (`cartesian/pose_blends.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, LimitError
from robokin_ros.trajectory.motion import Polynomials, joint_polynomials
from robokin_ros.trajectory.via_velocities import heuristic_velocities

Array = NDArray[np.float64]
SLACK = 1e-9
"""Relative slack of feasibility: an acceleration that is just enough is enough."""
STRETCH = 1.1
"""Factor by which durations grow when the system may choose them."""
MOST_STRETCHES = 200


@dataclass(frozen=True)
class BlendPlan:
    """Lines and blends of n curves through m points.

    Attributes
    ----------
    points, durations
        (m, n) and (m - 1,) [s] as planned, pseudo vias included.
    speeds
        (m - 1, n) of the straight lines.
    accelerations, blend_times
        (m, n) signed accelerations, and durations [s] of the blends at the points.
    line_times
        (m - 1, n) durations [s] of the straight lines.
    """

    points: Array
    durations: Array
    speeds: Array
    accelerations: Array
    blend_times: Array
    line_times: Array

    @property
    def duration(self) -> float:
        """Of the whole [s]."""
        return float(np.sum(self.durations))

    def curves(self) -> Polynomials:
        """The curves in time, Craig (7.45)-(7.46)."""
        return Polynomials(*joint_polynomials([self._pieces(i) for i in range(self.points.shape[1])]))

    def misses(self) -> Array:
        """Distance (m, n) at which each inner point is passed, |acc| t^2 / 8; 0 at the ends."""
        missed = np.abs(self.accelerations) * self.blend_times**2 / 8.0
        missed[[0, -1]] = 0.0
        return np.asarray(missed)

    def _pieces(self, i: int) -> tuple[Array, Array]:
        """Breaks and coefficients of one curve: blend, line, blend, ..., each only if it lasts."""
        times, rows, now = [0.0], [], 0.0
        q, v = float(self.points[0, i]), 0.0
        steps = [(self.blend_times[0, i], self.accelerations[0, i])]
        for k in range(len(self.durations)):
            steps += [(self.line_times[k, i], 0.0), (self.blend_times[k + 1, i], self.accelerations[k + 1, i])]
        for k, (length, acceleration) in enumerate(steps):
            if k % 2:
                v = float(self.speeds[k // 2, i])
            if length > SLACK * self.duration:
                rows.append((q, v, 0.5 * acceleration))
                q, v = q + length * (v + 0.5 * acceleration * length), v + acceleration * length
                now += length
                times.append(now)
        if not rows:
            rows, times = [(q, 0.0, 0.0)], [0.0, self.duration]
        times[-1] = self.duration
        return np.array(times), np.array(rows)


def blend_plan(points: ArrayLike, durations: ArrayLike, accelerations: ArrayLike) -> BlendPlan:
    """Lines with blends of given accelerations through points, at rest at both ends; Craig (7.24)-(7.28), corrected.

    Inner points are not reached, see `BlendPlan.misses`; one that is named twice is stopped at.

    Parameters
    ----------
    points
        (m, n) or (m,), m >= 2.
    durations
        (m - 1,) [s] between neighbours, or one for all.
    accelerations
        Magnitudes at the points: (m, n), (n,) or one for all.

    Raises
    ------
    LimitError
        When a segment is too short for its blends; says which, and what acceleration or duration would do.
    """
    q, td, a = _given(points, durations, accelerations)
    shape = len(q), q.shape[1]
    speeds, signed, tb = np.diff(q, axis=0) / td[:, None], np.zeros(shape), np.zeros(shape)
    if len(q) == 2:
        return _single(q, td, a)
    for end, inner, segment, direction in ((0, 1, 0, 1.0), (-1, -2, -1, -1.0)):
        way = q[inner] - q[end]
        signed[end] = np.sign(way) * a[end]
        root = td[segment]**2 - 2.0 * np.abs(way) / a[end]
        _refuse(root < -SLACK * td[segment]**2, segment % len(td), 2.0 * np.abs(way) / td[segment]**2,
                np.sqrt(2.0 * np.abs(way) / a[end]), td[segment])
        tb[end] = np.where(way == 0.0, 0.0, td[segment] - np.sqrt(np.maximum(root, 0.0)))
        speeds[segment] = direction * way / (td[segment] - 0.5 * tb[end])
    change = np.diff(speeds, axis=0)
    signed[1:-1] = np.sign(change) * a[1:-1]
    tb[1:-1] = np.abs(change) / a[1:-1]
    return _filled(q, td, speeds, signed, tb, a)


def common_blend_plan(points: ArrayLike, durations: ArrayLike, blend_times: ArrayLike) -> BlendPlan:
    """The same with given blend times [s] (m,), common to all curves; accelerations follow (TRJ-08, TRJ-13)."""
    q, td, _ = _given(points, durations, 1.0)
    t = _filling('blend_times', blend_times, (len(q),))
    if not np.all(t > 0.0) or not np.all(np.isfinite(t)):
        raise InputError(f'Blend times must be positive, got {t.tolist()}.', field='blend_times', value=t)
    half = td.copy()
    half[0] -= 0.5 * t[0]
    half[-1] -= 0.5 * t[-1]
    if np.any(half <= 0.0):
        raise LimitError(f'Segment {int(np.argmin(half))} of {td[np.argmin(half)]:g} s is too short for its blends.',
                         value=float(np.max(t)), limit=float(np.min(td)))
    speeds = np.diff(q, axis=0) / half[:, None]
    ends = np.vstack((speeds[:1], np.diff(speeds, axis=0), -speeds[-1:]))
    signed = ends / t[:, None]
    return _filled(q, td, speeds, signed, np.tile(t[:, None], (1, q.shape[1])), np.abs(signed))


def passing_plan(points: ArrayLike, durations: ArrayLike, accelerations: ArrayLike,
                 passed: ArrayLike, velocities: ArrayLike | None = None) -> BlendPlan:
    """As `blend_plan`, but points marked in `passed` (m,) are passed exactly, between two pseudo vias (TRJ-09).

    `velocities` (m, n) at them; None: mean slope of the lines before and after. The distance in time of the pseudo
    vias from the point is the least that leaves a line between them.
    """
    q, td, a = _given(points, durations, accelerations)
    marks = np.asarray(passed, dtype=bool)
    if marks.shape != (len(q),):
        raise InputError(f'{len(q)} points need as many marks, got {marks.shape}.', field='passed')
    times = np.concatenate(([0.0], np.cumsum(td)))
    given = None if velocities is None else np.asarray(velocities, dtype=float)
    if given is not None and given.ndim == 1 and q.shape[1] == 1:
        given = given[:, None]
    v = heuristic_velocities(times, q) if given is None else _filling('velocities', given, q.shape)
    near = np.zeros(len(q))
    near[1:-1] = 1e-3 * np.minimum(td[:-1], td[1:]) * marks[1:-1]
    most = 0.499 * np.minimum(np.append(td, np.inf), np.concatenate(([np.inf], td)))
    for _ in range(100):
        try:
            plan = pseudo_via_plan(q, td, a, near, v)
        except LimitError:
            if np.all(near >= most * marks):
                break
            near = np.minimum(1.3 * near, most)  # the line between two pseudo vias may be too short for their blends
            continue
        row, wider = 0, False
        for k in range(1, len(q) - 1):
            row += 1
            if not marks[k]:
                continue
            longest = float(np.max(plan.blend_times[row:row + 2]))
            if near[k] < 0.5 * longest:  # the point would lie on a blend, not on the line between
                if near[k] >= most[k]:
                    raise LimitError(f'Point {k} cannot be passed exactly: its blends last {longest:.4g} s, the '
                                     f'segments beside it leave {2.0 * most[k]:.4g} s. Give more time or acceleration.',
                                     value=longest, limit=float(2.0 * most[k]))
                near[k], wider = min(0.5001 * longest, most[k]), True
            row += 1
        if not wider:
            return plan
    raise LimitError('The points that are to be passed exactly leave no room for their blends: give more time or '
                     'acceleration.')


def pseudo_via_plan(points: ArrayLike, durations: ArrayLike, accelerations: ArrayLike, near: ArrayLike,
                    velocities: ArrayLike) -> BlendPlan:
    """Plan with each point k that has `near[k]` > 0 replaced by two, that time [s] before and after it (TRJ-09)."""
    q, td, a = _given(points, durations, accelerations)
    v, gap = np.broadcast_to(velocities, q.shape), np.broadcast_to(np.asarray(near, dtype=float), (len(q),))
    if np.any(gap[1:-1] >= 0.5 * np.minimum(td[:-1], td[1:])):
        k = 1 + int(np.argmax(gap[1:-1] - 0.5 * np.minimum(td[:-1], td[1:])))
        raise LimitError(f'The pseudo vias of point {k} are {gap[k]:.4g} s away from it, more than half of a segment '
                         'beside it: give more time or acceleration.', value=float(gap[k]),
                         limit=float(0.5 * min(td[k - 1], td[k])))
    times = np.concatenate(([0.0], np.cumsum(td)))
    rows: list[tuple[float, Array, Array]] = []
    for k in range(len(q)):
        if gap[k] > 0.0 and 0 < k < len(q) - 1:
            rows += [(times[k] - gap[k], q[k] - gap[k] * v[k], a[k]), (times[k] + gap[k], q[k] + gap[k] * v[k], a[k])]
        else:
            rows.append((times[k], q[k], a[k]))
    return blend_plan([row[1] for row in rows], np.diff([row[0] for row in rows]), np.array([row[2] for row in rows]))


def automatic_plan(points: ArrayLike, speeds: ArrayLike, accelerations: ArrayLike,
                   durations: ArrayLike | None = None, total: float | None = None,
                   passed: ArrayLike | None = None) -> BlendPlan:
    """Plan with what is missing chosen by the system (TRJ-10): the plan says what was chosen.

    Durations come from nominal `speeds` (n,), or split `total` [s] in proportion; they grow until the blends fit unless
    they, or the total, were given.
    """
    q = np.atleast_2d(np.asarray(points, dtype=float).T).T
    if q.ndim != 2 or len(q) < 2:
        raise InputError(f'At least two points (m, n) are needed, got shape {q.shape}.', field='points')
    fastest, hardest = np.asarray(speeds, dtype=float), np.asarray(accelerations, dtype=float)
    if not (np.all(fastest > 0.0) and np.all(np.isfinite(fastest))):
        raise InputError(f'Speeds must be positive and finite, got {fastest.tolist()}.', field='speeds', value=speeds)
    nominal = np.max(np.abs(np.diff(q, axis=0)) / fastest, axis=1)
    standing = float(np.max(fastest) / np.min(hardest)) if np.all(hardest > 0.0) else 0.0  # at a point named twice
    same = nominal <= 1e-6 * float(np.max(nominal))
    td = np.where(same, max(standing, 1e-3), nominal) if durations is None else np.asarray(durations)
    if total is not None and durations is None:
        td = td * (total / np.sum(td))
    for _ in range(MOST_STRETCHES):
        try:
            if passed is None or not np.any(passed):
                return blend_plan(q, td, accelerations)
            return passing_plan(q, td, accelerations, passed)
        except LimitError:
            if durations is not None or total is not None:
                raise
            td = STRETCH * td
    raise LimitError(f'No durations up to {np.sum(td):.3g} s fit these points and accelerations.')


def _filling(field: str, values: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Values broadcast to a shape, or InputError."""
    try:
        return np.broadcast_to(np.asarray(values, dtype=float), shape)
    except ValueError as error:
        raise InputError(f'{field} of shape {np.shape(values)} does not fit {shape}.', field=field,
                         value=values) from error


def _given(points: ArrayLike, durations: ArrayLike, accelerations: ArrayLike) -> tuple[Array, Array, Array]:
    q = np.asarray(points, dtype=float)
    q = q[:, None] if q.ndim == 1 else q
    if q.ndim != 2 or len(q) < 2 or not np.all(np.isfinite(q)):
        raise InputError(f'At least two points (m, n) of finite numbers are needed, got shape {q.shape}.',
                         field='points', value=points)
    td = _filling('durations', durations, (len(q) - 1,))
    if not (np.all(td > 0.0) and np.all(np.isfinite(td))):
        raise InputError(f'Durations must be positive, got {td.tolist()}.', field='durations', value=td)
    a = np.asarray(accelerations, dtype=float)
    a = _filling('accelerations', a[:, None] if a.ndim == 1 and q.shape[1] != len(a) == len(q) else a, q.shape)
    if not np.all(a > 0.0) or not np.all(np.isfinite(a)):
        raise InputError(f'Accelerations must be positive and finite, got {np.unique(a).tolist()}.',
                         field='accelerations', value=a)
    return q, td.astype(float), a


def _single(q: Array, td: Array, a: Array) -> BlendPlan:
    """One segment, Craig (7.19)-(7.23): both blends alike; the smaller acceleration serves both."""
    way, length, least = q[1] - q[0], td[0], np.min(a, axis=0)
    root = length**2 - 4.0 * np.abs(way) / least
    _refuse(root < -SLACK * length**2, 0, 4.0 * np.abs(way) / length**2, 2.0 * np.sqrt(np.abs(way) / least), length)
    tb = 0.5 * (length - np.sqrt(np.maximum(root, 0.0)))
    signed = np.sign(way) * least
    return BlendPlan(q, td, (signed * tb)[None], np.stack([signed, -signed]), np.stack([tb, tb]),
                     (length - 2.0 * tb)[None])


def _filled(q: Array, td: Array, speeds: Array, signed: Array, tb: Array, a: Array) -> BlendPlan:
    """With the line times; LimitError where blends overlap."""
    share = np.full(len(q), 0.5)
    share[[0, -1]] = 1.0
    lines = td[:, None] - share[:-1, None] * tb[:-1] - share[1:, None] * tb[1:]
    short = lines < -SLACK * td[:, None]
    if np.any(short):
        k, i = (int(v) for v in np.argwhere(short)[0])
        needed = float(a[k, i] * (share[k] * tb[k, i] + share[k + 1] * tb[k + 1, i]) / td[k])
        raise LimitError(f'The blends at both ends of segment {k} (curve {i}) overlap by {-lines[k, i]:.4g} s: it '
                         f'needs an acceleration of about {needed:.4g} instead of {a[k, i]:.4g}, or more than '
                         f'{td[k]:.4g} s.', value=needed, limit=float(a[k, i]))
    return BlendPlan(q, td, speeds, signed, tb, np.maximum(lines, 0.0))


def _refuse(bad: NDArray[np.bool_], segment: int, acceleration: Array, duration: Array, given: float) -> None:
    """LimitError for a segment whose first or last blend cannot be long enough."""
    if np.any(bad):
        i = int(np.argmax(bad))
        raise LimitError(f'Segment {segment} (curve {i}) of {given:.4g} s needs an acceleration of at least '
                         f'{acceleration[i]:.6g}, or at least {duration[i]:.6g} s.', value=float(acceleration[i]),
                         limit=float(given))
