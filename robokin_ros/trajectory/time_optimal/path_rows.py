"""A path's dynamics and limits as rows that bound path speed y and path acceleration u (TOP-01, TOP-02).

torque = a u + b y^2 + c y + g along q(s), with qd = q' y and qdd = q' u + q'' y^2.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics import STANDARD_GRAVITY, Friction, inverse_dynamics
from robokin_ros.errors import LimitError
from robokin_ros.kernels.path_profile import rate_caps
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.trajectory.path_motion import PathCurves
from robokin_ros.trajectory.time_optimal.drive_limits import TorqueLimits

Array = NDArray[np.float64]
AT_REST = 1e-9
"""Share of the largest rate of a joint on the path below which it counts as standing, for dry friction."""


@dataclass(frozen=True)
class PathPoints:
    """A path at points s (k,), each of the rest (k, n): torque = a u + b y^2 + g there, with qd = q' y.

    Attributes
    ----------
    s
        Path parameters.
    q, first, second
        Joints, and derivatives q' and q'' by s.
    a, b, g
        Of the torque without friction; zero where no torque is limited.
    """

    s: Array
    q: Array
    first: Array
    second: Array
    a: Array
    b: Array
    g: Array

    @classmethod
    def of(cls, model: RobotModel, curves: PathCurves, s: ArrayLike, dynamic: bool = True,
           gravity: ArrayLike = STANDARD_GRAVITY) -> PathPoints:
        """Points of a path; three times inverse dynamics over all of them at once."""
        at = np.ascontiguousarray(s, dtype=float)
        q, first, second = curves(at)
        if not dynamic:
            rest = np.zeros_like(q)
            return cls(at, q, first, second, rest, rest, rest)
        k = len(at)
        states = np.zeros((3, 3 * k, model.dof))  # q, rates, accelerations; at rest, with q'' and rates q', with q'
        states[0, :k] = states[0, k:2 * k] = states[0, 2 * k:] = q
        states[1, k:2 * k], states[2, k:2 * k], states[2, 2 * k:] = first, second, first
        tau = inverse_dynamics(model, states[0], states[1], states[2], gravity)
        return cls(at, q, first, second, tau[2 * k:] - tau[:k], tau[k:2 * k] - tau[:k], tau[:k])

    def merged(self, other: PathPoints) -> PathPoints:
        """Both, in order of s."""
        order = np.argsort(np.concatenate((self.s, other.s)), kind='stable')
        return PathPoints(*(np.concatenate((getattr(self, field.name), getattr(other, field.name)))[order]
                            for field in fields(self)))


@dataclass(frozen=True)
class Rows:
    """lo <= A u + B y^2 + C y <= hi, each (k, r), `cap` (k,) on the speed; `scale` (r,) largest |A| on the path."""

    a: Array
    b: Array
    c: Array
    lo: Array
    hi: Array
    cap: Array
    scale: Array

    def args(self) -> tuple[Array, ...]:
        """As the kernels take them."""
        return self.a, self.b, self.c, self.lo, self.hi, self.scale


def path_rows(model: RobotModel, points: PathPoints, velocity: Array, acceleration: Array,
              torque: TorqueLimits | None, friction: Friction | None) -> Rows:
    """Rows of the limits of rates, accelerations and torques; LimitError where the arm cannot even stand."""
    first, second = points.first, points.second
    cap = np.empty(len(points.s))
    rate_caps(points.s, first, 0, velocity, cap)
    parts: list[tuple[Array, ...]] = []
    bounded = np.isfinite(acceleration)
    if np.any(bounded):
        limit = np.broadcast_to(acceleration[bounded], first[:, bounded].shape)
        parts.append((first[:, bounded], second[:, bounded], np.zeros_like(limit), -limit, limit))
    if torque is not None:
        parts += _torque_rows(model, points, torque, friction)
    if not parts:
        empty = np.zeros((len(points.s), 0))
        return Rows(empty, empty, empty, empty, empty, cap, np.zeros(0))
    a, b, c, lo, hi = (np.ascontiguousarray(np.hstack([part[i] for part in parts])) for i in range(5))
    return Rows(a, b, c, lo, hi, cap, np.max(np.abs(a), axis=0))


def _torque_rows(model: RobotModel, points: PathPoints, torque: TorqueLimits,
                 friction: Friction | None) -> list[tuple[Array, ...]]:
    """Rows of the torque-speed lines, and of the clipped currents where they differ."""
    first, against, dry = points.first, 0.0 * points.first, np.zeros(model.dof)
    lo, hi = torque.lower - points.g, torque.upper - points.g
    if friction is not None:
        against, dry = friction.viscous * first, friction.static
        helping = friction.coulomb  # less than that at rest, and it is the smaller that may help to brake
        moving = np.abs(first) > AT_REST * np.max(np.abs(first), axis=0)
        sign = np.where(moving, np.sign(first), 0.0)
        either = np.where(moving, 0.0, dry)  # a joint that turns round is rubbed in both directions
        ends = ((points.s <= 0.0) | (points.s >= 1.0))[:, None]  # at rest it is not rubbed: nothing helps to brake
        help_most = np.where(ends, 0.0, helping)
        lo = lo - np.where(sign > 0.0, sign * help_most, sign * dry) + either
        hi = hi - np.where(sign < 0.0, sign * help_most, sign * dry) - either
    _require_standing(model, points, torque, dry, lo, hi)
    used = np.isfinite(torque.upper) | np.isfinite(torque.lower)
    sloped = used & (torque.droop > 0.0)
    rows = [tuple(part[:, used] for part in (points.a, points.b, against + torque.droop * first, lo, hi))]
    if torque.clipped and np.any(sloped):
        rows.append(tuple(part[:, sloped] for part in (points.a, points.b, against, lo, hi)))
    return rows


def _require_standing(model: RobotModel, points: PathPoints, torque: TorqueLimits, dry: Array, lo: Array,
                      hi: Array) -> None:
    """LimitError where gravity (and dry friction) alone takes more than the drives have."""
    heavy = (lo > 0.0) | (hi < 0.0)
    if np.any(heavy):
        k, joint = (int(v) for v in np.argwhere(heavy)[0])
        needed = abs(float(points.g[k, joint])) + float(dry[joint])
        limit = float(torque.upper[joint] if hi[k, joint] < 0.0 else -torque.lower[joint])
        raise LimitError(f"Joint '{model.joint_names[joint]}' needs {needed:.4g} of {limit:.4g} available torque to "
                         f'stand at s = {points.s[k]:.4g}: the arm cannot hold itself there.',
                         joint=model.joint_names[joint], value=needed, limit=limit)
