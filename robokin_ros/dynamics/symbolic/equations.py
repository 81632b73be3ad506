"""The equations of motion of a small arm as formulas: the textbook's M(q), V(q, qd) and G(q), Craig chapter 6."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from robokin_ros.dynamics.batches import vector
from robokin_ros.dynamics.inverse import STANDARD_GRAVITY
from robokin_ros.dynamics.symbolic.lagrange import lagrange_terms
from robokin_ros.dynamics.symbolic.parameters import Parameters
from robokin_ros.errors import InputError, RobokinError
from robokin_ros.model.robot_model import RobotModel

if TYPE_CHECKING:
    import sympy

MOST_JOINTS = 6
"""Joints up to which equations are written unless forced."""


@dataclass(frozen=True, eq=False)
class Equations:
    """tau = M(q) qdd + V(q, qd) + G(q) as sympy expressions; friction is not in them.

    Attributes
    ----------
    M, V, G
        Matrices (n, n), (n, 1) and (n, 1) [kg m^2, N m; kg, N for slides].
    q, qd, qdd
        Symbols of the joints: q1, qd1, qdd1 of a turning joint [rad], d2, dd2, ddd2 of a sliding one [m].
    values
        The model's number for each symbol of a parameter, in SI units; empty if the numbers are put in.
    meanings
        What each of these symbols is, with its unit.
    """

    name: str
    joint_names: tuple[str, ...]
    M: sympy.Matrix
    V: sympy.Matrix
    G: sympy.Matrix
    q: tuple[sympy.Symbol, ...]
    qd: tuple[sympy.Symbol, ...]
    qdd: tuple[sympy.Symbol, ...]
    values: dict[str, float]
    meanings: dict[str, str]

    @property
    def tau(self) -> sympy.Matrix:
        """Torques M qdd + V + G, (n, 1) [N m] or [N]."""
        import sympy
        return self.M * sympy.Matrix(self.qdd) + self.V + self.G

    def text(self) -> str:
        """The equations in the textbook's notation (s1 = sin q1, c12 = cos(q1 + q2)), for a terminal."""
        from robokin_ros.dynamics.symbolic.notation import Notation, broken
        notation = Notation(latex=False)
        joints = ', '.join(f'{symbol} {name}' for symbol, name in zip(self.q, self.joint_names, strict=True))
        lines = [f'{self.name}: tau = M(q) qdd + V(q, qd) + G(q); {joints}; s1 = sin q1, c12 = cos(q1 + q2)', '']
        lines += [broken(' = '.join(heads) + ' = ', notation.pieces(entry)) for heads, entry in self._entries('')]
        if self.values:
            width = max(len(name) for name in self.values)
            lines += ['', *(f'{name:{width}} = {value:<12.6g} {self.meanings[name]}'
                            for name, value in self.values.items())]
        return '\n'.join(lines) + '\n'

    def latex(self) -> str:
        """The equations as an `aligned` block, to be put in a displayed formula."""
        from robokin_ros.dynamics.symbolic.notation import Notation, aligned
        notation = Notation(latex=True)
        rows = [r'\tau &= M(q)\,\ddot{q} + V(q,\dot{q}) + G(q)']
        rows += [aligned(' = '.join(heads), notation.pieces(entry)) for heads, entry in self._entries('_')]
        return '\\begin{aligned}\n  ' + ' \\\\\n  '.join(rows) + '\n\\end{aligned}\n'

    def python(self) -> str:
        """Source text of `dynamics_terms(q, qd)`, which returns (M, V, G) and needs only math and numpy."""
        import sympy
        from sympy.printing.pycode import pycode
        number = len(self.q)
        entries = [*self.M, *self.V, *self.G]
        shared, short = sympy.cse(entries, symbols=sympy.numbered_symbols('t'), order='canonical')
        written = [pycode(entry) for entry in short]
        matrix = ',\n                     '.join(f"[{', '.join(written[i * number:(i + 1) * number])}]"
                                                for i in range(number))
        split = number * number
        return '\n'.join([
            f'"""Equations of motion of {_plain(self.name)}: tau = M(q) qdd + V(q, qd) + G(q)."""', '',
            'import math', '', 'import numpy as np', '', '',
            'def dynamics_terms(q, qd):',
            f'    """M, V and G of the joints {_plain(", ".join(self.joint_names))} in SI units."""',
            f"    {', '.join(map(str, self.q))}{',' * (number == 1)} = q",
            f"    {', '.join(map(str, self.qd))}{',' * (number == 1)} = qd",
            *(f'    {name} = {value!r}  # {_plain(self.meanings[name])}' for name, value in self.values.items()),
            *(f'    {symbol} = {pycode(expression)}' for symbol, expression in shared),
            f'    mass = np.array([{matrix}], dtype=float)',
            f"    velocity = np.array([{', '.join(written[split:split + number])}], dtype=float)",
            f"    gravity = np.array([{', '.join(written[split + number:])}], dtype=float)",
            '    return mass, velocity, gravity', ''])

    def _entries(self, mark: str) -> list[tuple[list[str], sympy.Expr]]:
        """Names and expression of every entry; equal ones of M across the diagonal together."""
        def index(*numbers: int) -> str:
            joined = ('' if max(numbers) < 10 else ',').join(map(str, numbers))
            return f'_{{{joined}}}' if mark else joined

        count = range(1, len(self.q) + 1)
        found = [([f'M{index(i, j)}'] + [f'M{index(j, i)}'] * (i != j), self.M[i - 1, j - 1])
                 for i in count for j in count if j >= i]
        return found + [([f'{letter}{index(i)}'], column[i - 1])
                        for letter, column in (('V', self.V), ('G', self.G)) for i in count]


def equations_of_motion(model: RobotModel, gravity: ArrayLike = STANDARD_GRAVITY, numeric: bool = False,
                        force: bool = False) -> Equations:
    """Equations of motion of a small arm.

    Parameters
    ----------
    gravity
        In base axes [m/s^2].
    numeric
        Put the model's numbers in; otherwise they have symbols (see `Parameters`), and zeros and angles that are
        multiples of 90 degrees stay as they are.
    force
        Write the equations of more than 6 joints, or of an arm so general that they have more than 20000 terms,
        too. Three joints take a second or less, industrial arms of six some seconds; what is refused takes minutes
        or more.
    """
    if importlib.util.find_spec('sympy') is None:
        raise RobokinError('Writing equations of motion needs sympy: pip install sympy.')
    import sympy

    from robokin_ros.dynamics.symbolic.book_form import BookForm
    model.require_dynamics()
    if model.dof == 0:
        raise InputError(f"'{model.name}' has no joint that moves: it has no equations of motion.", field='model')
    if model.dof > MOST_JOINTS and not force:
        raise InputError(f"'{model.name}' has {model.dof} joints, and equations of more than {MOST_JOINTS} can take "
                         'very long to write: choose a tip nearer the base, or force it.', field='model')
    parameters = Parameters(model, numeric)
    terms = lagrange_terms(model, parameters, vector(gravity, 3, 'gravity'), force)
    parameters.keep([*(entry for row in terms.mass for entry in row), *terms.gravity])
    form = BookForm(parameters.alphabet, numeric)
    names = parameters.coordinates
    q, qd, qdd = ([sympy.Symbol(f'{name[0]}{dots}{name[1:]}') for name in names] for dots in ('', 'd', 'dd'))
    mass = sympy.zeros(model.dof, model.dof)
    for i in range(model.dof):
        for j in range(i, model.dof):
            mass[i, j] = mass[j, i] = form.by_masses(terms.mass[i][j])
    velocity = sympy.Matrix(model.dof, 1, [form.by_rates(factors, qd) for factors in terms.velocity])
    weight = sympy.Matrix(model.dof, 1, [form.by_angles(entry) for entry in terms.gravity])
    return Equations(model.name, model.joint_names, mass, velocity, weight, tuple(q), tuple(qd), tuple(qdd),
                     parameters.values, parameters.meanings)


def _plain(text: str) -> str:
    """Text of a description that is safe in comments of generated code."""
    return re.sub(r'[^\w .,:()/\[\]^+-]', '_', text)
