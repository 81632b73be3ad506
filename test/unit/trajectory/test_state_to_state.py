"""Jerk-limited moves: our own from rest to rest beside Ruckig's, and those from a state in motion."""

import sys

import numpy as np
import pytest
from support.robots import arm, random_joints

from robokin_ros.errors import InputError, LimitError, RobokinError
from robokin_ros.trajectory import plan_from_motion, plan_joint
from robokin_ros.trajectory.profiles import jerk_limited_time

MODEL = arm('puma560')
ACCELERATION, JERK = 4.0 * np.ones(6), 40.0 * np.ones(6)


def pair(seed):
    start, goal = MODEL.middle() + 0.5 * (random_joints(MODEL, 2, seed) - MODEL.middle())
    return start, goal


@pytest.mark.parametrize('seed', range(20))
def test_our_moves_are_as_short_as_ruckigs(seed):
    start, goal = pair(seed)
    limits = zip(goal - start, MODEL.velocity_limit, ACCELERATION, JERK, strict=True)
    ours = max(jerk_limited_time(*limit) for limit in limits)
    theirs = plan_from_motion(MODEL, start, goal, ACCELERATION, JERK).duration
    assert ours == pytest.approx(theirs, rel=1e-6)
    motion = plan_joint(MODEL, start, goal, timing='jerk_limited', acceleration_limit=ACCELERATION, jerk_limit=JERK)
    assert motion.duration >= ours * (1.0 - 1e-9)


@pytest.mark.parametrize('seed', range(20))
def test_moves_from_motion(seed):
    start, goal = pair(seed)
    generator = np.random.default_rng(seed)
    velocity, acceleration = 0.5 * generator.uniform(-1, 1, 6), generator.uniform(-2, 2, 6)
    motion = plan_from_motion(MODEL, start, goal, ACCELERATION, JERK, velocity, acceleration)
    t = np.linspace(0.0, motion.duration, 4001)
    q, qd, qdd = motion.sample(t)
    for found, wanted in ((q[0], start), (qd[0], velocity), (qdd[0], acceleration), (q[-1], goal), (qd[-1], 0.0)):
        np.testing.assert_allclose(found, wanted, atol=1e-6)
    assert np.all(np.abs(qd) <= MODEL.velocity_limit * (1.0 + 1e-9) + 1e-9)
    assert np.all(np.abs(qdd) <= ACCELERATION * (1.0 + 1e-6))
    assert np.max(np.abs(np.diff(qdd, axis=0))) <= JERK[0] * (t[1] - t[0]) * 1.01 + 1e-9


def test_too_fast_to_stop_before_a_limit():
    start = MODEL.middle()
    start[0] = MODEL.upper[0] - 0.01
    with pytest.raises(LimitError, match='joint_1'):
        plan_from_motion(MODEL, start, MODEL.middle(), ACCELERATION, JERK, [1.0, 0, 0, 0, 0, 0])


def test_bad_input():
    start, goal = pair(1)
    with pytest.raises(InputError, match='jerk_limit'):
        plan_from_motion(MODEL, start, goal, ACCELERATION, np.inf)
    with pytest.raises(InputError, match='nothing to move'):
        plan_from_motion(MODEL, start, start, ACCELERATION, JERK)
    with pytest.raises(InputError, match='nan'):
        plan_from_motion(MODEL, start, goal, ACCELERATION, JERK, np.nan)


def test_without_ruckig_a_sentence_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, 'ruckig', None)
    with pytest.raises(RobokinError, match='pip install ruckig'):
        plan_from_motion(MODEL, *pair(1), ACCELERATION, JERK)
