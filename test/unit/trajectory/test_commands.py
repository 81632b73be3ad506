"""Motion commands as text (TRJ-17)."""

import numpy as np
import pytest
from support.robots import arm

from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.kinematics import forward_kinematics
from robokin_ros.trajectory import parse_command, plan_command

MODEL = arm('puma560')
START = np.array([0.3, -1.2, -1.0, 0.2, 0.5, 0.0])
POINTS = {'C': START + 0.3, 'B': START + [0.2, 0.0, 0.1, 0.0, 0.0, 0.1], 'A': forward_kinematics(MODEL, START - 0.1)}


def test_structure():
    command = parse_command('move ARM to C via B where duration = 3*seconds, A with duration = 6.5*seconds;')
    assert command.points == ('B', 'A', 'C')
    assert command.durations == (3.0, None, None)
    assert command.total == 6.5
    assert not command.linearly
    assert parse_command('move ARM to C linearly;').linearly


@pytest.mark.parametrize(('text', 'duration'), [
    ('move ARM to C;', None), ('move ARM to C with duration = 3*seconds;', 3.0),
    ('move ARM to C via B, A with duration = 9*seconds;', 9.0), ('move ARM to C via B;', None),
    ('move ARM to C via B where duration = 3*seconds;', None),
])
def test_moves_of_joints(text, duration):
    motion = plan_command(MODEL, text, POINTS, START)
    if duration is not None:
        assert motion.duration == pytest.approx(duration)
    for t, wanted in ((0.0, START), (motion.duration, POINTS['C'])):
        q, qd, _ = motion.sample(t)
        np.testing.assert_allclose(q, wanted, atol=1e-9)
        np.testing.assert_allclose(qd, 0.0, atol=1e-6)


def test_straight_lines():
    motion = plan_command(MODEL, 'move ARM to A linearly with duration = 4*seconds;', POINTS, START)
    assert motion.duration == pytest.approx(4.0)
    points = forward_kinematics(MODEL, motion.sample(np.linspace(0.0, 4.0, 21))[0])[:, :3, 3]
    along = points[-1] - points[0]
    assert np.max(np.linalg.norm(np.cross(points - points[0], along / np.linalg.norm(along)), axis=1)) < 1e-5


@pytest.mark.parametrize(('text', 'words'), [
    ('', "'move'"), ('go ARM to C;', 'position 0'), ('move ARM C;', "position 9.*'to'"),
    ('move ARM to C', 'the end'), ('move ARM to C sideways;', "position 14.*'sideways'"),
    ('move ARM to C with duration = fast*seconds;', "position 30.*'fast'"),
    ('move ARM to C with duration = 0*seconds;', 'positive'), ('move ARM to C; now', 'nothing after'),
    ('move ARM to 7;', 'name of a point'), ('move ARM to C with duration = 3*hours;', "'hours'.*'seconds'"),
])
def test_mistakes_have_a_position(text, words):
    with pytest.raises(InputError, match=words):
        parse_command(text)


def test_unknown_points():
    with pytest.raises(UnknownNameError, match="'D'; known: C, B, A"):
        plan_command(MODEL, 'move ARM to D;', POINTS, START)
