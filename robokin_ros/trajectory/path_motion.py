"""Motions along a path: where joints go, q(s), and when, s(t), kept apart."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import PPoly

from robokin_ros.dynamics import STANDARD_GRAVITY, Friction, inverse_dynamics
from robokin_ros.errors import InputError
from robokin_ros.kernels.path_profile import spline_points
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.trajectory.motion import Polynomials

Array = NDArray[np.float64]


class Path(Protocol):
    """A path q(s), with derivatives as scipy's splines give them."""

    def __call__(self, s: ArrayLike) -> Array:
        """Joints (..., n) at path parameters s (...)."""
        ...

    def derivative(self, order: int) -> Callable[[ArrayLike], Any]:
        """The derivative of an order by s."""
        ...


class PathCurves:
    """A path q(s) and its derivatives, evaluated together."""

    def __init__(self, path: Any) -> None:
        self.path = path
        self._spline = isinstance(path, PPoly) and path.axis == 0 and path.c.ndim == 3 and path.c.dtype == np.float64
        self.knots = np.asarray(path.x, dtype=float) if isinstance(path, PPoly) else None
        if self._spline:
            self._breaks, self._coefficients = np.ascontiguousarray(path.x), np.ascontiguousarray(path.c)
        else:
            self._curves = path, path.derivative(1), path.derivative(2)

    def __call__(self, s: Array) -> tuple[Array, Array, Array]:
        """Joints, and their derivatives by s, (k, n) at s (k,)."""
        if self._spline:
            shape = len(s), self._coefficients.shape[2]
            values = np.empty(shape), np.empty(shape), np.empty(shape)
            spline_points(self._breaks, self._coefficients, s, *values)
        else:
            values = tuple(np.ascontiguousarray(curve(s), dtype=float) for curve in self._curves)  # type: ignore[assignment]
        for name, value in zip(('q', "q'", "q''"), values, strict=True):
            if not np.isfinite(value).all():
                bad = int(np.argmax(~np.all(np.isfinite(value), axis=-1)))
                raise InputError(f'The path has no finite {name} at s = {s[bad]:.6g}.', field='path')
        return values


class PathMotion:
    """A path played by a time law.

    Parameters
    ----------
    model
        Whose joints move.
    path
        q(s).
    law
        s(t): one curve of polynomial pieces.
    friction, gravity
        What `torque` counts with; friction None: none.
    """

    def __init__(self, model: RobotModel, path: Path | PathCurves, law: Polynomials, friction: Friction | None = None,
                 gravity: ArrayLike = STANDARD_GRAVITY) -> None:
        self.model, self.law = model, law
        self.curves = path if isinstance(path, PathCurves) else PathCurves(path)
        self.friction, self.gravity = friction, gravity
        self.duration = law.duration

    def timed(self, law: Polynomials) -> PathMotion:
        """The same path by another time law."""
        other = copy.copy(self)
        other.law, other.duration = law, law.duration
        return other

    def knots(self) -> Array:
        """Times [s] between which the time law is smooth, and at which a spline of the path has its knots."""
        if self.curves.knots is None:
            return self.law.knots()
        breaks = self.law.knots()
        t = np.unique(np.concatenate((breaks, np.linspace(0.0, self.duration, 8 * len(self.curves.knots)))))
        return np.unique(np.concatenate((breaks, np.interp(self.curves.knots, self.progress(t)[0], t))))

    def progress(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Path parameter, its speed and acceleration (...) at times t (...)."""
        s, rate, acceleration = self.law.sample(t)
        return s[..., 0], rate[..., 0], acceleration[..., 0]

    def sample(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Position, velocity, acceleration (..., n); at rest before the start and after the end."""
        s, rate, acceleration = self.law.sample(t)
        shape = s.shape[:-1]
        q, first, second = (part.reshape(*shape, -1) for part in self.curves(s.ravel()))
        return q, first * rate, first * acceleration + second * rate**2

    def torque(self, t: ArrayLike) -> Array:
        """What the motors have to give (..., n) [N m] or [N]."""
        q, qd, qdd = self.sample(t)
        torque = inverse_dynamics(self.model, q, qd, qdd, self.gravity)
        return torque if self.friction is None else torque + self.friction.torque(qd)
