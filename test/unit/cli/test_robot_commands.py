"""The commands that need no ROS: inspect and workspace."""

import json

import pytest
from click.testing import CliRunner
from support.robots import arm, arm_path

from robokin_ros.cli.main import main
from robokin_ros.kinematics import classify_arm


def run(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize('name', ['puma560', 'scara', 'motoman_l3'])
def test_inspect_prints_class_and_reason(name):
    result = run('inspect', '--robot', name, '--degrees')
    assert result.exit_code == 0, result.output
    assert 'Inverse kinematics: ' in result.output
    assert 'alpha' in result.output


def test_inspect_of_a_file_as_json():
    result = run('inspect', '--urdf', str(arm_path('ur5')), '--json')
    assert result.exit_code == 0, result.output
    report = json.loads(result.output)
    found = classify_arm(arm('ur5'))
    assert report['inverse_kinematics'] == {'class': found.name, 'reason': found.reason, 'closed_form': True}
    assert [joint['name'] for joint in report['joints']] == list(arm('ur5').joint_names)
    assert len(report['dh']) == 6


def test_inspect_of_a_part_of_a_robot():
    result = run('inspect', '--urdf', str(arm_path('baxter')), '--tip', 'left_gripper', '--json')
    assert json.loads(result.output)['tip'] == 'left_gripper'


@pytest.mark.parametrize(('arguments', 'words'), [
    (('inspect', '--robot', 'hal'), "no shipped robot 'hal'; known: arm7"),
    (('inspect', '--urdf', '/no/such.urdf'), 'There is no robot description file'),
    (('inspect', '--robot', 'puma560', '--tip', 'hand'), "no tip link 'hand'"),
    (('workspace', '--plane', 'ab'), "plane is 'ab'"),
    (('workspace', '--samples', '0'), 'count is 0'),
    (('workspace', '--cells', '1'), '1 cells'),
])
def test_mistakes_are_one_sentence(arguments, words):
    result = run(*arguments)
    assert result.exit_code == 1
    assert words in ' '.join(result.output.split())
    assert 'Traceback' not in result.output


def test_workspace_draws_and_tells(tmp_path):
    picture = tmp_path / 'slice.png'
    result = run('workspace', '--robot', 'planar2r', '--plane', 'xy', '--samples', '200000', '--cells', '60', '--json',
                 '--picture', str(picture))
    assert result.exit_code == 0, result.output
    told = json.loads(result.output[result.output.index('{'):])
    assert told['area'] == pytest.approx(3.14159 * (0.8**2 - 0.2**2), rel=0.1)
    assert picture.read_bytes().startswith(b'\x89PNG')
