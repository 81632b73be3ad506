"""The guard: every refusal, every stop state, every way out."""

import numpy as np
import pytest
from support.robots import arm

from robokin_ros.errors import DriverError
from robokin_ros.hardware import Command, CommandGuard, GuardSettings, StopState, load_driver

MODEL = arm('puma560')
REST = np.zeros(6)
HERE = MODEL.middle()
BOTH = frozenset({'effort', 'position'})


@pytest.fixture
def guard():
    return CommandGuard(MODEL, BOTH, GuardSettings())


@pytest.fixture
def running(guard):
    guard.enable()
    assert guard.accept(Command('effort', REST), HERE)[0] is not None
    return guard


def cycle(guard, seconds=0.002, position=HERE, velocity=REST):
    """A cycle of the hardware loop without a command."""
    guard.elapse(seconds)
    guard.supervise(position, velocity)


def test_nothing_passes_before_enable(guard):
    allowed, reason = guard.accept(Command('effort', REST), HERE)
    assert allowed is None
    assert 'not enabled' in reason
    assert guard.state is StopState.HOLDING


def test_first_good_command_releases(running):
    assert running.state is StopState.OK


def test_effort_is_cut_to_the_limit(running):
    allowed, _ = running.accept(Command('effort', np.full(6, 1e3)), HERE)
    np.testing.assert_array_equal(allowed.values, MODEL.effort_limit)


@pytest.mark.parametrize(('command', 'words'), [
    (Command('effort', np.array([0, 0, np.nan, 0, 0, 0])), "joint 'joint_3' is nan"),
    (Command('effort', np.array([0, np.inf, 0, 0, 0, 0])), "joint 'joint_2' is inf"),
    (Command('position', HERE + [0, 0, 0, 0, 9, 0]), "joint 'joint_5' is outside -1.7453 to 1.7453"),
    (Command('velocity', REST), 'takes effort or position commands, not velocity'),
])
def test_bad_commands_are_refused_and_change_nothing(running, command, words):
    allowed, reason = running.accept(command, HERE)
    assert allowed is None
    assert words in reason
    assert running.state is StopState.OK


def test_first_position_command_must_be_near(guard):
    guard.enable()
    allowed, reason = guard.accept(Command('position', HERE + 0.2), HERE)
    assert allowed is None
    assert 'at most 0.1' in reason
    assert guard.accept(Command('position', HERE + 0.05), HERE)[0] is not None


def test_watchdog(running):
    for _ in range(49):
        cycle(running)
    assert running.state is StopState.OK
    for _ in range(2):
        cycle(running)
    assert running.state is StopState.PROTECTIVE_STOP
    assert 'watchdog 100 ms' in running.reason


def test_refused_commands_do_not_feed_the_watchdog(running):
    for _ in range(60):
        running.elapse(0.002)
        running.accept(Command('effort', np.full(6, np.nan)), HERE)
        running.supervise(HERE, REST)
    assert running.state is StopState.PROTECTIVE_STOP


@pytest.mark.parametrize(('position', 'velocity', 'words'), [
    (HERE, np.array([0, 0, 4.0, 0, 0, 0]), "Joint 'joint_3' moves at 4.000"),
    (MODEL.upper + 0.06, REST + 0.01, "Joint 'joint_1' is at"),
    (MODEL.lower - 0.06, REST - 0.01, "Joint 'joint_1' is at"),
])
def test_supervision_stops_the_arm(running, position, velocity, words):
    cycle(running, 0.002, position, velocity)
    assert running.state is StopState.PROTECTIVE_STOP
    assert words in running.reason


@pytest.mark.parametrize('stop', ['emergency_stop', 'fault', 'watchdog'])
def test_the_way_back_is_reset_enable_command(running, stop):
    if stop == 'watchdog':
        cycle(running, 1.0)
    elif stop == 'fault':
        running.fault('The driver failed: cable.')
    else:
        running.emergency_stop()
    stopped = running.state
    assert stopped not in (StopState.OK, StopState.HOLDING)
    assert running.accept(Command('effort', REST), HERE)[0] is None
    assert 'Call reset first' in running.enable()
    assert running.state is stopped
    assert running.reset() == ''
    assert running.accept(Command('effort', REST), HERE)[0] is None, 'reset alone must not let the arm move'
    assert running.enable() == ''
    assert running.state is StopState.HOLDING
    assert running.accept(Command('effort', REST), HERE)[0] is not None
    assert running.state is StopState.OK


def test_emergency_stop_is_not_softened_by_a_fault(running):
    running.emergency_stop()
    running.fault('later')
    assert running.state is StopState.EMERGENCY_STOP


def test_disable_holds(running):
    running.disable()
    assert running.state is StopState.HOLDING
    assert running.accept(Command('effort', REST), HERE)[0] is None


def test_reset_with_nothing_to_reset(running):
    assert 'nothing to reset' in running.reset()
    assert running.state is StopState.OK


def test_unknown_driver_lists_the_installed():
    with pytest.raises(DriverError, match="no driver 'usb'; installed: .*simulated"):
        load_driver('usb')


def test_a_stall_of_the_loop_with_a_command_waiting_is_no_silence(running):
    running.elapse(0.5)
    assert running.accept(Command('effort', REST), HERE)[0] is not None
    running.supervise(HERE, REST)
    assert running.state is StopState.OK


def test_a_joint_beyond_its_limit_may_come_back(running):
    cycle(running, 0.002, MODEL.upper + 0.06, REST - 0.1)
    assert running.state is StopState.OK


def test_position_commands_keep_the_speed_limit(running):
    allowed, reason = running.accept(Command('position', HERE + 0.2), HERE)
    assert allowed is None, 'the first position command after efforts must be near'
    assert 'away from where it is' in reason
    assert running.accept(Command('position', HERE), HERE)[0] is not None
    running.elapse(0.002)
    assert running.accept(Command('position', HERE + 0.002), HERE)[0] is not None
    running.elapse(0.002)
    allowed, reason = running.accept(Command('position', HERE + 0.1), HERE)
    assert allowed is None
    assert 'away from the one before' in reason


def test_stops_outlive_the_guard():
    first = CommandGuard(MODEL, BOTH, GuardSettings())
    first.emergency_stop()
    second = CommandGuard(MODEL, BOTH, GuardSettings())
    second.carry_over(first)
    assert second.state is StopState.EMERGENCY_STOP
    assert 'Call reset first' in second.enable()
