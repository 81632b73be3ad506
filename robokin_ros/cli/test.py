"""`robokin test`: lint, types, contracts, unit and integration tests, with one summary."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from robokin_ros.cli.bootstrap import locked
from robokin_ros.cli.provision import provision
from robokin_ros.errors import RobokinError

CHECKOUT = Path(__file__).resolve().parents[2]
PYTEST = (sys.executable, '-m', 'pytest')


@dataclass(frozen=True)
class Stage:
    """A part of the suite: a command that ends with 0 when all is well."""

    name: str
    command: tuple[str, ...]


STAGES = (
    Stage('lint (ruff)', ('ruff', 'check', '.')),
    Stage('types (mypy)', ('mypy',)),
    Stage('import contracts', ('lint-imports', '--no-logo')),
    Stage('unit tests', (*PYTEST, '-q', '-n', 'logical', 'test/unit')),
    Stage('integration tests', (*PYTEST, '-v', '--durations=8', 'test/integration')),
)


def run(pytest_arguments: tuple[str, ...]) -> int:
    """Run all stages, or pytest with the given arguments; 0 if all passed."""
    if not (CHECKOUT / 'test').is_dir():
        raise RobokinError('The tests are in the checkout of robokin_ros: run ./robokin test there.')
    with locked(CHECKOUT / '.robokin'):
        code = provision(CHECKOUT, 'test')
    if code != 0:
        return code
    if pytest_arguments:
        return subprocess.run([*PYTEST, *pytest_arguments], cwd=CHECKOUT, check=False).returncode
    console = Console(highlight=False)
    table = Table(box=None, show_header=False)
    failed = []
    for stage in STAGES:
        console.rule(stage.name, align='left')
        began = time.monotonic()
        code = subprocess.run(stage.command, cwd=CHECKOUT, check=False).returncode
        table.add_row('[green]passed[/]' if code == 0 else f'[bold red]FAILED[/] (exit code {code})', stage.name,
                      f'{time.monotonic() - began:.0f} s')
        if code != 0:
            failed.append(stage.name)
    console.rule('summary', align='left')
    console.print(table)
    console.print(f"[bold red]Failed: {', '.join(failed)}." if failed else '[bold green]All passed.')
    return 1 if failed else 0
