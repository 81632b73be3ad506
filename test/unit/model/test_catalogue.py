"""The shipped robots."""

import pytest
from support.robots import OWN_ARMS, arm

from robokin_ros.errors import UnknownNameError
from robokin_ros.model import robot_names, robot_path


def test_all_are_listed():
    assert set(robot_names()) == set(OWN_ARMS)


@pytest.mark.parametrize('name', OWN_ARMS)
def test_each_can_be_looked_at_and_driven(name):
    model = arm(name)
    assert all(limit > 0.0 for limit in model.effort_limit)
    assert model.name == name
    seen = [link for link, visuals in model.visuals.items() if visuals]
    assert len(seen) >= model.dof


def test_unknown_robot_lists_the_known():
    with pytest.raises(UnknownNameError, match="no shipped robot 'irb140'; known: arm7"):
        robot_path('irb140')
