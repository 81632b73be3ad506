"""Second stage of set-up, inside the venv: libraries, ROS, interfaces, the package, compiled kernels.

Each step leaves a stamp of what it was made from: what is done is not done again, what was interrupted goes on.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from robokin_ros.cli.bootstrap import AGAIN, ros_sourced

STAND_INS = ('tf2_msgs', 'control_msgs')
"""Interface packages that every ROS 2 installation has and the wheels have not: built from interfaces/embedded."""
PATIENCE = 10.0
"""Time [s] that an interrupted command has to end."""
TOOLS = {'test': 'test tools (pytest, Pinocchio, MuJoCo, ...)', 'benchmark': 'libraries to compare with (EAIK, ...)'}
SHOWN_LINES = 15
"""Lines of a failed step's log that are shown."""


class StepFailed(Exception):
    """A set-up step that did not work: its name, log file and exit code."""

    def __init__(self, step: str, log: Path, code: int) -> None:
        super().__init__(step)
        self.step = step
        self.log = log
        self.code = code


@dataclass(frozen=True)
class Step:
    """One part of the set-up; `made_of` is what it depends on, `work` does it."""

    name: str
    title: str
    made_of: str
    work: Callable[[], None]


class Provisioner:
    """Brings `.robokin/` of a checkout to what its requirement files say."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / '.robokin'
        self.venv = self.home / 'venv'
        self.prefix = self.home / 'install'
        self.from_wheels = not ros_sourced()
        self.console = Console(stderr=True, highlight=False)
        self._show: Callable[[str], None] = lambda line: None
        self._step = ''

    # What there is to do

    def steps(self) -> list[Step]:
        """Steps of a full set-up, in order."""
        requirements = self.root / 'requirements'
        library = requirements / 'library.txt'
        ros = requirements / 'ros.txt'
        interfaces = [path for path in sorted((self.root / 'interfaces').rglob('*')) if path.is_file()]
        steps = [Step('library', 'libraries (numpy, scipy, numba, ...)', _digest([library]),
                      lambda: self._pip('-r', str(library)) if self.from_wheels else self._pip_beside_ros(library))]
        if self.from_wheels:
            steps.append(Step('ros', 'ROS 2 Jazzy from wheels', _digest([ros]), lambda: self._install_ros(ros)))
        return [
            *steps,
            Step('interfaces', 'messages, services and actions (compiling)', _digest([*interfaces, ros]),
                 self._build_interfaces),
            Step('package', 'robokin_ros itself', _digest([self.root / 'setup.py', self.root / 'package.xml',
                                                           *(self.root / 'robokin_ros' / 'kernels').glob('*.c')]),
                 lambda: self._pip('--no-deps', '--no-build-isolation', '-e', str(self.root))),
            Step('environment', 'environment.sh', _digest([]), self._write_environment),
            Step('kernels', 'compiled kernels (numba)', _digest((self.root / 'robokin_ros' / 'kernels').glob('*.py')),
                 self._compile_kernels),
        ]

    def tools(self, name: str) -> Step:
        """What `robokin test` or `robokin bench` needs besides: `name` is 'test' or 'benchmark'."""
        file = self.root / 'requirements' / f'{name}.txt'
        return Step(name, TOOLS[name], _digest([file, self.root / 'requirements' / 'test.txt']),
                    lambda: self._pip('-r', str(file)) if self.from_wheels else self._pip_beside_ros(file))

    # Doing it

    def run(self, steps: Iterable[Step]) -> None:
        """Do the steps that are not done, with progress; StepFailed if one does not work."""
        stamps = self.home / 'stamps'
        (self.home / 'logs').mkdir(exist_ok=True)
        todo = [step for step in steps if _read(stamps / step.name) != step.made_of]
        with Progress(SpinnerColumn(), TextColumn('{task.description}'), TimeElapsedColumn(),
                      TextColumn('[dim]{task.fields[line]}'), console=self.console) as progress:
            for number, step in enumerate(todo, 1):
                began = time.monotonic()
                task = progress.add_task(f'[{number}/{len(todo)}] {step.title}', total=None, line='')
                if not self.console.is_terminal:
                    self.console.print(f'robokin: [{number}/{len(todo)}] {step.title} ...', markup=False)
                self._show = lambda line, task=task: progress.update(  # type: ignore[misc]
                    task, line=_shorten(line, self.console.width - 60))
                self._step = step.name
                (stamps / step.name).unlink(missing_ok=True)
                step.work()
                (stamps / step.name).write_text(step.made_of, encoding='utf-8')
                progress.remove_task(task)
                if self.console.is_terminal:
                    self.console.print(f'  [green]done[/] {step.title} [dim]({time.monotonic() - began:.0f} s)')

    def _run(self, *command: str, env: dict[str, str] | None = None) -> None:
        """Run a command into the log of the present step, its last line shown."""
        log = self.home / 'logs' / f'{self._step}.log'
        with log.open('a', encoding='utf-8') as file:
            file.write(f'$ {shlex.join(command)}\n')
            try:
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                           stderr=subprocess.STDOUT, text=True, errors='replace', env=env,
                                           cwd=self.root)
            except OSError as error:
                file.write(f'{error}\n')
                raise StepFailed(self._step, log, 127) from error
            assert process.stdout is not None
            try:
                for line in process.stdout:
                    file.write(line)
                    self._show(line.strip())
                code = process.wait()
            except KeyboardInterrupt:  # the command got the signal too; it must be gone before the lock is
                try:
                    process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                raise
        if code != 0:
            raise StepFailed(self._step, log, code)

    def _pip(self, *arguments: str) -> None:
        self._run(sys.executable, '-m', 'pip', 'install', '--disable-pip-version-check', '--progress-bar', 'off',
                  *arguments)

    def _pip_beside_ros(self, file: Path) -> None:
        """Install what a sourced ROS 2 lacks, keeping the numpy that its messages were compiled with."""
        names = [line.split('==')[0] for line in file.read_text(encoding='utf-8').splitlines()
                 if line.strip() and not line.startswith('#')]
        constraint = self.home / 'constraints.txt'
        found = subprocess.run([sys.executable, '-c', 'import numpy; print(numpy.__version__)'], capture_output=True,
                               text=True, check=False)
        constraint.write_text(f'numpy=={found.stdout.strip()}\n' if found.returncode == 0 else '', encoding='utf-8')
        self._pip('-c', str(constraint), *names)

    def _install_ros(self, file: Path) -> None:
        self._pip('-r', str(file))
        self._mend_cmake_files()

    def _mend_cmake_files(self) -> None:
        """Exported CMake files name the Python of the machine that built the wheels; name this one."""
        import re
        numpy_include = subprocess.run([sys.executable, '-c', 'import numpy; print(numpy.get_include())'],
                                       capture_output=True, text=True, check=True).stdout.strip()
        here = (
            (re.compile(r'/opt/python/cp[^/;"]*/lib/python[0-9.]+/site-packages/numpy/_?core/include'), numpy_include),
            (re.compile(r'/opt/python/cp[^/;"]*/include/python[0-9.]+'), sysconfig.get_path('include')),
        )
        for path in (self.venv / 'share').rglob('*.cmake'):
            text = mended = path.read_text(encoding='utf-8')
            for foreign, own in here:
                mended = foreign.sub(own, mended)
            if mended != text:
                path.write_text(mended, encoding='utf-8')

    def _build_interfaces(self) -> None:
        """Build robokin_interfaces, and the stand-ins that the environment lacks, into `.robokin/install`."""
        prefixes = [self.venv] if self.from_wheels else [
            Path(prefix) for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if prefix]
        index = Path('share', 'ament_index', 'resource_index', 'packages')
        lacking = [name for name in STAND_INS if not any((prefix / index / name).is_file() for prefix in prefixes)]
        paths = [self.root / 'interfaces' / 'robokin_interfaces',
                 *(self.root / 'interfaces' / 'embedded' / name for name in lacking)]
        env = {**self._environment(), 'COLCON_DEFAULTS_FILE': os.devnull,
               'CMAKE_PREFIX_PATH': os.pathsep.join(map(str, prefixes))}
        self._run('colcon', '--log-base', str(self.home / 'logs' / 'colcon'), 'build', '--merge-install',
                  '--paths', *map(str, paths),
                  '--build-base', str(self.home / 'build'), '--install-base', str(self.prefix),
                  '--cmake-args', '-DBUILD_TESTING=OFF', f'-DPython3_EXECUTABLE={sys.executable}',
                  f'-DPYTHON_EXECUTABLE={sys.executable}', env=env)

    def _search_paths(self) -> dict[str, list[str]]:
        """What goes in front of the search paths so that ROS and the built interfaces are found."""
        prefixes, libraries = [str(self.prefix)], [str(self.prefix / 'lib')]
        if self.from_wheels:
            packages = Path(sysconfig.get_path('purelib'))
            prefixes.append(str(self.venv))
            libraries += [str(self.venv / 'lib'), *map(str, sorted(packages.glob('ros_*.libs')))]
        return {
            'PATH': [str(self.venv / 'bin')],
            'AMENT_PREFIX_PATH': prefixes,
            'LD_LIBRARY_PATH': libraries,
            'PYTHONPATH': [str(path) for path in sorted(self.prefix.glob('**/*-packages')) if path.is_dir()],
        }

    def _settings(self) -> dict[str, str]:
        """Variables with one value."""
        settings = {'NUMBA_CACHE_DIR': str(self.home / 'numba')}
        if self.from_wheels:
            settings |= {'_ROS_WHEELS_BOOTSTRAP_COMPLETE': '1', 'RMW_IMPLEMENTATION': 'rmw_fastrtps_cpp'}
        return settings

    def _environment(self) -> dict[str, str]:
        """Environment of this process with all of that."""
        paths = {name: os.pathsep.join(filter(None, [*values, os.environ.get(name, '')]))
                 for name, values in self._search_paths().items()}
        return {**os.environ, **paths, **self._settings()}

    def _write_environment(self) -> None:
        lines = ['# Made by ./robokin: source it to use the suite, and ROS 2, from any shell or script.']
        for name, values in self._search_paths().items():
            lines.append(f'export {name}={shlex.quote(os.pathsep.join(values))}"${{{name}:+:${name}}}"')
        lines += [f'export {name}={shlex.quote(value)}' for name, value in self._settings().items()]
        if self.from_wheels:
            profile = shlex.quote(str(self.root / 'config' / 'fastdds_loopback.xml'))
            lines += ['if [ -z "${ROS_AUTOMATIC_DISCOVERY_RANGE-}" ]; then  # this machine only, unless told otherwise',
                      f'  export ROS_AUTOMATIC_DISCOVERY_RANGE=SYSTEM_DEFAULT FASTRTPS_DEFAULT_PROFILES_FILE={profile}',
                      'fi']
        (self.home / 'environment.sh').write_text('\n'.join(lines) + '\n', encoding='utf-8')

    def _compile_kernels(self) -> None:
        """Import every module of kernels: that compiles them, several at once."""
        program = ('import importlib, multiprocessing, os, pkgutil, robokin_ros.kernels as k\n'
                   'def compile_one(name):\n'
                   "    print('compiling', name, flush=True)\n"
                   "    importlib.import_module('robokin_ros.kernels.' + name)\n"
                   'names = [m.name for m in pkgutil.iter_modules(k.__path__)]\n'
                   'with multiprocessing.Pool(len(os.sched_getaffinity(0))) as pool:\n'
                   '    pool.map(compile_one, names, chunksize=1)')
        self._run(sys.executable, '-c', program, env=self._environment())


def provision(root: Path, tools: str = '') -> int:
    """Set up the environment, or add the `tools` for 'test' or 'benchmark'; exit code. The caller holds the lock."""
    provisioner = Provisioner(root)
    steps = [provisioner.tools(tools)] if tools else provisioner.steps()
    try:
        provisioner.run(steps)
    except StepFailed as failure:
        print(f"robokin: the set-up step '{failure.step}' failed (exit code {failure.code}); the end of {failure.log}:",
              file=sys.stderr)
        for line in _read(failure.log).splitlines()[-SHOWN_LINES:]:
            print(f'    {line}', file=sys.stderr)
        print(f'robokin: {AGAIN}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _digest(files: Iterable[Path]) -> str:
    """What a step is made of: these files, and the recipe in this one."""
    content = hashlib.sha256()
    for file in sorted([*files, Path(__file__)]):
        if file.is_file():
            content.update(file.read_bytes())
    return content.hexdigest()


def _read(path: Path) -> str:
    return path.read_text(encoding='utf-8') if path.is_file() else ''


def _shorten(line: str, width: int) -> str:
    return line if len(line) <= width else line[:max(width - 3, 0)] + '...'


if __name__ == '__main__':
    sys.exit(provision(Path(sys.argv[1])))
