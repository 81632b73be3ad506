"""Runs the processes of a system: starts, watches, restarts and stops them; leaves none behind."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from robokin_ros.bringup.system import NodeProcess, executable_path
from robokin_ros.resources import PACKAGE

RESTARTS = 3
"""How often a process is restarted within RESTART_WINDOW before it is given up."""
RESTART_WINDOW = 30.0
PATIENCE = 3.0
"""Time [s] a process has to end after SIGINT, and again after SIGTERM."""
_PR_SET_PDEATHSIG = 1


@dataclass
class _Child:
    process: NodeProcess
    handle: subprocess.Popen[str]
    reader: threading.Thread
    restarts: list[float] = field(default_factory=list)


class Supervisor:
    """Keeps the processes of a system alive.

    Parameters
    ----------
    processes
        From `describe_system`.
    namespace
        ROS namespace of all nodes.
    log
        Called with (node name, line) for each line a process prints, and with ('robokin', line) for our own.
    """

    def __init__(self, processes: list[NodeProcess], namespace: str, log: Callable[[str, str], None]) -> None:
        self._processes = processes
        self._namespace = namespace
        self._log = log
        self._children: dict[str, _Child] = {}
        self._folder = tempfile.TemporaryDirectory(prefix='robokin_')

    def start(self) -> None:
        """Start all processes."""
        for process in self._processes:
            handle, reader = self._spawn(process)
            self._children[process.name] = _Child(process, handle, reader)

    def pid(self, name: str) -> int:
        """Process id of a node."""
        return self._children[name].handle.pid

    def check(self) -> list[str]:
        """Report processes that died since the last call, restart those that may be; returns their names."""
        died = []
        for name, child in list(self._children.items()):
            code = child.handle.poll()
            if code is None:
                continue
            died.append(name)
            why = f'killed by {signal.Signals(-code).name}' if code < 0 else f'exit code {code}'
            now = time.monotonic()
            recent = [instant for instant in child.restarts if now - instant < RESTART_WINDOW]
            del self._children[name]
            if not child.process.respawn:
                self._log('robokin', f'{name} died ({why}); it is not restarted.')
            elif len(recent) >= RESTARTS:
                self._log('robokin', f'{name} died ({why}), {RESTARTS} times in {RESTART_WINDOW:g} s: given up.')
            else:
                self._log('robokin', f'{name} died ({why}); restarting it.')
                handle, reader = self._spawn(child.process)
                self._children[name] = _Child(child.process, handle, reader, [*recent, now])
        return died

    @property
    def alive(self) -> list[str]:
        """Names of the processes that run."""
        return [name for name, child in self._children.items() if child.handle.poll() is None]

    def stop(self) -> None:
        """End every process: SIGINT, then SIGTERM, then SIGKILL."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            running = [child for child in self._children.values() if child.handle.poll() is None]
            for child in running:
                child.handle.send_signal(number)
            deadline = time.monotonic() + PATIENCE
            for child in running:
                try:
                    child.handle.wait(max(deadline - time.monotonic(), 0.01))
                except subprocess.TimeoutExpired:
                    self._log('robokin', f'{child.process.name} does not end on {signal.Signals(number).name}.')
        for child in self._children.values():
            child.reader.join(1.0)
        self._children.clear()
        self._folder.cleanup()

    def _spawn(self, process: NodeProcess) -> tuple[subprocess.Popen[str], threading.Thread]:
        if process.package == PACKAGE:
            command = [sys.executable, '-m', 'robokin_ros.nodes', process.executable]
        else:
            command = [str(executable_path(process))]
        parameters = Path(self._folder.name) / f'{process.name}.yaml'
        parameters.write_text(yaml.safe_dump({'/**': {'ros__parameters': process.parameters}}), encoding='utf-8')
        command += [*process.arguments, '--ros-args', '-r', f'__node:={process.name}', '--params-file', str(parameters)]
        if self._namespace:
            command += ['-r', f"__ns:=/{self._namespace.strip('/')}"]
        handle = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors='replace', start_new_session=True, preexec_fn=_die_with_parent)
        reader = threading.Thread(target=self._forward, args=(process.name, handle), daemon=True)
        reader.start()
        return handle, reader

    def _forward(self, name: str, handle: subprocess.Popen[str]) -> None:
        assert handle.stdout is not None
        for line in handle.stdout:
            self._log(name, line.rstrip())


def _die_with_parent() -> None:
    """Ask Linux to end this process when its parent dies, however the parent dies."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
