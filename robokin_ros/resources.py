"""Where the files shipped beside the code are: robot descriptions, launch and configuration files.

In a checkout they lie at its root; an installation (pip or colcon) has them in share/robokin_ros.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from robokin_ros.errors import RobokinError

PACKAGE = 'robokin_ros'


def share_directory() -> Path:
    """Directory that holds `urdf/`, `config/` and `launch/`."""
    here = Path(__file__).resolve().parent
    prefixes = [*map(str, here.parents), sys.prefix, *os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)]
    candidates = [here.parent, *(Path(prefix) / 'share' / PACKAGE for prefix in prefixes if prefix)]
    for candidate in candidates:
        if (candidate / 'urdf').is_dir():
            return candidate
    tried = ', '.join(str(c) for c in candidates)
    raise RobokinError(f'The shipped urdf/ folder was not found; looked in {tried}.')
