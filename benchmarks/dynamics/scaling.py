"""Time against the number of links: forward and inverse dynamics are to be linear."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.dynamics.cases import chain
from benchmarks.report import Row
from benchmarks.timing import interleave
from robokin_ros.dynamics import SeparateBodies, forward_dynamics, inverse_dynamics

SIZES = (10, 20, 50, 100, 200, 500, 1000)
FIRST = 50
"""Shorter chains are not fitted: what a call costs anyway would count."""
EXPONENT = 1.1
"""Wanted at most: b of time ~ n^b."""


def run(links: int) -> list[Row]:
    """Single calls on chains of up to `links` links."""
    sizes = [size for size in SIZES if size <= links]
    chains = [chain(size) for size in sizes]
    bodies = [SeparateBodies.from_model(model) for model in chains]
    return [_row('forward_dynamics', sizes, [partial(forward_dynamics, model) for model in chains]),
            _row('inverse_dynamics', sizes, [partial(inverse_dynamics, model) for model in chains]),
            _row('SeparateBodies.forward_dynamics', sizes, [one.forward_dynamics for one in bodies])]


def _row(name: str, sizes: list[int], functions: list[Callable]) -> Row:
    contestants = {str(size): partial(function, *_state(size)) for size, function in zip(sizes, functions, strict=True)}
    timing = interleave(contestants, rounds=30, round_seconds=0.005, clock=time.thread_time)
    fitted = [size for size in sizes if size >= FIRST]
    times = {size: timing.median(str(size)) for size in sizes}
    exponent = float(np.polyfit(np.log(fitted), np.log([times[size] for size in fitted]), 1)[0])
    return Row(f'{name}, chain of {sizes[-1]} links, single call', times[sizes[-1]], checks={
        f'time grows as n^{exponent:.2f} from {FIRST} links on (wanted at most {EXPONENT})': exponent <= EXPONENT,
        ', '.join(f'{size}: {taken * 1e6:.3g} us' for size, taken in times.items()): True})


def _state(size: int) -> NDArray[np.float64]:
    """Positions, rates (small, they add up along the chain) and torques or accelerations (3, size)."""
    return np.random.default_rng(1).normal(size=(3, size)) * np.array([[1.0], [0.01], [1.0]])
