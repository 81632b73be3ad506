"""Plausibility of models (DYN-22)."""

from dataclasses import replace

import numpy as np
import pytest
from support.robots import arm
from support.textbook_arms import random_chain

from robokin_ros.dynamics.check import check_model


@pytest.mark.parametrize('name', ['puma560', 'planar_3r', 'two_link_pendulum', 'scara', 'arm7', 'panda'])
def test_good_arms_pass(name):
    assert list(check_model(arm(name))) == []


@pytest.mark.parametrize('number', [1, 4, 12])
def test_random_chains_pass(number):
    assert list(check_model(random_chain(np.random.default_rng(number), number))) == []


def test_a_negative_mass_is_found():
    """The mass matrix is not positive definite."""
    model = random_chain(np.random.default_rng(3), 3)
    constants = model.constants.copy()
    constants[2, 12:22] *= -1.0
    findings = ' '.join(str(finding) for finding in check_model(replace(model, constants=constants)))
    assert 'positive' in findings.lower()


def test_a_negative_rotor_is_found():
    model = random_chain(np.random.default_rng(4), 3)
    findings = check_model(replace(model, rotor_inertia=np.array([0.0, -1e3, 0.0])))
    assert 'positive' in ' '.join(str(finding) for finding in findings).lower()
