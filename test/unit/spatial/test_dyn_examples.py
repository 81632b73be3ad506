"""Accelerations, inertias and the equations of one body against the specification (DYN-01 to DYN-04)."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.robots import spec_examples
from support.textbook_arms import evaluate, examples

from robokin_ros.spatial import (
    angular_acceleration,
    box_inertia,
    check_inertia,
    combine_bodies,
    cylinder_inertia,
    elementary_rotation,
    make_transform,
    mesh_inertia,
    newton_euler_of_body,
    point_acceleration,
    point_velocity,
    rod_inertia,
    rotate_inertia,
    shift_inertia,
    sphere_inertia,
)

CASES = spec_examples('spec/DYN-bodies')
SHAPES = {'box': box_inertia, 'cylinder': cylinder_inertia}


def rotation(case):
    product = np.eye(3)
    for axis, degrees in case['rotation']:
        product = product @ elementary_rotation(axis, np.radians(degrees))
    return product


def derivative(function, t=0.0, step=1e-4):
    """Fourth order."""
    ahead, behind = (function(t + side * step) - function(t - side * step) for side in (1, 2))
    return (8.0 * ahead - behind) / (12.0 * step)


@examples(CASES, 'DYN-01a')
def test_acceleration_of_a_point_in_a_moving_frame(case):
    transform = make_transform(rotation(case), np.zeros(3))
    found = point_acceleration(transform, case['origin_acceleration'], case['omega'], case['omega_rate'],
                               case['point'], case['velocity'], case['acceleration'])
    np.testing.assert_allclose(found, case['expected'], atol=1e-8)


@examples(CASES, 'DYN-01b')
def test_acceleration_of_a_turning_link(case):
    """In the axes of the link: the frame {1} at this moment is the one differentiated in."""
    rate, change = case['b'] + 2.0 * case['c'] * case['t'], 2.0 * case['c']
    expected = case['expected']
    center = point_acceleration(np.eye(4), np.zeros(3), [0, 0, rate], [0, 0, change], case['center'])
    np.testing.assert_allclose(center, expected['center_acceleration_at_t'], atol=1e-12)
    np.testing.assert_allclose(evaluate(expected['center_acceleration'], case), center, atol=1e-12)
    still = np.zeros(3)
    turned = angular_acceleration(np.eye(3), still, still, [0, 0, rate], [0, 0, change])
    np.testing.assert_allclose(evaluate(expected['angular_acceleration'], case), turned, atol=1e-12)


def test_accelerations_are_derivatives():
    """(6.10) and (6.15) along a smooth motion of a frame and of a point in it."""
    generator = np.random.default_rng(1)
    spin, tilt, shift, start, leap = generator.uniform(-1.0, 1.0, (5, 3))
    own = generator.uniform(-1.0, 1.0, 3)

    def frame(t):
        """A turn at a constant rate in a frame that turns at a constant rate."""
        return make_transform((Rotation.from_rotvec(spin * t) * Rotation.from_rotvec(tilt * t)).as_matrix(),
                              shift * t**2)

    def omega(t):
        return spin + Rotation.from_rotvec(spin * t).apply(tilt)

    def velocity(t):
        return point_velocity(frame(t), 2.0 * shift * t, omega(t), start + leap * t**2, 2.0 * leap * t)

    t = 0.7
    change = np.cross(spin, Rotation.from_rotvec(spin * t).apply(tilt))
    found = point_acceleration(frame(t), 2.0 * shift, omega(t), change, start + leap * t**2, 2.0 * leap * t, 2.0 * leap)
    np.testing.assert_allclose(found, derivative(velocity, t), atol=1e-9)

    def body(t):
        """Of a body that turns with own * t in the frame."""
        return omega(t) + frame(t)[:3, :3] @ (own * t)

    turned = angular_acceleration(frame(t)[:3, :3], omega(t), change, own * t, own)
    np.testing.assert_allclose(turned, derivative(body, t), atol=1e-9)


@examples(CASES, 'DYN-02a', 'DYN-02b')
def test_inertia_of_shapes(case):
    tensor = SHAPES[case['shape']](case['mass'], *case['size'])
    np.testing.assert_allclose(tensor, case['expected']['center'], atol=1e-12)
    if 'corner' in case:
        shifted = shift_inertia(tensor, case['mass'], np.array(case['corner']))
        np.testing.assert_allclose(shifted, case['expected']['corner'], atol=1e-12)


def test_formulas_of_shapes():
    """Rows of the table of DYN-02, in letters."""
    m, w, h, r = 1.7, 0.2, 0.5, 0.15
    rod = m * (3.0 * r**2 + h**2) / 12.0
    np.testing.assert_allclose(rod_inertia(m, r, h), np.diag([m * r**2 / 2.0, rod, rod]), atol=1e-15)
    np.testing.assert_allclose(sphere_inertia(m, r), 0.4 * m * r**2 * np.eye(3), atol=1e-15)
    turned = rotate_inertia(cylinder_inertia(m, r, h), elementary_rotation('y', np.pi / 2))
    np.testing.assert_allclose(turned, rod_inertia(m, r, h), atol=1e-15)
    corners = np.array([[x, y, z] for x in (0.0, w) for y in (0.0, 0.3) for z in (0.0, h)])
    faces = [[0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 5, 1], [0, 4, 5], [2, 3, 7], [2, 7, 6], [0, 2, 6],
             [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    center, tensor = mesh_inertia(corners, np.array(faces), m)
    np.testing.assert_allclose(center, [w / 2.0, 0.15, h / 2.0], atol=1e-12)
    np.testing.assert_allclose(tensor, box_inertia(m, w, 0.3, h), atol=1e-12)


@examples(CASES, 'DYN-03a')
def test_shifted_inertia(case):
    shifted = shift_inertia(np.array(case['center']), case['mass'], np.array(case['offset']))
    np.testing.assert_allclose(shifted, case['expected']['shifted'], atol=1e-12)
    np.testing.assert_allclose(np.linalg.eigvalsh(shifted), case['expected']['principal_moments'], atol=1e-8)


@pytest.mark.parametrize('seed', range(10))
def test_turned_shifted_and_joined_inertias(seed):
    """Properties of DYN-03, with a body of points as the definition."""
    generator = np.random.default_rng(seed)
    points, masses = generator.uniform(-1.0, 1.0, (12, 3)), generator.uniform(0.1, 2.0, 12)

    def tensor(about):
        return sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points - about, strict=True))

    mass, center, inertia = combine_bodies([(m, p, np.zeros((3, 3))) for m, p in zip(masses, points, strict=True)])
    assert mass == pytest.approx(masses.sum())
    np.testing.assert_allclose(center, masses @ points / masses.sum(), atol=1e-12)
    np.testing.assert_allclose(inertia, tensor(center), atol=1e-10)
    np.testing.assert_allclose(shift_inertia(inertia, mass, center), tensor(np.zeros(3)), atol=1e-10)
    halves = [combine_bodies([(m, p, np.zeros((3, 3))) for m, p in zip(masses[half], points[half], strict=True)])
              for half in (slice(5), slice(5, None))]
    for whole, part in zip((mass, center, inertia), combine_bodies(halves), strict=True):
        np.testing.assert_allclose(part, whole, atol=1e-10)
    turn = Rotation.random(random_state=generator).as_matrix()
    turned = rotate_inertia(inertia, turn)
    np.testing.assert_allclose(turned, turn @ inertia @ turn.T, atol=1e-12)
    np.testing.assert_allclose(turned, turned.T, atol=1e-12)
    assert np.trace(turned) == pytest.approx(np.trace(inertia))
    moments = np.linalg.eigvalsh(turned)
    np.testing.assert_allclose(moments, np.linalg.eigvalsh(inertia), atol=1e-10)
    assert moments[0] > 0.0
    assert moments[2] <= moments[0] + moments[1]
    assert check_inertia(mass, turned) == ''


def test_a_plane_of_symmetry_has_no_products_with_its_normal():
    halves = [(1.3, np.array([0.1, -0.2, side * 0.3]), np.diag([0.2, 0.3, 0.25])) for side in (-1.0, 1.0)]
    _, center, inertia = combine_bodies([*halves, (0.5, np.array([0.4, 0.3, 0.0]), np.diag([0.1, 0.2, 0.15]))])
    assert center[2] == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_allclose(inertia[2, :2], 0.0, atol=1e-15)
    assert abs(inertia[0, 1]) > 0.01


@pytest.mark.parametrize('seed', range(5))
def test_force_and_moment_of_a_body_change_its_momenta(seed):
    """DYN-04: F = d(m v)/dt and, in body axes, N = R^T d(R I R^T w)/dt."""
    generator = np.random.default_rng(seed)
    spin, tilt, acceleration = generator.uniform(-2.0, 2.0, (3, 3))
    inertia = rotate_inertia(np.diag([0.3, 0.4, 0.5]), Rotation.random(random_state=generator).as_matrix())
    mass = 2.3

    def turned(t):
        return (Rotation.from_rotvec(spin * t) * Rotation.from_rotvec(tilt * t)).as_matrix()

    def omega(t):
        return spin + Rotation.from_rotvec(spin * t).apply(tilt)

    t = 0.4
    own = turned(t).T
    force, moment = newton_euler_of_body(mass, inertia, own @ acceleration, own @ omega(t), own @ derivative(omega, t))
    change = derivative(lambda t: turned(t) @ inertia @ turned(t).T @ omega(t), t)
    np.testing.assert_allclose(force, mass * own @ acceleration, atol=1e-12)
    np.testing.assert_allclose(moment, own @ change, atol=1e-9)
