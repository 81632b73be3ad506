"""Forward kinematics and Jacobian of a 7-joint arm against Pinocchio."""

from __future__ import annotations

import numpy as np

from benchmarks.arms import arm, random_joints
from benchmarks.pinocchio_arm import PinocchioArm
from benchmarks.report import Row
from benchmarks.timing import interleave, over
from robokin_ros.kinematics import forward_kinematics, jacobian

SINGLE, BATCH = 1.5, 10.0
"""Wanted: times faster than Pinocchio."""


def run(poses: int) -> list[Row]:
    """Single calls from Python, and a batch."""
    model, joints = arm('panda'), random_joints(arm('panda'), poses)
    theirs = PinocchioArm(model)
    rows = []
    for name, ours, peer in (('forward kinematics', forward_kinematics, theirs.place),
                             ('forward kinematics as 4x4 arrays', forward_kinematics, theirs.matrix),
                             ('Jacobian', jacobian, theirs.jacobian)):
        defect = max(float(np.max(np.abs(np.array(peer(q)) - mine)))
                     for q, mine in zip(joints, ours(model, joints), strict=True))
        equal = {f'largest difference {defect:.0e}': defect < 1e-12}
        sample = list(joints[:100])
        single = interleave({'ours': over(lambda q, ours=ours: ours(model, q), sample), 'pin': over(peer, sample)},
                            per=len(sample))
        rows.append(Row(f'{name}, panda, single call', single.median('ours'), 'Pinocchio binding',
                        single.median('pin'), single.ratio('pin', 'ours'), SINGLE, equal))
        batch = interleave({'ours': lambda ours=ours: ours(model, joints), 'pin': over(peer, list(joints))},
                           per=poses, rounds=20)
        rows.append(Row(f'{name}, panda, batch of {poses:,}', batch.median('ours'), 'loop over Pinocchio',
                        batch.median('pin'), batch.ratio('pin', 'ours'), BATCH, equal))
    return rows
