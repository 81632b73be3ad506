"""Trajectory schemes against the specification: TRJ-02 to TRJ-21."""

import numpy as np
import pytest
from support.robots import spec_examples
from support.textbook_arms import along_x, lump

from robokin_ros.dynamics import torque_parts
from robokin_ros.errors import LimitError
from robokin_ros.kinematics import IkOptions, forward_kinematics, inverse_kinematics
from robokin_ros.model import DhRow, RobotModel
from robokin_ros.spatial import elementary_rotation, make_transform
from robokin_ros.trajectory import (
    Line,
    PathProblem,
    blend_plan,
    continuous_velocities,
    cubic_coefficients,
    heuristic_velocities,
    motion_through_points,
    plan_cartesian,
    quintic_coefficients,
    shortest_time,
    slowed,
    time_optimal,
    torque_peaks,
    track,
)
from robokin_ros.trajectory.blends import pseudo_via_plan
from robokin_ros.trajectory.cartesian.pose_blends import plan_pose_blends, pose_blend_plan
from robokin_ros.trajectory.cartesian.pose_vector import (
    angular_velocity_of,
    nearest_rotation_vector,
    pose_vector,
    transform_of_vector,
)

CASES = spec_examples('spec/TRJ')
POINT = IkOptions(position_only=True)
NEAR = {'rtol': 0.0, 'atol': 1.01e-6}


def example(*names):
    return pytest.mark.parametrize(('given', 'expected'), [
        pytest.param(CASES[name]['given'], CASES[name]['expected'], id=name) for name in names])


def value(coefficients, t):
    """Position, velocity and acceleration of a polynomial, constant first."""
    p = np.polynomial.Polynomial(coefficients)
    return p(t), p.deriv()(t), p.deriv(2)(t)


def assert_samples(samples, curve):
    for sample in samples:
        for name, found in zip(('position', 'velocity', 'acceleration'), curve(sample['t']), strict=True):
            if name in sample:
                np.testing.assert_allclose(found, sample[name], rtol=1e-6, atol=1.01e-6, err_msg=f't={sample["t"]}')


def planar(*lengths, limit=np.pi, speed=2.0, masses=None, tool=None):
    """Planar arm; masses are points at the ends of the links."""
    number = len(lengths) if tool is None else len(lengths) + 1
    weights = [None] * number
    if masses is not None:
        weights = [lump(mass, length) for mass, length in zip(masses, lengths, strict=True)]
    rows = [DhRow(a=0.0 if i == 0 else lengths[i - 1], lower=-limit, upper=limit, velocity=speed, effort=200.0,
                  inertial=weights[i]) for i in range(number)]
    return RobotModel.from_dh(rows, tool=along_x(lengths[-1]) if tool is None else tool)


def at(x, y):
    return make_transform(np.eye(3), [x, y, 0.0])


def joints_at(model, point, elbow):
    found = inverse_kinematics(model, at(*point), options=POINT).solutions
    return next(q for q in found if np.sign(q[1]) == elbow)


@example('TRJ-02a', 'TRJ-02b', 'TRJ-02c', 'TRJ-03b', 'TRJ-05a')
def test_polynomials(given, expected):
    coefficients = given.get('coefficients')
    if coefficients is None:
        ends = [given.get(name, 0.0) for name in ('start_velocity', 'end_velocity', 'start_acceleration',
                                                  'end_acceleration')]
        make = quintic_coefficients if 'start_acceleration' in given else cubic_coefficients
        coefficients = make(given['start'], given['goal'], given['duration'], *ends[:4 if any(ends[2:]) else 2])
        np.testing.assert_allclose(coefficients, expected['coefficients'], **NEAR)
    assert_samples(expected.get('samples', []), lambda t: value(coefficients, t))


@example('TRJ-03a', 'TRJ-04a', 'TRJ-04b')
def test_two_cubics(given, expected):
    times, points = np.concatenate(([0.0], np.cumsum(given['durations']))), np.array(given['points'], float)[:, None]
    if 'via_velocity' in given:
        v = heuristic_velocities(times, points)
        assert v[1, 0] == pytest.approx(given['via_velocity'])
    else:
        v = continuous_velocities(times, points)
    found = cubic_coefficients(points[:-1], points[1:], np.diff(times)[:, None], v[:-1], v[1:])[:, :, 0].T
    np.testing.assert_allclose(found, expected['coefficients'], **NEAR)


@example('TRJ-04c')
def test_continuous_accelerations(given, expected):
    v = continuous_velocities(given['times'], np.array(given['points'], float)[:, None], given['start_velocity'],
                              given['end_velocity'])
    np.testing.assert_allclose(v[:, 0], expected['via_velocities'], **NEAR)


@example('TRJ-06a')
def test_shortest_time(given, expected):
    found = shortest_time(given['distance'], given['velocity_limit'], given['acceleration_limit'], quintic=False)
    assert found == pytest.approx(expected['duration'])


@example('TRJ-07a', 'TRJ-07b')
def test_one_line_with_blends(given, expected):
    for i, acceleration in enumerate(given['accelerations']):
        plan = blend_plan([given['start'], given['goal']], given['duration'], acceleration)
        np.testing.assert_allclose(plan.blend_times[:, 0], expected['blend_times'][i], **NEAR)
        np.testing.assert_allclose(plan.speeds[0, 0], expected['line_speeds'][i], **NEAR)
        np.testing.assert_allclose(plan.line_times[0, 0], expected['line_times'][i], **NEAR)
    least = 4.0 * (given['goal'] - given['start']) / given['duration']**2
    with pytest.raises(LimitError, match=f'at least {least:.6g}'):
        blend_plan([given['start'], given['goal']], given['duration'], 0.99 * least)


@example('TRJ-08a', 'TRJ-08b', 'TRJ-09a')
def test_lines_with_blends(given, expected):
    if 'through_index' in given:
        near = np.zeros(len(given['points']))
        near[given['through_index']] = given['offset']
        v = np.zeros((len(near), 1))
        v[given['through_index']] = given['through_speed']
        plan = pseudo_via_plan(given['points'], given['durations'], given['accelerations'], near, v)
        np.testing.assert_allclose(plan.points[:, 0], expected['points'], **NEAR)
        np.testing.assert_allclose(plan.durations, expected['durations'], **NEAR)
    else:
        plan = blend_plan(given['points'], given['durations'], given['accelerations'])
    for name in ('speeds', 'accelerations', 'blend_times', 'line_times'):
        if name in expected:
            np.testing.assert_allclose(getattr(plan, name)[:, 0], expected[name], **NEAR)
    assert_samples(expected.get('samples', []), lambda t: [part[0] for part in plan.curves().sample(t)])


@example('TRJ-11a')
def test_curve_of_a_plan(given, expected):
    plan = blend_plan(given['points'], given['durations'], given['accelerations'])
    curves = plan.curves()
    assert_samples(expected['samples'], lambda t: [part[0] for part in curves.sample(t)])
    assert plan.misses()[1, 0] == pytest.approx(expected['via_misses'][0]['miss'], abs=1e-4)
    assert curves.sample(99.0)[0][0] == pytest.approx(given['points'][-1])


def in_radians(pose):
    return np.concatenate((pose[:3], np.radians(pose[3:])))


@example('TRJ-12a', 'TRJ-12b')
def test_poses_as_six_numbers(given, expected):
    if 'rotation' in given:
        turn = elementary_rotation(given['rotation']['axis'], np.radians(given['rotation']['angle']))
        found, wanted = pose_vector(make_transform(turn, given['position'])), in_radians(expected['pose'])
        np.testing.assert_allclose(found, wanted, atol=1e-12)
        return
    turn = elementary_rotation(expected['rotation']['axis'], np.radians(expected['rotation']['angle']))
    np.testing.assert_allclose(transform_of_vector(in_radians(given['pose'])),
                               make_transform(turn, expected['position']), atol=1e-12)


@example('TRJ-12c')
def test_nearest_rotation(given, expected):
    turn = elementary_rotation(given['rotation_b']['axis'], np.radians(given['rotation_b']['angle']))
    found = nearest_rotation_vector(turn, np.radians(given['angle_axis_a']))
    np.testing.assert_allclose(np.degrees(found), expected['angle_axis_b'], atol=1e-9)


@example('TRJ-12d')
def test_angular_velocity(given, expected):
    np.testing.assert_allclose(angular_velocity_of(given['angle_axis'], given['angle_axis_rate']),
                               expected['angular_velocity'], atol=1.01e-8)


@example('TRJ-13a')
def test_pose_blends(given, expected):
    ends = [transform_of_vector(in_radians(given[name])) for name in ('pose_a', 'pose_b')]
    plan = pose_blend_plan(ends, given['duration'], given['blend_times'])
    np.testing.assert_allclose(plan.speeds[0], in_radians(expected['line_rate']), **NEAR)
    np.testing.assert_allclose(plan.accelerations[0], in_radians(expected['acceleration']), rtol=1e-4)
    for sample in expected['samples']:
        np.testing.assert_allclose(plan.curves().sample(sample['t'])[0], in_radians(sample['position']), **NEAR)


@example('TRJ-15a')
def test_unreachable_middle(given, expected):
    model = planar(*given['lengths'])
    with pytest.raises(PathProblem, match='leaves what the arm reaches') as caught:
        plan_cartesian(model, joints_at(model, given['start'], 1.0), at(*given['goal']), options=POINT)
    assert caught.value.kind == 'UNREACHABLE'
    assert caught.value.s == pytest.approx(expected['unreachable_s'][0], abs=0.01)


@example('TRJ-15b')
def test_high_rates_near_a_singularity(given, expected):
    model = planar(*given['lengths'], speed=given['rate_limit'])
    start = joints_at(model, given['start'], 1.0)
    options = {'options': POINT, 'duration': 2.0 / given['speed'], 'acceleration': 1e4}
    with pytest.raises(LimitError, match='near a singularity') as caught:
        plan_cartesian(model, start, at(*given['goal']), **options)
    assert caught.value.value == pytest.approx(expected['peak_rate_1'], rel=2e-3)
    motion = plan_cartesian(model, start, at(*given['goal']), options=POINT, speed=given['speed'], acceleration=1e4)
    assert motion.slowed_by == pytest.approx(expected['slow_down'], rel=2e-3)
    assert np.max(np.abs(motion.sample(np.linspace(0.0, motion.duration, 20001))[1])) < given['rate_limit'] * 1.005


@example('TRJ-15c')
def test_ends_on_different_branches(given, expected):
    model = planar(*given['lengths'], limit=np.radians(170.0))
    model = model_with_limit(model, np.radians(given['limit_1']))
    start = inverse_kinematics(model, at(*given['start']), options=POINT).solutions
    np.testing.assert_allclose(np.degrees(start[:, 1]), expected['start_theta2_allowed'], atol=1e-4)
    for begin in (start[0], None):
        with pytest.raises(PathProblem) as caught:
            track(model, Line(at(*given['start']), at(*given['goal'])), begin, options=POINT)
        assert caught.value.kind == 'BRANCH_CHANGE'
        assert 'change branch' in str(caught.value)


def model_with_limit(model, limit):
    from dataclasses import replace
    return replace(model, lower=np.array([-limit, model.lower[1]]), upper=np.array([limit, model.upper[1]]))


@example('TRJ-18a')
def test_fastest_motion_of_one_joint(given, expected):
    row = DhRow(lower=-4.0, upper=4.0, velocity=1e3, effort=given['torque_limit'],
                inertial=lump(1.0, 0.0, given['inertia']))
    model = RobotModel.from_dh([row])
    motion = time_optimal(model, [[0.0], [given['distance']]], velocity_limit=np.inf, gravity=(0.0, 0.0, 0.0))
    assert motion.duration == pytest.approx(expected['duration'], rel=1e-4)


@example('TRJ-18b', 'TRJ-21a')
def test_torques_along_a_motion(given, expected):
    model = planar(*given['lengths'], masses=given['masses'])
    points = np.radians(given['points'])[:, None] * np.ones(2)
    times = np.concatenate(([0.0], np.cumsum(given['durations'])))
    motion = motion_through_points(model, times, points, continuous_velocities(times, points))
    down = (0.0, -given['g'], 0.0)
    factor = given.get('slow_down', 1.0)
    for sample in expected.get('samples', [{'t': given.get('t'), 'torque': expected.get('torque')}]):
        parts = torque_parts(model, *slowed(motion, factor).sample(sample['t'] * factor), gravity=down)
        found = {'torque': parts.total, 'inertia': parts.inertial, 'velocity_part': parts.velocity,
                 'gravity': parts.gravity}
        for name in found.keys() & sample.keys():
            np.testing.assert_allclose(found[name], sample[name], **NEAR)
    if 'peaks' in expected:  # the model's own torque is under standard gravity, along another axis: weigh by hand
        t = np.arange(0.0, times[-1], given['grid'])
        torque = torque_parts(model, *motion.sample(t), gravity=down).total
        for joint, peak in enumerate(expected['peaks']):
            assert np.max(np.abs(torque[:, joint])) == pytest.approx(peak['torque'], abs=1e-5)
            assert t[np.argmax(np.abs(torque[:, joint]))] == pytest.approx(peak['t'], abs=1.1e-3)


def test_peaks_are_found_between_samples():
    model = planar(0.5, 0.5, masses=(4.6, 2.3))
    motion = motion_through_points(model, np.array([0.0, 1.0]), np.array([[0.0, 0.0], [1.0, -0.7]]), np.zeros((2, 2)))
    peaks, times = torque_peaks(motion)
    t = np.linspace(0.0, 1.0, 100001)
    torque = np.abs(motion.torque(t))
    np.testing.assert_allclose(np.abs(peaks), torque.max(axis=0), rtol=1e-6)
    np.testing.assert_allclose(times, t[np.argmax(torque, axis=0)], atol=1e-3)


@example('TRJ-20a')
def test_planner_of_the_planar_arm(given, expected):
    x, y, phi = given['tool_in_wrist']
    tool = along_x(0.0) @ make_transform(elementary_rotation('z', np.radians(phi)), [x, y, 0.0])
    model = planar(*given['lengths'], tool=tool, limit=np.pi)
    near, found = np.zeros(3), []
    for px, py, turn in given['points']:
        pose = make_transform(elementary_rotation('z', np.radians(turn)), [px, py, 0.0])
        near = inverse_kinematics(model, pose, near).solutions[0]
        found.append(near)
    joints = np.array(found)
    np.testing.assert_allclose(np.degrees(joints), expected['joint_points'], atol=1.01e-5)
    assert np.all(np.sign(joints[:, 1]) == expected['theta2_sign'])
    times = np.concatenate(([0.0], np.cumsum(given['durations'])))
    v = heuristic_velocities(times, joints)
    np.testing.assert_allclose(np.degrees(v[1:3]), expected['via_velocities'], **NEAR)
    motion = motion_through_points(model, times, joints, v)
    for sample in expected['samples']:
        q = motion.sample(sample['t'])[0]
        np.testing.assert_allclose(np.degrees(q), sample['position'], atol=1.01e-5)
        pose = forward_kinematics(model, q)
        np.testing.assert_allclose(pose[:2, 3], sample['tool'][:2], **NEAR)
        assert np.degrees(np.arctan2(pose[1, 0], pose[0, 0])) == pytest.approx(sample['tool'][2], abs=1.01e-6)


def test_pose_blends_of_an_arm_are_straight_between_blends():
    from support.robots import arm
    model = arm('puma560')
    start = np.array([0.3, -1.2, -1.0, 0.0, 0.5, 0.0])
    goal = forward_kinematics(model, start)
    goal[:3, 3] -= [0.1, 0.15, 0.1]
    goal[:3, :3] = goal[:3, :3] @ elementary_rotation('x', 0.4)
    motion = plan_pose_blends(model, start, [goal], 2.0, 0.4)
    poses = forward_kinematics(model, motion.sample(np.linspace(0.4, 1.6, 25))[0])
    along = (goal - forward_kinematics(model, start))[:3, 3]
    across = np.linalg.norm(np.cross(poses[:, :3, 3] - poses[0, :3, 3], along / np.linalg.norm(along)), axis=1)
    assert np.max(across) < 1e-6
    np.testing.assert_allclose(forward_kinematics(model, motion.sample(2.0)[0]), goal, atol=1e-6)
    assert np.max(np.abs(motion.sample(0.0)[1])) < 1e-4
