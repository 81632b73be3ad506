"""`robokin plot`: a picture and the figures of a planned move."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from support.robots import arm

from robokin_ros.cli.main import main

GOAL = '0.6,-0.9,-1.4,0.5,0.5,0.2'


def plot(tmp_path, *arguments):
    picture = tmp_path / 'motion.png'
    done = CliRunner().invoke(main, ['plot', '--picture', str(picture), *arguments])
    return done, picture


@pytest.mark.parametrize('arguments', [
    ('--goal', GOAL), ('--goal', GOAL, '--timing', 'jerk_limited', '--duration', '4'),
    ('--goal', GOAL, '--timing', 'time_optimal'),
    ('--goal', GOAL, '--goal=-0.5,-1.8,-1.0,-0.6,0.8,-0.3'),
    ('--path', 'lin', '--start', '0.3,-1.2,-1.0,0.2,0.5,0', '--goal=-0.1,0.1,-0.1'),
    ('--robot', 'scara', '--goal', '40,-30,0.05,20', '--degrees', '--start', '0,10,0.1,0'),
], ids=['usual', 'jerk limited', 'time optimal', 'path', 'line', 'degrees'])
def test_pictures(tmp_path, arguments):
    done, picture = plot(tmp_path, '--json', *arguments)
    assert done.exit_code == 0, done.output
    assert picture.read_bytes().startswith(b'\x89PNG')
    told = json.loads(done.output)
    assert told['duration'] > 0.0
    model = arm(told['robot'])
    for name, limits in (('peak_rates', model.velocity_limit), ('peak_torques', model.effort_limit)):
        shares = np.array(list(told[name].values())) / limits
        assert np.all(shares <= 1.01)
    if 'path' in done.output or 'time_optimal' in arguments:
        assert max(told['peak_torques'].values()) > 0.0


def test_torques_of_a_path_reach_a_limit(tmp_path):
    done, _ = plot(tmp_path, '--json', '--goal', GOAL, '--goal=-0.5,-1.8,-1.0,-0.6,0.8,-0.3')
    told, model = json.loads(done.output), arm('puma560')
    used = [told['peak_rates'][n] / v for n, v in zip(model.joint_names, model.velocity_limit, strict=True)]
    assert max(used) == pytest.approx(1.0, abs=2e-3)


@pytest.mark.parametrize(('arguments', 'words'), [
    ((), '--goal'), (('--goal', '1,2'), 'needs 6 numbers'), (('--goal', 'a,b'), 'not a list of numbers'),
    (('--goal', GOAL, '--timing', 'warp'), 'warp'), (('--goal', '9,9,9,9,9,9'), 'joint_1'),
    (('--path', 'lin', '--goal', '5,0,0'), 'leaves what the arm reaches'),
    (('--goal', GOAL, '--robot', 'nobody'), 'nobody'),
])
def test_mistakes(tmp_path, arguments, words):
    done, picture = plot(tmp_path, *arguments)
    assert done.exit_code == 1
    assert words in done.output
    assert not picture.exists()


def test_unwritable_picture(tmp_path):
    done = CliRunner().invoke(main, ['plot', '--goal', GOAL, '--picture', str(tmp_path / 'no' / 'where.png')])
    assert done.exit_code == 1
    assert 'cannot be written' in done.output
