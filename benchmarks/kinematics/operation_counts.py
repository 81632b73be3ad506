"""Operation counts and evaluation order (KIN-11): counted with an instrumented number, and timed with plain ones.

Three rotations applied to one vector, as plain scalar code: the product of the matrices first, the vector first, and
the third column of a product as the cross product of the other two.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks.report import Row
from benchmarks.timing import interleave

EXPECTED = {'matrices first': (63, 42), 'vector first': (27, 18), 'product of two': (27, 18),
            'product of two, third column by cross product': (24, 15)}
"""Multiplications and additions that the book tells."""

Vector = list
Matrix = list[Vector]


class Counted:
    """A number that counts what is done with it."""

    multiplications = additions = 0

    def __init__(self, value: float) -> None:
        self.value = value

    def __mul__(self, other: Counted) -> Counted:
        Counted.multiplications += 1
        return Counted(self.value * other.value)

    def __add__(self, other: Counted) -> Counted:
        Counted.additions += 1
        return Counted(self.value + other.value)

    def __sub__(self, other: Counted) -> Counted:
        Counted.additions += 1
        return Counted(self.value - other.value)


def rotate(matrix: Matrix, vector: Vector) -> Vector:
    """Matrix times vector."""
    x, y, z = vector
    return [row[0] * x + row[1] * y + row[2] * z for row in matrix]


def multiply(left: Matrix, right: Matrix) -> Matrix:
    """Matrix times matrix, column by column."""
    return transpose([rotate(left, column) for column in transpose(right)])


def multiply_rotations(left: Matrix, right: Matrix) -> Matrix:
    """Rotation times rotation: the third column is the cross product of the other two."""
    first, second, _ = transpose(right)
    (ax, ay, az), (bx, by, bz) = rotate(left, first), rotate(left, second)
    return transpose([[ax, ay, az], [bx, by, bz], [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]])


def transpose(matrix: Matrix) -> Matrix:
    """Columns as rows."""
    return [list(column) for column in zip(*matrix, strict=True)]


def run(poses: int) -> list[Row]:
    """Counts and times of the four ways; `poses` has no say here."""
    a, b, c = (matrix.tolist() for matrix in Rotation.random(3, rng=1).as_matrix())
    vector = [0.1, 0.2, 0.3]
    ways: dict[str, Callable] = {
        'matrices first': lambda a, b, c, v: rotate(multiply(multiply(a, b), c), v),
        'vector first': lambda a, b, c, v: rotate(a, rotate(b, rotate(c, v))),
        'product of two': lambda a, b, c, v: multiply(a, b),
        'product of two, third column by cross product': lambda a, b, c, v: multiply_rotations(a, b),
    }
    timing = interleave({name: lambda way=way: way(a, b, c, vector) for name, way in ways.items()})
    rows = []
    for peer, name in (('matrices first', 'vector first'), ('product of two', list(ways)[3])):
        np.testing.assert_allclose(ways[peer](a, b, c, vector), ways[name](a, b, c, vector), atol=1e-12)
        checks = {}
        for way in (name, peer):
            counts = _count(ways[way], a, b, c, vector)
            checks['{}: {} multiplications, {} additions'.format(way, *counts)] = counts == EXPECTED[way]
        rows.append(Row(f'{name} (plain Python)', timing.median(name), peer, timing.median(peer),
                        timing.ratio(peer, name), checks=checks))
    return rows


def _count(way: Callable, a: Matrix, b: Matrix, c: Matrix, vector: Vector) -> tuple[int, int]:
    """Multiplications and additions of a way."""
    Counted.multiplications = Counted.additions = 0
    way(*([[Counted(value) for value in row] for row in matrix] for matrix in (a, b, c)), [Counted(v) for v in vector])
    return Counted.multiplications, Counted.additions
