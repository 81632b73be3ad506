"""All branches in closed form, PUMA 560 and UR5, against EAIK (C++) and ssik."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.arms import apart, arm, random_joints, random_poses, unlimited
from benchmarks.kinematics.peers import eaik_robot, ssik_arm, ssik_prebuilt
from benchmarks.pinocchio_arm import PinocchioArm
from benchmarks.report import Row
from benchmarks.timing import interleave, over
from robokin_ros.kinematics import inverse_kinematics

Array = NDArray[np.float64]
ARMS = ('puma560', 'ur5')
COMPARED = 1000
"""Poses on which solution sets are compared."""
SAME = 1e-5
"""[rad] two solutions are one: near a singularity libraries differ by the square root of rounding."""
RESIDUAL = 1e-9
"""[m, rad] wanted of every solution."""
EAIK, SSIK = 1 / 1.5, 20.0
"""Wanted: times faster."""


def run(poses: int) -> list[Row]:
    """Sets compared, batch and single calls timed."""
    return [row for name in ARMS for row in _arm(name, poses)]


def _arm(name: str, poses: int) -> list[Row]:
    model = unlimited(arm(name))
    targets = random_poses(model, poses)
    eaik, live, built = eaik_robot(model), ssik_arm(model), ssik_prebuilt(name)
    compared = targets[:COMPARED]
    batch = inverse_kinematics(model, compared)
    mine = [found[:count] for found, count in zip(batch.solutions, batch.counts, strict=True)]
    residual = _residual(PinocchioArm(model), mine, compared)
    good = {f'residual {residual:.0e}': residual <= RESIDUAL}

    def solve_eaik(pose: Array) -> Array:
        found = eaik.IK(pose)
        return found.Q[~np.asarray(found.is_LS)]

    def solve_ssik(pose: Array) -> list:
        return live.solve(pose, respect_limits=False)

    with_eaik = good | _compare('EAIK', mine, compared, solve_eaik)
    with_ssik = good | _compare('ssik', mine, compared, lambda pose: np.array([found.q for found in solve_ssik(pose)]))

    listed = list(targets)  # EAIK takes a list, and checks it in Python: made beforehand, and given to its binding
    cores = os.cpu_count() or 1
    batched = interleave({
        'ours': lambda: inverse_kinematics(model, targets),
        'EAIK, 1 thread': lambda: eaik._robot.calculate_IK_batched(listed, 1),
        f'EAIK, a thread per core ({cores})': lambda: eaik._robot.calculate_IK_batched(listed, cores),
    }, per=poses, rounds=20)
    rows = [Row(f'{name}, batch of {poses:,}', batched.median('ours'), peer, batched.median(peer),
                batched.ratio(peer, 'ours'), EAIK, with_eaik) for peer in batched.rounds if peer != 'ours']

    sample = listed[:50]
    own = [built.fk(q) for q in random_joints(model, len(sample))]  # the artifact has its own dimensions
    single = interleave({
        'ours': over(lambda pose: inverse_kinematics(model, pose), sample),
        'EAIK': over(eaik.IK, sample),
        'ssik, arm given at run time': over(solve_ssik, sample),
        'ssik, generated C++': over(lambda pose: built.solve(pose, respect_limits=False), own),
    }, per=len(sample))
    goals = {'EAIK': None, 'ssik, arm given at run time': SSIK, 'ssik, generated C++': None}
    return rows + [Row(f'{name}, single call', single.median('ours'), peer, single.median(peer),
                       single.ratio(peer, 'ours'), goal, with_ssik if peer == 'ssik, arm given at run time' else good)
                   for peer, goal in goals.items()]


def _residual(checker: PinocchioArm, found: list[Array], targets: Array) -> float:
    """Largest position or rotation error of all solutions, by Pinocchio."""
    return max(float(np.max(np.abs(checker.error(q, target))))
               for solutions, target in zip(found, targets, strict=True) for q in solutions)


def _compare(peer: str, mine: list[Array], targets: Array, solve: Callable[[Array], Array]) -> dict[str, bool]:
    """Whether the sets of solutions are equal, modulo whole turns."""
    we_lack = they_lack = equal = 0
    for ours, target in zip(mine, targets, strict=True):
        theirs = solve(target)
        lacking, beyond = _unmatched(theirs, ours), _unmatched(ours, theirs)
        we_lack, they_lack = we_lack + lacking, they_lack + beyond
        equal += not lacking and not beyond
    return {f'same set as {peer} on {equal} of {len(mine)} poses (ours lack {we_lack}, theirs {they_lack})':
            equal == len(mine)}


def _unmatched(wanted: Array, offered: Array) -> int:
    """Number of solutions that no other equals."""
    if not len(wanted) or not len(offered):
        return len(wanted)
    return int(np.sum(np.min(apart(wanted, offered), axis=1) > SAME))
