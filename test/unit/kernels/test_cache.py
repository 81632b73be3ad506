"""Compiled kernels: cached per version of all sources, and never compiled inside a call."""

import shutil
import subprocess
import sys
from pathlib import Path

from robokin_ros.kernels import cache, newton_euler_lanes, pose_lanes


def test_kernels_have_one_compiled_signature():
    for kernel in (pose_lanes.tip_jacobian_batch, newton_euler_lanes.newton_euler_batch):
        assert len(kernel.signatures) == 1
        assert not kernel._can_compile


def test_a_change_in_any_source_moves_the_cache(tmp_path):
    copy = tmp_path / 'kernels'
    shutil.copytree(Path(cache.__file__).parent, copy, ignore=shutil.ignore_patterns('__pycache__'))

    def directory():
        return subprocess.run([sys.executable, '-c', 'import cache; print(cache.cache_directory())'], cwd=copy,
                              capture_output=True, text=True, check=True).stdout

    before = directory()
    assert before == directory()
    with (copy / 'poses.py').open('a') as file:
        file.write('# changed\n')
    assert directory() != before
