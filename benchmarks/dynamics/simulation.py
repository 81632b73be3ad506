"""How much faster than real time an arm is simulated, with gravity and friction, at steps of 1 ms."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from benchmarks.arms import arm
from benchmarks.report import Row
from benchmarks.timing import interleave
from robokin_ros.dynamics import Friction, gravity_torque
from robokin_ros.simulation import Plant, simulate

ARM = 'arm7'
GOAL = 50.0
"""Wanted of the plant: times real time."""
STEP, PIECE = 1e-3, 10e-3
COULOMB = 0.2
"""Coulomb friction as a multiple of the damping at 1 rad/s; the description has only damping."""


def run(pieces: int) -> list[Row]:
    """The plant in `pieces` of 10 ms, as the driver advances it, and `simulate` over as long."""
    model = arm(ARM)
    model = replace(model, friction=COULOMB * model.damping)
    duration = pieces * PIECE
    swing = 2.0 * np.sin(2.0 * np.pi * np.arange(pieces) / pieces)[:, None] * np.ones(model.dof)
    torques = list(gravity_torque(model, model.middle()) + swing)
    plant = Plant(model, step=STEP)
    start, rest = model.middle(), np.zeros(model.dof)
    friction = Friction(model.damping, model.friction)

    def advance() -> None:
        for torque in torques:
            plant.advance(torque, PIECE)

    timing = interleave({
        'plant': advance, 'rk4': lambda: simulate(model, start, rest, rest, duration, STEP),
        'rk4, friction': lambda: simulate(model, start, rest, rest, duration, STEP, friction=friction)}, rounds=15,
        clock=time.thread_time)
    cases = (('plant', f'plant, {ARM}, friction, stops, pieces of {PIECE * 1e3:.0f} ms', GOAL),
             ('rk4', f"simulate(method='rk4'), {ARM}", None),
             ('rk4, friction', f"simulate(method='rk4'), {ARM}, friction", None))
    return [Row(f'{case}, {duration:g} s at {STEP * 1e3:g} ms', timing.median(who), 'real time', duration,
                duration / timing.median(who), goal) for who, case, goal in cases]
