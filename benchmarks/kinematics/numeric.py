"""Numeric inverse kinematics by the protocol of TRAC-IK, against roboticstoolbox's C++ `ik_LM`.

Random reachable poses within the limits, 1e-5 on all six axes, from the middle of the limits. A pose counts as solved
when Pinocchio confirms it and the joints are within their limits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.arms import CHAINS, arm, random_poses
from benchmarks.kinematics.peers import toolbox_solver
from benchmarks.pinocchio_arm import PinocchioArm
from benchmarks.report import Row
from benchmarks.timing import interleave_over
from robokin_ros.kinematics import IkOptions, inverse_kinematics
from robokin_ros.model import RobotModel

Array = NDArray[np.float64]
TOLERANCE = 1e-5
RATE, MEAN = 0.999, 0.25e-3
"""Wanted: share of poses solved, mean time [s]."""
CHUNK = 20
PEERS: dict[str, dict[str, float]] = {'ik_LM': {}, 'ik_LM, k = 0.1, 1000 searches': {'k': 0.1, 'slimit': 1000}}
"""As it comes (k = 1, 100 searches), and with the fastest of four dampings tried and more searches."""
OPTIONS = IkOptions(method='numeric', position_tolerance=TOLERANCE, orientation_tolerance=TOLERANCE)


def run(poses: int) -> list[Row]:
    """Every arm: solve rate and mean time."""
    return [row for name in CHAINS for row in _arm(name, poses)]


def _arm(name: str, poses: int) -> list[Row]:
    model = arm(name)
    targets = random_poses(model, poses)
    solvers = {'ours': _our_solver(model)}
    solvers |= {peer: toolbox_solver(model, TOLERANCE, **options) for peer, options in PEERS.items()}
    found, timing = interleave_over(solvers, list(targets), CHUNK)
    checker = PinocchioArm(model)
    rate = {who: np.mean([_solved(model, checker, q, target) for q, target in zip(answers, targets, strict=True)])
            for who, answers in found.items()}
    mean = timing.mean('ours')
    ours = {f'rate {rate["ours"]:.2%}': bool(rate['ours'] >= RATE), f'mean {mean * 1e3:.3f} ms': mean <= MEAN}
    return [Row(f'{name}, {poses:,} poses', mean, peer, timing.mean(peer), timing.mean(peer) / mean, 1.0,
                ours | {f'their rate {rate[peer]:.2%}': bool(rate['ours'] >= rate[peer])}) for peer in PEERS]


def _our_solver(model: RobotModel) -> Callable[[Array], Array | None]:
    middle = model.middle()

    def solve(pose: Array) -> Array | None:
        found = inverse_kinematics(model, pose, seed=middle, all_solutions=False, options=OPTIONS).solutions
        return found[0] if len(found) else None
    return solve


def _solved(model: RobotModel, checker: PinocchioArm, q: Array | None, target: Array) -> bool:
    """Whether a joint vector is legal and reaches the target."""
    if q is None or np.any(q < model.lower - 1e-9) or np.any(q > model.upper + 1e-9):
        return False
    return bool(np.max(np.abs(checker.error(q, target))) <= TOLERANCE * (1.0 + 1e-6))
