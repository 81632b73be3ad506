"""Chains of 10, 100 and 1000 links: every way to compute their dynamics gives the same."""

from functools import cache

import numpy as np
import pytest
from support.example_robots import distance
from support.textbook_arms import random_chain

from robokin_ros.dynamics import SeparateBodies, forward_dynamics, gravity_torque, inverse_dynamics, mass_matrix

LENGTHS = (10, 100, 1000)
lengths = pytest.mark.parametrize('number', LENGTHS)


@cache
def chain(number):
    return random_chain(np.random.default_rng(number), number)


def motion(number, rows=8):
    """Small enough that the far end does not whirl: rates add up along the chain."""
    generator = np.random.default_rng(7)
    slow = 1.0 / number
    return (generator.uniform(-np.pi, np.pi, (rows, number)), slow * generator.uniform(-2.0, 2.0, (rows, number)),
            slow * generator.uniform(-5.0, 5.0, (rows, number)))


@lengths
def test_long_chains_load(number):
    model = chain(number)
    assert model.dof == len(model.topology) == len(model.chain) == number
    assert 0.1 * number < np.sum(model.topology[:, 1]) < 0.6 * number


@lengths
def test_forward_dynamics_of_long_chains(number):
    """Batches, single calls and `SeparateBodies` to 1e-9 of each other; torques of the answer are those given."""
    model, bodies = chain(number), SeparateBodies.from_model(chain(number))
    q, qd, qdd = motion(number)
    tau = inverse_dynamics(model, q, qd, qdd) + 0.1 * np.random.default_rng(8).normal(size=q.shape)
    batch = forward_dynamics(model, q, qd, tau)
    for row in range(2):
        separate = bodies.forward_dynamics(q[row], qd[row], tau[row])
        assert distance(forward_dynamics(model, q[row], qd[row], tau[row]), separate) < 1e-9
        assert distance(batch[row], separate) < 1e-9
        assert distance(inverse_dynamics(model, q[row], qd[row], separate), tau[row]) < 1e-9
        assert np.linalg.norm(separate) > 1.0


@lengths
def test_inverse_dynamics_of_long_chains(number):
    model, bodies = chain(number), SeparateBodies.from_model(chain(number))
    q, qd, qdd = motion(number)
    batch = inverse_dynamics(model, q, qd, qdd)
    for row in range(2):
        separate = bodies.inverse_dynamics(q[row], qd[row], qdd[row])
        assert distance(inverse_dynamics(model, q[row], qd[row], qdd[row]), separate) < 1e-10
        assert distance(batch[row], separate) < 1e-10


@lengths
def test_terms_of_long_chains(number):
    """M qdd + V + G is the torque."""
    model = chain(number)
    q, qd, qdd = (rows[0] for rows in motion(number))
    nothing = np.zeros(number)
    velocity = inverse_dynamics(model, q, qd, nothing, (0.0, 0.0, 0.0))
    parts = mass_matrix(model, q) @ qdd + velocity + gravity_torque(model, q)
    assert distance(parts, inverse_dynamics(model, q, qd, qdd)) < 1e-10
