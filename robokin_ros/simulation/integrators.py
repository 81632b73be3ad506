"""Motions under torques, integrated: the book's step, semi-implicit, Runge-Kutta, and with a step of its own (DYN-14).

For smooth motions without stops; `Plant` has those, and friction that sticks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

from robokin_ros.dynamics import STANDARD_GRAVITY, Friction, forward_dynamics, total_energy
from robokin_ros.dynamics.batches import vector
from robokin_ros.errors import InputError, RobokinError
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]
Torque = Callable[[float, Array, Array], Array]
METHODS = ('book', 'semi_implicit', 'rk4', 'adaptive')


@dataclass(frozen=True)
class Run:
    """A simulated motion: `time` (m,) [s], `position` and `velocity` (m, n), total `energy` (m,) [J]."""

    time: Array
    position: Array
    velocity: Array
    energy: Array

    @property
    def drift(self) -> float:
        """Largest change of energy since the start [J]; without friction and torques the error of integration."""
        return float(np.max(np.abs(self.energy - self.energy[0])))


def simulate(model: RobotModel, q: ArrayLike, qd: ArrayLike, torque: ArrayLike | Torque, duration: float,
             step: float = 1e-3, method: str = 'rk4', gravity: ArrayLike = STANDARD_GRAVITY,
             friction: Friction | Callable[[Array, Array], Array] | None = None, rtol: float = 1e-10) -> Run:
    """Motion of an arm under torques.

    Parameters
    ----------
    q, qd
        Start (n,) [rad, m, s].
    torque
        (n,) [N m] or [N], or a function of time [s], q and qd.
    duration, step
        [s]; a sample every `step`, and one at the end. Fixed-step methods take these steps.
    method
        'book' (Craig (6.117), first order), 'semi_implicit' (first order, keeps energy better), 'rk4', or 'adaptive'
        (DOP853 with relative tolerance `rtol`).
    gravity
        In base axes [m/s^2].
    friction
        `Friction`, or a function of q and qd that gives friction torques; None: none.
    """
    if method not in METHODS:
        raise InputError(f"There is no method '{method}'; known are {', '.join(METHODS)}.", field='method',
                         value=method)
    if not (0.0 <= duration < math.inf and 0.0 < step < math.inf):
        raise InputError(f'The duration is {duration} s, the step {step} s: finite and positive ones are needed.',
                         field='step', value=step)
    if not 0.0 < rtol < 1.0:
        raise InputError(f'The relative tolerance is {rtol}; it must be between 0 and 1.', field='rtol', value=rtol)
    position, velocity = vector(q, model.dof, 'q'), vector(qd, model.dof, 'qd')
    accelerate = _acceleration(model, torque, gravity, friction)
    steps = max(math.ceil(duration / step - 1e-9), 0)
    time = np.minimum(np.arange(steps + 1) * step, duration)
    if method == 'adaptive':
        states = _adaptive(accelerate, time, position, velocity, rtol)
    else:
        states = _stepped({'book': _book, 'semi_implicit': _semi_implicit, 'rk4': _rk4}[method], accelerate, time,
                          position, velocity)
    if not np.all(np.isfinite(states)):
        first = float(time[np.argmax(~np.isfinite(states).all(axis=1))])
        raise RobokinError(f"The simulation of '{model.name}' broke down at {first:.4g} s: try a smaller step.")
    positions, velocities = np.ascontiguousarray(states[:, :model.dof]), np.ascontiguousarray(states[:, model.dof:])
    return Run(time, positions, velocities, total_energy(model, positions, velocities, gravity))


def update(model: RobotModel, torque: ArrayLike, period: float, position: ArrayLike, velocity: ArrayLike,
           step: float = 1e-3, gravity: ArrayLike = STANDARD_GRAVITY) -> tuple[Array, Array]:
    """State after `period` [s] under constant torque, by steps of the book of at most `step` [s]; program part 6.2."""
    for name, value in (('period', period), ('step', step)):
        if not 0.0 < value < math.inf:
            raise InputError(f'The {name} is {value} s; it must be positive.', field=name, value=value)
    run = simulate(model, position, velocity, torque, period, period / math.ceil(period / step - 1e-9), 'book', gravity)
    return run.position[-1], run.velocity[-1]


def _acceleration(model: RobotModel, torque: ArrayLike | Torque, gravity: ArrayLike,
                  friction: Friction | Callable[[Array, Array], Array] | None) -> Torque:
    """Joint accelerations as a function of time and state."""
    constant = None if callable(torque) else vector(torque, model.dof, 'torque')
    loss = None if friction is None else (
        (lambda q, qd: friction.torque(qd)) if isinstance(friction, Friction) else friction)

    def accelerate(t: float, q: Array, qd: Array) -> Array:
        applied = torque(t, q, qd) if constant is None else constant  # type: ignore[operator]
        return forward_dynamics(model, q, qd, applied if loss is None else applied - loss(q, qd), gravity)
    return accelerate


def _book(accelerate: Torque, t: float, dt: float, q: Array, qd: Array) -> tuple[Array, Array]:
    qdd = accelerate(t, q, qd)
    return q + dt * qd + 0.5 * dt * dt * qdd, qd + dt * qdd


def _semi_implicit(accelerate: Torque, t: float, dt: float, q: Array, qd: Array) -> tuple[Array, Array]:
    rate = qd + dt * accelerate(t, q, qd)
    return q + dt * rate, rate


def _rk4(accelerate: Torque, t: float, dt: float, q: Array, qd: Array) -> tuple[Array, Array]:
    half = 0.5 * dt
    a1 = accelerate(t, q, qd)
    v2 = qd + half * a1
    a2 = accelerate(t + half, q + half * qd, v2)
    v3 = qd + half * a2
    a3 = accelerate(t + half, q + half * v2, v3)
    v4 = qd + dt * a3
    a4 = accelerate(t + dt, q + dt * v3, v4)
    return q + dt / 6.0 * (qd + 2.0 * (v2 + v3) + v4), qd + dt / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)


def _stepped(method: Callable[..., tuple[Array, Array]], accelerate: Torque, time: Array, q: Array,
             qd: Array) -> Array:
    states = np.full((len(time), 2 * len(q)), np.nan)
    states[0] = np.concatenate((q, qd))
    for i, (t, dt) in enumerate(zip(time[:-1].tolist(), np.diff(time).tolist(), strict=True), 1):
        q, qd = method(accelerate, t, dt, q, qd)
        states[i] = np.concatenate((q, qd))
        if not math.isfinite(float(states[i].sum())):
            break
    return states


def _adaptive(accelerate: Torque, time: Array, q: Array, qd: Array, rtol: float) -> Array:
    n = len(q)

    def slope(t: float, state: Array) -> Array:
        rate = np.ascontiguousarray(state[n:])
        return np.concatenate((rate, accelerate(t, np.ascontiguousarray(state[:n]), rate)))

    if len(time) == 1:
        return np.concatenate((q, qd))[None]
    solved = solve_ivp(slope, (0.0, float(time[-1])), np.concatenate((q, qd)), 'DOP853', time, rtol=rtol,
                       atol=1e-2 * rtol)
    if not solved.success:
        raise RobokinError(f'The integration stopped: {solved.message}')
    return np.asarray(solved.y.T)
