"""Properties of rotations, transforms, twists and wrenches on random input, single and in batches; scipy as oracle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from robokin_ros.errors import InputError, RepairWarning, UnknownNameError
from robokin_ros.spatial import (
    FrameGraph,
    angle_rate_matrix,
    angle_rates,
    angles_from_matrix,
    angular_velocity,
    axis_angle,
    axis_angle_matrix,
    cayley_parameters,
    check_quaternion,
    check_transform,
    cylindrical_from_point,
    frame_from_points,
    invert_transform,
    make_transform,
    matrix_from_angles,
    matrix_from_axes,
    matrix_from_quaternion,
    point_from_cylindrical,
    point_from_spherical,
    quaternion_from_matrix,
    rotation_vector,
    screw,
    spherical_from_point,
    transform_point,
    transform_twist,
    transform_wrench,
    translation,
    wrap_angle,
)
from robokin_ros.spatial.angle_sets import SEQUENCES

SEEDS = st.integers(0, 2**31)
SETS = [f'{family} {sequence}' for family in ('euler', 'fixed') for sequence in SEQUENCES]
TINY = (0.0, 1e-12, 1e-8, 1e-4, 1.0, np.pi - 1e-4, np.pi - 1e-8, np.pi)


def rotations(seed, *shape):
    return Rotation.random(int(np.prod(shape)), rng=np.random.default_rng(seed)).as_matrix().reshape(*shape, 3, 3)


def poses(seed, *shape):
    return make_transform(rotations(seed, *shape), np.random.default_rng(seed).uniform(-2, 2, (*shape, 3)))


@pytest.mark.parametrize('name', SETS)
def test_angle_sets_agree_with_scipy_and_invert(name):
    family, sequence = name.split()
    angles = np.random.default_rng(1).uniform(-np.pi, np.pi, (7, 30, 3))
    ours = matrix_from_angles(name, angles)
    theirs = Rotation.from_euler(sequence if family == 'euler' else sequence.lower(), angles.reshape(-1, 3)).as_matrix()
    np.testing.assert_allclose(ours.reshape(-1, 3, 3), theirs, atol=1e-12)
    found = angles_from_matrix(name, ours)
    for solution in (found.first, found.second):
        assert np.all(np.abs(solution) <= np.pi)
        np.testing.assert_allclose(matrix_from_angles(name, solution), ours, atol=1e-9)
    assert not np.any(found.degenerate)


@pytest.mark.parametrize('name', SETS)
@pytest.mark.parametrize('off', [0.0, 1e-12, 1e-8])
def test_degenerate_angles_rebuild_the_matrix(name, off):
    middle = (0.0, np.pi) if name[-1] == name[-3] else (0.5 * np.pi, -0.5 * np.pi)
    for beta in middle:
        matrix = matrix_from_angles(name, [0.7, beta + off, -0.3])
        found = angles_from_matrix(name, matrix)
        assert found.degenerate
        assert found.first[0 if name.startswith('euler') else 2] == 0.0
        np.testing.assert_allclose(matrix_from_angles(name, found.first), matrix, atol=1e-7)
        with pytest.raises(InputError, match='degenerate'):
            angle_rates(name, [0.7, beta, -0.3], [1.0, 0.0, 0.0])


@pytest.mark.parametrize('name', SETS)
def test_rate_matrix_is_the_derivative(name):
    generator = np.random.default_rng(2)
    angles, rates, step = generator.uniform(-1.2, 1.2, 3), generator.uniform(-1, 1, 3), 1e-6
    matrix = matrix_from_angles(name, angles)
    change = (matrix_from_angles(name, angles + step * rates) - matrix_from_angles(name, angles - step * rates))
    omega = angular_velocity(matrix, change / (2 * step))
    np.testing.assert_allclose(angle_rate_matrix(name, angles) @ rates, omega, atol=1e-8)


@pytest.mark.parametrize('angle', TINY)
@given(seed=SEEDS)
def test_axis_angle_round_trip_everywhere(angle, seed):
    axis = np.random.default_rng(seed).normal(size=3)
    matrix = axis_angle_matrix(axis, angle)
    theirs = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
    np.testing.assert_allclose(matrix, theirs, atol=1e-14)
    found = axis_angle(matrix)
    np.testing.assert_allclose(axis_angle_matrix(found.axis, found.angle), matrix, atol=1e-9)
    assert found.angle == pytest.approx(angle, abs=1e-7)
    assert bool(found.defined) is (angle >= 1e-9)


@given(SEEDS)
def test_batches_equal_single_calls(seed):
    batch = rotations(seed, 2, 3)
    for function in (quaternion_from_matrix, rotation_vector, lambda r: axis_angle(r).angle,
                     lambda r: angles_from_matrix('fixed XYZ', r).second):
        whole = function(batch)
        for index in np.ndindex(2, 3):
            np.testing.assert_allclose(whole[index], function(batch[index]), atol=1e-14)


@given(SEEDS)
def test_quaternions_agree_with_scipy(seed):
    batch = rotations(seed, 20)
    ours = quaternion_from_matrix(batch)
    theirs = Rotation.from_matrix(batch).as_quat()
    np.testing.assert_allclose(np.abs(np.sum(ours * theirs, axis=-1)), 1.0, atol=1e-12)
    assert np.all(ours[:, 3] >= 0.0)
    np.testing.assert_allclose(matrix_from_quaternion(ours), batch, atol=1e-12)


@given(SEEDS)
def test_power_is_the_same_in_every_frame(seed):
    generator = np.random.default_rng(seed)
    a_t_b, twist, wrench = poses(seed, 4), generator.normal(size=(4, 6)), generator.normal(size=(4, 6))
    power = np.sum(transform_twist(a_t_b, twist) * transform_wrench(a_t_b, wrench), axis=-1)
    np.testing.assert_allclose(power, np.sum(twist * wrench, axis=-1), atol=1e-10)


@given(SEEDS)
def test_inverse_and_operators(seed):
    batch = poses(seed, 5)
    np.testing.assert_allclose(batch @ invert_transform(batch), np.broadcast_to(np.eye(4), (5, 4, 4)), atol=1e-13)
    axis = np.random.default_rng(seed).normal(size=3)
    turned = make_transform(axis_angle_matrix(axis, 0.7), np.zeros(3))
    np.testing.assert_allclose(screw(axis, 0.3, 0.7), translation(axis, 0.3) @ turned, atol=1e-14)
    np.testing.assert_allclose(screw(axis, 0.3, 0.7), turned @ translation(axis, 0.3), atol=1e-14)


@given(SEEDS)
def test_coordinates_round_trip(seed):
    point = np.random.default_rng(seed).normal(size=(6, 3))
    np.testing.assert_allclose(point_from_cylindrical(*cylindrical_from_point(point)), point, atol=1e-12)
    np.testing.assert_allclose(point_from_spherical(*spherical_from_point(point)), point, atol=1e-12)


def test_frames_on_a_graph():
    a_b, b_c, c_d, a_e = poses(3, 4)
    graph = FrameGraph()
    for pair, transform in (('AB', a_b), ('BC', b_c), ('CD', c_d), ('AE', a_e)):
        graph.set(*pair, transform)
    np.testing.assert_allclose(graph.get('E', 'D'), np.linalg.inv(a_e) @ a_b @ b_c @ c_d, atol=1e-12)
    graph.set('A', 'D', a_b @ b_c @ c_d)
    with pytest.raises(InputError, match=r'The ways E -> D and E -> A -> D differ by 0.1 m'):
        graph.set('E', 'D', np.linalg.inv(a_e) @ a_b @ b_c @ c_d @ translation([1, 0, 0], 0.1))
    graph.remove('B', 'C')
    for unknown, expected in ((('B', 'C'), b_c), (('C', 'B'), np.linalg.inv(b_c))):
        np.testing.assert_allclose(graph.solve_edge('ABCD', unknown), expected, atol=1e-12)
    with pytest.raises(InputError, match='not neighbours'):
        graph.solve_edge('ABCD', ('A', 'C'))
    with pytest.raises(UnknownNameError, match="no frame 'Z'"):
        graph.get('A', 'Z')
    graph.set('X', 'Y', np.eye(4))
    with pytest.raises(InputError, match="No transforms join 'A' and 'Y'"):
        graph.get('A', 'Y')


def test_half_turns_have_no_cayley_parameters():
    with pytest.raises(InputError, match='half turn'):
        cayley_parameters(np.diag([1.0, -1.0, -1.0]))


def test_frame_of_two_axes():
    np.testing.assert_allclose(matrix_from_axes(x=[0, 1, 0], z=[0, 0, 1]), [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    with pytest.raises(InputError, match='two of its axes'):
        matrix_from_axes(x=[1, 0, 0])


def test_points_on_a_line_and_narrow_points():
    with pytest.raises(InputError, match='lie on a line'):
        frame_from_points([0, 0, 0], [1, 0, 0], [2, 0, 0])
    with pytest.warns(RepairWarning, match='only 5.7 degrees'):
        frame_from_points([0, 0, 0], [1, 0, 0], [1, 0.1, 0])


@pytest.mark.parametrize(('quaternion', 'words'), [([0, 0, 0, 0], 'length 0'), ([0, 0, 0, 1.02], 'length 1.02'),
                                                   ([0, 0, np.nan, 1], 'NaN'), ([0, 0, 1], r'\(\.\.\., 4\)')])
def test_bad_quaternions(quaternion, words):
    with pytest.raises(InputError, match=words):
        check_quaternion(quaternion)


def test_slightly_long_quaternion_is_normalised():
    with pytest.warns(RepairWarning):
        np.testing.assert_allclose(check_quaternion([0, 0, 0, 1.005]), [0, 0, 0, 1])


@pytest.mark.parametrize('name', ['euler', 'euler XX', 'euler XXY', 'bryan XYZ', 'XYZ', ''])
def test_unknown_angle_sets_are_never_guessed(name):
    with pytest.raises(UnknownNameError):
        matrix_from_angles(name, [0, 0, 0])


def test_names_of_angle_sets_in_any_case():
    ours, same = (matrix_from_angles(name, [1, 2, 3]) for name in ('Extrinsic xyz', 'fixed XYZ'))
    np.testing.assert_array_equal(ours, same)


def test_poses_in_a_batch_are_checked():
    batch = poses(4, 3)
    np.testing.assert_array_equal(check_transform(batch), batch)
    batch[1, 0, 0] = np.nan
    with pytest.raises(InputError, match='NaN'):
        check_transform(batch)


def test_points_of_a_batch():
    batch = poses(5, 3)
    points = np.random.default_rng(5).normal(size=(3, 3))
    for i in range(3):
        np.testing.assert_allclose(transform_point(batch, points)[i], batch[i, :3, :3] @ points[i] + batch[i, :3, 3])


@given(st.floats(-1e3, 1e3))
def test_wrapped_angles(angle):
    wrapped = float(wrap_angle(angle))
    assert -np.pi < wrapped <= np.pi
    assert np.cos(wrapped - angle) == pytest.approx(1.0, abs=1e-9)
