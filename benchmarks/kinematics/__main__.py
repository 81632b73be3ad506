"""`python -m benchmarks.kinematics [TOPIC ...] [--poses N]`: measure and write `benchmarks/results/kinematics.json`."""

from __future__ import annotations

import argparse
from importlib import import_module

from benchmarks.kinematics.report import save

TOPICS = {'forward': 10_000, 'closed_form': 10_000, 'numeric': 10_000, 'service': 2000, 'other_arms': 200,
          'operation_counts': 1}
"""Number of poses of each topic."""


def main() -> None:
    """Run the topics named on the command line, or all."""
    parser = argparse.ArgumentParser(prog='python -m benchmarks.kinematics', description=__doc__)
    parser.add_argument('topics', nargs='*', metavar='TOPIC', help=f'{", ".join(TOPICS)}; default: all')
    parser.add_argument('--poses', type=int, help='number of poses; default: as in the table of results')
    given = parser.parse_args()
    for topic in given.topics:
        if topic not in TOPICS:
            parser.error(f"There is no topic '{topic}'; there are {', '.join(TOPICS)}.")
    for topic in given.topics or TOPICS:
        poses = given.poses or TOPICS[topic]
        rows = import_module(f'benchmarks.kinematics.{topic}').run(poses)
        save(topic, rows, {'poses': poses})
        for row in rows:
            against = f' | {row.peer}: {row.theirs * 1e6:.2f} us | {row.faster:.2f} x faster' if row.peer else ''
            wanted = f' (wanted {row.goal:.2f})' if row.goal else ''
            print(f'{"ok  " if row.met else "MISS"} {topic}: {row.case}: {row.ours * 1e6:.2f} us{against}{wanted} | '
                  f'{"; ".join(row.checks)}', flush=True)


if __name__ == '__main__':
    main()
