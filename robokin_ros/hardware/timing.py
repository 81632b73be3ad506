"""Timing statistics of a loop: rolling percentiles without growth."""

from __future__ import annotations

import numpy as np


class RollingStatistics:
    """The last `size` values of something, for percentiles [same unit]."""

    def __init__(self, size: int = 2000) -> None:
        self._values = np.zeros(size)
        self._count = 0

    def add(self, value: float) -> None:
        """Take one value in, the oldest out."""
        self._values[self._count % len(self._values)] = value
        self._count += 1

    def percentile(self, share: float) -> float:
        """Percentile in 0..100 of what is kept; NaN when nothing is."""
        kept = self._values[:min(self._count, len(self._values))]
        return float(np.percentile(kept, share)) if len(kept) else float('nan')
