"""`robokin bench`: measure beside other libraries of the field, and write the tables of benchmarks/README.md."""

from __future__ import annotations

import subprocess
import sys

from robokin_ros.cli.bootstrap import locked
from robokin_ros.cli.provision import provision
from robokin_ros.cli.test import CHECKOUT
from robokin_ros.errors import RobokinError


def run(arguments: tuple[str, ...]) -> int:
    """Run the benchmarks with their own arguments, then write the tables; 0 if both worked."""
    if not (CHECKOUT / 'benchmarks').is_dir():
        raise RobokinError('The benchmarks are in the checkout of robokin_ros: run ./robokin bench there.')
    with locked(CHECKOUT / '.robokin'):
        code = provision(CHECKOUT, 'benchmark')
    if code != 0:
        return code
    for command in (('-m', 'benchmarks', *arguments), ('benchmarks/table.py',)):
        code = subprocess.run([sys.executable, *command], cwd=CHECKOUT, check=False).returncode
        if code != 0:
            return code
    return 0
