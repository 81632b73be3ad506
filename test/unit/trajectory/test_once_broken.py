"""Cases that once went wrong: each was found by trying to break the planners."""

import numpy as np
import pytest
from support.robots import arm, random_joints

from robokin_ros.dynamics import Friction
from robokin_ros.errors import InputError, LimitError
from robokin_ros.kinematics import forward_kinematics
from robokin_ros.trajectory import (
    Execution,
    TorqueLimits,
    automatic_plan,
    blend_plan,
    check_motion,
    passing_plan,
    plan_cartesian,
    plan_joint,
    slow_down_factor,
    slowed,
    time_optimal,
)
from robokin_ros.trajectory.plan import TIMINGS

ONE = """<robot name="one"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="5" velocity="{velocity}"/></joint></robot>"""


def one(velocity=100.0):
    from robokin_ros.model import RobotModel
    return RobotModel.from_urdf(ONE.format(velocity=velocity))


def test_points_are_passed_in_a_reasonable_time():
    plan = passing_plan([10.0, 35.0, 45.0], [2.0, 1.0], 50.0, [0, 1, 0])
    assert np.sum(plan.durations) == pytest.approx(3.0)
    assert automatic_plan([10.0, 35.0, 45.0], 25.0, 50.0, passed=[0, 1, 0]).duration < 3.2
    assert automatic_plan([0.0, 1.0, 1.0, 0.5], 1.0, 2.0).duration < 6.0


def test_torque_peaks_at_the_knots_are_seen():
    from robokin_ros.trajectory import check_torque, motion_through_points, torque_peaks
    t = np.array([0.0, 3.0, 4.0, 5.0, 8.0, 9.0, 10.0])
    k = 6.03 * 0.3
    q, v = k * np.array([0, 2.25, 3.25, 3.25, 1, 0, 0])[:, None], k * np.array([0, 1.5, 0, 0, -1.5, 0, 0])[:, None]
    model = one()
    motion = motion_through_points(model, t, q, v)
    dense = np.max(np.abs(motion.torque(np.linspace(0.0, 10.0, 1_000_001))))
    assert abs(torque_peaks(motion)[0][0]) == pytest.approx(dense, rel=1e-4)
    assert dense > 5.0
    with pytest.raises(LimitError):
        check_torque(model, motion)
    assert np.max(np.abs(slowed(motion, slow_down_factor(model, motion)).torque(np.linspace(0, 12, 100_001)))) <= 5.0001


def test_static_friction_does_not_help_to_brake():
    motion = time_optimal(one(), [[0.0], [1.5]], friction=Friction([0.0], [1.0], [4.0]))
    assert motion.largest_excess() < 0.01


@pytest.mark.parametrize('limit', [np.inf, float('inf'), [float('inf')]])
def test_without_torque_limits_accelerations_stay_reasonable(limit):
    motion = plan_joint(one(2.0), [0.0], [1.0], timing='time_optimal', torque_limit=limit)
    assert np.max(np.abs(motion.sample(np.linspace(0.0, motion.duration, 1001))[2])) < 9.0


def test_drives_that_lose_torque_with_speed():
    model = arm('puma560')
    path = random_joints(model, 4, 12) * 0.6
    limits = TorqueLimits(model.effort_limit, droop=3.0 * model.effort_limit / model.velocity_limit)
    motion = time_optimal(model, path, torque_limit=limits)
    assert motion.duration == pytest.approx(13.52, rel=0.01)
    assert motion.largest_excess() < 0.01


def test_given_durations_keep_the_torques():
    with pytest.raises(LimitError, match='torque'):
        plan_joint(one(), [0.0], [1.0], duration=0.3)
    with pytest.raises(LimitError, match='velocity'):
        plan_joint(one(2.0), [0.0], [1.0], duration=1.0, scaling=0.1)
    motion = plan_joint(one(), [0.0], [1.0], jerk_limit=1.0)
    assert np.max(np.abs(np.diff(motion.sample(np.linspace(0, motion.duration, 2001))[2][:, 0]))) < (
        1.01 * motion.duration / 2000)


def test_waypoint_splines_that_leave_the_limits_are_refused():
    with pytest.raises(LimitError, match='leads joint'):
        time_optimal(one(), [[-2.9], [3.0], [2.9], [-2.9]])


@pytest.mark.parametrize('timing', TIMINGS)
@pytest.mark.parametrize('distance', [0.0, 1e-13, 1e-8, 1e-5])
def test_next_to_nothing(timing, distance):
    model = arm('ur5')
    goal = np.zeros(6)
    goal[0] = distance
    motion = plan_joint(model, np.zeros(6), goal, timing=timing)
    q, qd, _ = motion.sample(np.linspace(0.0, motion.duration, 11))
    np.testing.assert_allclose(q[-1], goal, atol=1e-15)
    assert np.max(np.abs(qd)) < 1.0
    assert np.max(np.abs(motion.torque(0.0))) <= np.max(model.effort_limit)


def turned(pose, angle):
    from robokin_ros.spatial import elementary_rotation
    other = pose.copy()
    other[:3, :3] = pose[:3, :3] @ elementary_rotation('z', angle)
    return other


def test_curves_must_begin_at_the_tip():
    from robokin_ros.trajectory import Line
    model, start = arm('ur5'), np.array([0.3, -1.2, 1.2, -1.0, -1.5, 0.0])
    begin = turned(forward_kinematics(model, start), 0.8)
    goal = begin.copy()
    goal[0, 3] += 0.1
    with pytest.raises(InputError, match='begins'):
        plan_cartesian(model, start, Line(begin, goal))


def test_tip_speeds_of_every_kind_of_curve():
    from robokin_ros.trajectory import Arc, Line, Wave
    model, start = arm('ur5'), np.array([0.3, -1.2, 1.2, -1.0, -1.5, 0.0])
    pose = forward_kinematics(model, start)
    a = pose.copy()
    a[1, 3] += 0.1
    b = turned(a, 0.8)
    c = b.copy()
    c[1, 3] += 0.05
    for goal, options in ((np.array([a, b, c]), {}), (np.array([a, b, c]), {'blend': 0.02}),
                          (Wave(Line(pose, a), [0.0, 0.0, 0.02], 3.0), {}),
                          (Arc(pose, pose[:3, 3] + [0.03, 0.0, 0.0], [0, 0, 1], 2.0 * np.pi, flatness=2.0), {})):
        motion = plan_cartesian(model, start, goal, speed=0.1, **options)
        t = np.linspace(0.0, motion.duration, 4001)
        points = forward_kinematics(model, motion.sample(t)[0])[:, :3, 3]
        speeds = np.linalg.norm(np.diff(points, axis=0), axis=1) / (t[1] - t[0])
        assert np.max(speeds) < 0.1 * 1.01


def test_radii_stay_with_their_corners():
    model, start = arm('ur5'), np.array([0.3, -1.2, 1.2, -1.0, -1.5, 0.0])
    pose = forward_kinematics(model, start)
    a, b = pose.copy(), pose.copy()
    a[1, 3] += 0.1
    b[:3, 3] += [0.0, 0.1, 0.1]
    plan_cartesian(model, start, np.array([pose, a, b]), blend=[0.02, 0.02])
    with pytest.raises(InputError, match='blend'):
        plan_cartesian(model, start, np.array([a, b]), blend=[0.02, 0.02])


WRONG = [
    lambda m: time_optimal(m, 0.1 * np.eye(6), torque_limit=[1.0, 2.0]),
    lambda m: plan_joint(m, m.middle(), m.middle() + 0.1, torque_limit=[1.0, 2.0]),
    lambda m: plan_cartesian(m, m.middle(), np.eye(4), via=[1.0, 2.0]),
    lambda m: blend_plan([[0.0], [1.0]], [1.0, 2.0], 1.0),
    lambda m: blend_plan([[0.0], [1.0]], 1.0, np.inf),
    lambda m: automatic_plan([0.0, 1.0], [0.0], 1.0),
    lambda m: automatic_plan([0.0, 1.0], [-1.0], 1.0),
    lambda m: time_optimal(m, 0.1 * np.eye(6), grid=float('nan')),
    lambda m: time_optimal(m, [[0.0] * 6, [1e160] * 6]),
    lambda m: time_optimal(m, [[0.0] * 6, [1e-300] * 6]),
    lambda m: slow_down_factor(m, plan_joint(m, m.middle(), m.middle() + 0.1), torque_share=0.0),
    lambda m: check_motion(m, plan_joint(m, m.middle(), m.middle() + 0.1), start=[np.nan] * 6),
]


@pytest.mark.parametrize('call', WRONG)
def test_wrong_shapes_and_numbers_are_input_errors(call):
    with pytest.raises(InputError):
        call(arm('puma560'))


def test_constant_paths_and_other_intervals_are_refused():
    from scipy.interpolate import CubicSpline
    model = arm('puma560')
    with pytest.raises(InputError, match='stands still'):
        time_optimal(model, CubicSpline([0.0, 1.0], np.tile(model.middle(), (2, 1))))
    with pytest.raises(InputError, match='from 0 to 1'):
        time_optimal(model, CubicSpline([0.0, 2.0], np.stack((model.middle(), model.middle() + 0.1))))
    with pytest.raises(InputError, match='needed'):
        time_optimal(model, CubicSpline([0.0, 1.0], np.eye(2, 3)))


@pytest.mark.parametrize('what', ['pause', 'scale', 'stop'])
def test_what_is_asked_before_the_start_holds(what):
    model = arm('ur5')
    execution = Execution(plan_joint(model, np.zeros(6), np.full(6, 0.3)), 1.0)
    execution.advance(0.5)
    {'pause': lambda: execution.pause(True), 'scale': lambda: execution.set_scaling(0.0),
     'stop': execution.stop}[what]()
    for k in range(300):
        q, qd, _ = execution.advance(1.0 + 0.002 * k)
    np.testing.assert_array_equal(q, 0.0)
    np.testing.assert_array_equal(qd, 0.0)
