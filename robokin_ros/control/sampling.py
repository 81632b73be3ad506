"""How often a loop must run: the textbook's rules, and the exact limit of a sampled servo (CTL-06)."""

from __future__ import annotations

import numpy as np

from robokin_ros.errors import InputError


def sampling_rate(reference: float = 0.0, correlation_time: float = np.inf, resonance: float = 0.0,
                  bandwidth: float = 0.0) -> float:
    """Least sampling rate [Hz] that all rules ask for.

    Twice the bandwidth of the `reference` [Hz], ten times in the `correlation_time` of disturbances [s], twice the
    `resonance` that is to be damped [Hz], ten times in 1/omega_n of the closed loop's `bandwidth` [rad/s].
    """
    if not (reference >= 0.0 and correlation_time > 0.0 and resonance >= 0.0 and bandwidth >= 0.0):
        raise InputError(f'Frequencies {reference}, {resonance}, {bandwidth} must not be negative, the '
                         f'correlation time {correlation_time} positive.', field='reference')
    return max(2.0 * reference, 10.0 / correlation_time, 2.0 * resonance, 10.0 * bandwidth)


def longest_period(k_p: float, k_v: float) -> float:
    """Sampling period [s] at which a unit mass under u = -k_p x - k_v v, held between samples, becomes unstable."""
    if not (k_p > 0.0 and k_v > 0.0):
        raise InputError(f'The gains {k_p}, {k_v} must be positive.', field='k_p')
    return min(2.0 / k_v, 2.0 * k_v / k_p)


def sampled_radius(k_p: float, k_v: float, period: float) -> float:
    """Spectral radius of that loop: below 1 it is stable."""
    if not period > 0.0:
        raise InputError(f'The period is {period}; it must be positive.', field='period', value=period)
    constant = 0.5 * k_p * period**2
    return float(np.max(np.abs(np.roots([1.0, -(2.0 - k_v * period - constant), 1.0 - k_v * period + constant]))))
