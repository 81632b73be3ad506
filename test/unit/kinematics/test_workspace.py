"""Reachable and dexterous workspace, accuracy and repeatability, and why a pose has no solution."""

import re
from itertools import pairwise

import numpy as np
import pytest
from support.robots import arm, random_joints
from support.solutions import link_matrix

from robokin_ros.errors import InputError
from robokin_ros.kinematics import (
    IkOptions,
    computed_point_error,
    dexterity,
    forward_kinematics,
    inverse_kinematics,
    is_reachable,
    spread_rotations,
    table_angles,
    taught_point_error,
    workspace_cloud,
    workspace_slice,
)
from robokin_ros.model import DhRow, RobotModel, dh_arm


def test_clouds_are_the_same_for_the_same_seed():
    model = arm('puma560')
    first, again, other = workspace_cloud(model, 500), workspace_cloud(model, 500), workspace_cloud(model, 500, seed=1)
    np.testing.assert_array_equal(first, again)
    assert first.shape == (500, 3)
    assert np.max(np.abs(first - other)) > 0.1


def test_clouds_lie_within_reach_and_limits():
    model = dh_arm('planar2r', l1=0.5, l2=0.3)
    distance = np.linalg.norm(workspace_cloud(model, 5000), axis=1)
    assert np.all((distance >= 0.2 - 1e-9) & (distance <= 0.8 + 1e-9))
    assert distance.max() > 0.799
    assert distance.min() < 0.201
    half = RobotModel.from_dh([DhRow(lower=0.0, upper=np.pi / 2), DhRow(a=0.5, lower=0.0, upper=0.0)], tool=shift(0.3))
    points = workspace_cloud(half, 2000)
    assert np.all(points[:, :2] >= -1e-9)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 0.8, atol=1e-12)


def shift(x):
    pose = np.eye(4)
    pose[0, 3] = x
    return pose


def test_progress_is_told_and_ends_at_the_total():
    seen = []
    workspace_cloud(dh_arm('planar2r'), 120_000, progress=lambda done, total: seen.append((done, total)))
    assert len(seen) >= 2
    assert seen[-1] == (120_000, 120_000)
    assert all(before[0] < after[0] for before, after in pairwise(seen))


def test_area_of_a_slice_is_that_of_the_annulus():
    model = dh_arm('planar2r', l1=0.5, l2=0.3)
    found = workspace_slice(model, 'xy', cells=200, count=1_000_000)
    assert found.area == pytest.approx(np.pi * (0.8**2 - 0.2**2), rel=0.025)
    coarse = workspace_slice(model, 'xy', cells=40, count=100_000)
    assert found.area < coarse.area < 1.15 * found.area  # cells on the rims count whole
    centers = found.centers()
    assert len(centers) == np.sum(found.hits > 0)
    size = found.first[1] - found.first[0]
    distance = np.linalg.norm(centers, axis=1)
    assert np.all((distance > 0.2 - size) & (distance < 0.8 + size))
    assert found.hits.sum() == 1_000_000
    assert np.all(centers[:, 2] == 0.0)


def test_slices_of_a_vertical_plane():
    """The PUMA's wrist keeps a distance d3 from axis 1: a plane through it is reached only beyond."""
    found = workspace_slice(dh_arm('puma560_dh'), 'xz', count=300_000, cells=60)
    centers = found.centers()
    assert len(centers) > 200
    inside = np.abs(centers[:, 0]) < 0.1225 - 2.0 * (found.first[1] - found.first[0]) - found.thickness
    assert not np.any(inside)
    assert np.max(np.linalg.norm(centers, axis=1)) < 0.8593 + 0.03


@pytest.mark.parametrize('options', [{'plane': 'xw'}, {'cells': 1}, {'at': np.nan}, {'thickness': 0.0}, {'count': 0}])
def test_bad_slices_are_refused(options):
    with pytest.raises(InputError):
        workspace_slice(dh_arm('planar2r'), **{'count': 100, **options})


def test_reachable_points_by_geometry():
    model = dh_arm('spatial3r_33', l1=15.0, l2=10.0, l3=3.0)
    points = np.random.default_rng(140).uniform(-30, 30, (300, 3))
    rho = np.hypot(points[:, 0], points[:, 1])
    expected = np.zeros(300, dtype=bool)
    margin = np.inf
    for radius in (rho, -rho):
        distance = np.hypot(radius - 15.0, points[:, 2])
        expected |= (distance >= 7.0) & (distance <= 13.0)
        margin = np.minimum(margin, np.minimum(np.abs(distance - 7.0), np.abs(distance - 13.0)))
    clear = margin > 1e-3
    assert 20 < np.sum(expected[clear]) < 280
    np.testing.assert_array_equal(is_reachable(model, points)[clear], expected[clear])
    assert is_reachable(model, points.reshape(30, 10, 3)).shape == (30, 10)


def test_reachable_points_of_a_large_arm():
    model = arm('puma560')
    points = forward_kinematics(model, random_joints(model, 20, seed=141))[:, :3, 3]
    assert np.all(is_reachable(model, points))
    assert not np.any(is_reachable(model, 3.0 * points / np.linalg.norm(points, axis=1)[:, None]))
    with pytest.raises(InputError):
        is_reachable(model, [0.0, np.nan, 0.0])


def test_limits_take_from_the_workspace():
    """Exercise 4.9: the same arm with and without limits."""
    free = dh_arm('planar2r', l1=2.0, l2=1.0)
    rows = [DhRow(lower=0.0, upper=np.pi), DhRow(a=2.0, lower=-np.pi / 2, upper=np.pi)]
    tight = RobotModel.from_dh(rows, tool=shift(1.0))
    below = [1.5, -1.0, 0.0]
    assert is_reachable(free, below)
    assert not is_reachable(tight, below)


def test_dexterity_is_large_in_the_middle_and_none_far_out():
    model = RobotModel.from_dh([DhRow(alpha=np.radians(al), a=a, d=d) for al, a, d in zip(
        [0, -90, 0, -90, 90, -90], [0, 0, 0.425, 0.02, 0, 0], [0, 0, 0.1225, 0.425, 0, 0], strict=True)])
    assert dexterity(model, [0.4, 0.2, 0.1], orientations=40) == 1.0  # a wrist without limits turns everywhere
    assert dexterity(model, [2.0, 0.0, 0.0], orientations=10) == 0.0
    limited = arm('puma560')
    seen = []
    points = np.array([[0.4, 0.2, 0.1], [0.8, 0.2, 0.0], [2.0, 0.0, 0.0]])
    share = dexterity(limited, points, orientations=60, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert 0.0 < share[0] < 1.0
    for point, value in zip(points, share, strict=True):
        solved = 0
        for rotation in spread_rotations(60):
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = rotation, point
            solved += len(inverse_kinematics(limited, pose).solutions) > 0
        assert value == pytest.approx(solved / 60)


def test_orientations_are_spread_evenly():
    rotations = spread_rotations(400)
    np.testing.assert_allclose(rotations @ np.swapaxes(rotations, 1, 2), np.tile(np.eye(3), (400, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(rotations), 1.0)
    np.testing.assert_allclose(rotations.mean(axis=0), 0.0, atol=0.02)
    traces = np.einsum('aij,bij->ab', rotations, rotations)
    angles = np.arccos(np.clip(0.5 * (traces - 1.0), -1.0, 1.0)) + 9.0 * np.eye(400)
    assert angles.min() > np.radians(15.0)  # a random set of this size has pairs within a degree or two
    with pytest.raises(InputError):
        spread_rotations(0)


def test_accuracy_and_repeatability():
    nominal, actual = dh_arm('puma560_dh'), dh_arm('puma560_dh', a2=0.426)
    goals = forward_kinematics(nominal, np.random.default_rng(142).uniform(-0.8, 0.8, (6, 6)))
    same = computed_point_error(nominal, nominal, goals)
    assert same.largest < 1e-9
    assert np.max(same.angles) < 1e-9
    errors = computed_point_error(nominal, actual, goals)
    np.testing.assert_allclose(errors.distances, 0.001, atol=1e-9)  # a longer upper arm shifts the wrist by as much
    np.testing.assert_allclose(errors.angles, 0.0, atol=1e-9)
    assert errors.mean == pytest.approx(0.001)
    assert errors.deviation < 1e-9


def test_noise_has_its_statistics_and_can_be_repeated():
    model = dh_arm('planar2r', l1=0.5, l2=0.3)
    still = taught_point_error(model, [0.3, 0.8])
    assert still.largest == 0.0
    noisy, again = (taught_point_error(model, [0.3, 0.8], 4000, joint_noise=1e-4, random_seed=7) for _ in range(2))
    np.testing.assert_array_equal(noisy.vectors, again.vectors)
    other = taught_point_error(model, [0.3, 0.8], trials=4000, joint_noise=1e-4, random_seed=8)
    assert np.max(np.abs(other.vectors - noisy.vectors)) > 1e-5
    assert noisy.vectors.shape == (4000, 3)
    first, second = 0.5 * np.array([-np.sin(0.3), np.cos(0.3)]), 0.3 * np.array([-np.sin(1.1), np.cos(1.1)])
    matrix = np.column_stack((first + second, second))
    np.testing.assert_allclose(np.cov(noisy.vectors[:, :2].T), 1e-8 * matrix @ matrix.T, rtol=0.15, atol=1e-10)
    assert noisy.largest == np.max(np.linalg.norm(noisy.vectors, axis=1))
    assert noisy.mean == pytest.approx(np.mean(np.linalg.norm(noisy.vectors, axis=1)))
    assert noisy.deviation == pytest.approx(np.std(np.linalg.norm(noisy.vectors, axis=1)))
    assert np.std(noisy.angles) > 0.0


def test_what_accuracy_refuses():
    model = dh_arm('puma560_dh')
    far = np.eye(4)
    far[0, 3] = 5.0
    with pytest.raises(InputError, match='Goal 1 cannot be solved with the nominal model: UNREACHABLE'):
        computed_point_error(model, model, [forward_kinematics(model, np.full(6, 0.2)), far])
    for noise in (-1.0, np.nan):
        with pytest.raises(InputError, match='joint_noise'):
            taught_point_error(model, np.zeros(6), joint_noise=noise)


@pytest.mark.parametrize('direction', [[0, 0, 0], [0, np.nan, 1], [0, 1], [[0, 0, 1], [0, 1, 0]]])
def test_table_refuses_what_is_no_direction(direction):
    with pytest.raises(InputError):
        table_angles(direction)


def test_out_of_limits_names_the_joint_of_each_branch():
    model = dh_arm('puma560_dh')
    free = RobotModel.from_dh([DhRow(alpha=np.radians(al), a=a, d=d) for al, a, d in zip(
        [0, -90, 0, -90, 90, -90], [0, 0, 0.425, 0.02, 0, 0], [0, 0, 0.1225, 0.425, 0, 0], strict=True)])
    told = 0
    for q in np.random.default_rng(143).uniform(-np.pi, np.pi, (60, 6)):
        pose = forward_kinematics(free, q)
        result = inverse_kinematics(model, pose)
        if result.status != 'OUT_OF_LIMITS':
            continue
        told += 1
        every = inverse_kinematics(free, pose).solutions
        assert result.reason.startswith(f'{len(every)} branches reach the pose, none within the joint limits: ')
        named = re.findall(r'(joint_\d) at (-?\d+\.\d+) \(limits (-?\d+\.\d+) to (-?\d+\.\d+)\)', result.reason)
        assert len(named) == len(every)
        for name, value, low, high in named:
            joint = model.joint_index[name]
            assert float(low) == pytest.approx(model.lower[joint], abs=1e-3)
            assert float(high) == pytest.approx(model.upper[joint], abs=1e-3)
            images = float(value) + 2.0 * np.pi * np.arange(-3, 4)
            assert not np.any((images >= float(low)) & (images <= float(high)))
    assert told > 5


@pytest.mark.parametrize('beyond', [0.05, 0.5])
def test_unreachable_says_how_far(beyond):
    model = dh_arm('planar3r', l1=0.5, l2=0.4)
    pose = np.eye(4)
    pose[0, 3] = 0.9 + beyond
    result = inverse_kinematics(model, pose)
    assert result.status == 'UNREACHABLE'
    distance, angle = (float(number) for number in re.search(r'is (\S+) m and (\S+) rad away', result.reason).groups())
    assert beyond - 1e-6 <= np.hypot(distance, angle) <= 1.05 * beyond + 1e-6


def test_off_subspace_says_by_how_much():
    model = arm('scara')
    pose = forward_kinematics(model, [0.2, 0.3, -0.1, 0.4])
    for tilt in (0.01, 0.3):
        result = inverse_kinematics(model, pose @ link_matrix(tilt, 0.0, 0.0, 0.0))
        assert result.status == 'OFF_SUBSPACE'
        assert f'{tilt:.4g} rad' in result.reason
    flat = dh_arm('planar3r')
    above = forward_kinematics(flat, [0.3, 0.4, 0.5])
    above[2, 3] = 0.02
    result = inverse_kinematics(flat, above)
    assert result.status == 'OFF_SUBSPACE'
    assert '0.02 m' in result.reason


def test_reachable_poses_beyond_limits_of_searched_arms():
    """A numeric arm: the reason tells limits from reach as well."""
    options = IkOptions(method='numeric')
    model = dh_arm('puma560_dh')
    pose = forward_kinematics(model, [0.3, 1.5, 0.5, 0.3, 0.5, 0.2])  # joint 2 beyond its 45 degrees
    closed = inverse_kinematics(model, pose)
    searched = inverse_kinematics(model, pose, options=options)
    assert searched.status == closed.status
    if closed.status == 'OUT_OF_LIMITS':
        assert 'Without the joint limits the pose can be reached' in searched.reason
    far = np.eye(4)
    far[0, 3] = 3.0
    assert inverse_kinematics(model, far, options=options).status == 'UNREACHABLE'


def test_reasons_are_numbers():
    """No reason ever speaks of infinity or of nothing."""
    generator = np.random.default_rng(144)
    for name in ('puma560', 'scara', 'ur5', 'planar_3r'):
        model = arm(name)
        for q in random_joints(model, 4, seed=145):
            pose = forward_kinematics(model, q)
            pose[:3, 3] += generator.normal(size=3)
            result = inverse_kinematics(model, pose)
            assert not re.search(r'\b(inf|nan)\b', result.reason), result.reason
