"""The description of the system."""

from dataclasses import fields

import pytest

from robokin_ros.bringup.options import OPTION_HELP, SystemOptions
from robokin_ros.bringup.system import ARM_NODES, describe_system
from robokin_ros.errors import InputError, ModelError, RobokinError, UnknownNameError
from robokin_ros.nodes.__main__ import NODES
from robokin_ros.nodes.parameters import parameter_table


def test_every_option_has_help():
    assert set(OPTION_HELP) == {item.name for item in fields(SystemOptions)}


def test_processes_and_their_parameters_exist():
    processes = describe_system(SystemOptions(robot='scara', controller='pd_gravity', tip='link_2'))
    assert {process.name for process in processes} >= set(ARM_NODES)
    for process in processes:
        if process.executable in NODES:
            assert set(process.parameters) - {'use_sim_time'} <= set(parameter_table(process.executable))
    assert not next(process for process in processes if process.name == 'hardware_node').respawn
    assert next(process for process in processes if process.name == 'dynamics_node').parameters['mode'] == 'pd_gravity'


def test_own_urdf_takes_the_place_of_the_robot(tmp_path):
    file = tmp_path / 'mine.urdf'
    file.write_text('<robot name="mine"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
                    '<parent link="a"/><child link="b"/></joint></robot>')
    publisher = describe_system(SystemOptions(robot='puma560', urdf=str(file)))[0]
    assert 'mine' in publisher.parameters['robot_description']


@pytest.mark.parametrize(('options', 'kind', 'words'), [
    ({'robot': 'nobody'}, UnknownNameError, "no shipped robot 'nobody'"),
    ({'urdf': '/nowhere.urdf'}, ModelError, 'no robot description file'),
    ({'tip': 'nose'}, UnknownNameError, "no tip link 'nose'"),
    ({'controller': 'magic'}, RobokinError, "no control mode 'magic'"),
    ({'driver': 'magic'}, RobokinError, "no driver 'magic'"),
    ({'namespace': 'bad-name!'}, InputError, "namespace 'bad-name!' is not valid"),
    ({'tip': 'base_link'}, ModelError, 'no moving joint'),
])
def test_mistakes_are_found_before_anything_starts(options, kind, words):
    with pytest.raises(kind) as caught:
        describe_system(SystemOptions(**options))
    assert words in str(caught.value)
