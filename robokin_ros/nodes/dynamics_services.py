"""The dynamics of the model as services: torques of motions, motions under torques, the terms of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from robokin_interfaces.srv import ComputeForwardDynamics, ComputeInverseDynamics, GetDynamicsTerms

from robokin_ros.dynamics import (
    Friction,
    cartesian_dynamics,
    coriolis_torque,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    potential_energy,
)
from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.nodes.conversions import JointOrder, doubles

Array = NDArray[np.float64]
MOST_STATES = 100_000
"""States of one request: more would keep a node from its other work too long."""
MOST_TERMS = 1000
"""States of one request for terms, which take longer."""


def torques_of(model: RobotModel, order: JointOrder, request: ComputeInverseDynamics.Request,
               response: ComputeInverseDynamics.Response) -> None:
    """Answer `compute_inverse_dynamics`."""
    q, qd, qdd = _states(order, request, 'velocity', 'acceleration')
    torque = inverse_dynamics(model, q, qd, qdd, tip_wrench=_wrench(request.tip_wrench),
                              external_wrenches=_external(model, request.external_wrenches))
    if request.with_friction:
        torque = torque + Friction.of_model(model).torque(qd)
    response.effort = doubles(_finite(torque))
    response.joint_names = order.names


def accelerations_of(model: RobotModel, order: JointOrder, request: ComputeForwardDynamics.Request,
                     response: ComputeForwardDynamics.Response) -> None:
    """Answer `compute_forward_dynamics`."""
    q, qd, tau = _states(order, request, 'velocity', 'effort')
    if request.with_friction:
        tau = tau - Friction.of_model(model).torque(qd)
    acceleration = forward_dynamics(model, q, qd, tau, tip_wrench=_wrench(request.tip_wrench),
                                    external_wrenches=_external(model, request.external_wrenches))
    response.acceleration = doubles(_finite(acceleration))
    response.joint_names = order.names


def terms_of(model: RobotModel, order: JointOrder, request: GetDynamicsTerms.Request,
             response: GetDynamicsTerms.Response) -> None:
    """Answer `get_dynamics_terms`."""
    q, qd = _states(order, request, 'velocity', most=MOST_TERMS)
    model.require_dynamics()
    friction = Friction.of_model(model).torque(qd)
    response.velocity_torque = doubles(_finite(coriolis_torque(model, q, qd)))
    response.mass_matrix = doubles(_finite(mass_matrix(model, q)))
    response.gravity_torque = doubles(gravity_torque(model, q))
    response.friction_torque = doubles(friction)
    response.kinetic_energy = doubles(kinetic_energy(model, q, qd))
    response.potential_energy = doubles(potential_energy(model, q))
    rows = [int(row) for row in request.rows] or None
    if model.dof >= 6 or rows is not None:
        seen = [cartesian_dynamics(model, *state, frame=request.frame or 'base', rows=rows)
                for state in zip(q, qd, strict=True)]
        response.cartesian_mass = doubles([terms.mass for terms in seen])
        response.cartesian_velocity = doubles([terms.velocity for terms in seen])
        response.cartesian_gravity = doubles([terms.gravity for terms in seen])
        response.cartesian_friction = doubles([terms.force_of(torque)
                                               for terms, torque in zip(seen, friction, strict=True)])
        response.regular = [terms.regular for terms in seen]
    response.joint_names = order.names


def _states(order: JointOrder, request: Any, *fields: str, most: int = MOST_STATES) -> list[Array]:
    """Joint vectors (k, n) of a request in the model's order; empty fields are zero."""
    model, names = order.model, request.joint_names
    position = np.asarray(request.position, dtype=float)
    number = len(position) // model.dof if model.dof else 0
    if number == 0 or len(position) != number * model.dof or number > most:
        raise InputError(f"position has {len(position)} values; {model.dof} ({', '.join(model.joint_names)}) are one "
                         f'state, at most {most} states are taken.', field='position', value=position)
    columns = order.every(names)
    rows = []
    for field in ('position', *fields):
        values = np.asarray(getattr(request, field), dtype=float)
        if len(values) == 0 and field != 'position':
            rows.append(np.zeros((number, model.dof)))
            continue
        if len(values) != len(position):
            raise InputError(f'{field} has {len(values)} values, position {len(position)}.', field=field, value=values)
        ordered = np.empty((number, model.dof))
        ordered[:, columns] = values.reshape(number, model.dof)
        rows.append(ordered)
    return rows


def _finite(values: Array) -> Array:
    """The values, or InputError when the numbers of a request were too large for them."""
    if not np.all(np.isfinite(values)):
        raise InputError('The numbers of the request are too large: the result is not finite.', field='velocity')
    return values


def _wrench(message: Any) -> tuple[float, ...] | None:
    """Force and moment of a message; None: nothing."""
    force, moment = message.force, message.torque
    values = (force.x, force.y, force.z, moment.x, moment.y, moment.z)
    return values if any(values) else None


def _external(model: RobotModel, messages: Sequence[Any]) -> dict[str, Array] | None:
    """Wrenches by link, those on one link added."""
    found: dict[str, Array] = {}
    for message in messages:
        if message.link not in model.frame_index:
            raise UnknownNameError('frame', message.link, model.frame_names)
        found[message.link] = found.get(message.link, np.zeros(6)) + np.array(_wrench(message.wrench) or np.zeros(6))
    return found or None
