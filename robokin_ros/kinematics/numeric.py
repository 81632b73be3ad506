"""Calling the numeric search: starts, time-out, objectives."""

from __future__ import annotations

import time
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from robokin_ros.kernels.inverse import improve_solutions, solve_numeric
from robokin_ros.kinematics.ik_options import OBJECTIVES, IkOptions
from robokin_ros.kinematics.threads import in_parts
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]
UNLIMITED_RANGE = np.pi
"""Half-width [rad] of the random starts of a joint without limits; [m] of one that slides."""
ITERATIONS = 60
"""Most steps per start; a healthy one needs 6 to 12, one at a singular pose more. Hopeless ones are left earlier."""
POLISH = 1e-3
"""Share of the smaller tolerance to which solutions are led: one step more, and equal solutions can be told apart."""
MOST_SOLUTIONS = 64
"""Most solutions of one pose that a search gathers."""
MERGE = 1e-6
"""Solutions closer than this in all joints are one [rad, m]."""
CHUNK = 16
"""Starts between two looks at the clock."""
_TURNING: WeakKeyDictionary[RobotModel, NDArray[np.int64]] = WeakKeyDictionary()
_STARTS: WeakKeyDictionary[RobotModel, dict[int, Array]] = WeakKeyDictionary()
"""What a search needs of a model, by number of starts: worked out once, as it costs more than a search."""


class NumericSearch:
    """Search of many poses: `counts` solutions each, nearest to the seed first; `miss` [m, rad] where there is none."""

    def __init__(self, model: RobotModel, poses: Array, seeds: Array, options: IkOptions, wanted: int,
                 limited: bool = True) -> None:
        number, most = len(poses), min(wanted, MOST_SOLUTIONS)
        self.solutions, self.residuals = np.empty((number, most, model.dof)), np.empty((number, most, 2))
        self.counts, self.miss = np.empty(number, dtype=np.int64), np.full((number, 2), np.inf)
        self._model, self._options, self._limited = model, options, limited
        self._lower, self._upper = model.lower, model.upper
        if not limited:
            self._upper = np.full(model.dof, np.inf)
            self._lower = -self._upper
        self._turning = _turning(model)
        starts = random_starts(model, options.starts)
        if options.timeout is None:
            in_parts(number, options.threads, lambda rows: self._run(
                poses[rows], seeds[rows] if len(seeds) > 1 else seeds, starts, rows, most))
        else:
            self._run_until(time.monotonic() + options.timeout, poses, seeds, starts, most)

    def _run(self, poses: Array, seeds: Array, starts: Array, rows: slice, most: int) -> None:
        model, options = self._model, self._options
        tolerance = options.tolerance
        polished = POLISH * min(options.position_tolerance, options.orientation_tolerance)
        solve_numeric(model.topology, model.constants, model.chain, model.tip_placement, model.chain_joints,
                      self._turning, self._lower, self._upper, np.ascontiguousarray(poses), seeds, starts,
                      options.task(), tolerance, polished, ITERATIONS, most, OBJECTIVES[options.objective or 'none'],
                      self.solutions[rows], self.residuals[rows], self.counts[rows], self.miss[rows])

    def _run_until(self, end: float, poses: Array, seeds: Array, starts: Array, most: int) -> None:
        """One pose after the other, a few starts at a time; `miss` is the best of all of them."""
        for m in range(len(poses)):
            seed = seeds[m:m + 1] if len(seeds) > 1 else seeds
            rows = slice(m, m + 1)
            found, left, best = np.empty((0, self._model.dof)), np.empty((0, 2)), np.full(2, np.inf)
            for done in range(0, len(starts), CHUNK):
                if done and time.monotonic() >= end:
                    break
                self._run(poses[rows], seed, starts[done:done + CHUNK], rows, most)
                count = int(self.counts[m])
                if not count:
                    best = min(best, self.miss[m].copy(), key=lambda miss: float(np.sum(miss**2)))
                for q, residual in zip(self.solutions[m, :count], self.residuals[m, :count], strict=True):
                    if len(found) < most and np.all(np.max(np.abs(found - q), axis=1) > MERGE):
                        found, left = np.vstack((found, q)), np.vstack((left, residual))
                if len(found) >= most:
                    break
            order = np.argsort(np.linalg.norm(found - seed, axis=1), kind='stable')
            self.counts[m], self.miss[m] = len(found), best
            self.solutions[m, :len(found)], self.residuals[m, :len(found)] = found[order], left[order]


def improve(model: RobotModel, target: Array, seed: Array, options: IkOptions, solutions: Array,
            residuals: Array) -> None:
    """Lead solutions (k, n), in place, along the null space of the task to the best value of the objective."""
    polished = POLISH * min(options.position_tolerance, options.orientation_tolerance)
    improve_solutions(model.topology, model.constants, model.chain, model.tip_placement, model.chain_joints,
                      model.lower, model.upper, target, seed, options.task(), options.tolerance, polished,
                      OBJECTIVES[options.objective or 'none'], solutions, residuals)


@lru_cache(maxsize=64)
def _unit_cube(count: int, dof: int) -> Array:
    return np.random.default_rng(1).uniform(0.0, 1.0, (count, dof))


def _turning(model: RobotModel) -> NDArray[np.int64]:
    """Joints of the chain that may be given whole turns."""
    if model not in _TURNING:
        joints = [j for j in model.chain_joints if model.joint_types[j] != 'prismatic']
        _TURNING[model] = np.array(joints, dtype=np.int64)
    return _TURNING[model]


def random_starts(model: RobotModel, count: int) -> Array:
    """Joint vectors (count, n) within limits; always the same ones, which must not be written to."""
    known = _STARTS.setdefault(model, {})
    if count not in known:
        low = np.where(np.isfinite(model.lower), model.lower, -UNLIMITED_RANGE)
        high = np.where(np.isfinite(model.upper), model.upper, UNLIMITED_RANGE)
        known[count] = np.ascontiguousarray(low + (high - low) * _unit_cube(count, model.dof))
        known[count].flags.writeable = False
    return known[count]
