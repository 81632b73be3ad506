"""Tools, stations and taught poses: kept in a file, checked when they come in (KIN-10, KIN-20)."""

import numpy as np
import pytest

from robokin_ros.errors import InputError, RobokinError, UnknownNameError
from robokin_ros.model import WorkFrames
from robokin_ros.spatial import make_transform, matrix_from_rpy, named_orientation

FILE = """
tools:
  gripper: {xyz: [0.0, 0.0, 0.15], rpy_deg: [0, 0, 45]}
  torch: {xyz: [0.1, 0.0, 0.2], rpy: [0.1, 0.2, 0.3]}
stations:
  table: {xyz: [0.5, 0.2, -0.3], quaternion: [0, 0, 0.7071067811865476, 0.7071067811865476]}
  shelf: {xyz: [0.0, 1.0, 0.0]}
poses:
  home: {joints: [0.0, -1.57, 1.57]}
  above: {xyz: [0.1, 0.0, 0.3], orientation: down, station: table}
tool: gripper
station: table
"""


@pytest.fixture
def frames(tmp_path):
    path = tmp_path / 'frames.yaml'
    path.write_text(FILE)
    return WorkFrames.load(path)


def test_what_the_file_says(frames):
    c = np.sqrt(0.5)
    gripper = [[c, -c, 0, 0], [c, c, 0, 0], [0, 0, 1, 0.15], [0, 0, 0, 1]]
    np.testing.assert_allclose(frames.tool_frame(), gripper, atol=1e-12)
    torch = make_transform(matrix_from_rpy(0.1, 0.2, 0.3), (0.1, 0.0, 0.2))
    np.testing.assert_allclose(frames.tool_frame('torch'), torch)
    np.testing.assert_allclose(frames.station_frame(), [[0, -1, 0, 0.5], [1, 0, 0, 0.2], [0, 0, 1, -0.3], [0, 0, 0, 1]],
                               atol=1e-12)
    np.testing.assert_allclose(frames.station_frame('shelf')[:3, :3], np.eye(3))
    np.testing.assert_allclose(frames.recall('home').joints, [0.0, -1.57, 1.57])
    above = frames.recall('above')
    assert above.joints is None
    assert above.station == 'table'
    np.testing.assert_allclose(above.pose, make_transform(named_orientation('down'), (0.1, 0.0, 0.3)))
    assert (frames.tool, frames.station) == ('gripper', 'table')


def test_saved_and_loaded_is_the_same(frames, tmp_path):
    frames.teach('here', joints=[0.1, 0.2, 0.3])
    frames.set_tool('probe', make_transform(matrix_from_rpy(0.3, -0.2, 2.0), (0.01, 0.02, 0.03)))
    frames.use(tool='probe', station='')
    path = tmp_path / 'again.yaml'
    frames.save(path)
    again = WorkFrames.load(path)
    assert (again.tool, again.station) == ('probe', '')
    for kind in ('tools', 'stations'):
        ours, theirs = getattr(frames, kind), getattr(again, kind)
        assert list(theirs) == list(ours)
        for name in ours:
            np.testing.assert_allclose(theirs[name], ours[name], atol=1e-12)
    assert list(again.poses) == ['home', 'above', 'here']
    for name, taught in frames.poses.items():
        found = again.recall(name)
        assert found.station == taught.station
        for ours, theirs in ((taught.joints, found.joints), (taught.pose, found.pose)):
            assert (ours is None) == (theirs is None)
            if ours is not None:
                np.testing.assert_allclose(theirs, ours, atol=1e-12)
    assert [file.name for file in tmp_path.glob('*.new')] == []


def test_without_names_frames_are_the_wrist_and_the_base():
    frames = WorkFrames()
    np.testing.assert_array_equal(frames.tool_frame(), np.eye(4))
    np.testing.assert_array_equal(frames.station_frame(), np.eye(4))
    assert WorkFrames.from_mapping({}).poses == {}


@pytest.mark.parametrize('chosen', [{'tool': 'hammer'}, {'station': 'moon'}, {'tool': 'torch', 'station': 'moon'},
                                    {'tool': 'hammer', 'station': 'shelf'}])
def test_unknown_names_change_nothing(frames, chosen):
    with pytest.raises(UnknownNameError) as caught:
        frames.use(**chosen)
    assert caught.value.known in (('gripper', 'torch'), ('table', 'shelf'))
    assert (frames.tool, frames.station) == ('gripper', 'table')


def test_use_changes_only_what_is_named(frames):
    frames.use(tool='torch')
    assert (frames.tool, frames.station) == ('torch', 'table')
    frames.use(station='')
    assert (frames.tool, frames.station) == ('torch', '')


def test_teaching_refuses_what_cannot_be_stored(frames):
    before = dict(frames.poses)
    for options, error in (({}, InputError), ({'joints': [0.0], 'pose': np.eye(4)}, InputError),
                           ({'joints': [0.0, np.nan]}, InputError), ({'pose': 2.0 * np.eye(4)}, InputError),
                           ({'pose': np.eye(4), 'station': 'moon'}, UnknownNameError)):
        with pytest.raises(error):
            frames.teach('new', **options)
    with pytest.raises(InputError, match='needs a name'):
        frames.teach('', joints=[0.0])
    assert frames.poses == before
    with pytest.raises(UnknownNameError, match="no named pose 'nowhere'; known: home, above"):
        frames.recall('nowhere')


def test_taught_poses_are_copies():
    frames, joints = WorkFrames(), np.array([1.0, 2.0])
    frames.teach('a', joints=joints)
    joints[0] = 9.0
    assert frames.recall('a').joints.tolist() == [1.0, 2.0]
    frames.teach('a', joints=[3.0, 4.0])
    assert frames.recall('a').joints.tolist() == [3.0, 4.0]


@pytest.mark.parametrize('frame', [np.full((4, 4), np.nan), np.eye(3), 3.0 * np.eye(4), 'text'])
def test_bad_frames_are_refused(frames, frame):
    for store in (frames.set_tool, frames.set_station):
        with pytest.raises(InputError):
            store('bad', frame)
    assert 'bad' not in frames.tools
    assert 'bad' not in frames.stations


@pytest.mark.parametrize(('text', 'words'), [
    ('[1, 2]', 'mapping, not list'), ('tool: [', 'cannot be read'), ('hammers: {}', "'hammers'"),
    ('tools: [1]', "'tools' is not a mapping"), ('tools: {a: 3}', "'tools/a' is not a mapping"),
    ('tools: {a: {xzy: [0, 0, 0]}}', "entry of 'tools/a' 'xzy'"),
    ('tools: {a: {rpy: [0, 0, 0], quaternion: [0, 0, 0, 1]}}', "'tools/a' has two orientations: rpy, quaternion"),
    ('tools: {a: {xyz: [0, 0]}}', 'tools/a'), ('stations: {a: {xyz: [0, 0, .nan]}}', 'stations/a'),
    ('stations: {a: {xyz: [0, 0, x]}}', 'stations/a'), ('stations: {a: {quaternion: [0, 0, 0, 0]}}', 'quaternion'),
    ('poses: {a: {orientation: sideways}}', 'sideways'), ('poses: {a: {joints: [1, x]}}', 'poses/a'),
    ('poses: {a: {xyz: [0, 0, 0], station: moon}}', "no station 'moon'"), ('tool: hammer', "no tool 'hammer'"),
    ('station: moon', "no station 'moon'"), ('tools: {1: {xyz: [0, 0, 0]}}\ntool: 2', "no tool '2'; known: 1"),
])
def test_files_that_cannot_be_used_say_why(tmp_path, text, words):
    path = tmp_path / 'frames.yaml'
    path.write_text(text)
    with pytest.raises(RobokinError) as caught:
        WorkFrames.load(path)
    assert words in str(caught.value)


def test_missing_and_unwritable_files(tmp_path):
    with pytest.raises(InputError, match='cannot be read'):
        WorkFrames.load(tmp_path / 'none.yaml')
    with pytest.raises(InputError, match='cannot be written'):
        WorkFrames().save(tmp_path / 'no' / 'such' / 'directory.yaml')
    (tmp_path / 'bytes.yaml').write_bytes(b'\xff\xfe\x00\x81')
    with pytest.raises(InputError, match='cannot be read'):
        WorkFrames.load(tmp_path / 'bytes.yaml')
