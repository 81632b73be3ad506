"""Where compiled kernels are kept: one folder per version of the sources.

numba notices a change in a kernel's own file only; a kernel is made of parts from several files. The folder's name is a
digest of all of them, so that a changed part is never run from an old cache.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path


@cache
def cache_directory() -> Path:
    """Folder of the kernels compiled from the present sources; below NUMBA_CACHE_DIR or the user's cache."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob('*.py')):
        digest.update(source.read_bytes())
    user = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache') / 'robokin_ros'
    return Path(os.environ.get('NUMBA_CACHE_DIR') or user) / digest.hexdigest()[:16]
