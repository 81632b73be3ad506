"""Polynomials in symbols and in sines and cosines of sums of angles, kept as Fourier terms: equal ones look equal."""

from __future__ import annotations

from collections.abc import Iterable

BITS = 12
"""Bits of a key per variable: exponents and frequencies stay within +-2047."""
HALF, MASK = 1 << (BITS - 1), (1 << BITS) - 1
CANCELLED = 1e-13
"""A sum this much smaller than its parts is rounding."""


class TrigPolynomial:
    """A sum of complex numbers times powers of symbols times exp(i (k1 angle1 + k2 angle2 + ...)).

    `terms` maps a key, in which every variable has `BITS` bits for its exponent or frequency, to the number.
    Keys of factors add. With symbols for all parameters every number is a dyadic fraction, so sums are exact.
    """

    __slots__ = ('terms',)

    def __init__(self, terms: dict[int, complex] | None = None) -> None:
        self.terms = terms or {}

    def __add__(self, other: TrigPolynomial) -> TrigPolynomial:
        terms = dict(self.terms)
        for key, number in other.terms.items():
            _put(terms, key, number)
        return TrigPolynomial(terms)

    def __sub__(self, other: TrigPolynomial) -> TrigPolynomial:
        return self + other.scaled(-1.0)

    def __mul__(self, other: TrigPolynomial) -> TrigPolynomial:
        terms: dict[int, complex] = {}
        for key, number in self.terms.items():
            for other_key, other_number in other.terms.items():
                _put(terms, key + other_key, number * other_number)
        return TrigPolynomial(terms)

    def scaled(self, factor: complex) -> TrigPolynomial:
        """Product with a number."""
        return TrigPolynomial({key: factor * number for key, number in self.terms.items()} if factor else {})

    def size(self) -> float:
        """Largest magnitude of a number."""
        return max((abs(number) for number in self.terms.values()), default=0.0)

    def without_below(self, limit: float) -> TrigPolynomial:
        """Without the terms of magnitude up to `limit`."""
        return TrigPolynomial({key: number for key, number in self.terms.items() if abs(number) > limit})


def _put(terms: dict[int, complex], key: int, number: complex) -> None:
    before = terms.get(key)
    if before is None:
        terms[key] = number
        return
    total = before + number
    if abs(total) <= CANCELLED * abs(number):
        del terms[key]
    else:
        terms[key] = total


Vector = tuple[TrigPolynomial, TrigPolynomial, TrigPolynomial]
ZERO = TrigPolynomial()
ONE = TrigPolynomial({0: 1.0})


class Alphabet:
    """The variables of a set of polynomials: symbols, which have powers, and angles, which have frequencies.

    A name may be both, as that of a joint that a turning and a sliding joint follow.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.is_angle: list[bool] = []

    def symbol(self, name: str) -> TrigPolynomial:
        """The polynomial `name`."""
        return TrigPolynomial({self._unit(name, False): 1.0})

    def turn(self, name: str, times: int) -> TrigPolynomial:
        """The polynomial exp(i times name)."""
        return TrigPolynomial({times * self._unit(name, True): 1.0})

    def exponents(self, key: int) -> list[int]:
        """Exponent or frequency of every variable in a key."""
        found = []
        for _ in self.names:
            digit = ((key + HALF) & MASK) - HALF
            found.append(digit)
            key = (key - digit) >> BITS
        return found

    def derivative(self, polynomial: TrigPolynomial, name: str) -> TrigPolynomial:
        """Partial derivative with respect to a variable."""
        terms: dict[int, complex] = {}
        for index in (i for i, other in enumerate(self.names) if other == name):
            unit, angle = 1 << (BITS * index), self.is_angle[index]
            for key, number in polynomial.terms.items():
                exponent = self.exponents(key)[index]
                if exponent:
                    _put(terms, key if angle else key - unit, number * exponent * (1j if angle else 1.0))
        return TrigPolynomial(terms)

    def _unit(self, name: str, angle: bool) -> int:
        variables = list(zip(self.names, self.is_angle, strict=True))
        if (name, angle) not in variables:
            self.names.append(name)
            self.is_angle.append(angle)
            variables.append((name, angle))
        return 1 << (BITS * variables.index((name, angle)))


def dot(a: Vector, b: Vector) -> TrigPolynomial:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def add(a: Vector, b: Vector) -> Vector:
    """Sum of two vectors."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def turned_back(v: Vector, turns: Iterable[tuple[str, TrigPolynomial, TrigPolynomial]]) -> Vector:
    """A vector in the axes that come from turning about 'x' or 'z' by angles, given as exp(i angle), exp(-i angle)."""
    x, y, z = v
    for axis, forward, back in turns:
        cosine, sine = (forward + back).scaled(0.5), (forward - back).scaled(-0.5j)
        if axis == 'z':
            x, y = cosine * x + sine * y, cosine * y - sine * x
        else:
            y, z = cosine * y + sine * z, cosine * z - sine * y
    return x, y, z
