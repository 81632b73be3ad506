"""Writing expressions of the equations of motion as the textbook prints them, for terminals and in LaTeX."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

import sympy

from robokin_ros.dynamics.symbolic.parameters import MASSES

NAME = re.compile(r'(?P<greek>alpha|theta|psi)?(?P<dotted>qdd|qd|ddd|dd)?(?P<letter>[a-zIJ]??)(?P<index>[xyz]*[0-9_]*)')
"""Parts of a symbol: alpha2, qdd1, m1, Izz1, lx1_2, g."""
RATES = ('qd', 'dd')
MASS, LENGTH, GRAVITY, TRIG, SUM, RATE = range(6)
WIDTH = 110
LATEX_WIDTH = 160
"""Characters of a line, of a terminal and of LaTeX source."""


@dataclass(frozen=True)
class Notation:
    """How symbols, powers and sums of angles look: c12 for cos(q1 + q2); with `latex`, LaTeX."""

    latex: bool

    def write(self, expression: sympy.Expr) -> str:
        """An expression as text."""
        return ' '.join(self.pieces(expression))

    def pieces(self, expression: sympy.Expr) -> list[str]:
        """The terms of a sum, each with its sign, to break lines between them."""
        terms = sorted(sympy.Add.make_args(expression), key=_term_order)
        lead = next((term for term in terms if not term.could_extract_minus_sign()), terms[0])
        terms.insert(0, terms.pop(terms.index(lead)))
        pieces = []
        for i, term in enumerate(terms):
            negative = term.could_extract_minus_sign() and not term.is_Add
            text = self._product(-term if negative else term)
            pieces.append(('- ' if negative else '+ ') + text if i else ('-' if negative else '') + text)
        return pieces

    def symbol(self, name: str) -> str:
        """A name, in LaTeX with dots and indices."""
        parts = NAME.fullmatch(name) if self.latex else None
        if parts is None:
            return name
        stem, index = parts['letter'], parts['index'].replace('_', ',')
        if parts['greek']:
            stem = f"\\{parts['greek']}"
        elif parts['dotted']:
            stem = rf"\{'d' * (len(parts['dotted']) - 1)}ot{{{name[0]}}}"
        return f'{stem}_{{{index}}}' if index else stem

    def _product(self, term: sympy.Expr) -> str:
        number, rest = term.as_coeff_Mul()
        factors = sorted((f for f in sympy.Mul.make_args(rest) if f != 1), key=_factor_order)
        texts = [self._power(factor) for factor in factors]
        if number != 1 or not factors:
            texts.insert(0, self._number(number))
        return ' '.join(texts)

    def _number(self, number: sympy.Number) -> str:
        if number.is_Rational and not number.is_Integer:
            return rf'\tfrac{{{number.p}}}{{{number.q}}}' if self.latex else f'{number.p}/{number.q}'
        return f'{number.p}' if number.is_Integer else f'{float(number):.6g}'

    def _power(self, factor: sympy.Expr) -> str:
        base, exponent = factor.as_base_exp()
        if base.is_Add:
            inside = self.write(base)
            text = rf'\left({inside}\right)' if self.latex else f'({inside})'
        elif base.is_Symbol:
            text = self.symbol(base.name)
        elif base.is_Number:
            return self._number(factor)
        else:
            return self._trig(base, exponent)
        return text if exponent == 1 else f'{text}^{{{exponent}}}' if self.latex else f'{text}^{exponent}'

    def _trig(self, function: sympy.Expr, exponent: sympy.Expr) -> str:
        angle = function.args[0]
        names = sorted(part.name if part.is_Symbol else '' for part in sympy.Add.make_args(angle))
        power = '' if exponent == 1 else f'^{{{exponent}}}' if self.latex else f'^{exponent}'
        if all(re.fullmatch('q[1-9]', name) for name in names):
            number = ''.join(name[1] for name in names)
            letter = 's' if isinstance(function, sympy.sin) else 'c'
            return f'{letter}_{{{number}}}{power}' if self.latex else f'{letter}{number}{power}'
        kind = 'sin' if isinstance(function, sympy.sin) else 'cos'
        inside = re.sub(r' ([+-]) ', r'\1', self.write(angle))
        return rf'\{kind}{power}\left({inside}\right)' if self.latex else f'{kind}({inside}){power}'


def _kind(factor: sympy.Expr) -> int:
    base = factor.as_base_exp()[0]
    if base.is_Add:
        names = [symbol.name for symbol in base.free_symbols]
        if any(name[0] in MASSES for name in names):
            return MASS
        return RATE if any(name.startswith(RATES) for name in names) else SUM
    if not base.is_Symbol:
        return TRIG
    if base.name[0] in MASSES:
        return MASS
    if base.name.startswith(RATES):
        return RATE
    return GRAVITY if base.name[0] == 'g' else LENGTH


def _factor_order(factor: sympy.Expr) -> tuple[int, str, int, str]:
    """Masses, lengths, gravity, sines, sums, rates; each by number; a sum of masses as the first of them."""
    kind, base = _kind(factor), factor.as_base_exp()[0]
    name = f'{base.args[0]}{type(base).__name__}' if kind == TRIG else str(base)
    if kind == MASS and base.is_Add:
        name = min((symbol.name for symbol in base.free_symbols if symbol.name[0] in MASSES), key=_name_order)
    return (kind, *_name_order(name))


def _name_order(name: str) -> tuple[str, int, str]:
    number = re.search(r'[0-9]+', name)
    return name[0] if name[0] in MASSES else '', int(number[0]) if number else 0, name


def _term_order(term: sympy.Expr) -> list[tuple[int, str, int, str]]:
    powers = (factor.as_base_exp() for factor in sympy.Mul.make_args(term.as_coeff_Mul()[1]))
    return sorted(_factor_order(base) for base, exponent in powers if not base.is_Number
                  for _ in range(int(exponent)))


def broken(head: str, pieces: list[str]) -> str:
    """A text equation, broken between the terms of its sum, and inside those that are longer than a line."""
    width = WIDTH - len(head)
    lines = ['']
    for piece in pieces:
        if lines[-1] and len(lines[-1]) + len(piece) >= width:
            lines.append('')
        parts = textwrap.wrap(re.sub(r' (?![+-] )', '\0', piece), width, subsequent_indent='    ',
                              break_long_words=False, break_on_hyphens=False)
        lines[-1] += f'{" " * bool(lines[-1])}{parts[0]}'
        lines += parts[1:]
    return ('\n' + ' ' * len(head)).join([head + lines[0], *lines[1:]]).replace('\0', ' ')


def aligned(head: str, pieces: list[str]) -> str:
    """A LaTeX equation of an aligned block, broken between the terms of its sum."""
    lines = ['']
    for piece in pieces:
        if lines[-1] and len(lines[-1]) + len(piece) > LATEX_WIDTH:
            lines.append('')
        lines[-1] += f' {piece}'
    return f'{head} &=' + ' \\\\\n    &\\quad'.join(lines)
