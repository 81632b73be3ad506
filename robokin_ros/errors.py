"""Every exception of the library: each carries its data and prints as one clear sentence."""

from __future__ import annotations

from collections.abc import Iterable


class RobokinError(Exception):
    """Base of all errors that the library raises on purpose."""


class InputError(RobokinError, ValueError):
    """A value that cannot be used: wrong shape, NaN, not a rotation, negative where positive is meant."""

    def __init__(self, message: str, *, field: str = '', value: object = None) -> None:
        super().__init__(message)
        self.field = field
        self.value = value


class ModelError(RobokinError):
    """A robot description that cannot be turned into a model."""

    def __init__(self, message: str, *, element: str = '') -> None:
        super().__init__(message)
        self.element = element


class NoDynamicsError(ModelError):
    """Dynamics was asked of a model whose links lack (physical) inertial data."""


class UnknownNameError(RobokinError, KeyError):
    """A joint, link, frame or robot name that does not exist; lists the ones that do."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        super().__init__(kind, name)

    def __str__(self) -> str:
        return f"There is no {self.kind} '{self.name}'; known: {', '.join(self.known) or 'none'}."


class LimitError(RobokinError):
    """A motion or command beyond a limit: which joint, when, how much."""

    def __init__(self, message: str, *, joint: str = '', value: float = float('nan'),
                 limit: float = float('nan'), time: float = float('nan')) -> None:
        super().__init__(message)
        self.joint = joint
        self.value = value
        self.limit = limit
        self.time = time


class UnsupportedError(RobokinError):
    """Something that this hardware, driver or mode does not offer."""


class DriverError(RobokinError):
    """A hardware driver could not be loaded, configured, read or written."""


class RepairWarning(UserWarning):
    """Input that was slightly off (a rounded rotation matrix, a quaternion not quite of length 1) and was mended."""
