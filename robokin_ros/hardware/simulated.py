"""The driver `simulated`: the rigid-body plant as if it were an arm on the bench."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robokin_ros.control import ComputedTorque, JointReference, JointState, saturate
from robokin_ros.errors import DriverError
from robokin_ros.hardware.driver import Command
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.simulation import Plant

Array = NDArray[np.float64]
SERVO_BANDWIDTH = 60.0
"""Natural frequency [rad/s] of the position servo inside the simulated drives."""


class SimulatedDriver:
    """Each `read` advances the plant by the elapsed time under the last command."""

    capabilities = frozenset({'effort', 'position'})

    def __init__(self) -> None:
        self._plant: Plant | None = None
        self._effort: Array = np.empty(0)
        self._target: Array | None = None
        self._servo: ComputedTorque | None = None

    def configure(self, model: RobotModel, period: float) -> None:
        """Build the plant, at rest in the middle of the limits, braked."""
        self._plant = Plant(model)
        self._plant.brake(True)
        self._effort = np.zeros(model.dof)
        self._servo = ComputedTorque(model, SERVO_BANDWIDTH)

    @property
    def plant(self) -> Plant:
        """The simulated arm."""
        if self._plant is None:
            raise DriverError('The simulated driver is not configured.')
        return self._plant

    def activate(self, active: bool) -> None:
        """Open or close the brakes; old commands are forgotten."""
        self._target = None
        self._effort = np.zeros(self.plant.model.dof)
        self.plant.brake(not active)

    def push(self, torque: Array, duration: float) -> None:
        """Push the simulated arm."""
        self.plant.push(torque, duration)

    def read(self, elapsed: float) -> tuple[Array, Array, Array]:
        """Advance and measure."""
        plant = self.plant
        if self._target is not None and self._servo is not None:
            rest = np.zeros(plant.model.dof)
            torque = self._servo.update(JointState(plant.position, plant.velocity),
                                        JointReference(self._target, rest, rest), elapsed)
            self._effort, _ = saturate(torque, plant.model.effort_limit)
        plant.advance(self._effort, elapsed)
        return plant.position.copy(), plant.velocity.copy(), self._effort

    def write(self, command: Command) -> None:
        """Torques, or a target for the simulated drives' own position servo."""
        if command.kind == 'position':
            self._target = command.values
        else:
            self._target = None
            self._effort = command.values

    def close(self) -> None:
        """Brake."""
        self.plant.brake(True)
