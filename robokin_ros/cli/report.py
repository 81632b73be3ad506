"""The report of the demonstration: recorded signals, a table of checks, plots."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from rich.console import Console
from rich.table import Table
from robokin_interfaces.msg import ControllerState

from robokin_ros.errors import RobokinError
from robokin_ros.model import RobotModel
from robokin_ros.nodes import qos
from robokin_ros.nodes.conversions import seconds

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Check:
    """A figure and the limit it must keep; without a limit it is only told."""

    name: str
    value: float
    limit: float | None
    unit: str
    at_least: bool = False

    @property
    def passed(self) -> bool:
        """Within the limit (NaN never is)."""
        if self.limit is None:
            return True
        return bool(self.value >= self.limit if self.at_least else self.value <= self.limit)


class Recording:
    """`controller_state` of named stretches of time."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._active = ''
        self._messages: dict[str, list[ControllerState]] = {}
        node.create_subscription(ControllerState, 'controller_state', self._take, qos.STATE)

    def begin(self, name: str) -> None:
        """Record under this name from now on."""
        self._messages[name] = []
        self._active = name

    def end(self) -> None:
        """Record no more."""
        self._active = ''

    def _take(self, message: ControllerState) -> None:
        if self._active:
            self._messages[self._active].append(message)

    def _stretch(self, name: str) -> list[ControllerState]:
        messages = self._messages.get(name, [])
        if len(messages) < 2:
            raise RobokinError(f'Nothing was heard on controller_state during {name}.')
        return messages

    def times(self, name: str) -> Array:
        """Instants [s] of a stretch, from 0."""
        stamps = np.array([seconds(message.header.stamp) for message in self._stretch(name)])
        return stamps - stamps[0]

    def signal(self, name: str, field: str) -> Array:
        """One field (k, n) of a stretch."""
        return np.array([getattr(message, field) for message in self._stretch(name)])

    def tracking_rms(self, name: str) -> Array:
        """Root of the mean squared error per joint."""
        return np.asarray(np.sqrt(np.mean(self.signal(name, 'error') ** 2, axis=0)))

    def rates(self) -> Array:
        """Control rates [Hz] that the controller reported in all stretches."""
        return np.array([message.rate for messages in self._messages.values() for message in messages])


def show_table(console: Console, model: RobotModel, checks: list[Check]) -> None:
    """Print all figures."""
    table = Table(title=f"robokin demo on '{model.name}'", title_justify='left')
    for heading, justify in (('', 'left'), ('measured', 'right'), ('limit', 'right'), ('unit', 'left'), ('', 'left')):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    for check in checks:
        limit = '' if check.limit is None else f"{'>=' if check.at_least else '<='} {check.limit:.3g}"
        verdict = '' if check.limit is None else '[green]ok[/]' if check.passed else '[bold red]FAILED[/]'
        table.add_row(check.name, f'{check.value:.3f}', limit, check.unit, verdict)
    console.print(table)


def write_report(folder: Path, model: RobotModel, recording: Recording, checks: list[Check],
                 log: list[tuple[str, str]]) -> None:
    """Write summary.json, log.txt and the plots."""
    folder.mkdir(parents=True, exist_ok=True)
    summary = {'robot': model.name, 'passed': all(check.passed for check in checks),
               'checks': [{**asdict(check), 'passed': check.passed} for check in checks]}
    (folder / 'summary.json').write_text(json.dumps(summary, indent=2) + '\n', encoding='utf-8')
    (folder / 'log.txt').write_text(''.join(f'{name}: {line}\n' for name, line in log), encoding='utf-8')
    _plot(folder / 'motion.png', model, recording, 'motion', 'Motion through follow_joint_trajectory', True)
    _plot(folder / 'floating.png', model, recording, 'floating',
          'Gravity compensation: left alone, pushed, floating on', False)


def _plot(path: Path, model: RobotModel, recording: Recording, stretch: str, title: str, tracking: bool) -> None:
    """Position (against the reference), error or velocity, and torque of every joint over time."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    t = recording.times(stretch)
    position, effort = recording.signal(stretch, 'position'), recording.signal(stretch, 'effort')
    second = 1e3 * recording.signal(stretch, 'error') if tracking else recording.signal(stretch, 'velocity')
    figure = Figure(figsize=(13, 1.7 * model.dof + 1.2), layout='constrained')
    FigureCanvasAgg(figure)
    figure.suptitle(f'{model.name}: {title}')
    axes: Any = figure.subplots(model.dof, 3, sharex=True, squeeze=False)
    for joint, name in enumerate(model.joint_names):
        unit, force = ('m', 'N') if model.joint_types[joint] == 'prismatic' else ('rad', 'N m')
        left, middle, right = axes[joint]
        left.plot(t, position[:, joint], color='tab:blue', label='actual')
        if tracking:
            left.plot(t, recording.signal(stretch, 'reference')[:, joint], color='black', linestyle='--', linewidth=1.0,
                      label='reference')
        left.set_ylabel(f'{name}\n[{unit}]')
        middle.plot(t, second[:, joint], color='tab:red' if tracking else 'tab:purple')
        middle.set_ylabel(f'error [m{unit}]' if tracking else f'velocity [{unit}/s]')
        right.plot(t, effort[:, joint], color='tab:green')
        limit = model.effort_limit[joint]
        if np.isfinite(limit) and np.max(np.abs(effort[:, joint])) > 0.5 * limit:
            right.axhline(limit, color='gray', linestyle=':')
            right.axhline(-limit, color='gray', linestyle=':')
        right.set_ylabel(f'torque [{force}]')
        for axis in (left, middle, right):
            axis.grid(alpha=0.3)
            low, high = axis.get_ylim()
            if high - low < 1e-3:
                axis.set_ylim(0.5 * (low + high) - 5e-4, 0.5 * (low + high) + 5e-4)
    if tracking:
        axes[0, 0].legend(loc='best', fontsize='small')
    for axis in axes[-1]:
        axis.set_xlabel('time [s]')
    figure.savefig(path, dpi=90)
