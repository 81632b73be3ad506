"""Between actuators and joints: the Yasukawa Motoman L-3, whose actuators couple its joints (KIN-19, KIN-28)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, LimitError, UnknownNameError
from robokin_ros.spatial.rotation import finite

Array = NDArray[np.float64]
TURN = 25600.0
"""Counts of actuator 5 for one turn of joint 5."""
MOST_A5 = 55000.0


@dataclass(frozen=True)
class MotomanActuators:
    """Constants of the five actuators; scales k [rad or m per count], offsets lam [rad or m], lengths [m], om2 [rad].

    Actuators 2 and 3 are the variable sides of triangles with sides al and be; gam and phi are the legs of al. Actuator
    3 sets the orientation of link 3, actuator 4 that of link 4, relative to the base.
    """

    k1: float
    lam1: float
    k2: float
    lam2: float
    gam2: float
    phi2: float
    al2: float
    be2: float
    om2: float
    k3: float
    lam3: float
    gam3: float
    phi3: float
    al3: float
    be3: float
    k4: float
    lam4: float
    k5: float
    lam5: float

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            bad = not np.isfinite(value) or (item.name.startswith('k') and value == 0.0)
            if bad or (item.name[:2] in ('ga', 'al', 'be') and value <= 0.0):
                raise InputError(f'Actuator constant {item.name} is {value}.', field=item.name, value=value)

    @classmethod
    def from_degrees(cls, constants: Mapping[str, float]) -> MotomanActuators:
        """Constants as the book has them: angles in degrees (k1, lam1, om2, k4, lam4, k5, lam5), keys in any case."""
        given = {key.lower(): float(value) for key, value in constants.items()}
        names = [item.name for item in fields(cls)]
        for name in (*given, *names):
            if name not in names:
                raise UnknownNameError('actuator constant', name, names)
            if name not in given:
                raise InputError(f"The actuator constant '{name}' is missing.", field=name)
        angles = ('k1', 'lam1', 'om2', 'k4', 'lam4', 'k5', 'lam5')
        return cls(**{name: np.radians(value) if name in angles else value for name, value in given.items()})

    def to_joints(self, counts: ArrayLike) -> Array:
        """Joint angles (..., 5) [rad] of actuator counts (..., 5); Craig (3.15)."""
        a1, a2, a3, a4, a5 = np.moveaxis(finite(counts, 'counts', (5,)), -1, 0)
        psi2 = self._angle(self.k2 * a2 + self.lam2, self.al2, self.be2, 2)
        psi3 = self._angle(self.k3 * a3 + self.lam3, self.al3, self.be3, 3)
        theta2 = psi2 + np.arctan2(self.phi2, self.gam2) + self.om2 - 1.5 * np.pi
        theta23 = psi3 + np.arctan2(self.phi3, self.gam3) - 0.5 * np.pi
        return np.stack(
            (
                self.k1 * a1 + self.lam1,
                theta2,
                theta23 - theta2,
                -self.k4 * a4 - theta23 + self.lam4 + np.pi,
                self.lam5 - self.k5 * a5,
            ),
            axis=-1,
        )

    def to_counts(self, joints: ArrayLike) -> Array:
        """Actuator counts (..., 5) of joint angles (..., 5) [rad]; Craig (4.105)."""
        t1, t2, t3, t4, t5 = np.moveaxis(finite(joints, 'joints', (5,)), -1, 0)
        g2 = self._side(t2 - self.om2 - np.arctan2(self.phi2, self.gam2) + 1.5 * np.pi, self.al2, self.be2)
        g3 = self._side(t2 + t3 - np.arctan2(self.phi3, self.gam3) + 0.5 * np.pi, self.al3, self.be3)
        return np.stack(((t1 - self.lam1) / self.k1, (g2 - self.lam2) / self.k2, (g3 - self.lam3) / self.k3,
                         (np.pi + self.lam4 - t2 - t3 - t4) / self.k4, (self.lam5 - t5) / self.k5), axis=-1)

    def check(self, counts: ArrayLike) -> None:
        """Raise LimitError where the coupled limits of the actuators are broken; Craig (4.106), (4.107)."""
        _, a2, a3, a4, a5 = finite(counts, 'counts', (5,)).tolist()
        if not a2 - 10000.0 < a3 < a2 + 3000.0:
            raise LimitError(f'Actuator 3 is at {a3:g} counts; with actuator 2 at {a2:g} it must be between '
                             f'{a2 - 10000.0:g} and {a2 + 3000.0:g}.', joint='actuator_3', value=a3, limit=a2)
        if not 32000.0 - a4 < a5 < MOST_A5:
            raise LimitError(f'Actuator 5 is at {a5:g} counts; with actuator 4 at {a4:g} it must be between '
                             f'{32000.0 - a4:g} and {MOST_A5:g}.', joint='actuator_5', value=a5, limit=32000.0 - a4)

    @staticmethod
    def legal_turns(a4: float, a5: float) -> Array:
        """Counts of actuator 5, a5 plus whole turns of joint 5, within its limits for a position of actuator 4."""
        first = int(np.floor((32000.0 - a4 - a5) / TURN)) - 1
        values = a5 + TURN * np.arange(first, first + 8)
        return np.asarray(values[(values > 32000.0 - a4) & (values < MOST_A5)], dtype=np.float64)

    @staticmethod
    def _angle(side: Array, one: float, other: float, actuator: int) -> Array:
        if np.any(side < abs(one - other)) or np.any(side > one + other):
            raise InputError(
                f'Actuator {actuator} would have the length {np.asarray(side).tolist()} m; its triangle closes '
                f'from {abs(one - other):.6g} to {one + other:.6g} m.',
                field='counts',
                value=side,
            )
        return np.asarray(np.arccos(np.clip((one**2 + other**2 - side**2) / (2.0 * one * other), -1.0, 1.0)))

    @staticmethod
    def _side(angle: Array, one: float, other: float) -> Array:
        return np.asarray(np.sqrt(one**2 + other**2 - 2.0 * one * other * np.cos(angle)))
