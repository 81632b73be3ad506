"""The screw of a displacement, and orientations by name."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.spatial import make_transform, named_orientation, screw, screw_axis

SEEDS = st.integers(0, 2**31)


def along_line(direction, point, angle, distance):
    """Displacement by the exponential of its twist: an oracle without the library."""
    x, y, z = direction
    generator = np.zeros((4, 4))
    generator[:3, :3] = angle * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    generator[:3, 3] = distance * direction - generator[:3, :3] @ point
    return expm(generator)


@given(SEEDS, st.sampled_from([1e-3, 0.5, 1.5, 3.0, np.pi - 1e-3]), st.floats(-2.0, 2.0))
def test_every_displacement_is_a_screw(seed, angle, distance):
    generator = np.random.default_rng(seed)
    direction = generator.normal(size=3)
    direction /= np.linalg.norm(direction)
    point = np.cross(direction, generator.normal(size=3))  # the point of the line nearest to the origin
    moved = along_line(direction, point + generator.uniform(-1, 1) * direction, angle, distance)
    found = screw_axis(moved)
    tolerance = 1e-9 / min(angle, np.pi - angle)
    np.testing.assert_allclose(found.direction, direction, atol=tolerance)
    np.testing.assert_allclose(found.point, point, atol=1e2 * tolerance)
    assert found.angle == pytest.approx(angle, abs=1e-9)
    assert found.distance == pytest.approx(distance, abs=1e2 * tolerance)
    np.testing.assert_allclose(along_line(found.direction, found.point, found.angle, found.distance), moved, atol=1e-9)


@given(SEEDS)
def test_many_at_once(seed):
    generator = np.random.default_rng(seed)
    poses = make_transform(Rotation.random(6, rng=generator).as_matrix(), generator.uniform(-2, 2, (6, 3)))
    poses[2, :3, :3] = np.eye(3)
    together = screw_axis(poses.reshape(2, 3, 4, 4))
    assert together.direction.shape == (2, 3, 3)
    for i, pose in enumerate(poses):
        single = screw_axis(pose)
        for field in ('direction', 'point', 'angle', 'distance'):
            np.testing.assert_allclose(getattr(together, field)[i // 3, i % 3], getattr(single, field), atol=1e-12)
        rebuilt = along_line(single.direction, single.point, float(single.angle), float(single.distance))
        np.testing.assert_allclose(rebuilt, pose, atol=1e-7)


def test_pure_shifts_turns_and_rest():
    shift = screw_axis(make_transform(np.eye(3), (0.0, 3.0, 4.0)))
    np.testing.assert_allclose(shift.direction, (0.0, 0.6, 0.8))
    np.testing.assert_allclose(shift.point, 0.0)
    assert (shift.angle, shift.distance) == (0.0, 5.0)
    rest = screw_axis(np.eye(4))
    np.testing.assert_array_equal(rest.direction, 0.0)
    assert (rest.angle, rest.distance) == (0.0, 0.0)
    half = screw_axis(along_line(np.array([0.0, 0.0, 1.0]), np.array([1.0, 2.0, 0.0]), np.pi, 0.5))
    np.testing.assert_allclose(np.abs(half.direction), (0.0, 0.0, 1.0), atol=1e-9)
    np.testing.assert_allclose(half.point, (1.0, 2.0, 0.0), atol=1e-9)
    assert abs(half.distance) == pytest.approx(0.5)
    through_origin = screw_axis(screw([1, 0, 0], 0.3, 0.7))
    np.testing.assert_allclose(through_origin.point, 0.0, atol=1e-12)
    assert (through_origin.angle, through_origin.distance) == pytest.approx((0.7, 0.3))


def test_what_is_no_displacement_is_refused():
    for bad in (np.full((4, 4), np.nan), np.eye(3), -np.eye(4)):
        with pytest.raises(InputError):
            screw_axis(bad)


@pytest.mark.parametrize(('name', 'z'), [('up', (0, 0, 1)), ('down', (0, 0, -1)), ('forward', (1, 0, 0)),
                                         ('backward', (-1, 0, 0)), ('left', (0, 1, 0)), ('right', (0, -1, 0))])
def test_named_orientations_point_where_they_say(name, z):
    matrix = named_orientation(name)
    np.testing.assert_allclose(matrix[:, 2], z, atol=1e-12)
    np.testing.assert_allclose(matrix.T @ matrix, np.eye(3), atol=1e-12)
    assert np.linalg.det(matrix) == pytest.approx(1.0)


def test_unknown_orientations_list_the_known():
    with pytest.raises(UnknownNameError, match='known: up, down, forward, backward, left, right'):
        named_orientation('sideways')
