"""How kernels are compiled: the decorator and the array types of their signatures."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from numba import cfunc, config, njit, types

from robokin_ros.kernels.cache import cache_directory

if not any(cache_directory().iterdir()):
    logging.getLogger('robokin_ros').warning('Compiling kernels: this takes a minute or two, once per installation.')

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
_REALS = types.CPointer(types.float64)
ENTRY = types.int64(types.CPointer(types.int64), *3 * (_REALS,), types.int64, types.int64, *4 * (_REALS,))
"""Topology, constants, setting, work, number of bodies, number of joints, up to three joint vectors, result."""


def kernel(result: Any, *arguments: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a kernel for one signature, cached on disk, with NumPy error model; it does not hold the GIL."""
    def compiled(function: Callable[..., Any]) -> Any:
        usual, config.CACHE_DIR = config.CACHE_DIR, str(cache_directory())
        try:
            return njit(result(*arguments), cache=True, nogil=True, error_model='numpy')(function)
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


def c_function(function: Callable[..., Any]) -> int:
    """Compile the entry of a kernel for `DirectCall` (see direct_call.c); its address."""
    usual, config.CACHE_DIR = config.CACHE_DIR, str(cache_directory())
    try:
        return int(cfunc(ENTRY, cache=True, error_model='numpy')(function).address)
    finally:
        config.CACHE_DIR = usual
