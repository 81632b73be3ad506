"""Joint friction: viscous, Coulomb, and more at rest than in motion (DYN-12)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


@dataclass(frozen=True, init=False, eq=False)
class Friction:
    """Friction that depends on a joint's own rate, f(qd) qd >= 0; smooth through zero.

    tau = viscous qd + (coulomb + (static - coulomb) exp(-(qd / stribeck)^2)) tanh(qd / crossing)

    Parameters
    ----------
    viscous
        (n,) [N m s/rad] or [N s/m].
    coulomb
        (n,) [N m] or [N] of a moving joint.
    static
        (n,) of a joint at rest, not below `coulomb`; None: equal to it.
    stribeck
        Rate [rad/s] or [m/s] at which the excess of static friction has fallen to 1/e.
    crossing
        Rate [rad/s] or [m/s] within which friction rises from zero.
    """

    viscous: Array
    coulomb: Array
    static: Array
    stribeck: float
    crossing: float

    def __init__(self, viscous: ArrayLike, coulomb: ArrayLike, static: ArrayLike | None = None, stribeck: float = 0.05,
                 crossing: float = 1e-3) -> None:
        given = {'viscous': viscous, 'coulomb': coulomb, 'static': coulomb if static is None else static}
        for name, values in given.items():
            try:
                array = np.atleast_1d(np.array(values, dtype=float))
            except (TypeError, ValueError) as error:
                raise InputError(f'{name} friction is not an array of numbers: {error}.', field=name) from error
            array.flags.writeable = False
            if array.ndim != 1 or not np.all((array >= 0.0) & np.isfinite(array)):
                raise InputError(f'{name} friction is {values}; finite numbers that are not negative are needed.',
                                 field=name, value=values)
            object.__setattr__(self, name, array)
        if not len(self.viscous) == len(self.coulomb) == len(self.static):
            raise InputError(f'Friction is given for {len(self.viscous)}, {len(self.coulomb)} and {len(self.static)} '
                             'joints.', field='coulomb')
        if np.any(self.static < self.coulomb):
            raise InputError(f'Static friction {self.static.tolist()} is below Coulomb friction '
                             f'{self.coulomb.tolist()}.', field='static', value=static)
        for name, rate in (('stribeck', stribeck), ('crossing', crossing)):
            if not 0.0 < rate < np.inf:
                raise InputError(f'The {name} rate is {rate}; it must be positive.', field=name, value=rate)
            object.__setattr__(self, name, float(rate))

    @classmethod
    def of_model(cls, model: RobotModel) -> Friction:
        """Friction of a description: `damping` and `friction` of its <dynamics> elements."""
        return cls(model.damping, model.friction)

    def torque(self, qd: ArrayLike) -> Array:
        """Torque (..., n) that friction takes from the motors [N m] or [N]: added to that of `inverse_dynamics`."""
        rate = np.asarray(qd, dtype=float)
        if rate.shape[-1:] != self.viscous.shape:
            raise InputError(f'qd needs {len(self.viscous)} values in its last axis, got shape {rate.shape}.',
                             field='qd', value=qd)
        dry = self.coulomb + (self.static - self.coulomb) * np.exp(-np.square(rate / self.stribeck))
        return np.asarray(self.viscous * rate + dry * np.tanh(rate / self.crossing))
