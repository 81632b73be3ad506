"""Running a motion in time: start, pause, resume, slow down, stop, always on the path."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robokin_ros.errors import InputError
from robokin_ros.trajectory.motion import Motion, motor_torque
from robokin_ros.trajectory.time_optimal.drive_limits import TorqueLimits

Array = NDArray[np.float64]
LONGEST_STEP = 0.05
"""Time [s] that one call moves on at most: after a stall, or a jump of the clock, the path waits instead of leaping."""
LONGEST_DELAY = 0.5
"""The same for a motion that takes over from another: planning it takes time, in which the arm goes on."""
RAMP = 0.25
"""Time [s] in which the pace goes from full speed to standstill, unless another was asked for."""
RAMPS = (0.05, 0.08, 0.12, 0.18, 0.25, 0.4, 0.6, 1.0)
"""Ramps [s] that are tried for the quickest stop within limits."""
LOOKED_AT = 48
"""Instants of a stop that are looked at."""


class Execution:
    """Plays a motion at a pace that ramps between 0 and 1.

    Parameters
    ----------
    motion
        What to play.
    start
        Clock time [s] at which it begins; before that its first point is held.
    scaling
        Pace to go at, in [0, 1].
    pace
        Pace to begin with, of a motion that goes on where another was at `start`; None: it begins at rest.
    """

    def __init__(self, motion: Motion, start: float, scaling: float = 1.0, pace: float | None = None) -> None:
        self.motion = motion
        self.start = start
        self.path_time = 0.0
        self.stopping = False
        self.ramp = RAMP
        self.pace = scaling if pace is None else pace
        self._wanted = scaling
        self._takes_over = pace is not None
        self._paused = False
        self._last: float | None = None

    def set_scaling(self, scaling: float) -> None:
        """Go at this share of the planned speed from now on; 0 holds on the path."""
        if not 0.0 <= scaling <= 1.0:
            raise InputError(f'The speed scaling is {scaling}; it must be from 0 to 1.', field='scaling', value=scaling)
        self._wanted = scaling

    def pause(self, paused: bool) -> None:
        """Come to rest on the path, or go on."""
        self._paused = paused

    def stop(self) -> None:
        """Come to rest on the path for good."""
        self.stopping = True

    @property
    def paused(self) -> bool:
        """Whether a pause was asked for."""
        return self._paused

    @property
    def at_end(self) -> bool:
        """The whole motion was played."""
        return self.path_time >= self.motion.duration

    @property
    def at_rest(self) -> bool:
        """Nothing moves any more: at the end, or stopped on the way."""
        return self.at_end or (self.stopping and self.pace == 0.0)

    @property
    def progress(self) -> float:
        """Share of the motion played."""
        return self.path_time / self.motion.duration

    def advance(self, now: float) -> tuple[Array, Array, Array]:
        """Position, velocity, acceleration of the reference at clock time `now` [s]."""
        first = self._last is None or self._last < self.start
        dt = max(now - (self.start if first else self._last), 0.0)  # type: ignore[operator]
        dt = min(dt, LONGEST_DELAY if first and self._takes_over else LONGEST_STEP)
        self._last = now
        wanted = 0.0 if self._paused or self.stopping else self._wanted
        if first and not self._takes_over:  # it stands: no ramp is needed
            self.pace = wanted
        if now < self.start:
            position, velocity, acceleration = self.motion.sample(0.0)
            return position, np.zeros_like(velocity), np.zeros_like(acceleration)
        change = float(np.clip(wanted - self.pace, -dt / self.ramp, dt / self.ramp))
        self.path_time = min(self.path_time + (self.pace + 0.5 * change) * dt, self.motion.duration)
        self.pace = wanted if change == wanted - self.pace else self.pace + change
        position, velocity, acceleration = self.motion.sample(self.path_time)
        slope = change / dt if dt > 0.0 else 0.0
        if self.at_rest:
            return position, np.zeros_like(velocity), np.zeros_like(acceleration)
        return position, self.pace * velocity, self.pace**2 * acceleration + slope * velocity

    def choose_ramp(self, torque: TorqueLimits | None, target: float = 0.0) -> None:
        """Take the shortest ramp to a pace that keeps the torques; the one that exceeds them least if none does.

        Torques (None: not looked at) are those of the motion's model along the ramp.
        """
        if torque is None or target == self.pace:
            self.ramp = RAMP
            return
        change, least = target - self.pace, np.inf
        for ramp in RAMPS:
            slope = np.sign(change) / ramp
            time = np.linspace(0.0, abs(change) * ramp, LOOKED_AT)
            pace = self.pace + slope * time
            at = np.minimum(self.path_time + time * (self.pace + 0.5 * slope * time), self.motion.duration)
            q, rate, bend = self.motion.sample(at)
            qd, qdd = pace[:, None] * rate, pace[:, None]**2 * bend + slope * rate
            excess = float(np.max(torque.excess(qd, motor_torque(self.motion.model, q, qd, qdd))))
            if excess < least:
                self.ramp, least = ramp, excess
            if excess <= 0.0:
                return
