"""Jerk-limited moves from rest to rest beside Ruckig: durations, limits on the whole motion, time of planning."""

from __future__ import annotations

import numpy as np
import ruckig

from benchmarks.arms import arm
from benchmarks.report import Row
from benchmarks.timing import interleave
from robokin_ros.trajectory import plan_joint

ACCELERATION, JERK = 5.0, 50.0


def run(paths: int) -> list[Row]:
    """Random moves of two arms; efforts are left out, Ruckig knows none."""
    rows = []
    for name in ('panda', 'ur5'):
        model = arm(name)
        generator = np.random.default_rng(4)
        low, high = np.maximum(model.lower, -2.5), np.minimum(model.upper, 2.5)
        ends = generator.uniform(low, high, (paths, 2, model.dof))
        limit = np.full(model.dof, ACCELERATION), np.full(model.dof, JERK)
        solver, found = ruckig.Ruckig(model.dof), ruckig.Trajectory(model.dof)

        def ours(start, goal, model=model, limit=limit):
            return plan_joint(model, start, goal, timing='jerk_limited', acceleration_limit=limit[0],
                              jerk_limit=limit[1], torque_limit=np.inf)

        def theirs(start, goal, model=model, limit=limit, solver=solver, found=found):
            problem = ruckig.InputParameter(model.dof)
            problem.current_position, problem.target_position = start.tolist(), goal.tolist()
            problem.max_velocity = model.velocity_limit.tolist()
            problem.max_acceleration, problem.max_jerk = limit[0].tolist(), limit[1].tolist()
            solver.calculate(problem, found)
            return found.duration

        longer, over = [], 0.0
        for start, goal in ends:
            motion = ours(start, goal)
            longer.append(motion.duration / theirs(start, goal) - 1.0)
            _, qd, qdd = motion.sample(np.linspace(0.0, motion.duration, 1001))
            over = max(over, float(np.max(np.abs(qd) / model.velocity_limit)),
                       float(np.max(np.abs(qdd)) / ACCELERATION))
        timing = interleave({'ours': lambda: [ours(*pair) for pair in ends],  # noqa: B023
                             'ruckig': lambda: [theirs(*pair) for pair in ends]}, per=paths, rounds=11,  # noqa: B023
                            round_seconds=0.0)
        rows.append(Row(f'{name}, {paths} moves', timing.median('ours'), 'ruckig', timing.median('ruckig'),
                        timing.ratio('ruckig', 'ours'), None, {
                            f'duration at most {100 * np.max(longer):+.4f} %, at least {100 * np.min(longer):+.4f} % '
                            '(wanted within 1)': bool(np.max(np.abs(longer)) <= 0.01),
                            f'largest share of a limit used: {over:.9f}': over <= 1.0 + 1e-9}))
    return rows
