"""The supervisor: restarts, gives up, forwards lines, leaves no process behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

from robokin_ros.bringup import supervisor as module
from robokin_ros.bringup.supervisor import Supervisor
from robokin_ros.bringup.system import NodeProcess


@pytest.fixture
def lines():
    return []


@pytest.fixture
def make(monkeypatch, tmp_path, lines):
    """Supervisor of small shell scripts in place of nodes."""
    started = []

    def build(script, **options):
        path = tmp_path / 'node'
        path.write_text(f'#!/bin/sh\n{script}\n')
        path.chmod(0o755)
        monkeypatch.setattr(module, 'executable_path', lambda process: path)
        supervisor = Supervisor([NodeProcess('toy', 'toy', 'other_package', **options)], '',
                                lambda name, line: lines.append((name, line)))
        started.append(supervisor)
        supervisor.start()
        return supervisor

    yield build
    for supervisor in started:
        supervisor.stop()


def wait_for(condition, seconds=5.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, 'it did not happen'
        time.sleep(0.02)


def test_lines_carry_the_name_of_the_node(make, lines):
    make('echo hello; exec sleep 60')
    wait_for(lambda: ('toy', 'hello') in lines)


def test_a_killed_process_is_reported_and_restarted(make, lines):
    supervisor = make('exec sleep 60')
    first = supervisor.pid('toy')
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: supervisor.check() == ['toy'])
    assert ('robokin', 'toy died (killed by SIGKILL); restarting it.') in lines
    assert supervisor.pid('toy') != first
    assert supervisor.alive == ['toy']


def test_what_must_not_come_back_stays_dead(make, lines):
    supervisor = make('exit 3', respawn=False)
    wait_for(lambda: supervisor.check() == ['toy'])
    assert lines[-1] == ('robokin', 'toy died (exit code 3); it is not restarted.')
    assert supervisor.alive == []


def test_a_process_that_keeps_dying_is_given_up(make, lines):
    supervisor = make('exit 1')
    wait_for(lambda: bool(supervisor.check()) and not supervisor.alive and 'given up' in lines[-1][1])
    assert sum('restarting' in line for _, line in lines) == module.RESTARTS


def test_stop_ends_even_what_ignores_signals(make, lines, monkeypatch):
    monkeypatch.setattr(module, 'PATIENCE', 0.3)
    supervisor = make("trap '' INT TERM; echo up; while :; do sleep 0.1; done")
    wait_for(lambda: ('toy', 'up') in lines)
    pid = supervisor.pid('toy')
    supervisor.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_children_die_with_the_supervisor(tmp_path):
    """Even when the supervising process is killed outright."""
    node = tmp_path / 'node'
    node.write_text('#!/bin/sh\nexec sleep 60\n')
    node.chmod(0o755)
    program = (
        'import time\nfrom pathlib import Path\nfrom robokin_ros.bringup import supervisor as m\n'
        'from robokin_ros.bringup.system import NodeProcess\n'
        f'm.executable_path = lambda process: Path({str(node)!r})\n'
        "s = m.Supervisor([NodeProcess('toy', 'toy', 'other_package')], '', print)\n"
        "s.start()\nprint(s.pid('toy'), flush=True)\ntime.sleep(60)\n")
    with subprocess.Popen([sys.executable, '-c', program], stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        parent.kill()

    def gone():
        try:
            with open(f'/proc/{child}/stat', encoding='utf-8') as file:
                return file.read().split()[2] == 'Z'
        except FileNotFoundError:
            return True

    wait_for(gone)
