"""What a caller of inverse kinematics may ask for besides the pose: tolerances, method, objective, selection."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.kernels.inverse import FULL_TASK
from robokin_ros.kernels.objectives import LIMITS, MANIPULABILITY, MIDDLE, NO_OBJECTIVE, SEED

METHODS = ('auto', 'closed_form', 'numeric')
OBJECTIVES = {'none': NO_OBJECTIVE, 'seed': SEED, 'middle': MIDDLE, 'limits': LIMITS, 'manipulability': MANIPULABILITY}
IMAGES = ('nearest', 'all')
NORMS = ('euclidean', 'sum', 'max')


@dataclass(frozen=True)
class IkOptions:
    """Options of `inverse_kinematics`; the defaults ask for the whole pose, exactly.

    Attributes
    ----------
    method
        'auto': closed form where the arm has one; 'closed_form': or refuse; 'numeric': always search.
    position_tolerance, orientation_tolerance
        [m], [rad] every solution is checked against (KIN-01).
    tolerances
        Six half-widths [m, m, m, rad, rad, rad] along and about the axes of the wanted pose; 0 exact, inf free. A free
        or wide axis makes the search numeric.
    position_only
        The orientation is free; short for tolerances (0, 0, 0, inf, inf, inf). Arms of up to three revolute joints are
        solved in closed form.
    objective
        What a redundant arm does with its freedom: 'seed' near the seed, 'middle' of the limits, away from 'limits',
        large 'manipulability', or 'none'. None: 'seed' in closed form, 'none' in a numeric search.
    starts
        Random starts of a numeric search before a pose is called unreachable.
    timeout
        [s] after which a numeric search gives up; None: when its starts are used up.
    samples
        Values of the free joint at which a redundant arm is solved.
    images
        'nearest': each branch once, each joint at the whole turn nearest to the seed; 'all': every whole turn within
        the limits.
    weights, norm
        Distance to the seed that solutions are sorted by: weight of each joint, and 'euclidean', 'sum' or 'max' norm.
    project
        An arm with fewer than six joints takes the nearest pose it can reach in its subspace (KIN-23).
    threads
        Most threads of a batch; None: one per core. Single poses and small batches use the caller's only.
    """

    method: str = 'auto'
    position_tolerance: float = 1e-6
    orientation_tolerance: float = 1e-6
    tolerances: ArrayLike | None = None
    position_only: bool = False
    objective: str | None = None
    starts: int = 100
    timeout: float | None = None
    samples: int = 24
    images: str = 'nearest'
    weights: ArrayLike | None = None
    norm: str = 'euclidean'
    project: bool = False
    threads: int | None = None

    def __post_init__(self) -> None:
        for name, choices in (('method', METHODS), ('images', IMAGES), ('norm', NORMS)):
            if not isinstance(getattr(self, name), str) or getattr(self, name) not in choices:
                raise InputError(
                    f"{name} is '{getattr(self, name)}'; it must be one of {', '.join(choices)}.",
                    field=name,
                    value=getattr(self, name),
                )
        if self.objective is not None and (not isinstance(self.objective, str) or self.objective not in OBJECTIVES):
            raise InputError(f"objective is '{self.objective}'; it must be one of {', '.join(OBJECTIVES)}.",
                             field='objective', value=self.objective)
        for name in ('position_tolerance', 'orientation_tolerance'):
            if not (isinstance(getattr(self, name), int | float) and 0.0 < getattr(self, name) < np.inf):
                raise InputError(f'{name} is {getattr(self, name)}; it must be positive.', field=name,
                                 value=getattr(self, name))
        if not (self.timeout is None or self.timeout > 0.0):
            raise InputError(f'timeout is {self.timeout} s; it must be positive.', field='timeout', value=self.timeout)
        if not (self.threads is None or (isinstance(self.threads, int) and self.threads >= 1)):
            raise InputError(f'threads is {self.threads}; it must be at least 1.', field='threads', value=self.threads)
        for name in ('starts', 'samples'):
            if not (isinstance(getattr(self, name), int) and 1 <= getattr(self, name) <= 100_000):
                raise InputError(f'{name} is {getattr(self, name)}; it must be from 1 to 100000.', field=name,
                                 value=getattr(self, name))
        self.task()

    def task(self) -> NDArray[np.float64]:
        """Weights and slacks (2, 6) of the axes of the wanted pose, as the kernels take them."""
        if self.tolerances is None and not self.position_only:
            return FULL_TASK
        slack = np.array([0.0] * 3 + [np.inf] * 3)
        if self.tolerances is not None:
            try:
                slack = np.array(self.tolerances, dtype=float)
            except (TypeError, ValueError) as error:
                raise InputError(f'tolerances is not an array of numbers: {error}.', field='tolerances') from error
            if slack.shape != (6,) or np.any(np.isnan(slack)) or np.any(slack < 0.0):
                raise InputError(f'tolerances needs six half-widths that are not negative, got {slack.tolist()}.',
                                 field='tolerances', value=slack)
            if self.position_only:
                slack[3:] = np.inf
        if np.all(np.isinf(slack)):
            raise InputError('tolerances leave the whole pose free: nothing is asked.', field='tolerances', value=slack)
        return np.array([np.isfinite(slack).astype(float), np.where(np.isfinite(slack), slack, 0.0)])

    @cached_property
    def whole_pose(self) -> bool:
        """Whether all six axes are asked for, exactly."""
        return bool(np.array_equal(self.task(), FULL_TASK))

    @cached_property
    def tolerance(self) -> NDArray[np.float64]:
        """Position and orientation tolerance as the kernels take them."""
        return np.array([self.position_tolerance, self.orientation_tolerance])


DEFAULT = IkOptions()
