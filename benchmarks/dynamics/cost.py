"""Measured times against the number of joints, beside the operations that the book counts (DYN-15)."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.dynamics.cases import chain
from benchmarks.report import Row
from benchmarks.timing import interleave
from robokin_ros.dynamics import forward_dynamics, inverse_dynamics, mass_matrix
from robokin_ros.dynamics.cost import lagrangian_operations, newton_euler_operations

SIZES = (2, 3, 6, 7, 20, 50)


def run(joints: int) -> list[Row]:
    """Single calls on chains of up to `joints` joints."""
    return [_row(size) for size in SIZES if size <= joints]


def _row(size: int) -> Row:
    model = chain(size)
    q, qd, third = np.random.default_rng(1).normal(size=(3, size))
    timing = interleave({'inverse': lambda: inverse_dynamics(model, q, qd, third),
                         'mass': lambda: mass_matrix(model, q),
                         'forward': lambda: forward_dynamics(model, q, qd, third)}, rounds=20, clock=time.thread_time)
    counted = [f'{method}: {multiplications:,} multiplications, {additions:,} additions'
               for method, (multiplications, additions) in (('Newton-Euler', newton_euler_operations(size)),
                                                            ('Lagrange', lagrangian_operations(size)))]
    measured = ', '.join(f'{what} {timing.median(who) * 1e6:.3g} us'
                         for who, what in (('mass', 'mass matrix'), ('forward', 'forward dynamics')))
    return Row(f'inverse dynamics, {size} joints, single call', timing.median('inverse'),
               checks=dict.fromkeys((measured, *counted), True))
