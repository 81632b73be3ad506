"""Identification from joint states as a robot publishes them: positions and efforts, noisy, at uneven instants."""

import numpy as np
import pytest
from support.robots import arm

from robokin_ros.dynamics import (
    identify,
    inertial_parameters,
    inverse_dynamics,
    recorded_motion,
    with_inertial_parameters,
)
from robokin_ros.errors import InputError


def record(model, noise, seconds=20.0, rate=500.0, seed=1):
    generator = np.random.default_rng(seed)
    time = np.cumsum(generator.uniform(0.8, 1.2, round(seconds * rate)) / rate)
    w = 2.0 * np.pi * np.array([0.3, 0.7, 1.1])
    size, phase = generator.uniform(0.1, 0.4, (model.dof, 3)), generator.uniform(0.0, 6.0, (model.dof, 3))
    wave = w * time[:, None, None] + phase
    q, qd, qdd = ((factor * trig(wave)).sum(axis=2) for factor, trig in (
        (size, np.sin), (size * w, np.cos), (-size * w**2, np.sin)))
    tau = inverse_dynamics(model, q, qd, qdd)
    return (time, q + generator.normal(0.0, noise, q.shape), tau + generator.normal(0.0, 100.0 * noise, q.shape)), (
        q, qd, qdd)


def test_accelerations_of_a_clean_recording():
    model = arm('two_link_pendulum')
    recording, _ = record(model, 0.0)
    q, qd, qdd, tau = recorded_motion(*recording, cutoff=10.0)
    np.testing.assert_allclose(inverse_dynamics(model, q, qd, qdd), tau, atol=2e-3 * np.max(np.abs(tau)))


def test_parameters_from_a_noisy_recording():
    model = arm('two_link_pendulum')
    true = with_inertial_parameters(model, 1.3 * inertial_parameters(model))
    recording, _ = record(true, 1e-4)
    found = identify(model, *recorded_motion(*recording, cutoff=6.0), friction=False)
    assert found.exciting
    np.testing.assert_allclose(found.values, 1.3 * found.expected, rtol=0.03, atol=0.03)
    assert np.all(found.residual < 0.1 * found.unexplained_by_model)


@pytest.mark.parametrize(('change', 'words'), [
    ({'cutoff': 0.0}, 'cutoff'), ({'cutoff': 400.0}, 'below'), ({'time': np.zeros(1000)}, 'increase'),
    ({'position': np.zeros((3, 2))}, r'\(3, 2\)'), ({'effort': np.full((1000, 2), np.nan)}, 'NaN'),
    ({'time': 'now'}, 'numbers')])
def test_refusals(change, words):
    given = {'time': np.arange(1000) / 500.0, 'position': np.zeros((1000, 2)), 'effort': np.zeros((1000, 2)),
             'cutoff': 10.0, **change}
    with pytest.raises(InputError, match=words):
        recorded_motion(**given)
