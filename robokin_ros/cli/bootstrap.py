"""First stage of set-up, with nothing but the standard library: check the machine, make the venv, hand over.

Called by the shell script `robokin` when the environment is missing or older than what it is made from. The second
stage, `provision.py`, runs inside the venv.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

AGAIN = ('If the network was lost, run ./robokin again: it goes on from here. Otherwise ./robokin clean makes a fresh '
         'start.')
RICH = 'rich==14.3.4'
"""What the second stage draws its progress with."""


def missing_packages() -> list[str]:
    """Debian packages of what set-up needs and this machine lacks."""
    needed = {
        'python3-venv': find_spec('ensurepip') is not None,
        'python3-dev': (Path(sysconfig.get_path('include')) / 'Python.h').is_file(),
        'build-essential': all(shutil.which(tool) for tool in ('cc', 'c++', 'make')),
        'cmake': shutil.which('cmake') is not None,
    }
    if ros_sourced():
        needed['python3-colcon-common-extensions'] = shutil.which('colcon') is not None
    return [package for package, present in needed.items() if not present]


def ros_sourced() -> bool:
    """Whether a ROS 2 environment is sourced; it is used then."""
    return bool(os.environ.get('ROS_DISTRO'))


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """Hold the lock of `.robokin/`, so that only one process changes it at a time."""
    home.mkdir(exist_ok=True)
    with (home / 'lock').open('w', encoding='utf-8') as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print('robokin: another robokin is setting up here; waiting for it.', file=sys.stderr, flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def make_venv(home: Path, system_packages: bool) -> Path:
    """Python of the venv in `home`, made anew unless a former run finished it with this very interpreter."""
    venv = home / 'venv'
    python = venv / 'bin' / 'python'
    stamp = home / 'stamps' / 'venv'
    base = os.path.realpath(getattr(sys, '_base_executable', sys.executable))  # we may run in the venv that is remade
    made_of = f'{base} {sys.version} {venv} {system_packages} {RICH}'
    if stamp.is_file() and stamp.read_text(encoding='utf-8') == made_of and python.exists():
        return python
    for made in ('stamps', 'venv', 'build', 'install', 'numba'):  # all of it names the old interpreter or folder
        shutil.rmtree(home / made, ignore_errors=True)
    print('robokin: making a Python environment in .robokin/ (nothing outside this folder is changed).', flush=True)
    subprocess.run([base, '-m', 'venv', *(['--system-site-packages'] if system_packages else []), str(venv)],
                   check=True)
    subprocess.run([str(python), '-m', 'pip', 'install', '-qq', '--disable-pip-version-check', RICH], check=True)
    stamp.parent.mkdir()
    stamp.write_text(made_of, encoding='utf-8')
    return python


def main(root: Path, fingerprint: str) -> int:
    """Set up `.robokin/` below the checkout `root`; exit code."""
    home = root / '.robokin'
    missing = missing_packages()
    if missing:
        print(f"robokin: this machine lacks what the set-up needs: sudo apt-get install {' '.join(missing)}",
              file=sys.stderr)
        return 1
    try:
        with locked(home):
            ready = home / 'ready'
            if (ready.is_file() and ready.read_text(encoding='utf-8').strip() == fingerprint
                    and (home / 'venv' / 'bin' / 'python').exists()):
                return 0
            ready.unlink(missing_ok=True)
            python = make_venv(home, system_packages=ros_sourced())
            code = subprocess.run([str(python), '-m', 'robokin_ros.cli.provision', str(root)],
                                  env={**os.environ, 'PYTHONPATH': _prepend(str(root), 'PYTHONPATH')},
                                  check=False).returncode
            if code == 0:
                ready.write_text(fingerprint + '\n', encoding='utf-8')
            return code
    except KeyboardInterrupt:
        print('\nrobokin: interrupted; the next ./robokin goes on from here.', file=sys.stderr)
        return 130
    except subprocess.CalledProcessError as error:
        if error.returncode in (130, -2):
            return 130
        print(f'robokin: {" ".join(map(str, error.cmd))} failed (exit code {error.returncode}). {AGAIN}',
              file=sys.stderr)
        return 1
    except OSError as error:
        print(f'robokin: cannot set up {home}: {error}', file=sys.stderr)
        return 1


def _prepend(value: str, variable: str) -> str:
    return os.pathsep.join(filter(None, (value, os.environ.get(variable, ''))))


def clean(root: Path) -> int:
    """Remove what set-up made, when no other robokin changes it; exit code."""
    home = root / '.robokin'
    if home.exists():
        with locked(home):
            shutil.rmtree(home, ignore_errors=True)
    for cache in (root / 'robokin_ros').rglob('__pycache__'):
        shutil.rmtree(cache, ignore_errors=True)
    for extension in (root / 'robokin_ros' / 'kernels').glob('*.so'):
        extension.unlink()
    print('robokin: removed .robokin/ and the compiled caches.')
    return 0


if __name__ == '__main__':
    sys.exit(clean(Path(sys.argv[2])) if sys.argv[1] == '--clean' else main(Path(sys.argv[1]), sys.argv[2]))
