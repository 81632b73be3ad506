"""A running suite of real node processes on a ROS domain of its own."""

from __future__ import annotations

import itertools
import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack

from robokin_ros.bringup.options import SystemOptions
from robokin_ros.bringup.supervisor import Supervisor
from robokin_ros.bringup.system import describe_system
from robokin_ros.client import RobotClient

_DOMAINS = itertools.count(os.getpid())


def fresh_domain() -> None:
    """Move this process, and the processes it starts, to a ROS domain nobody uses, on this machine only."""
    os.environ['ROS_DOMAIN_ID'] = str(10 + next(_DOMAINS) % 90)
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')


def eventually(condition: Callable[[], bool], seconds: float = 10.0, what: str = 'it') -> None:
    """Wait until a condition holds; AssertionError after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f'{what} did not happen within {seconds:g} s'
        time.sleep(0.01)


class Suite:
    """Starts the processes of a system (all, or the named ones) and stops them at the end."""

    def __init__(self, nodes: tuple[str, ...] | None = None, parameters: dict | None = None, **options) -> None:
        fresh_domain()
        self.options = SystemOptions(**options)
        processes = [process for process in describe_system(self.options) if nodes is None or process.name in nodes]
        for process in processes:
            process.parameters.update((parameters or {}).get(process.name, {}))
        self.lines: list[tuple[str, str]] = []
        self.supervisor = Supervisor(processes, self.options.namespace, lambda *line: self.lines.append(line))
        self._open = ExitStack()

    def __enter__(self) -> Suite:
        self.supervisor.start()
        self._open.callback(self.supervisor.stop)
        self.client = self._open.enter_context(RobotClient(self.options.namespace, 'test_client'))
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def ready(self) -> Suite:
        """Wait until everything is active and the arm follows."""
        self.client.wait_until_ready(40.0)
        return self

    def said(self, pattern: str, name: str = '') -> bool:
        """Whether a process printed a line that matches."""
        return any(re.search(pattern, line) and (not name or name == who) for who, line in list(self.lines))

    def hears(self, pattern: str, name: str = '', seconds: float = 15.0) -> None:
        """Wait for a line."""
        eventually(lambda: self.said(pattern, name), seconds, f'a line {pattern!r} of {name or "any node"}')

    def kill(self, name: str) -> None:
        """kill -9."""
        os.kill(self.supervisor.pid(name), signal.SIGKILL)

    def state(self) -> str:
        """Newest state of the hardware."""
        state = self.client.hardware_state
        return state.state if state else ''
