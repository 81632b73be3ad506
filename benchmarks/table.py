"""`python benchmarks/table.py [FILE]`: write the table of results between the markers of a Markdown file."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
TITLES = {'forward': 'Forward kinematics and Jacobian', 'closed_form': 'Closed form, all branches',
          'numeric': 'Numeric, protocol of TRAC-IK', 'service': 'Service round trip',
          'other_arms': 'One-variable search and seven joints', 'operation_counts': 'Operation counts (KIN-11)',
          'single': 'Single calls', 'batch': 'Batches', 'threads': 'Two threads', 'scaling': 'Long chains',
          'simulation': 'Simulation', 'memory': 'Memory and start', 'cost': 'Times and operation counts (DYN-15)',
          'time_optimal': 'Time-optimal timing under torque limits', 'jerk_limited': 'Jerk-limited moves'}


def main() -> None:
    """Write the tables of all results into the file."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER / 'README.md'
    text = target.read_text(encoding='utf-8')
    for file in sorted((FOLDER / 'results').glob('*.json')):
        begin, end = f'<!-- {file.stem} -->', f'<!-- /{file.stem} -->'
        table = tables(json.loads(file.read_text(encoding='utf-8')))
        text, number = re.subn(f'{re.escape(begin)}.*?{re.escape(end)}', lambda _, b=begin, e=end, t=table:
                               f'{b}\n{t}{e}', text, flags=re.DOTALL)
        if not number:
            sys.exit(f'{target} has no markers {begin} ... {end}.')
    target.write_text(text, encoding='utf-8')


def tables(results: dict[str, dict]) -> str:
    """Markdown of all topics."""
    parts = []
    for topic, title in TITLES.items():
        if topic not in results:
            continue
        parts += [f'### {title}\n', _origin(results[topic]), '',
                  '| case | ours | against | theirs | times faster | wanted | found |', '|---|--:|---|--:|--:|--:|---|']
        parts += [_line(row) for row in results[topic]['rows']]
        parts.append('')
    return '\n'.join(parts)


def _origin(result: dict) -> str:
    machine = result['machine']
    libraries = ', '.join(f'{name} {number}' for name, number in machine['libraries'].items())
    return (f"{result['date'][:10]}, {machine['cpu']}, {machine['cores']} cores, Python {machine['python']}, "
            f'{libraries}.')


def _line(row: dict) -> str:
    found = '; '.join(text if good else f'**{text}**' for text, good in row['checks'].items())
    faster, goal = row['faster'], row['goal']
    speed = '' if faster is None else f'{faster:.2f}' if goal is None or faster >= goal else f'**{faster:.2f}**'
    return (f"| {row['case']} | {_time(row['ours'])} | {row['peer']} | {_time(row['theirs'])} | {speed} | "
            f"{'' if goal is None else f'>= {goal:.2f}'} | {found} |")


def _time(seconds: float | None) -> str:
    if seconds is None:
        return ''
    if seconds >= 1.0:
        return f'{seconds:.3g} s'
    return f'{seconds * 1e3:.3g} ms' if seconds >= 1e-3 else f'{seconds * 1e6:.3g} us'


if __name__ == '__main__':
    main()
