"""`python -m robokin_ros.nodes NODE [ROS arguments]`: run one node by name."""

from __future__ import annotations

import signal
import sys
from importlib import import_module

NODES = ('kinematics_node', 'trajectory_node', 'dynamics_node', 'hardware_node', 'state_publisher', 'viewer_node')


def main() -> None:
    """Run the node named first on the command line."""
    if len(sys.argv) < 2 or sys.argv[1] not in NODES:
        sys.exit(f"Name one of the nodes {', '.join(NODES)}.")
    name = sys.argv.pop(1)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while the libraries load ends the process without a word
    import_module(f'robokin_ros.nodes.{name}').main()


if __name__ == '__main__':
    main()
