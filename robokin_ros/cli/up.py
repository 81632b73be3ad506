"""`robokin up`: runs the system until Ctrl-C and shows what its nodes say."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from robokin_ros.bringup.options import SystemOptions
from robokin_ros.bringup.supervisor import Supervisor
from robokin_ros.bringup.system import ARM_NODES, describe_system
from robokin_ros.errors import RobokinError

CHECK_PERIOD = 0.1
"""Time [s] between two looks at whether all processes live."""
LOOK_TIME = 0.7
"""Time [s] in which a suite that is up makes itself known."""
COLORS = ('cyan', 'green', 'yellow', 'blue', 'magenta', 'bright_black')


class Log:
    """Lines of all processes on one console, each with the name of its node."""

    def __init__(self, console: Console, shown: bool = True) -> None:
        self._console = console
        self._colors: dict[str, str] = {}
        self.shown = shown
        self.lines: list[tuple[str, str]] = []

    def __call__(self, name: str, line: str) -> None:
        """Take one line of one process."""
        self.lines.append((name, line))
        del self.lines[:-2000]
        if self.shown:
            color = self._colors.setdefault(name, COLORS[len(self._colors) % len(COLORS)])
            self._console.print(Text.assemble((f'{name:<16} ', color), line), soft_wrap=True)


@contextmanager
def stop_signals() -> Iterator[threading.Event]:
    """Set while Ctrl-C or SIGTERM has asked this process to end."""
    asked = threading.Event()
    previous = {number: signal.signal(number, lambda *_: asked.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def refuse_second_suite(namespace: str) -> None:
    """Raise if an arm is up already in this domain and namespace: two would command each other's joints."""
    from robokin_ros.client import RobotClient
    with RobotClient(namespace, 'robokin_look') as robot:
        others = [node for node in ARM_NODES if node in robot.nodes_present(LOOK_TIME)]
    if others:
        raise RobokinError(f"A suite is up already in ROS domain {os.environ.get('ROS_DOMAIN_ID', '0')}"
                           f"{f', namespace {namespace}' if namespace else ''} ({', '.join(others)}): stop it, or "
                           'choose another --namespace or ROS_DOMAIN_ID.')


def run(options: SystemOptions) -> int:
    """Bring the system up; 0 after Ctrl-C, 1 if all processes died."""
    processes = describe_system(options)
    refuse_second_suite(options.namespace)
    console = Console(highlight=False)
    log = Log(console)
    supervisor = Supervisor(processes, options.namespace, log)
    with stop_signals() as asked:
        try:
            supervisor.start()
            ready = threading.Thread(target=_report_readiness, args=(options, log, asked), daemon=True)
            ready.start()
            while not asked.is_set():
                supervisor.check()
                if not supervisor.alive:
                    log('robokin', 'No process is left; ending.')
                    return 1
                asked.wait(CHECK_PERIOD)
            log('robokin', 'Stopping all nodes.')
            return 0
        finally:
            supervisor.stop()


def _report_readiness(options: SystemOptions, log: Log, asked: threading.Event) -> None:
    """Say when the suite can be used, or what it still waits for."""
    from robokin_ros.client import RobotClient
    began = time.monotonic()
    with RobotClient(options.namespace, 'robokin_up') as robot:
        while not asked.is_set():
            try:
                robot.wait_until_ready(10.0)
            except RobokinError as error:
                log('robokin', str(error))
            else:
                log('robokin', f'Ready after {time.monotonic() - began:.1f} s. Ctrl-C ends it.')
                return
