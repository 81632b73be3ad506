"""Motion commands as text, in the style of AL (TRJ-17).

    move ARM to C;
    move ARM to C via B, A with duration = 6*seconds;
    move ARM to C linearly via B where duration = 2*seconds;

A duration after the whole is the total, one that is tied to a via that of the segment to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.kinematics import IkResult, forward_kinematics, inverse_kinematics
from robokin_ros.model.joint_vector import joint_array
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.trajectory.blends import automatic_plan
from robokin_ros.trajectory.cartesian.plan import plan_cartesian
from robokin_ros.trajectory.limits import check_motion
from robokin_ros.trajectory.motion import Motion, PolynomialMotion

Array = NDArray[np.float64]
TOKEN = re.compile(r'\s*(?:(?P<number>\d+(?:\.\d*)?)|(?P<word>[A-Za-z_]\w*)|(?P<sign>[,;=*]))')
RISE = 0.25
"""Time [s] in which a joint reaches its speed limit, for blends whose accelerations the system chooses."""


@dataclass(frozen=True)
class MoveCommand:
    """What a command asks for: names, in order, and durations [s] where they were given.

    Attributes
    ----------
    arm, points
        Name of the arm; via points and the goal.
    durations
        Of the segment to each point; None: the system chooses.
    total
        Of the whole; None: the system chooses.
    linearly
        The tip on straight lines instead of the joints with blends.
    """

    arm: str
    points: tuple[str, ...]
    durations: tuple[float | None, ...]
    total: float | None
    linearly: bool


def parse_command(text: str) -> MoveCommand:
    """The structure of a command; InputError with the position of what does not belong there."""
    return _Parser(text).command()


def plan_command(model: RobotModel, text: str, points: Mapping[str, ArrayLike], start: ArrayLike) -> Motion:
    """Checked motion of a command from a joint vector; `points`: named joint vectors (n,) or poses (4, 4)."""
    command = parse_command(text)
    joints = joint_array(model, start, 'start')
    for name in command.points:
        if name not in points:
            raise UnknownNameError('point', name, points)
    if command.linearly:
        if any(duration is not None for duration in command.durations):
            raise InputError('Durations of single segments are for moves of the joints.', field='duration')
        poses = np.array([_pose(model, points[name]) for name in command.points])
        return plan_cartesian(model, joints, poses, duration=command.total)
    rows = [joints]
    for name in command.points:
        rows.append(_joints(model, points[name], rows[-1]))
    speed = np.where(np.isfinite(model.velocity_limit), model.velocity_limit, 1.0)
    durations = None
    if any(duration is not None for duration in command.durations):
        nominal = np.max(np.abs(np.diff(rows, axis=0)) / (0.5 * speed), axis=1)
        durations = [usual if given is None else given
                     for given, usual in zip(command.durations, nominal, strict=True)]
    plan = automatic_plan(np.array(rows), 0.5 * speed, speed / RISE, durations, command.total)
    curves = plan.curves()
    motion = PolynomialMotion(model, curves.breaks, curves.coefficients)
    check_motion(model, motion)
    return motion


def _pose(model: RobotModel, point: ArrayLike) -> Array:
    values = np.asarray(point, dtype=float)
    return values if values.shape == (4, 4) else forward_kinematics(model, values)


def _joints(model: RobotModel, point: ArrayLike, near: Array) -> Array:
    values = np.asarray(point, dtype=float)
    if values.shape != (4, 4):
        return joint_array(model, values, 'point')
    found = inverse_kinematics(model, values, near, False)
    assert isinstance(found, IkResult)
    if not len(found.solutions):
        raise InputError(f'A point of the command cannot be reached: {found.reason}', field='point')
    return np.asarray(found.solutions[0])


class _Parser:
    """Reads one command word by word."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def command(self) -> MoveCommand:
        """Read: move NAME to NAME [linearly] [via NAME [where duration = ...], ...] [with duration = ...] ;"""
        self._expect('move')
        arm = self._name('the name of an arm')
        self._expect('to')
        goal = self._name('the name of a point')
        linearly, total, vias, durations = False, None, [], []
        while (word := self._next('linearly, via, with or ;')) != ';':
            if word == 'linearly':
                linearly = True
            elif word == 'via':
                vias.append(self._name('the name of a via point'))
                durations.append(self._duration() if self._taken('where') else None)
                while self._taken(','):
                    vias.append(self._name('the name of a via point'))
                    durations.append(self._duration() if self._taken('where') else None)
            elif word == 'with':
                total = self._duration()
            else:
                self._refuse(word, 'linearly, via, with or ;')
        if self._text[self._at:].strip():
            self._refuse(self._text[self._at:].strip(), 'nothing after ;')
        return MoveCommand(arm, (*vias, goal), (*durations, None), total, linearly)

    def _duration(self) -> float:
        for word in ('duration', '='):
            self._expect(word)
        number = self._next('a number of seconds')
        try:
            value = float(number)
        except ValueError:
            self._refuse(number, 'a number of seconds')
        self._expect('*')
        self._expect('seconds')
        if value <= 0.0:
            self._refuse(number, 'a positive number of seconds')
        return value

    def _name(self, wanted: str) -> str:
        word = self._next(wanted)
        if not word.isidentifier():
            self._refuse(word, wanted)
        return word

    def _expect(self, word: str) -> None:
        found = self._next(f"'{word}'")
        if found != word:
            self._refuse(found, f"'{word}'")

    def _taken(self, word: str) -> bool:
        """Whether the next word is this one; then it is read."""
        at = self._at
        match = TOKEN.match(self._text, at)
        if match is not None and match.group().strip() == word:
            self._at = match.end()
            return True
        return False

    def _next(self, wanted: str) -> str:
        match = TOKEN.match(self._text, self._at)
        if match is None:
            self._refuse(self._text[self._at:].strip()[:10] or 'the end', wanted)
        self._at = match.end()
        return match.group().strip()

    def _refuse(self, found: str, wanted: str) -> NoReturn:
        place = self._text.rfind(found, 0, max(self._at, len(found))) if found in self._text else len(self._text)
        raise InputError(f"At position {max(place, 0)} of the command stands '{found}', where {wanted} is expected.",
                         field='command', value=self._text)
