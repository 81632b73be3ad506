"""Set-up of the environment: messages, lock, resuming. With small stand-ins for the slow commands."""

import fcntl
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from robokin_ros.cli import bootstrap
from robokin_ros.cli.provision import Provisioner, Step, StepFailed, provision

CHECKOUT = Path(__file__).resolve().parents[3]


@pytest.fixture
def provisioner(tmp_path):
    (tmp_path / '.robokin' / 'stamps').mkdir(parents=True)
    return Provisioner(tmp_path)


def test_missing_tools_are_named_with_the_command_to_get_them(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(bootstrap.shutil, 'which', lambda tool: None if tool in ('cmake', 'c++') else f'/bin/{tool}')
    assert bootstrap.main(tmp_path, 'x') == 1
    said = capsys.readouterr().err
    assert said == ('robokin: this machine lacks what the set-up needs: '
                    'sudo apt-get install build-essential cmake\n')
    assert not (tmp_path / '.robokin').exists()


def test_a_command_that_does_not_exist_is_a_failed_step(provisioner):
    (provisioner.home / 'logs').mkdir()
    with pytest.raises(StepFailed):
        provisioner.run([Step('interfaces', 'interfaces', '1', lambda: provisioner._run('/nowhere/colcon'))])
    assert 'No such file' in (provisioner.home / 'logs' / 'interfaces.log').read_text()


def test_a_sourced_ros_needs_colcon(monkeypatch):
    monkeypatch.setattr(bootstrap.shutil, 'which', lambda tool: None if tool == 'colcon' else f'/bin/{tool}')
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    assert bootstrap.missing_packages() == ['python3-colcon-common-extensions']
    monkeypatch.setenv('ROS_DISTRO', '')
    assert bootstrap.missing_packages() == []


def test_a_link_to_the_entry_works_and_clean_takes_no_arguments(tmp_path):
    link = tmp_path / 'rk'
    link.symlink_to(CHECKOUT / 'robokin')
    done = subprocess.run([str(link), '--version'], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    refused = subprocess.run([str(link), 'clean', '--help'], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert 'clean takes no arguments' in refused.stderr
    assert (CHECKOUT / '.robokin').is_dir()


def test_old_python_is_refused_in_one_sentence(tmp_path):
    """The shell entry with only an old Python on the path."""
    old = tmp_path / 'python3'
    old.write_text('#!/bin/sh\nexit 1\n')
    old.chmod(0o755)
    for tool in ('dirname', 'cat', 'cksum', 'find'):
        (tmp_path / tool).symlink_to(f'/usr/bin/{tool}')
    done = subprocess.run(['/bin/sh', str(CHECKOUT / 'robokin'), 'doctor'], env={'PATH': str(tmp_path)},
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == ('robokin: Python 3.11 to 3.14 is needed: '
                           'sudo apt-get install python3 python3-venv python3-dev\n')


def test_done_steps_are_not_done_again_and_changed_ones_are(provisioner):
    done = []
    first = Step('a', 'first', '1', lambda: done.append('a'))
    second = Step('b', 'second', '1', lambda: done.append('b'))
    provisioner.run([first, second])
    provisioner.run([first, second])
    assert done == ['a', 'b']
    provisioner.run([first, Step('b', 'second', '2', lambda: done.append('b again'))])
    assert done == ['a', 'b', 'b again']


def test_an_interrupted_step_is_done_again(provisioner):
    attempts = []

    def work():
        attempts.append(1)
        if len(attempts) == 1:
            raise KeyboardInterrupt

    step = Step('a', 'first', '1', work)
    with pytest.raises(KeyboardInterrupt):
        provisioner.run([step])
    provisioner.run([step])
    assert len(attempts) == 2


def test_a_failing_command_shows_the_end_of_its_log(provisioner, monkeypatch, capsys):
    (provisioner.home / 'logs').mkdir()

    def work():
        provisioner._run(sys.executable, '-c', 'print("fetching"); print("no route to host"); raise SystemExit(3)')

    step = Step('library', 'libraries', '1', work)
    with pytest.raises(StepFailed) as caught:
        provisioner.run([step])
    assert caught.value.code == 3
    monkeypatch.setattr(Provisioner, 'steps', lambda self: [Step('library', 'libraries', '1', lambda: fail(self))])

    def fail(other):
        other._run(sys.executable, '-c', 'print("no route to host"); raise SystemExit(3)')

    assert provision(provisioner.root) == 1
    said = capsys.readouterr().err
    assert "set-up step 'library' failed (exit code 3)" in said
    assert '    no route to host' in said
    assert 'run ./robokin again' in said
    assert './robokin clean' in said


def test_a_second_set_up_waits_for_the_first(tmp_path, capfd):
    order = []

    def second():
        with bootstrap.locked(tmp_path):
            order.append('second')

    with bootstrap.locked(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.3)
        order.append('first')
    thread.join(5.0)
    assert order == ['first', 'second']
    assert 'another robokin is setting up here' in capfd.readouterr().err


def test_the_lock_is_free_after_a_killed_holder(tmp_path):
    program = (f'import sys, time; sys.path.insert(0, {str(CHECKOUT)!r})\n'
               'from pathlib import Path; from robokin_ros.cli.bootstrap import locked\n'
               f'with locked(Path({str(tmp_path)!r})):\n    print("held", flush=True); time.sleep(60)')
    with subprocess.Popen([sys.executable, '-c', program], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == 'held\n'
        holder.kill()
    with (tmp_path / 'lock').open('w') as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_environment_of_a_sourced_ros_is_extended_not_replaced(provisioner, monkeypatch):
    provisioner.from_wheels = False
    provisioner._write_environment()
    text = (provisioner.home / 'environment.sh').read_text()
    done = subprocess.run(['/bin/sh', '-c', f'{text}\necho "$AMENT_PREFIX_PATH"'], capture_output=True, text=True,
                          env={'AMENT_PREFIX_PATH': '/opt/ros/jazzy', 'PATH': '/bin'}, check=True)
    assert done.stdout.strip() == f'{provisioner.prefix}:/opt/ros/jazzy'
    assert 'RMW_IMPLEMENTATION' not in text
