"""The numbers of a model as symbols named like the textbook's, or as they are."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from robokin_ros.dynamics.symbolic.trig_polynomial import ONE, ZERO, Alphabet, TrigPolynomial, Vector
from robokin_ros.errors import InputError
from robokin_ros.model.robot_model import PRISMATIC, RobotModel

EXACT = 1e-12
"""Lengths [m], entries of rotations and shares of an inertia closer than this to 0 or +-1 are taken as exact."""
MASSES = 'mIJ'
"""First letters of the symbols that the equations are linear in: masses and inertias."""
Array = NDArray[np.float64]
Turn = tuple[str, TrigPolynomial, TrigPolynomial]


class Parameters:
    """Symbols for the numbers of a model that are not zero, numbered by body; with `numeric` the numbers themselves.

    Masses m1, places of mass centres r1 (rx1, ry1, rz1 if several coordinates are not zero), vectors to the next
    joint l1 (lx1, ...), inertias about the mass centre Ixx1 and products Ixy1 with the textbook's sign (Craig
    (6.16): the tensor holds -Ixy), angles that are no multiple of 90 degrees alpha1, theta1, psi1, reflected
    rotor inertias J1, gravity g (gx, gy, gz if it is askew). Lengths are positive, signs are in the equations.

    Symbols are shared inside a link where its shape makes numbers equal: a mass centre at the next joint (or the
    tip) is l1, moments that are equal are one symbol (Izz1 of a rod; I1 if all three are). Numbers of different
    links never share a symbol, so each can be changed by itself.
    """

    def __init__(self, model: RobotModel, numeric: bool) -> None:
        self.model = model
        self.numeric = numeric
        self.alphabet = Alphabet()
        self.values: dict[str, float] = {}
        self.meanings: dict[str, str] = {}
        self.coordinates = tuple(f'{"d" if kind == "prismatic" else "q"}{i + 1}'
                                 for i, kind in enumerate(model.joint_types))

    def number(self, name: str, value: float, meaning: str) -> TrigPolynomial:
        """Symbol of a number, or the number."""
        if value == 0.0:
            return ZERO
        if self.numeric:
            return ONE.scaled(value)
        self.values[name] = value
        self.meanings[name] = meaning
        return self.alphabet.symbol(name)

    def vector(self, letter: str, number: str, values: Array, meaning: str) -> Vector:
        """Symbols of a vector: one without axis if it lies along one."""
        kept = [0.0 if abs(value) < EXACT else float(value) for value in values]
        several = np.count_nonzero(kept) > 1
        parts = [self.number(f'{letter}{axis if several else ""}{number}', abs(value), f'{meaning}, along {axis} [m]')
                 .scaled(math.copysign(1.0, value)) for axis, value in zip('xyz', kept, strict=True)]
        return parts[0], parts[1], parts[2]

    def gravity(self, values: Array) -> Vector:
        """Gravity in base axes."""
        kept = [0.0 if abs(value) < EXACT else float(value) for value in values]
        if np.count_nonzero(kept) > 1:
            parts = [self.number(f'g{axis}', value, f'gravity along {axis} of the base [m/s^2]')
                     for axis, value in zip('xyz', kept, strict=True)]
        else:
            parts = [self.number('g', abs(value), 'gravity [m/s^2]').scaled(math.copysign(1.0, value))
                     for value in kept]
        return parts[0], parts[1], parts[2]

    def mass(self, body: int) -> TrigPolynomial:
        """Mass of a body."""
        return self.number(f'm{body + 1}', float(self.model.constants[body, 12]), f'mass of {self._link(body)} [kg]')

    def rotor(self, joint: int) -> TrigPolynomial:
        """Reflected rotor inertia of a joint."""
        return self.number(f'J{joint + 1}', float(self.model.rotor_inertia[joint]),
                           f'reflected rotor inertia of {self.model.joint_names[joint]} [kg m^2]')

    def offset(self, body: int) -> Vector:
        """Origin of a body in its parent, without the travel of a slide."""
        parent = int(self.model.topology[body, 0])
        several = int(np.count_nonzero(self.model.topology[:, 0] == parent)) > 1
        return self.vector('l', f'{parent + 1}_{body + 1}' if several else f'{parent + 1}', self._place(body),
                           f'from {self._link(parent)} to {self._link(body)}')

    def center(self, body: int) -> Vector:
        """Mass centre in the body; the symbols of the vector to the next joint or tip if it is there."""
        values = self.model.constants[body, 13:16]
        children = np.flatnonzero(self.model.topology[:, 0] == body)
        if len(children) == 1 and np.allclose(self._place(int(children[0])), values, rtol=EXACT, atol=EXACT):
            return self.offset(int(children[0]))
        at_tip = len(self.model.chain) and body == self.model.chain[-1] and len(children) == 0
        if at_tip and np.allclose(self.model.tip_placement[9:], values, rtol=EXACT, atol=EXACT):
            return self.vector('l', f'{body + 1}', values, f'from {self._link(body)} to its tip')
        return self.vector('r', f'{body + 1}', values, f'mass centre of {self._link(body)}')

    def inertia(self, body: int) -> tuple[Vector, Vector, Vector]:
        """Rows of the inertia tensor about the mass centre."""
        xx, xy, xz, yy, yz, zz = (float(value) for value in self.model.constants[body, 16:22])
        largest, number, link = max(xx, yy, zz), body + 1, self._link(body)

        def same(a: float, b: float) -> bool:
            return abs(a - b) <= EXACT * largest

        def entry(name: str, value: float, meaning: str) -> TrigPolynomial:
            kept = 0.0 if abs(value) <= EXACT * largest else value
            return self.number(f'I{name}{number}', kept, f'{meaning} of {link} about its mass centre [kg m^2]')

        names = ['zz' if same(xx, zz) else 'xx', 'zz' if same(yy, zz) else 'xx' if same(xx, yy) else 'yy', 'zz']
        if names == ['zz', 'zz', 'zz']:
            names = ['', '', '']
        x, y, z = (entry(name, value, 'inertia') for name, value in zip(names, (xx, yy, zz), strict=True))
        p, q, r = (entry(name, -value, 'product of inertia (tensor: minus)').scaled(-1.0)
                   for name, value in (('xy', xy), ('xz', xz), ('yz', yz)))
        return (x, p, q), (p, y, r), (q, r, z)

    def turns(self, body: int) -> list[Turn]:
        """Rotation of a body in its parent as turns about z (psi), x (alpha) and z (theta, with the joint's)."""
        psi, alpha, theta = rotation_angles(self._rotation(body))
        kind, joint = self.model.topology[body, 1:]
        gain, shift = self.model.constants[body, 22:24]
        last = self._angle('theta', body, theta if kind == PRISMATIC else theta + float(shift))
        if kind != PRISMATIC:
            if gain != round(gain):
                raise InputError(f"Joint '{self.model.joint_names[joint]}' is mimicked with a factor of {gain:g}: "
                                 'equations can be written for whole factors only.', field='model')
            name = self.coordinates[joint]
            last = (last[0] * self.alphabet.turn(name, round(gain)), last[1] * self.alphabet.turn(name, -round(gain)))
        return [('z', *self._angle('psi', body, psi)), ('x', *self._angle('alpha', body, alpha)), ('z', *last)]

    def keep(self, used: Iterable[TrigPolynomial]) -> None:
        """Forget the symbols that do not occur; lx1 becomes l1 if it is the only coordinate that does."""
        keys = {key for polynomial in used for key in polynomial.terms}
        counts = [any(column) for column in zip(*(self.alphabet.exponents(key) for key in keys), strict=True)]
        names = {name for name, count in zip(self.alphabet.names, counts, strict=False) if count}
        short = {name: re.sub('^([lr])[xyz]', r'\1', name) for name in names}
        taken = Counter(short.values())
        final = {name: other if taken[other] == 1 else name for name, other in short.items()}
        self.alphabet.names = [final.get(name, name) for name in self.alphabet.names]
        self.values = {final[name]: value for name, value in self.values.items() if name in final}
        self.meanings = {final[name]: text for name, text in self.meanings.items() if name in final}

    def _angle(self, letter: str, body: int, value: float) -> tuple[TrigPolynomial, TrigPolynomial]:
        quarters = round(value / (math.pi / 2.0))
        if abs(value - quarters * math.pi / 2.0) < EXACT:
            return ONE.scaled(1j ** (quarters % 4)), ONE.scaled((-1j) ** (quarters % 4))
        if self.numeric:
            number = complex(math.cos(value), math.sin(value))
            return ONE.scaled(number), ONE.scaled(number.conjugate())
        name = f'{letter}{body + 1}'
        self.values[name] = value
        self.meanings[name] = {'psi': 'turn about z before', 'alpha': 'twist before',
                               'theta': 'angle added to'}[letter] + f' joint {body + 1} [rad]'
        return self.alphabet.turn(name, 1), self.alphabet.turn(name, -1)

    def _rotation(self, body: int) -> Array:
        found = self.model.constants[body, :9].reshape(3, 3).copy()
        nearest = np.round(found)
        return np.where(np.abs(found - nearest) < EXACT, nearest, found)

    def _place(self, body: int) -> Array:
        row = self.model.constants[body]
        shift = row[23] if self.model.topology[body, 1] == PRISMATIC else 0.0
        return np.asarray(row[9:12] + shift * self._rotation(body)[:, 2])

    def _link(self, body: int) -> str:
        return self.model.body_names[body] if body >= 0 else self.model.base


def rotation_angles(rotation: Array) -> tuple[float, float, float]:
    """Angles psi, alpha, theta [rad] of Rz(psi) Rx(alpha) Rz(theta); psi is 0 where it can be (Craig (3.6))."""
    if rotation[0, 2] == 0.0:
        return (0.0, math.atan2(-rotation[1, 2], rotation[2, 2]), math.atan2(-rotation[0, 1], rotation[0, 0]))
    return (math.atan2(rotation[0, 2], -rotation[1, 2]),
            math.atan2(math.hypot(rotation[0, 2], rotation[1, 2]), rotation[2, 2]),
            math.atan2(rotation[2, 0], rotation[2, 1]))
