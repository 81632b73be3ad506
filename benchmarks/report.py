"""What a benchmark says: rows of a table, the machine they were measured on, and the file that keeps both."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

RESULTS = Path(__file__).parent.parent / 'results' / 'kinematics.json'
LIBRARIES = ('numpy', 'numba', 'pin', 'EAIK', 'ssik', 'roboticstoolbox-python', 'example-robot-data', 'ros-rclpy')


@dataclass(frozen=True)
class Row:
    """One comparison.

    Attributes
    ----------
    case, peer
        What was done, and who else did it; an empty peer: nobody.
    ours, theirs
        Time of one call [s]; the case says of what.
    faster
        How many times faster ours is (below 1: slower).
    goal
        Least value of `faster` that is wanted, or None.
    checks
        Further findings as sentences, and whether each is as wanted.
    """

    case: str
    ours: float
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


def machine() -> dict[str, object]:
    """Machine, interpreter and libraries."""
    return {'cpu': _cpu(), 'cores': os.cpu_count(), 'system': platform.platform(terse=True),
            'python': platform.python_version(), 'libraries': {name: _version(name) for name in LIBRARIES}}


def load_results() -> dict[str, dict]:
    """What has been measured so far, by topic."""
    return json.loads(RESULTS.read_text(encoding='utf-8')) if RESULTS.is_file() else {}


def save(topic: str, rows: list[Row], settings: dict[str, object]) -> None:
    """Keep the rows of a topic in the place of its earlier ones."""
    results = load_results()
    results[topic] = {'date': datetime.now(UTC).isoformat(timespec='seconds'), 'settings': settings,
                      'machine': machine(), 'rows': [{**asdict(row), 'met': row.met} for row in rows]}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + '\n', encoding='utf-8')


def _cpu() -> str:
    for line in Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines():
        if line.startswith('model name'):
            return line.partition(':')[2].strip()
    return platform.processor()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return 'not installed'
