"""Joint rates for twists: exact where possible, damped near singularities, slow near limits (VEL-10)."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import arm, random_joints

from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.kinematics import forward_kinematics, jacobian, servo_rates, singularity
from robokin_ros.kinematics.singularity import arm_reach
from robokin_ros.model import DhRow, RobotModel, dh_arm

PLANE = (0, 1)


def endless(model):
    free = np.full(model.dof, np.inf)
    return replace(model, lower=-free, upper=free.copy(), velocity_limit=free.copy())


@settings(max_examples=100, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**31), frame=st.sampled_from(['base', 'tip', 'link_3']))
def test_regular_poses_get_the_twist_exactly(seed, frame):
    generator = np.random.default_rng(seed)
    model = endless(dh_arm('puma560_dh'))
    q, twist = generator.uniform(-np.pi, np.pi, 6), generator.normal(size=6)
    found = servo_rates(model, q, twist, frame)
    matrix = jacobian(model, q, frame)
    np.testing.assert_allclose(found.achieved, matrix @ found.rates, atol=1e-12)
    assert found.blocked == ()
    assert found.scaled == 1.0
    ratio = singularity(model, q).ratio
    assert found.damped == (ratio < 0.02)
    if not found.damped:
        np.testing.assert_allclose(found.achieved, twist, atol=1e-9)
        np.testing.assert_allclose(found.rates, np.linalg.solve(matrix, twist), rtol=1e-7, atol=1e-9)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**31), bend=st.floats(0.0, 0.3))
def test_damping_keeps_rates_small_and_grows_from_nothing(seed, bend):
    generator = np.random.default_rng(seed)
    model = endless(dh_arm('puma560_dh'))
    q = np.array([0.3, -0.7, 0.5, 1.1, bend, 0.9])
    twist = generator.normal(size=6)
    found = servo_rates(model, q, twist, near=0.05, most_damping=0.1)
    ratio = singularity(model, q).ratio
    assert found.damped == (ratio < 0.05)
    assert np.all(np.isfinite(found.rates))
    # damped by l the gain of a direction is at most 1 / (2 l); where it begins the gain is that of the threshold
    assert np.linalg.norm(found.rates) < 200.0
    if found.damped:
        left, values, _ = np.linalg.svd(scaled_jacobian(model, q))
        strong = left[:, values > 0.05 * values[0]]
        scale = row_scale(model)
        np.testing.assert_allclose(strong.T @ (scale * found.achieved), strong.T @ (scale * twist), atol=1e-9)


def row_scale(model):
    return np.array([1.0] * 3 + [arm_reach(model)] * 3)


def scaled_jacobian(model, q):
    return row_scale(model)[:, None] * jacobian(model, q)


def test_rates_stay_continuous_where_damping_begins():
    model = endless(dh_arm('planar2r'))
    twist, bends = [1.0, 0, 0, 0, 0, 0], np.linspace(0.01, 0.4, 400)
    rates = np.array([servo_rates(model, [0.3, bend], twist, rows=PLANE).rates for bend in bends])
    damped = np.array([servo_rates(model, [0.3, bend], twist, rows=PLANE).damped for bend in bends])
    begins = np.flatnonzero(np.diff(damped.astype(int)))
    assert len(begins) == 1
    steps = np.linalg.norm(np.diff(rates, axis=0), axis=1)
    assert steps[begins[0]] < 3.0 * max(steps[begins[0] - 2], steps[begins[0] + 2])


def test_at_a_singularity_the_other_directions_go_on():
    model = endless(dh_arm('planar2r'))
    across = servo_rates(model, [0.0, 0.0], [0, 0.2, 0, 0, 0, 0], rows=PLANE)
    assert across.damped
    np.testing.assert_allclose(across.achieved[:2], [0.0, 0.2], atol=1e-9)
    along = servo_rates(model, [0.0, 0.0], [0.2, 0, 0, 0, 0, 0], rows=PLANE)
    np.testing.assert_allclose(along.rates, 0.0, atol=1e-12)


def limited(lower, upper, velocity):
    rows = [DhRow(lower=low, upper=high, velocity=fast) for low, high, fast in zip(lower, upper, velocity, strict=True)]
    tool = np.eye(4)
    tool[0, 3] = 0.3
    return RobotModel.from_dh([replace(rows[0]), replace(rows[1], a=0.5)], tool=tool)


def test_rate_limits_slow_the_whole_motion_down():
    model = limited([-9, -9], [9, 9], [0.5, 2.0])
    q = np.array([0.4, 1.2])
    wanted = np.linalg.solve(jacobian(model, q)[:2], [1.0, -0.7])
    found = servo_rates(model, q, [1.0, -0.7, 0, 0, 0, 0], rows=PLANE)
    factor = min(1.0, 0.5 / abs(wanted[0]), 2.0 / abs(wanted[1]))
    assert factor < 1.0
    assert found.scaled == pytest.approx(factor)
    np.testing.assert_allclose(found.rates, factor * wanted, atol=1e-12)
    np.testing.assert_allclose(found.achieved[:2], factor * np.array([1.0, -0.7]), atol=1e-12)  # the same direction
    slow = servo_rates(model, q, [0.01, 0.0, 0, 0, 0, 0], rows=PLANE)
    assert slow.scaled == 1.0


@pytest.mark.parametrize('side', [1.0, -1.0])
def test_joints_slow_down_towards_their_limits_only(side):
    model = limited([-1.0, -9], [1.0, 9], [2.0, 9.0])
    rates = []
    for room in (0.5, 0.1, 0.05, 0.01, 0.001):
        q = np.array([side * (1.0 - room), 1.2])
        towards = jacobian(model, q) @ [side * 2.0, 0.0]
        found = servo_rates(model, q, towards, rows=PLANE, zone=0.1)
        assert abs(found.rates[0]) == pytest.approx(2.0 * min(1.0, room / 0.1), abs=1e-9)
        assert found.scaled == pytest.approx(min(1.0, room / 0.1), abs=1e-9)
        rates.append(abs(found.rates[0]))
        away = servo_rates(model, q, -towards, rows=PLANE, zone=0.1)
        assert away.rates[0] == pytest.approx(-side * 2.0)
        assert away.scaled == pytest.approx(1.0)
    assert np.all(np.diff(rates) <= 1e-12)


@pytest.mark.parametrize('beyond', [0.0, 0.01])
def test_joints_on_a_limit_are_named_and_the_others_go_on(beyond):
    model = limited([-9, -9], [9, 1.2], [9.0, 9.0])
    q = np.array([0.3, 1.2 + beyond])
    twist = jacobian(model, q) @ [0.4, 0.5]
    found = servo_rates(model, q, twist, rows=PLANE)
    assert found.blocked == ('joint_2',)
    assert found.rates[1] == 0.0
    column = jacobian(model, q)[:2, 0]
    best = column @ twist[:2] / (column @ column)  # least squares with the other joint
    assert found.rates[0] == pytest.approx(best)
    np.testing.assert_allclose(found.achieved, jacobian(model, q) @ found.rates, atol=1e-12)
    back = servo_rates(model, q, -twist, rows=PLANE)
    assert back.blocked == ()
    np.testing.assert_allclose(back.rates, [-0.4, -0.5], atol=1e-9)


def test_following_rates_never_breaks_a_limit():
    """Integrated over time the arm comes to rest at its limits."""
    model = arm('puma560')
    generator = np.random.default_rng(130)
    for q in random_joints(model, 5, seed=130):
        twist = 0.5 * generator.normal(size=6)
        for _ in range(300):
            q = q + 0.01 * servo_rates(model, q, twist).rates
            assert np.all(q >= model.lower - 1e-9)
            assert np.all(q <= model.upper + 1e-9)


def test_null_motion_of_a_redundant_arm_does_not_move_the_tip():
    model = endless(arm('arm7'))
    generator = np.random.default_rng(131)
    for q in random_joints(arm('arm7'), 10, seed=131):
        twist, extra = generator.normal(size=6), generator.normal(size=7)
        plain, moved = servo_rates(model, q, twist), servo_rates(model, q, twist, null_motion=extra)
        if plain.damped:
            continue
        np.testing.assert_allclose(moved.achieved, plain.achieved, atol=1e-9)
        null = np.linalg.svd(jacobian(model, q))[2][-1]
        np.testing.assert_allclose(moved.rates - plain.rates, (null @ extra) * null, atol=1e-9)
        assert abs(null @ plain.rates) < 1e-9  # the least rates without it
        assert np.linalg.norm(plain.rates) <= np.linalg.norm(moved.rates) + 1e-9


def test_only_chosen_rows_matter():
    model = endless(dh_arm('puma560_dh'))
    q = np.array([0.3, -0.7, 0.5, 1.1, -0.4, 0.9])
    found = servo_rates(model, q, [0.1, 0.2, 0.3, 9.0, 9.0, 9.0], rows=(0, 1, 2))
    np.testing.assert_allclose(found.achieved[:3], [0.1, 0.2, 0.3], atol=1e-12)
    np.testing.assert_allclose(found.rates, np.linalg.pinv(jacobian(model, q)[:3]) @ [0.1, 0.2, 0.3], atol=1e-12)


def test_achieved_is_what_the_tip_does():
    model, step = endless(arm('ur5')), 1e-6
    q = np.array([0.2, -1.0, 1.3, 0.4, 0.8, -0.5])
    found = servo_rates(model, q, [0.1, -0.2, 0.05, 0.0, 0.0, 0.0])
    ahead, behind = (forward_kinematics(model, q + sign * step * found.rates) for sign in (1, -1))
    np.testing.assert_allclose((ahead[:3, 3] - behind[:3, 3]) / (2 * step), found.achieved[:3], atol=1e-8)


@pytest.mark.parametrize('call', [
    lambda model: servo_rates(model, np.zeros(6), np.zeros(5)),
    lambda model: servo_rates(model, np.zeros(5), np.zeros(6)),
    lambda model: servo_rates(model, np.zeros((2, 6)), np.zeros(6)),
    lambda model: servo_rates(model, np.full(6, np.nan), np.zeros(6)),
    lambda model: servo_rates(model, np.zeros(6), [np.inf, 0, 0, 0, 0, 0]),
    lambda model: servo_rates(model, np.zeros(6), np.zeros(6), rows=(7,)),
    lambda model: servo_rates(model, np.zeros(6), np.zeros(6), zone=0.0),
    lambda model: servo_rates(model, np.zeros(6), np.zeros(6), null_motion=np.zeros(3)),
    lambda model: servo_rates(model, np.zeros(6), np.zeros(6), null_motion=np.full(6, np.nan))])
def test_bad_input_is_refused(call):
    with pytest.raises(InputError):
        call(dh_arm('puma560_dh'))


def test_unknown_frame_is_refused():
    with pytest.raises(UnknownNameError):
        servo_rates(dh_arm('puma560_dh'), np.zeros(6), np.zeros(6), frame='world')
