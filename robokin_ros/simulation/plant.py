"""The rigid-body plant: a model in motion under torques, friction, brakes, stops and pushes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics import STANDARD_GRAVITY, total_energy
from robokin_ros.dynamics.batches import vector
from robokin_ros.errors import InputError, RobokinError
from robokin_ros.kernels.plant import AT_LOWER, AT_UPPER, advance
from robokin_ros.model.joint_vector import joint_array, refuse_non_finite
from robokin_ros.model.robot_model import RobotModel

STRONGEST_BRAKE = 1e4
"""Brake torque [N m] or force [N] of a joint without an effort limit."""
BRAKE_FACTOR = 2.0
"""Brakes hold this many times the effort limit."""
LIMIT_SLACK = 1e-9
"""Distance [rad], [m] beyond a limit that is rounding."""
LOCK_SPEED = 1e-2
"""Speed [rad/s] or [m/s] below which a closed brake locks the joint."""


class Plant:
    """Integrates forward dynamics with a fixed internal step; deterministic.

    Parameters
    ----------
    model
        With usable dynamics.
    position
        Start [rad] or [m]; default the middle of the limits. Starts at rest.
    step
        Internal step [s].
    gravity
        In base axes [m/s^2].
    stiction
        Friction of a joint at rest as a multiple, not below 1, of its Coulomb friction in motion.
    """

    def __init__(self, model: RobotModel, position: ArrayLike | None = None, step: float = 1e-3,
                 gravity: ArrayLike = STANDARD_GRAVITY, stiction: float = 1.0) -> None:
        model.require_dynamics()
        if not 0.0 < step <= 0.1:
            raise InputError(f'The simulation step is {step} s; it must be in (0, 0.1].', field='step', value=step)
        if not 1.0 <= stiction < np.inf:
            raise InputError(f'Friction at rest is {stiction} times that in motion; it must be at least 1.',
                             field='stiction', value=stiction)
        self.model = model
        self.static_friction: NDArray[np.float64] = stiction * model.friction
        self.step = step
        self.gravity = vector(gravity, 3, 'gravity')
        self.time = 0.0
        self.position: NDArray[np.float64] = model.middle()
        self.velocity: NDArray[np.float64] = np.zeros(model.dof)
        self.braked = False
        self._locked = False
        self._owed = 0.0
        self._hold = np.zeros(model.dof, dtype=np.int64)
        if position is not None:
            self.reset(position)
        self._push = np.zeros(model.dof)
        self._push_until = 0.0
        limit = np.where(np.isfinite(model.effort_limit), BRAKE_FACTOR * model.effort_limit, STRONGEST_BRAKE)
        self._brake_friction = model.friction + limit

    def reset(self, position: ArrayLike, velocity: ArrayLike | None = None) -> None:
        """Put the arm somewhere within its limits [rad, m], at rest or with a velocity [rad/s, m/s]."""
        model = self.model
        start = self._joint_vector(position, 'position')
        outside = (start < model.lower - LIMIT_SLACK) | (start > model.upper + LIMIT_SLACK)
        if np.any(outside):
            joint = int(np.argmax(outside))
            raise InputError(f"Joint '{model.joint_names[joint]}' cannot be put at {start[joint]:g}: its limits are "
                             f'{model.lower[joint]:g} and {model.upper[joint]:g}.', field='position', value=start)
        rate = np.zeros(model.dof) if velocity is None else self._joint_vector(velocity, 'velocity')
        self.position[:] = np.clip(start, model.lower, model.upper)
        self.velocity[:] = rate
        self._hold[:] = 0
        self._locked = False

    def brake(self, closed: bool) -> None:
        """Close or open the brakes; closed, they slow every joint down and then lock it."""
        self.braked = closed
        if not closed:
            self._locked = False

    def push(self, torque: ArrayLike, duration: float) -> None:
        """Add joint torques (n,) [N m] or [N] from outside for a while [s]."""
        push = self._joint_vector(torque, 'torque').copy()
        if not 0.0 <= duration < np.inf:
            raise InputError(f'The duration of a push is {duration} s.', field='duration', value=duration)
        self._push = push
        self._push_until = self.time + duration

    def advance(self, torque: ArrayLike, duration: float) -> None:
        """Move on by `duration` [s] under constant motor torque (ignored while braked); whole steps only.

        What is left of a step is owed to the next call, so that the mean rate is exact.
        """
        given = self._joint_vector(torque, 'torque')
        if not 0.0 <= duration < np.inf:
            raise InputError(f'A plant cannot advance by {duration} s.', field='duration', value=duration)
        self._owed += duration
        steps = int(self._owed / self.step + 1e-9)
        self._owed -= steps * self.step
        motor = np.zeros(self.model.dof) if self.braked else given
        while steps > 0:
            pushed = self.time < self._push_until
            run = steps
            if pushed:
                run = min(steps, max(1, round((self._push_until - self.time) / self.step)))
            self._run(motor + self._push if pushed else motor, run)
            self.time += run * self.step
            steps -= run

    @property
    def energy(self) -> float:
        """Kinetic and potential energy [J]; constant without torques and friction but for the error of integration."""
        return float(total_energy(self.model, self.position, self.velocity, self.gravity))

    def _joint_vector(self, values: ArrayLike, field: str) -> NDArray[np.float64]:
        """One finite joint vector, or InputError naming the joint."""
        array = joint_array(self.model, values, field)
        if array.ndim != 1:
            raise InputError(f'{field} is one joint vector, got shape {array.shape}.', field=field, value=values)
        refuse_non_finite(self.model, **{field: array})
        return array

    def _forget_changed(self) -> None:
        """Joints that were moved from outside are not held where they were."""
        off = ((self._hold == AT_LOWER) & (self.position != self.model.lower)) | (
            (self._hold == AT_UPPER) & (self.position != self.model.upper))
        self._hold[off | (self.velocity != 0.0)] = 0

    def _run(self, torque: NDArray[np.float64], steps: int) -> None:
        if self._locked:
            return
        model = self.model
        friction = self._brake_friction if self.braked else model.friction
        self._forget_changed()
        static = friction if self.braked else self.static_friction
        code = advance(model.topology, model.constants, model.rotor_inertia, model.damping, friction, static,
                       model.lower, model.upper, np.ascontiguousarray(torque), self.gravity, self.step, steps,
                       self.position, self.velocity, self._hold)
        if code != 0:
            raise RobokinError(f"The simulation of '{model.name}' broke down at {self.time:.3f} s: "
                               f'position {self.position.tolist()}, velocity {self.velocity.tolist()}.')
        if self.braked and np.max(np.abs(self.velocity), initial=0.0) < LOCK_SPEED:
            self.velocity[:] = 0.0
            self._locked = True
