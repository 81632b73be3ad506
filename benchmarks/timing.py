"""Interleaved timing: contestants take turns in many short rounds, so that other load of the machine hits all alike."""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Work = Callable[[], object]
Clock = Callable[[], float]


@dataclass(frozen=True)
class Timing:
    """Seconds per call of each contestant in each round."""

    rounds: dict[str, NDArray[np.float64]]

    def median(self, name: str) -> float:
        """Median over the rounds [s]."""
        return float(np.median(self.rounds[name]))

    def mean(self, name: str) -> float:
        """Mean over the rounds [s]."""
        return float(np.mean(self.rounds[name]))

    def percentile(self, name: str, share: float) -> float:
        """Percentile over the rounds [s]."""
        return float(np.percentile(self.rounds[name], share))

    def ratio(self, slow: str, fast: str) -> float:
        """How many times faster `fast` is: median of the ratios of the rounds."""
        return float(np.median(self.rounds[slow] / self.rounds[fast]))

    def where(self, chosen: NDArray[np.bool_]) -> Timing:
        """The same of some rounds."""
        return Timing({name: taken[chosen] for name, taken in self.rounds.items()})


def interleave(contestants: dict[str, Work], per: int = 1, rounds: int = 40, round_seconds: float = 0.01,
               clock: Clock = time.perf_counter) -> Timing:
    """Run contestants in turn; `per` is the number of calls that one run of a contestant counts as.

    With `time.thread_time` as the clock, time that the machine gives to others while this thread waits does not count.
    """
    repeats = {}
    for name, work in contestants.items():
        work()  # compiles, fills caches
        repeats[name] = max(1, round(round_seconds / _clock(work, 1, clock)))
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    with _no_collection():
        for number in range(rounds):
            for name in _order(list(contestants), number):
                taken[name].append(_clock(contestants[name], repeats[name], clock) / per)
    return Timing({name: np.array(values) for name, values in taken.items()})


def interleave_over(contestants: dict[str, Callable[[Any], Any]], inputs: Sequence[Any],
                    chunk: int = 1) -> tuple[dict[str, list[Any]], Timing]:
    """Give every input to every contestant once, in turns of `chunk` inputs; results and times (rounds: chunks)."""
    results: dict[str, list[Any]] = {name: [] for name in contestants}
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for work in contestants.values():
        work(inputs[0])
    with _no_collection():
        for number, first in enumerate(range(0, len(inputs), chunk)):
            part = inputs[first:first + chunk]
            for name in _order(list(contestants), number):
                work = contestants[name]
                start = time.perf_counter()
                found = [work(one) for one in part]
                taken[name].append((time.perf_counter() - start) / len(part))
                results[name] += found
    return results, Timing({name: np.array(values) for name, values in taken.items()})


def over(function: Callable[[Any], object], inputs: Sequence[Any]) -> Work:
    """Work that calls a function with each input; time it with `per=len(inputs)`."""
    def work() -> None:
        for one in inputs:
            function(one)
    return work


def calls(function: Callable[..., object], *arguments: Iterable[Any]) -> Work:
    """Work that calls a function with the first of each of the arguments, the second, ...; results are thrown away."""
    return lambda: deque(map(function, *arguments), maxlen=0)


def calls_stored(function: Callable[..., Any], out: NDArray[np.float64], *arguments: Iterable[Any]) -> Work:
    """As `calls`, the results put into an array, as a batch returns them."""
    def work() -> None:
        for i, found in enumerate(map(function, *arguments)):
            out[i] = found
    return work


def _order(names: list[str], number: int) -> list[str]:
    """Contestants rotated by the number of the round."""
    first = number % len(names)
    return names[first:] + names[:first]


def _clock(work: Work, repeats: int, clock: Clock) -> float:
    start = clock()
    for _ in range(repeats):
        work()
    return (clock() - start) / repeats


@contextmanager
def _no_collection() -> Iterator[None]:
    """As timeit does: garbage of one contestant must not be collected at the cost of another."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
