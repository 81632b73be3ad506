"""Drivers that fail: the hardware node's cycle in this process, with a driver that raises on demand."""

import numpy as np
import pytest
import rclpy
from sensor_msgs.msg import JointState
from support.robots import arm
from support.suite import fresh_domain

from robokin_ros.hardware import Command, CommandGuard, GuardSettings, StopState
from robokin_ros.nodes.hardware_node import HardwareNode

MODEL = arm('puma560')
REST = np.zeros(6)


class BadDriver:
    """Works until told otherwise."""

    capabilities = frozenset({'effort'})

    def __init__(self):
        self.calls = []
        self.raises = {}
        self.measured = MODEL.middle()

    def _do(self, name):
        self.calls.append(name)
        if name in self.raises:
            raise self.raises[name]

    def activate(self, active):
        self._do('release' if active else 'brake')

    def read(self, elapsed):
        self._do('read')
        return self.measured, REST, REST

    def write(self, command):
        self._do('write')


@pytest.fixture
def node():
    fresh_domain()
    rclpy.init()
    made = HardwareNode()
    made._model = MODEL
    made._position = MODEL.middle()
    yield made
    made.destroy_node()
    rclpy.shutdown()


@pytest.fixture
def cycle(node, monkeypatch):
    """A cycle of the loop, with or without a command; the arm follows commands."""
    driver = BadDriver()
    guard = CommandGuard(MODEL, driver.capabilities, GuardSettings())
    guard.enable()
    state = {'released': False}

    def run(command=True):
        monkeypatch.setattr(node, '_next_command', lambda published: Command('effort', REST) if command else None)
        state['released'] = node._cycle(driver, guard, 0.002, state['released'], JointState())
        return state['released']

    run.driver, run.guard = driver, guard
    assert run()
    assert guard.state is StopState.OK
    return run


@pytest.mark.parametrize('error', [OSError('cable'), ValueError('checksum'), RuntimeError()])
@pytest.mark.parametrize('call', ['read', 'write'])
def test_whatever_a_driver_raises_the_arm_is_braked(cycle, call, error):
    cycle.driver.raises = {call: error}
    assert not cycle()
    assert cycle.guard.state is StopState.FAULT
    assert cycle.driver.calls[-1] == 'brake'


def test_brakes_are_asked_for_until_they_close(cycle):
    cycle.driver.raises = {'read': OSError('cable'), 'brake': OSError('cable')}
    assert cycle()
    assert cycle(command=False)
    cycle.driver.raises = {}
    assert not cycle(command=False)
    assert cycle.driver.calls[-3:] == ['brake', 'brake', 'brake']
    assert cycle.guard.state is StopState.FAULT


def test_emergency_stop_after_a_fault_keeps_the_brakes(cycle):
    cycle.driver.raises = {'read': OSError('cable')}
    cycle()
    cycle.guard.emergency_stop()
    for _ in range(3):
        assert not cycle()
    assert 'release' not in cycle.driver.calls[2:]


@pytest.mark.parametrize('measured', [np.full(6, np.nan), np.zeros(5)])
def test_nonsense_measurements_are_a_fault(cycle, measured):
    cycle.driver.measured = measured
    assert not cycle()
    assert cycle.guard.state is StopState.FAULT
    assert 'measured the position' in cycle.guard.reason
