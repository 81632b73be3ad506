"""Batches of the dynamics in two threads against one, beside what pure arithmetic of the same length gains.

Only rounds count in which both cores were free: long arithmetic, measured in every round, says so.
"""

from __future__ import annotations

import time

import numba

from benchmarks.arms import arm
from benchmarks.dynamics.cases import CASES, Case, random_states
from benchmarks.report import Row
from benchmarks.timing import Work, interleave
from robokin_ros.kinematics.threads import in_parts

GOAL = 1.7
"""Wanted of a batch: times faster than one thread."""
ARM = 'panda'
LARGER = 10
"""Batches this many times larger are measured as well, without a goal."""
PROBE, FREE = 10e-3, 1.75
"""Length of the long arithmetic [s], and what it gains when both cores are free."""
ROUNDS, ENOUGH, ATTEMPTS = 60, 20, 4
"""Rounds of an attempt, how many of them must count, and how often to try."""


@numba.njit('float64(int64)', nogil=True, fastmath=True)
def arithmetic(steps):
    """Products and sums in registers, nothing else."""
    a, b, c, d = 1.0, 1.1, 1.2, 1.3
    for _ in range(steps):
        a, b, c, d = a * 0.999 + 1e-3, b * 0.998 + 1e-3, c * 0.997 + 1e-3, d * 0.996 + 1e-3
    return a + b + c + d


def run(states: int) -> list[Row]:
    """Every function on batches of `states` and ten times as many."""
    pace = _shortest(lambda: arithmetic(1_000_000)) / 1_000_000
    return [_row(case, number, goal, pace) for number, goal in ((states, GOAL), (LARGER * states, None))
            for case in CASES]


def _row(case: Case, states: int, goal: float | None, pace: float) -> Row:
    model = arm(ARM)
    given = random_states(model, states)[:case.inputs]

    def batch(threads: int) -> None:
        case.ours(model, *given, threads=threads)

    def plain(threads: int, seconds: float) -> None:
        in_parts(states, threads, lambda part: arithmetic(round((part.stop - part.start) / states * seconds / pace)))

    alone = _shortest(lambda: batch(1))
    contestants = {'1': lambda: batch(1), '2': lambda: batch(2), 'plain 1': lambda: plain(1, alone),
                   'plain 2': lambda: plain(2, alone), 'probe 1': lambda: plain(1, PROBE),
                   'probe 2': lambda: plain(2, PROBE)}
    title = f'{case.name}, {ARM}, batch of {states:,}, two threads'
    for _ in range(ATTEMPTS):
        timing = interleave(contestants, per=states, rounds=ROUNDS)
        free = timing.rounds['probe 1'] / timing.rounds['probe 2'] > FREE
        number = int(free.sum())
        if number >= ENOUGH:
            break
    else:
        return Row(title, None, 'one thread', goal=goal, checks={
            f'not measured: both cores were free in {number} of {ROUNDS} rounds': False})
    timing = timing.where(free)
    return Row(title, timing.median('2'), 'one thread', timing.median('1'), timing.ratio('1', '2'), goal, {
        f'arithmetic of the same length: {timing.ratio("plain 1", "plain 2"):.2f}': True,
        f'both cores free in {number} of {ROUNDS} rounds': True})


def _shortest(work: Work) -> float:
    """Shortest of some runs [s]."""
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)
