"""From recorded joint states to motions with accelerations, as identification needs them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.signal import butter, sosfiltfilt

from robokin_ros.errors import InputError

Array = NDArray[np.float64]
ORDER = 4
"""Of the low-pass filter; run forwards and backwards, it delays nothing."""
ENDS = 3
"""Periods of the cutoff frequency that are cut off at each end."""


def recorded_motion(time: ArrayLike, position: ArrayLike, effort: ArrayLike,
                    cutoff: float) -> tuple[Array, Array, Array, Array]:
    """Smoothed q, qd, qdd and tau (m, n) at an even rate from joint states recorded at any instants.

    Parameters
    ----------
    time
        (k,) increasing [s].
    position, effort
        (k, n) [rad, m], [N m, N]; both go through the same filter, so that the equations of motion still hold.
    cutoff
        Frequency [Hz] below which the motion lies, and above which there is noise.

    Returns
    -------
    What `identify` takes; the first and last periods of the cutoff frequency (`ENDS`), where filters err, are left out.
    """
    try:
        stamps, places, torques = (np.asarray(values, dtype=float) for values in (time, position, effort))
    except (TypeError, ValueError) as error:
        raise InputError(f'A recording is made of numbers: {error}.', field='time') from error
    if places.ndim != 2 or torques.shape != places.shape or stamps.shape != places.shape[:1]:
        raise InputError(f'A recording is (k,) times, (k, n) positions and efforts, got {stamps.shape}, {places.shape} '
                         f'and {torques.shape}.', field='position')
    if not all(np.all(np.isfinite(values)) for values in (stamps, places, torques)):
        raise InputError('The recording contains NaN or infinity.', field='position')
    steps = np.diff(stamps)
    if len(steps) < 3 * ORDER or not np.all(steps > 0.0):
        raise InputError(f'A recording needs more than {3 * ORDER} instants that increase, got {len(stamps)}.',
                         field='time')
    period = float(np.median(steps))
    even = np.arange(stamps[0], stamps[-1], period)
    margin = int(np.ceil(ENDS / (cutoff * period))) if cutoff > 0.0 else 0
    if not 0.0 < cutoff < 0.4 / period or len(even) < 4 * margin:
        raise InputError(f'The cutoff is {cutoff} Hz; it must be below {0.4 / period:.4g} Hz (0.4 of the rate), with '
                         f'{4 * ENDS} periods in the recording of {stamps[-1] - stamps[0]:.4g} s.', field='cutoff',
                         value=cutoff)
    low_pass = butter(ORDER, cutoff, fs=1.0 / period, output='sos')
    resampled = (np.column_stack([np.interp(even, stamps, column) for column in values.T])
                 for values in (places, torques))
    q, tau = (sosfiltfilt(low_pass, values, axis=0) for values in resampled)
    qd = np.gradient(q, period, axis=0, edge_order=2)
    qdd = np.gradient(qd, period, axis=0, edge_order=2)
    kept = slice(margin, len(even) - margin)
    return q[kept], qd[kept], qdd[kept], tau[kept]
