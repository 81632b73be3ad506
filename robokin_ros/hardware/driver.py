"""What a driver is, and how one is found by name."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from robokin_ros.errors import DriverError
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]
ENTRY_POINT_GROUP = 'robokin_ros.drivers'


@dataclass(frozen=True)
class Command:
    """One command for all joints: `kind` effort [N m, N] or position [rad, m]."""

    kind: str
    values: Array


@runtime_checkable
class Pushable(Protocol):
    """What drivers that simulate offer besides: pushing the arm."""

    def push(self, torque: Array, duration: float) -> None:
        """Joint torques (n,) [N m, N] from outside for a while [s]."""
        ...


class Driver(Protocol):
    """A way to the joints. All calls come from one thread; each may raise DriverError.

    The arm rests on its brakes from `configure` until `activate(True)`, and again after `activate(False)`.
    """

    capabilities: frozenset[str]
    """Kinds of command it takes: 'effort', 'position'."""

    def configure(self, model: RobotModel, period: float) -> None:
        """Connect; `period` [s] is the nominal time between two `read` calls."""
        ...

    def activate(self, active: bool) -> None:
        """Release the brakes and follow commands, or stop with the brakes."""
        ...

    def read(self, elapsed: float) -> tuple[Array, Array, Array]:
        """Position, velocity, effort (n,) now; `elapsed` [s] since the last read is for drivers that simulate."""
        ...

    def write(self, command: Command) -> None:
        """Command the joints until the next call."""
        ...

    def close(self) -> None:
        """Brake and disconnect."""
        ...


def load_driver(name: str) -> Driver:
    """Driver of a name from the entry points `robokin_ros.drivers`, ours and other packages'."""
    found = {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}
    if name not in found:
        raise DriverError(f"There is no driver '{name}'; installed: {', '.join(sorted(found)) or 'none'}.")
    try:
        driver: Driver = found[name].load()()
    except ImportError as error:
        raise DriverError(f"Driver '{name}' cannot be loaded: {error}.") from error
    return driver
