"""What a benchmark says: rows of a table, the machine they were measured on, and the file that keeps both."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

RESULTS = Path(__file__).parent / 'results'
LIBRARIES = {
    'kinematics': ('numpy', 'numba', 'pin', 'EAIK', 'ssik', 'roboticstoolbox-python', 'example-robot-data',
                   'ros-rclpy'),
    'dynamics': ('numpy', 'numba', 'pin', 'cmeel-eigen', 'example-robot-data'),
    'trajectory': ('numpy', 'scipy', 'numba', 'pin', 'toppra', 'ruckig', 'example-robot-data'),
}
"""What each group of topics uses."""


@dataclass(frozen=True)
class Row:
    """One comparison.

    Attributes
    ----------
    case, peer
        What was done, and who else did it; an empty peer: nobody.
    ours, theirs
        Time of one call [s]; the case says of what. None: not measured.
    faster
        How many times faster ours is (below 1: slower).
    goal
        Least value of `faster` that is wanted, or None.
    checks
        Further findings as sentences, and whether each is as wanted.
    """

    case: str
    ours: float | None
    peer: str = ''
    theirs: float | None = None
    faster: float | None = None
    goal: float | None = None
    checks: dict[str, bool] = field(default_factory=dict)

    @property
    def met(self) -> bool:
        """Whether everything wanted is so."""
        fast = self.goal is None or (self.faster is not None and self.faster >= self.goal)
        return fast and all(self.checks.values())


def machine(libraries: Iterable[str]) -> dict[str, object]:
    """Machine, interpreter and libraries."""
    return {'cpu': cpu(), 'cores': os.cpu_count(), 'system': platform.platform(terse=True),
            'python': platform.python_version(), 'libraries': {name: library_version(name) for name in libraries}}


def load_results(group: str) -> dict[str, dict]:
    """What has been measured so far of a group, by topic."""
    file = RESULTS / f'{group}.json'
    return json.loads(file.read_text(encoding='utf-8')) if file.is_file() else {}


def save(group: str, topic: str, rows: list[Row], settings: dict[str, object]) -> None:
    """Keep the rows of a topic in the place of its earlier ones."""
    results = load_results(group)
    results[topic] = {'date': datetime.now(UTC).isoformat(timespec='seconds'), 'settings': settings,
                      'machine': machine(LIBRARIES[group]), 'rows': [{**asdict(row), 'met': row.met} for row in rows]}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f'{group}.json').write_text(json.dumps(results, indent=1) + '\n', encoding='utf-8')


def cpu() -> str:
    """Name of the processor."""
    for line in Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines():
        if line.startswith('model name'):
            return line.partition(':')[2].strip()
    return platform.processor()


def library_version(name: str) -> str:
    """Installed version, or that there is none."""
    try:
        return version(name)
    except PackageNotFoundError:
        return 'not installed'
