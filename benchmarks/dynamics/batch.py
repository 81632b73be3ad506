"""Batches of the dynamics, one thread, against loops over Pinocchio: in C++, and in Python."""

from __future__ import annotations

import time
from itertools import repeat

import numpy as np

from benchmarks.arms import arm
from benchmarks.dynamics.cases import ARMS, CASES, Case, agreement, random_states
from benchmarks.dynamics.pinocchio_loop import NotBuilt, PinocchioLoop
from benchmarks.pinocchio_arm import PinocchioArm
from benchmarks.report import Row
from benchmarks.timing import Work, calls_stored, interleave
from robokin_ros.model import RobotModel

CPP, PYTHON = 2.0, 15.0
"""Wanted: times faster than the loops."""
STORED = 'Python loop over Pinocchio, results stored'


def run(states: int) -> list[Row]:
    """Every function on a batch of `states`."""
    rows = []
    loop: PinocchioLoop | str = ''
    for name in ARMS:
        model = arm(name)
        theirs = PinocchioArm(model)
        try:
            loop = loop if loop and isinstance(loop, str) else PinocchioLoop(theirs.model)
        except NotBuilt as why:
            loop = str(why)
        for case in CASES:
            rows += _rows(case, name, model, theirs, loop, states)
    return rows


def _rows(case: Case, name: str, model: RobotModel, theirs: PinocchioArm, loop: PinocchioLoop | str,
          states: int) -> list[Row]:
    title = f'{case.name}, {name}, batch of {states:,}'
    given = random_states(model, states)[:case.inputs]
    found = case.ours(model, *given)
    stored, written = np.empty(found.shape), np.empty(found.shape)
    contestants: dict[str, Work] = {
        'ours': lambda: case.ours(model, *given),
        STORED: calls_stored(case.binding, stored, repeat(theirs.model), repeat(theirs.data), *map(list, given))}
    cpp = f'C++ loop over Pinocchio, {"not measured" if isinstance(loop, str) else loop.compiler}'
    if not isinstance(loop, str):
        contestants[cpp] = lambda: loop(case.loop, *given, written)
    timing = interleave(contestants, per=states, rounds=20, clock=time.thread_time)

    def row(peer: str, goal: float, checks: dict[str, bool]) -> Row:
        return Row(title, timing.median('ours'), peer, timing.median(peer), timing.ratio(peer, 'ours'), goal, checks)

    if isinstance(loop, str):
        first = Row(title, timing.median('ours'), cpp, goal=CPP, checks={f'not measured: {loop}': False})
    elif case.name == 'mass matrix':  # the loop's matrices are column-major and have one triangle
        first = row(cpp, CPP, agreement(np.tril(found), np.tril(written)))
    else:
        first = row(cpp, CPP, agreement(found, written))
    return [first, row(STORED, PYTHON, agreement(found, stored))]
