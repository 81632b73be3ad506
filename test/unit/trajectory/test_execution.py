"""Playing a motion: pace, pause, stop, always on the path."""

import numpy as np
import pytest
from support.robots import arm

from robokin_ros.errors import InputError
from robokin_ros.trajectory import Execution, plan_joint


@pytest.fixture
def motion():
    model = arm('puma560')
    return plan_joint(model, model.middle(), model.middle() + 0.3, 2.0)


def play(execution, until, since=0.0, step=0.01):
    """References at clock times from `since` to `until`."""
    return [execution.advance(t) for t in np.arange(since, until, step)]


def test_full_pace_is_the_motion_itself(motion):
    execution = Execution(motion, 5.0)
    np.testing.assert_allclose(execution.advance(4.0)[0], motion.sample(0.0)[0])
    play(execution, 6.2, 5.0)
    for ours, exact in zip(execution.advance(6.2), motion.sample(1.2), strict=True):
        np.testing.assert_allclose(ours, exact, atol=1e-9)
    assert not execution.at_end
    play(execution, 7.1, 6.2)
    assert execution.at_end
    assert execution.at_rest


def test_velocity_is_the_derivative_while_the_pace_changes(motion):
    execution = Execution(motion, 0.0)
    samples = play(execution, 0.8)
    execution.pause(True)
    samples += play(execution, 1.2, 0.8)
    execution.pause(False)
    samples += play(execution, 1.8, 1.2)
    position = np.array([sample[0] for sample in samples])
    velocity = np.array([sample[1] for sample in samples])
    slope = (position[2:] - position[:-2]) / 0.02
    assert np.max(np.abs(slope - velocity[1:-1])) < 0.02


def test_pause_stops_on_the_path_and_resume_ends_at_the_goal(motion):
    execution = Execution(motion, 0.0)
    play(execution, 0.8)
    execution.pause(True)
    play(execution, 1.5, 0.8)
    stopped, velocity, _ = execution.advance(1.5)
    assert not velocity.any()
    assert not execution.at_rest
    np.testing.assert_allclose(execution.advance(3.0)[0], stopped)
    execution.pause(False)
    play(execution, 6.0, 3.0)
    np.testing.assert_allclose(execution.advance(6.0)[0], motion.sample(2.0)[0])


def test_scaling_stretches_the_time(motion):
    execution = Execution(motion, 0.0, scaling=0.5)
    play(execution, 2.0)
    assert execution.progress == pytest.approx(0.5, abs=0.01)


def test_stop_comes_to_rest_before_the_end(motion):
    execution = Execution(motion, 0.0)
    play(execution, 0.5)
    execution.stop()
    play(execution, 1.0, 0.5)
    assert execution.at_rest
    assert not execution.at_end


@pytest.mark.parametrize('scaling', [-1e-9, -1.0, 1.01, float('nan')])
def test_bad_scaling(motion, scaling):
    with pytest.raises(InputError):
        Execution(motion, 0.0).set_scaling(scaling)


def test_a_jump_of_the_clock_makes_the_path_wait(motion):
    execution = Execution(motion, 0.0)
    play(execution, 0.5)
    before = execution.path_time
    execution.advance(100.0)
    assert execution.path_time - before <= 0.06


def test_a_stopped_motion_has_no_acceleration_left(motion):
    for jitter in (0.003, 0.007, 0.013):
        execution = Execution(motion, 0.0)
        play(execution, 0.8)
        execution.stop()
        for t in np.arange(0.8, 1.5, jitter):
            _, velocity, acceleration = execution.advance(t)
        assert execution.at_rest
        assert not velocity.any()
        assert not acceleration.any()


def test_scaling_zero_holds_on_the_path(motion):
    execution = Execution(motion, 0.0)
    play(execution, 0.8)
    execution.set_scaling(0.0)
    play(execution, 1.5, 0.8)
    held, velocity, _ = execution.advance(1.5)
    assert not velocity.any()
    assert not execution.at_rest
    np.testing.assert_allclose(execution.advance(3.0)[0], held)
    execution.set_scaling(1.0)
    play(execution, 6.0, 3.0)
    assert execution.at_end
