"""The simulated driver as the hardware node uses it."""

import numpy as np
import pytest
from support.robots import arm

from robokin_ros.dynamics import gravity_torque
from robokin_ros.errors import DriverError
from robokin_ros.hardware import Command, load_driver

MODEL = arm('puma560')


@pytest.fixture
def driver():
    loaded = load_driver('simulated')
    loaded.configure(MODEL, 2e-3)
    return loaded


def run(driver, seconds):
    for _ in range(round(seconds / 2e-3)):
        state = driver.read(2e-3)
    return state


def test_brakes_hold_until_activation(driver):
    driver.write(Command('effort', np.full(6, 50.0)))
    position, velocity, _ = run(driver, 0.5)
    np.testing.assert_allclose(position, MODEL.middle(), atol=1e-7)
    assert not velocity.any()


def test_effort_moves_and_is_reported(driver):
    driver.activate(True)
    torque = gravity_torque(MODEL, MODEL.middle()) + 5.0
    driver.write(Command('effort', torque))
    position, _, effort = run(driver, 0.2)
    np.testing.assert_array_equal(effort, torque)
    assert np.all(position != MODEL.middle())


def test_position_servo_reaches_its_target(driver):
    driver.activate(True)
    target = MODEL.middle() + 0.05
    driver.write(Command('position', target))
    position, _, _ = run(driver, 1.5)
    np.testing.assert_allclose(position, target, atol=1e-3)


def test_deactivation_brakes_and_forgets(driver):
    driver.activate(True)
    driver.write(Command('effort', np.full(6, 20.0)))
    run(driver, 0.1)
    driver.activate(False)
    run(driver, 0.5)
    held = driver.read(2e-3)[0]
    np.testing.assert_array_equal(run(driver, 0.2)[0], held)


def test_unconfigured_driver_says_so():
    with pytest.raises(DriverError, match='not configured'):
        load_driver('simulated').read(1e-3)
