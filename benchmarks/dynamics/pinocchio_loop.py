"""Pinocchio in a C++ loop: builds `pinocchio_loop.cpp` once into `.robokin/benchmark/`, and calls it on arrays."""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pinocchio
from numpy.typing import NDArray

from benchmarks.report import cpu, library_version

SOURCE = Path(__file__).with_name('pinocchio_loop.cpp')
EXPORTS = Path(__file__).with_name('exports.map')
"""Without it symbols of the library meet those of the wheel, which has another alignment: a crash."""
BUILT = Path(__file__).parents[2] / '.robokin' / 'benchmark'
PREFIX = Path(sysconfig.get_path('purelib')) / 'cmeel.prefix'
FLAGS = ('-std=c++17', '-O3', '-march=native', '-DNDEBUG', '-shared', '-fPIC', '-w', '-fno-gnu-unique',
         '-DBOOST_MPL_LIMIT_LIST_SIZE=30', '-DBOOST_MPL_LIMIT_VECTOR_SIZE=30',
         '-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS', '-DBOOST_FUSION_INVOKE_MAX_ARITY=12')


class NotBuilt(Exception):
    """There is no C++ loop here; the message says why."""


class PinocchioLoop:
    """Functions of the library on arrays (count, n), bound to one model."""

    def __init__(self, model: pinocchio.Model) -> None:
        self._library, self.compiler = _library()
        self._library.make.restype = ctypes.c_void_p
        with tempfile.NamedTemporaryFile(suffix='.txt') as file:
            model.saveToText(file.name)
            self._robot = ctypes.c_void_p(self._library.make(file.name.encode()))

    def __call__(self, function: str, *arrays: NDArray[np.float64]) -> None:
        """Call `rnea`, `gravity`, `aba` or `crba` with all rows; the last array is the result."""
        getattr(self._library, function)(self._robot, ctypes.c_long(len(arrays[0])),
                                         *(ctypes.c_void_p(array.ctypes.data) for array in arrays))


@cache
def _library() -> tuple[ctypes.CDLL, str]:
    """The library, built if what it is made of has changed, and the compiler's name."""
    compiler = os.environ.get('CXX') or shutil.which('clang++') or shutil.which('g++')
    if compiler is None:
        raise NotBuilt('there is neither clang++ nor g++')
    try:
        named = subprocess.run([compiler, '--version'], capture_output=True, text=True, check=True).stdout
        named = named.partition('\n')[0]
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotBuilt(f'{compiler} does not run: {error}') from error
    parts = (SOURCE.read_text(encoding='utf-8'), EXPORTS.read_text(encoding='utf-8'), named, *FLAGS, cpu(),
             library_version('pin'), library_version('cmeel-eigen'))
    library = BUILT / f'pinocchio_loop_{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}.so'
    if not library.is_file():
        print(f'building {library} with {named} (two minutes, once) ...', flush=True)
        _build(compiler, library)
    try:
        return ctypes.CDLL(str(library)), re.sub(r' \(.*?\)', '', named)
    except OSError as error:
        raise NotBuilt(f'{library} cannot be loaded: {error}') from error


def _build(compiler: str, library: Path) -> None:
    BUILT.mkdir(parents=True, exist_ok=True)
    part = library.with_suffix(f'.{os.getpid()}.part')
    done = subprocess.run(
        [compiler, *FLAGS, f'-Wl,--version-script={EXPORTS}', '-isystem', str(PREFIX / 'include' / 'eigen3'),
         '-isystem', str(PREFIX / 'include'), str(SOURCE), '-o', str(part), f'-L{PREFIX / "lib"}',
         '-lboost_serialization', f'-Wl,-rpath,{PREFIX / "lib"}'], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if 'error' in line] or done.stderr.splitlines()[-1:]
        raise NotBuilt(f'{compiler} failed: {" ".join(errors[:1])}')
    part.rename(library)
