"""Single calls of the dynamics from Python against Pinocchio's binding."""

from __future__ import annotations

import time
from itertools import repeat

import numpy as np

from benchmarks.arms import arm
from benchmarks.dynamics.cases import ARMS, CASES, DERIVATIVES, Case, agreement, random_states
from benchmarks.pinocchio_arm import PinocchioArm
from benchmarks.report import Row
from benchmarks.timing import calls, interleave

GOAL = 1.5
"""Wanted: times faster than the binding."""


def run(states: int) -> list[Row]:
    """Every function on `states` random states."""
    return [_row(case, name, states) for name in ARMS for case in (*CASES, DERIVATIVES)]


def _row(case: Case, name: str, states: int) -> Row:
    model = arm(name)
    theirs, given = PinocchioArm(model), [list(rows) for rows in random_states(model, states)[:case.inputs]]
    found = np.array([case.ours(model, *state) for state in zip(*given, strict=True)])
    expected = np.array([np.array(case.binding(theirs.model, theirs.data, *state))
                         for state in zip(*given, strict=True)])
    timing = interleave({'ours': calls(case.ours, repeat(model), *given),
                         'pin': calls(case.binding, repeat(theirs.model), repeat(theirs.data), *given)}, per=states,
                        clock=time.thread_time)
    return Row(f'{case.name}, {name}, single call', timing.median('ours'), 'Pinocchio binding', timing.median('pin'),
               timing.ratio('pin', 'ours'), None if case is DERIVATIVES else GOAL, agreement(found, expected))
