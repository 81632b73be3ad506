"""Large batches over several cores: compiled kernels run without Python's lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

WORTH = 1000
"""Poses per thread below which a thread is not worth its start."""


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix='robokin_batch')


os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of the threads


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


def in_parts(number: int, threads: int | None, work: Callable[[slice], None]) -> None:
    """Call `work` for slices that cover `number` items, at once in up to `threads` threads (None: one per core)."""
    wanted = min(cores() if threads is None else threads, number // WORTH)
    if wanted <= 1:
        work(slice(0, number))
        return
    edges = [number * i // wanted for i in range(wanted + 1)]
    others = [_pool(wanted).submit(work, slice(begin, end)) for begin, end in pairwise(edges[1:])]
    work(slice(edges[0], edges[1]))
    for other in others:
        other.result()
