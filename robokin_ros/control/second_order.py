"""Second-order linear systems: free response, gains from stiffness and damping, integral action (CTL-01 to CTL-05)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError

Array = NDArray[np.float64]
CRITICAL = 1e-9
"""Relative difference of b^2 from 4 m k below which damping is critical."""


@dataclass(frozen=True)
class SecondOrder:
    """m xdd + b xd + k x = 0.

    Attributes
    ----------
    mass, damping, stiffness
        m > 0, b, k.
    """

    mass: float
    damping: float
    stiffness: float

    def __post_init__(self) -> None:
        if not (0.0 < self.mass < np.inf) or not np.isfinite(self.damping) or not np.isfinite(self.stiffness):
            raise InputError(f'Mass {self.mass}, damping {self.damping} and stiffness {self.stiffness} describe no '
                             'system: the mass must be positive, all finite.', field='mass')

    @property
    def kind(self) -> str:
        """'overdamped', 'critical' or 'underdamped' (Craig 9.3)."""
        square, product = self.damping**2, 4.0 * self.mass * self.stiffness
        if abs(square - product) <= CRITICAL * abs(product):
            return 'critical'
        return 'overdamped' if square > product else 'underdamped'

    @property
    def poles(self) -> tuple[complex, complex]:
        """Roots of m s^2 + b s + k, the slower first."""
        middle = -0.5 * self.damping / self.mass
        if self.kind == 'critical':
            return complex(middle), complex(middle)
        half = np.sqrt(complex(self.damping**2 - 4.0 * self.mass * self.stiffness)) / (2.0 * self.mass)
        return complex(middle + half), complex(middle - half)

    @property
    def stable(self) -> bool:
        """Both poles have negative real parts."""
        return max(pole.real for pole in self.poles) < 0.0

    @property
    def natural_frequency(self) -> float | None:
        """omega_n [rad/s]; None without positive stiffness."""
        return float(np.sqrt(self.stiffness / self.mass)) if self.stiffness > 0.0 else None

    @property
    def damping_ratio(self) -> float | None:
        """zeta; None without positive stiffness."""
        return float(self.damping / (2.0 * np.sqrt(self.stiffness * self.mass))) if self.stiffness > 0.0 else None

    @property
    def overshoot(self) -> float:
        """Of a step, as a share of it; 0 unless underdamped."""
        ratio = self.damping_ratio
        if ratio is None or self.kind != 'underdamped' or ratio <= 0.0:
            return 0.0
        return float(np.exp(-np.pi * ratio / np.sqrt(1.0 - ratio**2)))

    @property
    def settling_time(self) -> float | None:
        """To 2 % [s], 4 / (zeta omega_n); None for what does not settle."""
        frequency, ratio = self.natural_frequency, self.damping_ratio
        if frequency is None or ratio is None or ratio <= 0.0:
            return None
        return 4.0 / (ratio * frequency)

    def response(self, t: ArrayLike, position: float, velocity: float = 0.0) -> Array:
        """Free motion x(t) from an initial state (9.7)-(9.27)."""
        time, (first, second) = np.asarray(t, dtype=float), self.poles
        if self.kind == 'critical':
            rate = first.real
            return np.asarray((position + (velocity - rate * position) * time) * np.exp(rate * time))
        if self.kind == 'overdamped':
            one = (velocity - second.real * position) / (first.real - second.real)
            return np.asarray(one * np.exp(first.real * time) + (position - one) * np.exp(second.real * time))
        rate, turn = first.real, first.imag
        swing = (velocity - rate * position) / turn
        return np.asarray(np.exp(rate * time) * (position * np.cos(turn * time) + swing * np.sin(turn * time)))


def regulation_gains(plant: SecondOrder, stiffness: float, damping_ratio: float = 1.0) -> tuple[float, float]:
    """Gains k_p, k_v of f = -k_p x - k_v xd that give a plant a stiffness and damping ratio (9.38)."""
    _positive(stiffness=stiffness, damping_ratio=damping_ratio)
    return (stiffness - plant.stiffness,
            2.0 * damping_ratio * float(np.sqrt(plant.mass * stiffness)) - plant.damping)


def unit_gains(bandwidth: float, damping_ratio: float = 1.0) -> tuple[float, float]:
    """Gains k_p [1/s^2] and k_v [1/s] of the unit-mass system of a partitioned controller (9.45)-(9.52)."""
    _positive(bandwidth=bandwidth, damping_ratio=damping_ratio)
    return bandwidth**2, 2.0 * damping_ratio * bandwidth


def steady_error(k_p: float, disturbance: float, mass: float = 1.0, k_i: float = 0.0) -> float:
    """Error that a constant load leaves (9.56); 0 with integral action."""
    _positive(k_p=k_p, mass=mass)
    return 0.0 if k_i > 0.0 else disturbance / (mass * k_p)


def largest_integral_gain(k_p: float, k_v: float) -> float:
    """k_i below which the third-order loop is stable (Routh): k_p k_v."""
    _positive(k_p=k_p, k_v=k_v)
    return k_p * k_v


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not 0.0 < value < np.inf:
            raise InputError(f'{name} is {value}; it must be positive and finite.', field=name, value=value)
