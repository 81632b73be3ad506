"""`python -m benchmarks [TOPIC ...] [--poses N]`: measure and write `benchmarks/results/`."""

from __future__ import annotations

import argparse
from importlib import import_module

from benchmarks.report import Row, save

GROUPS = {
    'kinematics': {'forward': 10_000, 'closed_form': 10_000, 'numeric': 10_000, 'service': 2000, 'other_arms': 200,
                   'operation_counts': 1},
    'dynamics': {'single': 100, 'batch': 10_000, 'threads': 10_000, 'scaling': 1000, 'simulation': 100,
                 'memory': 1_000_000, 'cost': 50},
    'trajectory': {'time_optimal': 20, 'jerk_limited': 50},
}
"""Topics, and the number of poses (dynamics: what the topic's `run` says) of each."""


def main() -> None:
    """Run the topics named on the command line, or all."""
    parser = argparse.ArgumentParser(prog='python -m benchmarks', description=__doc__)
    listed = '; '.join(f'{group}: {", ".join(topics)}' for group, topics in GROUPS.items())
    parser.add_argument('topics', nargs='*', metavar='TOPIC',
                        help=f'a group, or some of its topics ({listed}); default: all')
    parser.add_argument('--poses', type=int, help='number of poses or states; default: as in the table of results')
    given = parser.parse_args()
    known = {name for group, topics in GROUPS.items() for name in (group, *topics)}
    for name in given.topics:
        if name not in known:
            parser.error(f"There is no topic '{name}'; there are {listed}.")
    for group, topics in GROUPS.items():
        for topic, usual in topics.items():
            if given.topics and not {group, topic} & set(given.topics):
                continue
            number = given.poses or usual
            rows = import_module(f'benchmarks.{group}.{topic}').run(number)
            save(group, topic, rows, {'poses': number})
            for row in rows:
                _print(topic, row)


def _print(topic: str, row: Row) -> None:
    parts = [f'{"ok  " if row.met else "MISS"} {topic}: {row.case}']
    if row.ours is not None:
        parts[0] += f': {row.ours * 1e6:.2f} us'
    if row.theirs is not None and row.faster is not None:
        wanted = f' (wanted {row.goal:.2f})' if row.goal else ''
        parts += [f'{row.peer}: {row.theirs * 1e6:.2f} us', f'{row.faster:.2f} x faster{wanted}']
    print(' | '.join([*parts, '; '.join(row.checks)]), flush=True)


if __name__ == '__main__':
    main()
