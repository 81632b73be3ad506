"""One joint with motor, gear and load: inertia, structural resonance, gains that respect it (CTL-07 to CTL-09)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robokin_ros.control.second_order import SecondOrder
from robokin_ros.errors import InputError

BEAM_MASS, SHAFT_INERTIA = 0.23, 0.33
"""Share of a beam's mass at its tip, and of a shaft's inertia at its end, that vibrates (fig. 9.13)."""


@dataclass(frozen=True)
class JointDrive:
    """A motor behind a gear that turns a load.

    Attributes
    ----------
    load_inertia
        Largest inertia of the load [kg m^2], over all configurations.
    motor_inertia, gear
        Of the rotor [kg m^2]; turns of the motor per turn of the joint.
    load_damping, motor_damping
        [N m s/rad].
    """

    load_inertia: float
    motor_inertia: float = 0.0
    gear: float = 1.0
    load_damping: float = 0.0
    motor_damping: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0.0 <= value < np.inf or (name in ('load_inertia', 'gear') and value == 0.0):
                raise InputError(f'{name} is {value}; it must be finite and not negative (load_inertia and gear '
                                 'positive).', field=name, value=value)

    @property
    def inertia(self) -> float:
        """Effective inertia at the joint, I + eta^2 I_m (9.69)."""
        return self.load_inertia + self.gear**2 * self.motor_inertia

    @property
    def damping(self) -> float:
        """Effective damping at the joint, b + eta^2 b_m (9.69)."""
        return self.load_damping + self.gear**2 * self.motor_damping

    def closed_loop(self, k_p: float, k_v: float, load_inertia: float) -> SecondOrder:
        """The loop designed for this drive, at another load inertia: alpha stays, the plant does not."""
        actual = load_inertia + self.gear**2 * self.motor_inertia
        return SecondOrder(actual, self.inertia * k_v, self.inertia * k_p)

    def gains(self, resonance: float) -> tuple[float, float]:
        """Unit gains k_p, k_v for critical damping that stay below half the lowest resonance [rad/s] (9.81)."""
        if not 0.0 < resonance < np.inf:
            raise InputError(f'The resonance is {resonance} rad/s; without one no gains can be chosen.',
                             field='resonance', value=resonance)
        return 0.25 * resonance**2, resonance

    def torque(self, acceleration: float, error: float, error_rate: float, velocity: float,
               gains: tuple[float, float]) -> float:
        """Tau = alpha (thdd_d + k_v de + k_p e) + beta (9.79)."""
        k_p, k_v = gains
        return self.inertia * (acceleration + k_v * error_rate + k_p * error) + self.damping * velocity

    def largest_linear_step(self, torque_limit: float, k_p: float) -> float:
        """Step [rad] beyond which the actuator saturates."""
        if not (torque_limit > 0.0 and k_p > 0.0):
            raise InputError(f'torque_limit {torque_limit} and k_p {k_p} must be positive.', field='torque_limit')
        return torque_limit / (self.inertia * k_p)


def resonance(stiffness: float, inertia: ArrayLike, shaft_inertia: float = 0.0, gear: float = 1.0,
              whole_shaft: bool = False) -> float:
    """Lowest structural resonance [rad/s] of a stiffness at the joint and the largest of some inertias (9.75).

    `shaft_inertia` before a `gear` vibrates by a third of it (0.33, fig. 9.13), or as a whole.
    """
    load = np.atleast_1d(np.asarray(inertia, dtype=float))
    if not 0.0 < stiffness < np.inf or not np.all(load > 0.0) or shaft_inertia < 0.0 or not gear > 0.0:
        raise InputError(f'A stiffness {stiffness} and inertias {load.tolist()} must be positive, the shaft inertia '
                         f'{shaft_inertia} not negative.', field='stiffness', value=stiffness)
    share = 1.0 if whole_shaft else SHAFT_INERTIA
    return float(np.sqrt(stiffness / (np.max(load) + share * gear**2 * shaft_inertia)))
