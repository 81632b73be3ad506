"""Fixtures with running suites."""

import pytest
from support.suite import Suite


@pytest.fixture(scope='module')
def puma():
    """The whole suite on the PUMA, shared by the tests of a module."""
    with Suite() as suite:
        yield suite.ready()


@pytest.fixture
def robot(puma):
    """Its client, the arm at rest under computed torque."""
    client = puma.client
    client.set_control_mode('computed_torque')
    return client
