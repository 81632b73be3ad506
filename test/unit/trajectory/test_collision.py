"""Collisions of links with obstacles and with each other (TRJ-19)."""

import numpy as np
import pytest
from support.robots import arm, random_joints

from robokin_ros.errors import InputError
from robokin_ros.kinematics import frame_poses
from robokin_ros.trajectory import Box, Collision, Sphere, check_collision, link_capsules, plan_joint
from robokin_ros.trajectory.collision import _between, _placed

MODEL = arm('puma560')
START = np.array([0.3, -1.2, -1.0, 0.2, 0.5, 0.0])
GOAL = START + [0.8, 0, 0, 0, 0, 0]


def placed(x, y, z, turn=0.0):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    pose[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    return pose


def tip(q):
    return frame_poses(MODEL, q, [MODEL.tip])[0][:3, 3]


def test_capsules_reach_from_joint_to_joint_and_to_the_tip():
    parts = link_capsules(MODEL)
    _, ends = _placed(MODEL, parts, START[None])
    np.testing.assert_allclose(ends[0, -1], tip(START), atol=1e-12)
    assert all(part.radius == 0.05 for part in parts)


def test_distances_beside_brute_force():
    generator = np.random.default_rng(3)
    a, b, c, d = generator.uniform(-1, 1, (4, 200, 3))
    c[:5], d[:5] = a[:5] + 0.3, b[:5] + 0.3  # parallel ones
    share = np.linspace(0.0, 1.0, 201)
    first = a[:, None] + share[:, None] * (b - a)[:, None]
    second = c[:, None] + share[:, None] * (d - c)[:, None]
    brute = np.min(np.linalg.norm(first[:, :, None] - second[:, None], axis=3), axis=(1, 2))
    found = _between(a, b, c, d)
    assert np.all(found <= brute + 1e-12)
    assert np.max(brute - found) < 0.02
    box = Box(placed(0.2, -0.1, 0.3, 0.7), (0.4, 0.6, 0.2))
    inside = (first - [0.2, -0.1, 0.3]) @ placed(0, 0, 0, 0.7)[:3, :3]
    outside = np.linalg.norm(np.maximum(np.abs(inside) - [0.2, 0.3, 0.1], 0.0), axis=2).min(axis=1)
    np.testing.assert_allclose(box.distances(a, b), outside, atol=0.01)
    assert np.all(box.distances(a, b) <= outside + 1e-9)
    ball = Sphere((0.1, 0.2, 0.0), 0.3)
    np.testing.assert_allclose(ball.distances(a, b), np.linalg.norm(first - [0.1, 0.2, 0.0], axis=2).min(axis=1) - 0.3,
                               atol=0.01)


@pytest.mark.parametrize('kind', ['sphere', 'box'])
def test_an_obstacle_in_the_way(kind):
    motion = plan_joint(MODEL, START, GOAL)
    middle = tip(0.5 * (START + GOAL))
    obstacle = Sphere(middle, 0.05, 'ball') if kind == 'sphere' else Box(placed(*middle, 0.4), (0.1, 0.1, 0.1), 'ball')
    for way in (motion, np.stack((START, GOAL))):
        with pytest.raises(Collision, match="hits 'ball'") as caught:
            check_collision(MODEL, way, [obstacle])
        assert 0.0 < caught.value.s < 0.5
        assert caught.value.other == 'ball'
    aside = Sphere(middle + [0.0, 0.0, 1.5], 0.05)
    check_collision(MODEL, motion, [aside], itself=False)


def test_an_arm_that_folds_onto_itself():
    model = arm('planar_3r')
    stretched, folded = np.zeros(3), np.radians([0.0, 165.0, 140.0])
    check_collision(model, np.stack((stretched, np.array([0.5, 0.5, 0.5]))), radius=0.01)
    with pytest.raises(Collision, match='hits') as caught:
        check_collision(model, np.stack((stretched, folded)), radius=0.01)
    assert caught.value.s > 0.5


def test_whatever_is_told_free_keeps_its_distance():
    for seed in range(10):
        way = MODEL.middle() + 0.3 * (random_joints(MODEL, 2, seed) - MODEL.middle())
        ball = Sphere(np.random.default_rng(seed).uniform(-0.8, 0.8, 3), 0.1)
        try:
            check_collision(MODEL, way, [ball], itself=False)
            free = True
        except Collision:
            free = False
        nearest = min(np.linalg.norm(tip(way[0] + share * (way[1] - way[0])) - ball.center)
                      for share in np.linspace(0.0, 1.0, 400))
        if free:
            assert nearest > 0.15 - 0.02


@pytest.mark.parametrize('call', [
    lambda: link_capsules(MODEL, 0.0), lambda: link_capsules(MODEL, [0.1, 0.1]),
    lambda: check_collision(MODEL, [[0.0] * 5]), lambda: check_collision(MODEL, [[np.nan] * 6]),
    lambda: check_collision(MODEL, [START], [Box(np.ones((4, 4)), (1, 1, 1))]),
])
def test_wrong_input(call):
    with pytest.raises(InputError):
        call()
