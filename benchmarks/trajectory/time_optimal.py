"""Time-optimal timing of spline paths under torque limits beside TOPP-RA, 200 cells, torques judged by Pinocchio.

TOPP-RA (solver seidel) gets Pinocchio's inverse dynamics, the same splines, rate and torque limits, and 201 grid
points; once with collocation, its usual scheme, once with interpolation. Friction is left out: TOPP-RA knows none.
"""

from __future__ import annotations

from itertools import count, islice
from typing import Any

import numpy as np
import pinocchio
import toppra
from scipy.interpolate import CubicSpline
from toppra import algorithm, constraint

from benchmarks.arms import arm
from benchmarks.pinocchio_arm import PinocchioArm
from benchmarks.report import Row
from benchmarks.timing import interleave
from robokin_ros.dynamics import Friction
from robokin_ros.trajectory import time_optimal

GRID, WAYPOINTS, DENSE = 200, 5, 8001
GOAL = 5.0
LONGER = 1e-3
"""Share by which our duration may be longer."""


def run(paths: int) -> list[Row]:
    """Durations, times and torques over random paths of two arms."""
    toppra.setup_logging('ERROR')
    rows = []
    for name in ('panda', 'ur5'):
        model = arm(name)
        peer = PinocchioArm(model)
        splines = list(islice(filter(None, (_path(model, seed) for seed in count())), paths))
        frictionless = Friction(np.zeros(model.dof), np.zeros(model.dof))
        ours = [time_optimal(model, spline, friction=frictionless, grid=GRID) for spline in splines]
        our_excess = np.array([_excess(peer, model, motion.duration, motion.sample) for motion in ours])
        for scheme in ('collocation', 'interpolation'):
            theirs = [_toppra(peer, model, spline, scheme) for spline in splines]
            their_excess = np.array([_excess(peer, model, motion.duration, lambda t, m=motion: (m(t), m(t, 1), m(t, 2)))
                                     for motion in theirs])
            longer = np.array([a.duration / b.duration - 1.0 for a, b in zip(ours, theirs, strict=True)])
            timing = interleave(_contestants(peer, model, splines, frictionless, scheme), per=paths, rounds=11,
                                round_seconds=0.0)
            rows.append(Row(
                f'{name}, {paths} paths of {WAYPOINTS} points', timing.median('ours'), f'toppra, {scheme}',
                timing.median('toppra'), timing.ratio('toppra', 'ours'), GOAL, {
                    f'duration {100 * np.mean(longer):+.2f} % on average, at most {100 * np.max(longer):+.2f} % '
                    f'(wanted at most {100 * LONGER:+.1f})': bool(np.max(longer) <= LONGER),
                    f'torque beyond its limit: at most {100 * max(np.max(our_excess), 0.0):.2f} %, theirs '
                    f'{100 * max(np.max(their_excess), 0.0):.2f} %':
                        bool(np.max(our_excess) <= max(np.max(their_excess), 0.01))}))
    return rows


def _contestants(peer: PinocchioArm, model: Any, splines: list[CubicSpline], friction: Friction,
                 scheme: str) -> dict[str, Any]:
    """Both on all paths."""
    return {'ours': lambda: [time_optimal(model, spline, friction=friction, grid=GRID) for spline in splines],
            'toppra': lambda: [_toppra(peer, model, spline, scheme) for spline in splines]}


def _path(model: Any, seed: int) -> CubicSpline | None:
    """A random spline; None if it leaves the position limits between its points."""
    generator = np.random.default_rng(seed)
    points = generator.uniform(np.maximum(model.lower, -2.5), np.minimum(model.upper, 2.5), (WAYPOINTS, model.dof))
    spline = CubicSpline(np.linspace(0.0, 1.0, WAYPOINTS), points)
    q = spline(np.linspace(0.0, 1.0, DENSE))
    return spline if np.all((q > model.lower) & (q < model.upper)) else None


def _toppra(peer: PinocchioArm, model: Any, spline: CubicSpline, scheme: str) -> Any:
    path = toppra.SplineInterpolator(spline.x, spline(spline.x))
    chosen = (constraint.DiscretizationType.Collocation if scheme == 'collocation'
              else constraint.DiscretizationType.Interpolation)
    limits = [constraint.JointVelocityConstraint(np.stack((-model.velocity_limit, model.velocity_limit), axis=1)),
              constraint.JointTorqueConstraint(
                  lambda q, qd, qdd: pinocchio.rnea(peer.model, peer.data, q, qd, qdd),
                  np.stack((-model.effort_limit, model.effort_limit), axis=1), np.zeros(model.dof),
                  discretization_scheme=chosen)]
    return algorithm.TOPPRA(limits, path, gridpoints=np.linspace(0.0, 1.0, GRID + 1), solver_wrapper='seidel',
                            parametrizer='ParametrizeConstAccel').compute_trajectory(0, 0)


def _excess(peer: PinocchioArm, model: Any, duration: float, sample: Any) -> float:
    """Largest share by which a torque is beyond its limit on the whole motion."""
    q, qd, qdd = sample(np.linspace(0.0, duration, DENSE))
    torque = np.array([pinocchio.rnea(peer.model, peer.data, *state) for state in zip(q, qd, qdd, strict=True)])
    return float(np.max(np.abs(torque) / model.effort_limit)) - 1.0
