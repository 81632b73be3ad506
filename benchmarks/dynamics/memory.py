"""Growth of resident memory over many calls, and how soon a node starts whose code has been compiled before."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from itertools import repeat
from pathlib import Path

from benchmarks.arms import arm
from benchmarks.dynamics.cases import CASES, DERIVATIVES, random_states
from benchmarks.report import Row
from benchmarks.timing import calls

ARM = 'panda'
GROWTH, START = 1.0, 3.0
"""Wanted: less than this growth [MB] and this time of a start [s]."""
NODE = 'robokin_ros.nodes.dynamics_node'
STATES = 1000


def run(number: int) -> list[Row]:
    """`number` calls of every function, and the second start."""
    model = arm(ARM)
    given = [list(rows) for rows in random_states(model, STATES)]
    rows = []
    for case in (*CASES, DERIVATIVES):
        work = calls(case.ours, repeat(model), *given[:case.inputs])
        for _ in range(10):
            work()
        before, start = _resident(), time.thread_time()
        for _ in range(number // STATES):
            work()
        took, growth = time.thread_time() - start, _resident() - before
        rows.append(Row(f'{case.name}, {ARM}, {number:,} calls', took / number, checks={
            f'memory grew by {growth:.2f} MB (wanted below {GROWTH:g})': growth < GROWTH}))
    _start()
    second = _start()
    return [*rows, Row(f'import {NODE}, second start', second, checks={f'wanted below {START:g} s': second < START})]


def _resident() -> float:
    """Resident memory of this process [MB]."""
    gc.collect()
    return int(Path('/proc/self/statm').read_text(encoding='ascii').split()[1]) * os.sysconf('SC_PAGE_SIZE') / 1e6


def _start() -> float:
    """Time of a process that imports the node [s]."""
    start = time.perf_counter()
    subprocess.run([sys.executable, '-c', f'import {NODE}'], check=True)
    return time.perf_counter() - start
