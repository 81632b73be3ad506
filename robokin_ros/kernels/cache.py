"""Where compiled kernels are kept: one folder per installation and version of the sources.

numba notices a change in a kernel's own file only; a kernel is made of parts from several files. The folder's name is a
digest of all of them, so that a changed part is never run from an old cache.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path


@cache
def cache_directory() -> Path:
    """Folder of the kernels compiled from the present sources: below NUMBA_CACHE_DIR or the user's cache.

    Where neither can be written (a service without a home), below the folder for temporary files.
    """
    digest = hashlib.sha256(str(Path(__file__).parent).encode())  # numba keeps them apart by folder, too
    for source in sorted(Path(__file__).parent.glob('*.py')):
        digest.update(source.read_bytes())
    user = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache') / 'robokin_ros'
    last_resort = Path(tempfile.gettempdir()) / f'robokin_ros-{os.getuid()}'
    for base in (Path(os.environ.get('NUMBA_CACHE_DIR') or user), last_resort):
        folder = base / digest.hexdigest()[:16]
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    raise OSError(f'No folder for compiled kernels can be written; tried {user} and {last_resort}.')
