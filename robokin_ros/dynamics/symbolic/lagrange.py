"""Mass matrix, velocity terms and gravity of a model as polynomials, by Lagrange's equations (Craig 6.9)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robokin_ros.dynamics.symbolic.parameters import Parameters
from robokin_ros.dynamics.symbolic.trig_polynomial import (
    ONE,
    ZERO,
    TrigPolynomial,
    Vector,
    add,
    cross,
    dot,
    turned_back,
)
from robokin_ros.errors import InputError
from robokin_ros.model.robot_model import PRISMATIC, RobotModel

NOTHING: Vector = (ZERO, ZERO, ZERO)
ROUNDING = 1e-14
"""Numbers this much smaller than the largest of their kind are rounding."""
MOST_PRODUCTS, MOST_TERMS = 4_000_000, 20_000
"""Products of terms to work out, and terms to write down, unless forced: both take some ten seconds."""


@dataclass
class Terms:
    """The parts of tau = M qdd + V + G.

    Attributes
    ----------
    mass
        M, rows of polynomials.
    velocity
        For each joint the factors of qd_j qd_k by (j, k), j <= k (the textbook's B and C, Craig (6.63)).
    gravity
        G.
    """

    mass: list[list[TrigPolynomial]]
    velocity: list[dict[tuple[int, int], TrigPolynomial]]
    gravity: list[TrigPolynomial]

    def count(self) -> int:
        """Number of Fourier terms in all of them."""
        entries = [*(entry for row in self.mass for entry in row), *self.gravity]
        entries += [entry for factors in self.velocity for entry in factors.values()]
        return sum(len(entry.terms) for entry in entries)


@dataclass
class _Body:
    """Motion of a body in its own axes: its angular and linear velocity per unit rate of each joint, and gravity."""

    angular: dict[int, Vector]
    linear: dict[int, Vector]
    gravity: Vector


def lagrange_terms(model: RobotModel, parameters: Parameters, gravity: NDArray[np.float64],
                   force: bool = False) -> Terms:
    """Terms of a model; InputError if they are too many, unless `force`.

    M = sum of m Jv^T Jv + Jw^T I Jw over the bodies (Craig ex. 6.4 and 6.71), G from the potential energy, V from
    the derivatives of M (Christoffel's symbols, DYN-08).
    """
    number, work = model.dof, 0
    mass = [[ZERO] * number for _ in range(number)]
    weight = [ZERO] * number
    bodies: list[_Body] = []
    base = _Body({}, {}, parameters.gravity(gravity))
    for index in range(len(model.topology)):
        parent = int(model.topology[index, 0])
        body = _moved(model, parameters, index, base if parent < 0 else bodies[parent])
        bodies.append(body)
        heavy, center, inertia = parameters.mass(index), parameters.center(index), parameters.inertia(index)
        speeds = {joint: add(body.linear[joint], cross(turn, center)) for joint, turn in body.angular.items()}
        for i, turn in body.angular.items():
            momentum: Vector = (dot(inertia[0], turn), dot(inertia[1], turn), dot(inertia[2], turn))
            for j in (j for j in body.angular if j >= i):
                work += sum(len(a.terms) * len(b.terms) for a, b in zip(speeds[i], speeds[j], strict=True))
                if work > MOST_PRODUCTS and not force:
                    raise _too_long(model, parameters)
                mass[i][j] = mass[i][j] + heavy * dot(speeds[i], speeds[j]) + dot(momentum, body.angular[j])
            weight[i] = weight[i] - heavy * dot(body.gravity, speeds[i])
    for joint in range(number):
        mass[joint][joint] = mass[joint][joint] + parameters.rotor(joint)
    limit = ROUNDING * max((entry.size() for row in mass for entry in row), default=0.0)
    weight_limit = ROUNDING * max((entry.size() for entry in weight), default=0.0)
    for i in range(number):
        weight[i] = weight[i].without_below(weight_limit)
        for j in range(i, number):
            mass[i][j] = mass[j][i] = mass[i][j].without_below(limit)
    found = Terms(mass, _velocity_terms(parameters, mass), weight)
    if found.count() > MOST_TERMS and not force:
        raise _too_long(model, parameters)
    return found


def _too_long(model: RobotModel, parameters: Parameters) -> InputError:
    advice = '' if parameters.numeric else 'put the numbers in, '
    return InputError(f"The equations of '{model.name}' are so long that writing them would take minutes or more: "
                      f'{advice}choose a tip nearer the base, or force it.', field='model')


def _moved(model: RobotModel, parameters: Parameters, index: int, parent: _Body) -> _Body:
    kind, joint = int(model.topology[index, 1]), int(model.topology[index, 2])
    own: Vector = (ZERO, ZERO, ONE.scaled(float(model.constants[index, 22])))
    turns = parameters.turns(index)
    offset = parameters.offset(index) if parent.angular else NOTHING
    angular = {j: turned_back(turn, turns) for j, turn in parent.angular.items()}
    linear = {j: turned_back(add(parent.linear[j], cross(turn, offset)), turns)
              for j, turn in parent.angular.items()}
    if kind == PRISMATIC:
        travel: Vector = (ZERO, ZERO, own[2] * parameters.alphabet.symbol(parameters.coordinates[joint]))
        linear = {j: add(speed, cross(angular[j], travel)) for j, speed in linear.items()}
        linear[joint] = add(linear.get(joint, NOTHING), own)
        angular.setdefault(joint, NOTHING)
    else:
        angular[joint] = add(angular.get(joint, NOTHING), own)
        linear.setdefault(joint, NOTHING)
    return _Body(angular, linear, turned_back(parent.gravity, turns))


def _velocity_terms(parameters: Parameters,
                    mass: list[list[TrigPolynomial]]) -> list[dict[tuple[int, int], TrigPolynomial]]:
    count = range(len(mass))
    slopes = [[[parameters.alphabet.derivative(mass[i][j], name) for name in parameters.coordinates] for j in count]
              for i in count]
    found: list[dict[tuple[int, int], TrigPolynomial]] = []
    for i in count:
        factors = {}
        for j in count:
            for k in range(j, len(mass)):
                term = (slopes[i][j][k] + slopes[i][k][j] - slopes[j][k][i]).scaled(0.5 if j == k else 1.0)
                if term.terms:
                    factors[j, k] = term
        found.append(factors)
    return found
