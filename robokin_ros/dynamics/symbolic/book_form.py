"""Polynomials of the equations of motion as sympy expressions in the form of the textbook."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

import sympy

from robokin_ros.dynamics.symbolic.parameters import MASSES
from robokin_ros.dynamics.symbolic.trig_polynomial import Alphabet, TrigPolynomial
from robokin_ros.dynamics.symbolic.trig_products import Angles, trig_products

MOST_TO_FACTOR = 16
"""Sums of more terms than this are not searched for factors like (l1 + l2 c2)^2, only for common ones."""


class BookForm:
    """Turns polynomials of one alphabet into expressions."""

    def __init__(self, alphabet: Alphabet, numeric: bool) -> None:
        self.alphabet = alphabet
        self.numeric = numeric
        self.angles = [i for i, angle in enumerate(alphabet.is_angle) if angle]
        self.powers = [i for i, angle in enumerate(alphabet.is_angle) if not angle]
        self.trig: dict[sympy.Symbol, sympy.Expr] = {}

    def by_masses(self, polynomial: TrigPolynomial) -> sympy.Expr:
        """Sum over masses and inertias, common factors in front: I1 + m1 l1^2 + m2 (l1 + l2 c2)^2."""
        number, rest = self._by_masses(polynomial)
        return number * rest

    def by_angles(self, polynomial: TrigPolynomial) -> sympy.Expr:
        """Sum over sines and cosines: (m1 r1 + m2 l1) g c1 + m2 r2 g c12."""
        total = sympy.S.Zero
        for trig, terms in self._groups(polynomial, by_mass=False).items():
            number, rest = self._factored(terms)
            total += number * (rest * trig)
        return total.xreplace(self.trig)

    def by_rates(self, factors: dict[tuple[int, int], TrigPolynomial], rates: list[sympy.Symbol]) -> sympy.Expr:
        """Sum over products of rates, those with proportional factors together: -m2 l1 l2 s2 (2 qd1 qd2 + qd2^2)."""
        groups: dict[tuple, list[tuple[float, TrigPolynomial, sympy.Expr]]] = defaultdict(list)
        for (j, k), polynomial in factors.items():
            lead = polynomial.terms[min(polynomial.terms)]
            shape = sorted((key, f'{number / lead + 0.0:.9e}') for key, number in polynomial.terms.items())
            size = lead.real if abs(lead.real) > abs(lead.imag) else lead.imag
            groups[tuple(shape)].append((size, polynomial, rates[j] * rates[k]))
        total = sympy.S.Zero
        for same in groups.values():
            unit, polynomial, _ = min(same, key=lambda item: abs(item[0]))
            products = [self._number(size / unit) * product for size, _, product in same]
            number, rest = self._by_masses(polynomial)
            total += number * (rest * sympy.Add(*products))
        return total

    def _by_masses(self, polynomial: TrigPolynomial) -> tuple[sympy.Expr, sympy.Expr]:
        """The number in front of a sum over masses, and the rest."""
        merged: dict[sympy.Expr, list[sympy.Expr]] = defaultdict(list)
        for mass, terms in self._groups(polynomial, by_mass=True).items():
            number, rest = self._factored(terms)
            merged[rest].append(number * mass)
        parts = []
        for rest, masses in merged.items():
            number, total = self._common(masses)
            parts.append(number * (total * rest))
        number, total = self._common(parts)
        return number, total.xreplace(self.trig)

    def _groups(self, polynomial: TrigPolynomial, by_mass: bool) -> dict[sympy.Expr, list[sympy.Expr]]:
        """Terms without their mass (or without their sines and cosines), by what was left off."""
        series: dict[tuple[int, ...], dict[Angles, complex]] = defaultdict(dict)
        for key, number in polynomial.terms.items():
            exponents = self.alphabet.exponents(key)
            powers = tuple(exponents[i] for i in self.powers)
            series[powers][tuple(exponents[i] for i in self.angles)] = number
        groups: dict[sympy.Expr, list[sympy.Expr]] = defaultdict(list)
        for powers, fourier in series.items():
            mass, others = sympy.S.One, sympy.S.One
            for index, power in zip(self.powers, powers, strict=True):
                symbol = sympy.Symbol(self.alphabet.names[index])
                if by_mass and symbol.name[0] in MASSES:
                    mass *= symbol**power
                else:
                    others *= symbol**power
            for number, factors in trig_products(fourier):
                trig = sympy.Mul(*(self._stand_in(factor) for factor in factors))
                if by_mass:
                    groups[mass].append(self._number(number) * others * trig)
                else:
                    groups[trig].append(self._number(number) * others)
        return groups

    def _stand_in(self, factor: tuple[str, Angles]) -> sympy.Symbol:
        """A symbol in place of a sine or cosine, so that it takes part in factoring."""
        kind, angles = factor
        names = [self.alphabet.names[i] for i in self.angles]
        angle = sympy.Add(*(k * sympy.Symbol(name) for k, name in zip(angles, names, strict=True)))
        symbol = sympy.Symbol(f'{kind}({angle})')
        self.trig[symbol] = sympy.cos(angle) if kind == 'c' else sympy.sin(angle)
        return symbol

    def _number(self, value: float) -> sympy.Number:
        """A fraction, or a decimal number if it comes from those of the model."""
        if self.numeric and value != round(value):
            return sympy.Float(float(f'{value:.15g}'))
        near = Fraction(value).limit_denominator(1_000_000)
        return sympy.Rational(near if abs(near - value) < 1e-13 * abs(value) else Fraction(value))

    def _factored(self, terms: list[sympy.Expr]) -> tuple[sympy.Expr, sympy.Expr]:
        """A sum as a number and a product, most signs of which are plus."""
        if self.numeric or not 1 < len(terms) <= MOST_TO_FACTOR:
            return self._common(terms)
        number, factors = sympy.factor_list(sympy.Add(*terms))
        if any(factor.is_Add and factor.as_coeff_Add()[0] for factor, _ in factors):
            return self._common(terms)  # 1 - s^2 reads better than its factors
        return _signed(number, sympy.Mul(*(factor**power for factor, power in factors)))

    def _common(self, terms: list[sympy.Expr]) -> tuple[sympy.Expr, sympy.Expr]:
        """A sum as a number and the factors that all its terms share times what is left."""
        if self.numeric or len(terms) < 2:
            return sympy.Add(*terms).as_coeff_Mul()
        split = [term.as_coeff_Mul() for term in terms]
        powers = [rest.as_powers_dict() for _, rest in split]
        shared = sympy.Mul(*(base**min(power[base] for power in powers) for base in powers[0]
                             if all(base in power for power in powers)))
        number = sympy.gcd([number for number, _ in split])
        if _minus_signs(terms) > 0:
            number = -number
        signed = (_signed(part / number, rest / shared) for part, rest in split)
        return number, shared * sympy.Add(*(part * rest for part, rest in signed))


def _signed(number: sympy.Expr, product: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """The same with most signs in the sums of the product plus; in doubt so that the number is positive."""
    factors = []
    for factor in sympy.Mul.make_args(product):
        base, power = factor.as_base_exp()
        minus = _minus_signs(base.args) if base.is_Add else -1
        if minus > 0 or (minus == 0 and number < 0 and power % 2):
            base, number = -base, number * (-1)**power
        factors.append(base**power)
    return number, sympy.Mul(*factors)


def _minus_signs(terms: Iterable[sympy.Expr]) -> int:
    """How many more terms have a minus than have none."""
    return sum(1 if term.as_coeff_Mul()[0] < 0 else -1 for term in terms)
