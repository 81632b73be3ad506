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


def bind(address: int, constants: np.ndarray, inputs: int | tuple[tuple[int, ...], ...], dof: int,
         shape: Sequence[int], *, bodies: int = 0, topology: np.ndarray = _NOTHING,
         setting: Sequence[float] | np.ndarray = (), work: int = 0) -> Callable[..., Any]:
    """Call that takes `inputs` joint vectors, or arrays of the shapes `inputs`; a result of shape `shape`, or None."""
    if DirectCall is None:
        return lambda *_: None
    forms = ((dof,),) * inputs if isinstance(inputs, int) else inputs
    return DirectCall(address, topology, constants, np.array(setting, dtype=np.float64), np.zeros(work), bodies, dof,
                      forms, tuple(shape))
