"""The last line of safety: which commands may reach the driver, and when the arm must stop.

A pure state machine; the hardware node feeds and obeys it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from robokin_ros.hardware.driver import Command
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


STEP_SLACK = 0.01
"""Jitter [s] granted to position commands when their speed is judged."""


class StopState(Enum):
    """Stop states of the arm."""

    OK = 'ok'
    HOLDING = 'holding'
    PROTECTIVE_STOP = 'protective_stop'
    EMERGENCY_STOP = 'emergency_stop'
    FAULT = 'fault'


@dataclass(frozen=True)
class GuardSettings:
    """Limits of the guard.

    watchdog: oldest command that may still drive the arm [s]. first_step: farthest first position command, and
    farthest step of a joint without velocity limit [rad, m]. overspeed: multiple of the velocity limit,
    position_margin: distance beyond the position limit [rad, m], at which the arm is stopped.
    """

    watchdog: float = 0.1
    first_step: float = 0.1
    overspeed: float = 1.5
    position_margin: float = 0.05


class CommandGuard:
    """Decides for every command and every measurement whether the arm may move.

    States: `holding` until `enable` and a first good command; `ok` while good commands keep coming;
    `protective_stop` when they stop, or a check fails; `emergency_stop` latches; `fault` for the driver.
    Leaving a stop takes `reset`, then `enable`, then a command: nothing moves by itself.
    """

    def __init__(self, model: RobotModel, capabilities: frozenset[str], settings: GuardSettings) -> None:
        self.model = model
        self.capabilities = capabilities
        self.settings = settings
        self.state = StopState.HOLDING
        self.enabled = False
        self.reason = 'Waiting for enable.'
        self._silence = 0.0
        self._last: Command | None = None

    def carry_over(self, former: CommandGuard) -> None:
        """Stay in the stop state that an earlier guard of the same arm was in."""
        if former.state not in (StopState.OK, StopState.HOLDING):
            self._enter(former.state, former.reason)

    def enable(self) -> str:
        """Let the next good command release the brakes; returns why not, or ''."""
        if self.state not in (StopState.HOLDING, StopState.OK):
            return f'The arm is in {self.state.value} ({self.reason}) Call reset first.'
        self.enabled = True
        if self.state is StopState.HOLDING:
            self.reason = 'Enabled, waiting for the first command.'
        return ''

    def disable(self) -> None:
        """Hold with the brakes; commands are refused until `enable`."""
        self.enabled = False
        if self.state in (StopState.OK, StopState.HOLDING):
            self._enter(StopState.HOLDING, 'Disabled on request.')

    def reset(self) -> str:
        """Leave a stop state for `holding`, disabled; returns why not, or ''."""
        if self.state in (StopState.OK, StopState.HOLDING):
            return f'There is nothing to reset in state {self.state.value}.'
        self.enabled = False
        self._enter(StopState.HOLDING, 'Reset; call enable to go on.')
        return ''

    def emergency_stop(self, reason: str = 'Emergency stop on request.') -> None:
        """Latch the emergency stop."""
        self._enter(StopState.EMERGENCY_STOP, reason)

    def fault(self, reason: str) -> None:
        """The driver failed."""
        if self.state is not StopState.EMERGENCY_STOP:
            self._enter(StopState.FAULT, reason)

    def accept(self, command: Command, position: Array) -> tuple[Command | None, str]:
        """Command to pass on (efforts cut to their limits), or None and the reason of the refusal.

        A refused command changes nothing; if only such commands come, the watchdog stops the arm.
        """
        problem = self._problem(command, position)
        if problem:
            return None, problem
        if not self.enabled:
            return None, f'The arm is in {self.state.value} and not enabled: {self.reason}'
        if self.state is StopState.HOLDING:
            self._enter(StopState.OK, 'Following commands.')
        self._silence = 0.0
        if command.kind == 'effort':
            limit = self.model.effort_limit
            command = Command('effort', np.clip(command.values, -limit, limit))
        self._last = command
        return command, ''

    def elapse(self, seconds: float) -> None:
        """Time passes; call it before the commands that arrived meanwhile are put to `accept`."""
        self._silence += seconds

    def supervise(self, position: Array, velocity: Array) -> None:
        """Stop on stale commands, overspeed, or a joint beyond its limits that does not move back."""
        if self.state is not StopState.OK:
            return
        if self._silence > self.settings.watchdog:
            self._enter(StopState.PROTECTIVE_STOP, f'No command for {1e3 * self._silence:.0f} ms '
                        f'(watchdog {1e3 * self.settings.watchdog:.0f} ms).')
            return
        fast = np.abs(velocity) > self.settings.overspeed * self.model.velocity_limit
        margin = self.settings.position_margin
        out = (((position < self.model.lower - margin) & (velocity < 0.0))
               | ((position > self.model.upper + margin) & (velocity > 0.0)))
        if np.any(fast):
            joint = int(np.argmax(fast))
            self._enter(StopState.PROTECTIVE_STOP, f"Joint '{self.model.joint_names[joint]}' moves at "
                        f'{velocity[joint]:.3f}, limit {self.model.velocity_limit[joint]:.3f} times '
                        f'{self.settings.overspeed:g}.')
        elif np.any(out):
            joint = int(np.argmax(out))
            self._enter(StopState.PROTECTIVE_STOP, f"Joint '{self.model.joint_names[joint]}' is at "
                        f'{position[joint]:.4f}, outside {self.model.lower[joint]:.4f} to '
                        f'{self.model.upper[joint]:.4f}.')

    def _problem(self, command: Command, position: Array) -> str:
        """Why a command is refused, or ''."""
        model = self.model
        if self.state not in (StopState.OK, StopState.HOLDING):
            return f'The arm is in {self.state.value}: {self.reason}'
        if command.kind not in self.capabilities:
            return f"The driver takes {' or '.join(sorted(self.capabilities))} commands, not {command.kind}."
        bad = ~np.isfinite(command.values)
        if np.any(bad):
            joint = int(np.argmax(bad))
            return f"The {command.kind} command of joint '{model.joint_names[joint]}' is {command.values[joint]}."
        if command.kind != 'position':
            return ''
        outside = (command.values < model.lower - 1e-9) | (command.values > model.upper + 1e-9)
        if np.any(outside):
            joint = int(np.argmax(outside))
            return (f"The position command {command.values[joint]:.4f} of joint '{model.joint_names[joint]}' is "
                    f'outside {model.lower[joint]:.4f} to {model.upper[joint]:.4f}.')
        if self._last is None or self._last.kind != 'position' or self.state is StopState.HOLDING:
            start, what = position, 'where it is'
            allowed = np.full(model.dof, self.settings.first_step)
        else:
            start, what = self._last.values, 'the one before'
            allowed = np.where(np.isfinite(model.velocity_limit),
                               self.settings.overspeed * model.velocity_limit * (self._silence + STEP_SLACK),
                               self.settings.first_step)
        excess = np.abs(command.values - start) - allowed
        if np.any(excess > 0.0):
            joint = int(np.argmax(excess))
            return (f"The position command of joint '{model.joint_names[joint]}' is "
                    f'{abs(command.values[joint] - start[joint]):.4f} away from {what}; at most '
                    f'{allowed[joint]:.4g} is allowed.')
        return ''

    def _enter(self, state: StopState, reason: str) -> None:
        if state in (StopState.PROTECTIVE_STOP, StopState.EMERGENCY_STOP, StopState.FAULT):
            self.enabled = False
            self._last = None
        self.state = state
        self.reason = reason
