"""Single calls without detours: a kernel's C function bound to the arrays of one model.

The extension module `direct_call` is optional. Without it every call answers None, which says: take the general way.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

try:
    DirectCall = importlib.import_module('robokin_ros.kernels.direct_call').DirectCall
except ImportError:  # installed without a compiler; `robokin doctor` says so
    DirectCall = None

_NOTHING = np.zeros((0, 3), dtype=np.int64)


def bind(address: int, constants: np.ndarray, inputs: int, dof: int, shape: Sequence[int], *, bodies: int = 0,
         topology: np.ndarray = _NOTHING, setting: Sequence[float] | np.ndarray = (),
         work: int = 0) -> Callable[..., Any]:
    """Call that takes `inputs` joint vectors and returns an array of the given shape, or None."""
    if DirectCall is None:
        return lambda *_: None
    return DirectCall(address, topology, constants, np.array(setting, dtype=np.float64), np.zeros(work), bodies, dof,
                      inputs, tuple(shape))
