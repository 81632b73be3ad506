"""How kernels are compiled: the decorator and the array types of their signatures."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from numba import config, njit, types

from robokin_ros.kernels.cache import cache_directory

if not any(cache_directory().iterdir()):
    logging.getLogger('robokin_ros').warning('Compiling kernels: this takes half a minute, once per installation.')

VECTOR = types.Array(types.float64, 1, 'C', readonly=True)
MATRIX = types.Array(types.float64, 2, 'C', readonly=True)
CUBE = types.Array(types.float64, 3, 'C', readonly=True)
INDICES = types.Array(types.int64, 1, 'C', readonly=True)
TOPOLOGY = types.Array(types.int64, 2, 'C', readonly=True)
OUT_VECTOR = types.float64[::1]
OUT_INDICES = types.int64[::1]
OUT_MATRIX = types.float64[:, ::1]
OUT_CUBE = types.float64[:, :, ::1]
FLAG = types.boolean
REAL = types.float64
INTEGER = types.int64


def kernel(result: Any, *arguments: Any, nogil: bool = True) -> Callable[[Callable[..., Any]], Any]:
    """Compile a kernel for one signature, cached on disk, with NumPy error model; the shortest ones keep the GIL."""
    def compiled(function: Callable[..., Any]) -> Any:
        usual, config.CACHE_DIR = config.CACHE_DIR, str(cache_directory())
        try:
            return njit(result(*arguments), cache=True, nogil=nogil, error_model='numpy')(function)
        finally:
            config.CACHE_DIR = usual
    return compiled


def part(function: Callable[..., Any]) -> Any:
    """Compile a piece that kernels inline; it has no signature of its own."""
    return njit(inline='never', error_model='numpy')(function)


def lanes(function: Callable[..., Any]) -> Any:
    """As `part`, inlined by LLVM, and products and sums may be fused; NaN and infinity keep their meaning."""
    return njit(forceinline=True, error_model='numpy', fastmath={'contract'})(function)


def exact(function: Callable[..., Any]) -> Any:
    """As `lanes`, nothing fused; it must say so: numba lets a function without a setting inherit its caller's."""
    return njit(forceinline=True, error_model='numpy', fastmath=False)(function)


def direct(compiled: Any) -> Any:
    """The machine code of a kernel with one signature, without numba's check of argument types.

    Whoever calls it has made sure of class, dtype, dimensions, contiguity and alignment of every array.
    """
    signatures = list(getattr(compiled, 'overloads', {}).values())
    return signatures[0].entry_point if len(signatures) == 1 else compiled  # without compilation: as it is
