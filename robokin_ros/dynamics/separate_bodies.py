"""Bodies joined to a tree by joints of one to six degrees of freedom, also without a fixed base (DYN-18).

For mechanisms that a `RobotModel` has no joints for: spherical, universal, planar ones, and arms on a free-flying base.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import vector
from robokin_ros.dynamics.inverse import STANDARD_GRAVITY
from robokin_ros.errors import InputError, ModelError, NoDynamicsError
from robokin_ros.kernels.separate_bodies import (
    CYLINDRICAL,
    FREE,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
    UNIVERSAL,
    WIDTH,
    forces_of_motion,
    motion_under_forces,
    state_of_motion,
)
from robokin_ros.model.robot_model import RobotModel, pack_body, unpack_inertia
from robokin_ros.spatial import check_inertia, check_transform, make_transform

Array = NDArray[np.float64]
KINDS = {'revolute': REVOLUTE, 'prismatic': PRISMATIC, 'cylindrical': CYLINDRICAL, 'universal': UNIVERSAL,
         'spherical': SPHERICAL, 'planar': PLANAR, 'free': FREE}
NUMBER_OF_AXES = {'revolute': 1, 'prismatic': 1, 'cylindrical': 1, 'universal': 2}
_Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Body:
    """A body and the joint that carries it; its frame is the joint frame, moved by the joint.

    Attributes
    ----------
    parent
        Index of the parent body, -1: the base.
    joint
        'revolute' (q: angle), 'prismatic' (slide), 'cylindrical' (angle, slide), 'universal' (two angles), 'planar'
        (x, y in the joint frame, angle about its z), 'spherical' (quaternion x y z w), 'free' (position and quaternion
        of the body in the base; only on the base, `joint_in_parent` has no meaning there).
    joint_in_parent
        Joint frame in the parent body (4, 4).
    axes
        Unit axes in the joint frame; of a universal joint the second in the frame turned by the first.
    mass, center, inertia
        [kg]; centre in the body frame [m]; 3x3 about the centre in body axes [kg m^2].
    rotor_inertia
        Reflected to the joint, for each of its degrees of freedom [kg m^2] or [kg].
    """

    parent: int
    joint: str
    joint_in_parent: Array = field(default_factory=lambda: np.eye(4))
    axes: tuple[Array, ...] = (_Z,)
    mass: float = 0.0
    center: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    rotor_inertia: float = 0.0
    name: str = ''


@dataclass(frozen=True)
class SeparateBodiesReport:
    """All that the recursion computes, in base axes at the mass centres.

    Attributes
    ----------
    acceleration
        (n_v,) derivative of v.
    U
        S^T M* S of every body (f, f).
    articulated_inertia, articulated_force
        M* (b, 6, 6) and Q* (b, 6).
    body_acceleration
        (b, 6) of the mass centre, then angular [m/s^2, rad/s^2].
    reaction
        (b, 6) what the parent exerts on the body [N, N m]: M* a - Q*.
    """

    acceleration: Array
    U: list[Array]
    articulated_inertia: Array
    articulated_force: Array
    body_acceleration: Array
    reaction: Array


class SeparateBodies:
    """A tree of bodies; parents come before children.

    Velocities v are rates of the joint variables; of a spherical joint the relative angular velocity in base axes; of a
    free body the velocity of its origin and its angular velocity, in base axes.
    """

    def __init__(self, bodies: Sequence[Body]) -> None:
        self.bodies = tuple(bodies)
        self.names = tuple(body.name or f'body {i}' for i, body in enumerate(self.bodies))
        self._tree = np.zeros((len(bodies), 4), dtype=np.int64)
        self._data = np.zeros((len(bodies), 29))
        self.n_q = self.n_v = 0
        for i, body in enumerate(self.bodies):
            self._add(i, body)

    def _add(self, i: int, body: Body) -> None:
        name = self.names[i]
        if body.joint not in KINDS:
            raise ModelError(f"Body '{name}' has a joint of kind '{body.joint}'; known are {', '.join(KINDS)}.",
                             element=name)
        if not -1 <= body.parent < i:
            raise ModelError(f"Body '{name}' (number {i}) has the parent {body.parent}; parents come first.",
                             element=name)
        if body.joint == 'free' and body.parent != -1:
            raise ModelError(f"Body '{name}' is free: its parent can only be the base (-1).", element=name)
        center, tensor = np.asarray(body.center, dtype=float), np.asarray(body.inertia, dtype=float)
        if center.shape != (3,) or tensor.shape != (3, 3) or not np.all(np.isfinite(center)):
            raise ModelError(f"Body '{name}' needs a finite centre of 3 and an inertia of 3x3 numbers, got "
                             f'{center.shape} and {tensor.shape}.', element=name)
        if not 0.0 <= body.rotor_inertia < np.inf:
            raise ModelError(f"Body '{name}' has the rotor inertia {body.rotor_inertia}.", element=name)
        problem = check_inertia(body.mass, tensor)
        if problem:
            raise ModelError(f"Body '{name}': {problem}.", element=name)
        axes = [np.asarray(axis, dtype=float) for axis in tuple(body.axes)[:NUMBER_OF_AXES.get(body.joint, 0)]]
        if len(axes) < NUMBER_OF_AXES.get(body.joint, 0) or any(
                axis.shape != (3,) or not abs(np.linalg.norm(axis) - 1.0) < 1e-9 for axis in axes):
            raise ModelError(f"The {body.joint} joint of body '{name}' needs {NUMBER_OF_AXES[body.joint]} unit axes, "
                             f'got {body.axes}.', element=name)
        kind = KINDS[body.joint]
        self._tree[i] = body.parent, kind, self.n_q, self.n_v
        place = check_transform(np.asarray(body.joint_in_parent, dtype=float))
        self._data[i, :12] = np.concatenate((place[:3, :3].ravel(), place[:3, 3]))
        self._data[i, 12:22] = pack_body(float(body.mass), center, tensor)
        for c, axis in enumerate(axes):
            self._data[i, 22 + 3 * c:25 + 3 * c] = axis
        self._data[i, 28] = body.rotor_inertia
        self.n_v += int(WIDTH[kind])
        self.n_q += int(WIDTH[kind]) + (1 if kind in (SPHERICAL, FREE) else 0)

    @classmethod
    def from_model(cls, model: RobotModel, base: str = 'fixed') -> SeparateBodies:
        """Bodies of a robot on a 'fixed' base, or with its base link as a 'free' body in front of the joints.

        q and v are then (pose of the base link, joints) and (its velocity and angular velocity, joint rates).
        """
        if base not in ('fixed', 'free'):
            raise InputError(f"The base is 'fixed' or 'free', not '{base}'.", field='base', value=base)
        model.require_dynamics()
        if len(model.topology) != model.dof or np.any(model.topology[:, 2] != np.arange(model.dof)):
            raise ModelError(f"'{model.name}' has mimic joints: they couple bodies beyond the tree.")
        bodies, shift = [], 0
        if base == 'free':
            mass, center, inertia = model.base_body
            bodies.append(Body(-1, 'free', mass=mass, center=center, inertia=inertia, name=model.base))
            shift = 1
        for i, (row, (parent, kind, _)) in enumerate(zip(model.constants, model.topology.tolist(), strict=True)):
            bodies.append(Body(
                parent + shift, 'prismatic' if kind else 'revolute', make_transform(row[:9].reshape(3, 3), row[9:12]),
                mass=float(row[12]), center=row[13:16], inertia=unpack_inertia(row[16:22]),
                rotor_inertia=float(model.rotor_inertia[i]), name=model.body_names[i]))
        return cls(bodies)

    def neutral(self) -> Array:
        """Q with every variable zero and every orientation that of its parent."""
        q = np.zeros(self.n_q)
        for _, kind, first, _ in self._tree.tolist():
            if kind in (SPHERICAL, FREE):
                q[first + (6 if kind == FREE else 3)] = 1.0
        return q

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, gravity: ArrayLike = STANDARD_GRAVITY,
                         wrenches: Mapping[int, ArrayLike] | None = None) -> Array:
        """Derivative of v (n_v,) under joint forces; `wrenches` on bodies, at their origins in their axes [N, N m]."""
        return self._forward(q, v, tau, gravity, None, (0.0, 0.0, 0.0), wrenches)[0]

    def report(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, gravity: ArrayLike = STANDARD_GRAVITY,
               base_acceleration: ArrayLike | None = None, base_omega: ArrayLike = (0.0, 0.0, 0.0),
               wrenches: Mapping[int, ArrayLike] | None = None) -> SeparateBodiesReport:
        """Forward dynamics with all that it computes on the way.

        `base_acceleration`: linear, then angular, of the base's origin; `base_omega`: its angular velocity.
        """
        rate, u, inertia, force, acceleration = self._forward(q, v, tau, gravity, base_acceleration, base_omega,
                                                              wrenches)
        widths = WIDTH[self._tree[:, 1]]
        return SeparateBodiesReport(
            rate, [block[:f, :f] for block, f in zip(u, widths, strict=True)], inertia, force, acceleration,
            np.einsum('kij,kj->ki', inertia, acceleration) - force)

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, rate: ArrayLike, gravity: ArrayLike = STANDARD_GRAVITY,
                         wrenches: Mapping[int, ArrayLike] | None = None) -> Array:
        """Joint forces (n_v,) of a motion with `rate` the derivative of v; of a free body what must push it."""
        number = len(self.bodies)
        out, reaction = np.empty(self.n_v), np.empty((number, 6))
        forces_of_motion(self._tree, self._data, *self._state(q, v, rate, 'rate'), vector(gravity, 3, 'gravity'),
                         np.zeros(6), np.zeros(3), self._wrenches(wrenches), out, reaction)
        return out

    def mass_matrix(self, q: ArrayLike) -> Array:
        """M (n_v, n_v), column by column."""
        rest = np.zeros(self.n_v)
        columns = [self.inverse_dynamics(q, rest, unit, np.zeros(3)) for unit in np.eye(self.n_v)]
        return np.array(columns).T

    def momentum(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Linear momentum and angular momentum about the base's origin (6,) [kg m/s, kg m^2/s]; without rotors."""
        return self._totals(q, v, np.zeros(3))[0][:6]

    def energy(self, q: ArrayLike, v: ArrayLike, gravity: ArrayLike = STANDARD_GRAVITY) -> tuple[float, float]:
        """Kinetic and potential energy [J]."""
        kinetic, potential = self._totals(q, v, gravity)[0][6:]
        return float(kinetic), float(potential)

    def poses(self, q: ArrayLike) -> Array:
        """Poses of the bodies in the base (b, 4, 4)."""
        flat = self._totals(q, np.zeros(self.n_v), np.zeros(3))[2]
        return np.array([make_transform(row[:9].reshape(3, 3), row[9:]) for row in flat])

    def q_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """dq/dt (n_q,); differs from v where q has a quaternion."""
        return self._totals(q, v, np.zeros(3))[1]

    def step(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, dt: float,
             gravity: ArrayLike = STANDARD_GRAVITY) -> tuple[Array, Array]:
        """State after `dt` [s] under constant joint forces, by the classical Runge-Kutta method."""
        position, rate, force = self._state(q, v, tau, 'tau')
        if not 0.0 < dt < np.inf:
            raise InputError(f'The step is {dt} s; it must be positive.', field='dt', value=dt)
        steps: list[tuple[Array, Array]] = []
        for share in (0.0, 0.5, 0.5, 1.0):
            moved, turned = (position, rate) if not steps else (
                self.normalized(position + share * dt * steps[-1][0]), rate + share * dt * steps[-1][1])
            steps.append((self.q_rate(moved, turned), self.forward_dynamics(moved, turned, force, gravity)))
        slope = [(a + 2.0 * b + 2.0 * c + d) / 6.0 for a, b, c, d in zip(*steps, strict=True)]
        return self.normalized(position + dt * slope[0]), rate + dt * slope[1]

    def normalized(self, q: Array) -> Array:
        """Q with quaternions of length 1."""
        out = q.copy()
        for _, kind, first, _ in self._tree.tolist():
            if kind in (SPHERICAL, FREE):
                part = slice(first + (3 if kind == FREE else 0), first + (7 if kind == FREE else 4))
                out[part] /= np.linalg.norm(out[part])
        return out

    # Checking and calling

    def _state(self, q: ArrayLike, v: ArrayLike, third: ArrayLike, name: str) -> tuple[Array, Array, Array]:
        position = vector(q, self.n_q, 'q')
        for i, (_, kind, first, _) in enumerate(self._tree.tolist()):
            if kind in (SPHERICAL, FREE):
                at = first + (3 if kind == FREE else 0)
                length = float(np.linalg.norm(position[at:at + 4]))
                if abs(length - 1.0) > 1e-3:
                    raise InputError(f"The quaternion of '{self.names[i]}' has length {length:.6g}, not 1.", field='q',
                                     value=q)
        return position, vector(v, self.n_v, 'v'), vector(third, self.n_v, name)

    def _wrenches(self, wrenches: Mapping[int, ArrayLike] | None) -> Array:
        out = np.zeros((len(self.bodies), 6))
        for body, wrench in (wrenches or {}).items():
            if body not in range(len(self.bodies)):
                raise InputError(f'There is no body {body}; there are {len(self.bodies)}.', field='wrenches')
            out[body] = vector(wrench, 6, f'wrench on {self.names[body]}')
        return out

    def _forward(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, gravity: ArrayLike,
                 base_acceleration: ArrayLike | None, base_omega: ArrayLike,
                 wrenches: Mapping[int, ArrayLike] | None) -> tuple[Array, Array, Array, Array, Array]:
        number = len(self.bodies)
        out, u, inertia = np.empty(self.n_v), np.empty((number, 6, 6)), np.empty((number, 6, 6))
        force, acceleration = np.empty((number, 6)), np.empty((number, 6))
        start = np.zeros(6) if base_acceleration is None else vector(base_acceleration, 6, 'base_acceleration')
        code = motion_under_forces(
            self._tree, self._data, *self._state(q, v, tau, 'tau'), vector(gravity, 3, 'gravity'), start,
            vector(base_omega, 3, 'base_omega'), self._wrenches(wrenches), out, u, inertia, force, acceleration)
        if code > 0:
            raise NoDynamicsError(f"The joint of body '{self.names[code - 1]}' has no inertia to accelerate.",
                                  element=self.names[code - 1])
        return out, u, inertia, force, acceleration

    def _totals(self, q: ArrayLike, v: ArrayLike, gravity: ArrayLike) -> tuple[Array, Array, Array]:
        totals, q_rate, poses = np.empty(8), np.empty(self.n_q), np.empty((len(self.bodies), 12))
        position, rate, _ = self._state(q, v, np.zeros(self.n_v), 'tau')
        state_of_motion(self._tree, self._data, position, rate, vector(gravity, 3, 'gravity'), totals, q_rate, poses)
        return totals, q_rate, poses
