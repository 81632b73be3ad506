"""Random arms of each class of inverse kinematics, as DH tables and as models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robokin_ros.model import DhRow, RobotModel


@dataclass
class RandomArm:
    """A model and the modified DH table (alpha, a, d, theta) it was made of."""

    model: RobotModel
    table: np.ndarray
    slides: np.ndarray

    def joints(self, generator: np.random.Generator, count: int) -> np.ndarray:
        """Joint vectors within a whole turn, or a metre, and the limits."""
        low = np.maximum(np.where(self.slides, -1.0, -np.pi), self.model.lower)
        high = np.minimum(np.where(self.slides, 1.0, np.pi), self.model.upper)
        return generator.uniform(low, high, (count, len(self.table)))


def build(table: np.ndarray, slides: np.ndarray | None = None, lower: np.ndarray | None = None,
          upper: np.ndarray | None = None) -> RandomArm:
    """Arm of a table; endless joints unless limits are given."""
    number = len(table)
    slides = np.zeros(number, dtype=bool) if slides is None else slides
    lower = np.full(number, -np.inf) if lower is None else lower
    upper = np.full(number, np.inf) if upper is None else upper
    rows = [DhRow(*(float(value) for value in table[i]), type='prismatic' if slides[i] else 'revolute',
                  lower=float(lower[i]), upper=float(upper[i])) for i in range(number)]
    return RandomArm(RobotModel.from_dh(rows), table, slides)


def generic_table(generator: np.random.Generator, number: int) -> np.ndarray:
    """Arbitrary twists (not near parallel), lengths, offsets and zeros."""
    twists = np.radians(generator.uniform(20.0, 160.0, number)) * generator.choice([-1.0, 1.0], number)
    return np.column_stack((twists, generator.uniform(0.05, 0.5, number) * generator.choice([-1.0, 1.0], number),
                            generator.uniform(-0.5, 0.5, number), generator.uniform(-np.pi, np.pi, number)))


def six_joints(generator: np.random.Generator, kind: str, axis: int, limits: tuple | None = None) -> RandomArm:
    """A 6R arm: 'meet 3', 'parallel 3', 'meet 2', 'parallel 2' of its axes from `axis` (1 to 6) on."""
    table = generic_table(generator, 6)
    relation, number = kind.split()
    rows = range(axis, axis + int(number) - 1)
    for row in rows:
        if relation == 'meet':
            table[row, 1] = 0.0
        else:
            table[row, 0] = 0.0 if generator.random() < 0.7 else np.pi
            table[row, 1] = generator.uniform(0.2, 0.5)
    if kind == 'meet 3':
        table[axis, 2] = 0.0
    return build(table, None, *(() if limits is None else limits))


def small_chain(generator: np.random.Generator, number: int) -> RandomArm:
    """A chain of revolute and sliding joints whose neighbours are often parallel, square or meeting."""
    table = generic_table(generator, number)
    for row in range(number):
        table[row, 0] = generator.choice([0.0, 0.0, np.pi, np.pi / 2, -np.pi / 2, np.pi / 2, table[row, 0]])
        table[row, 1] *= generator.random() < 0.7
        table[row, 2] *= generator.random() < 0.5
    return build(table, generator.random(number) < 0.3)


def seven_joints(generator: np.random.Generator, kind: str) -> RandomArm:
    """'SRS': spherical shoulder and wrist; 'wrist': the last three axes meet; 'rail': a slide before such an arm."""
    table, slides = generic_table(generator, 7), np.zeros(7, dtype=bool)
    if kind == 'rail':
        slides[0] = True
    table[[5, 6], 1] = table[5, 2] = 0.0
    if kind == 'SRS':
        table[[1, 2], 1] = table[1, 2] = 0.0
    elif kind == 'rail':
        table[2, 1] = 0.0
    return build(table, slides)
