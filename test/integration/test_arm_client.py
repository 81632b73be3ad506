"""The client `Arm`: motions of every kind, plans, results with reasons."""

import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from support.robots import arm as model_of
from support.suite import Suite, eventually

from robokin_ros.client import Arm
from robokin_ros.kinematics import forward_kinematics, inverse_kinematics
from robokin_ros.trajectory import plan_joint

MODEL = model_of('puma560')
START = np.array([0.3, -1.2, -1.0, 0.2, 0.5, 0.0])
POSES = """
poses:
  start: {joints: [0.3, -1.2, -1.0, 0.2, 0.5, 0.0]}
"""


@pytest.fixture(scope='module')
def suite(tmp_path_factory):
    frames = tmp_path_factory.mktemp('frames') / 'frames.yaml'
    frames.write_text(POSES)
    with Suite(parameters={'trajectory_node': {'work_frames': str(frames)}}) as suite:
        yield suite.ready()


@pytest.fixture(scope='module')
def client(suite):
    with Arm(name='arm_under_test') as arm:
        arm.wait_until_ready()
        yield arm


@pytest.fixture
def arm(client):
    if np.max(np.abs(client.joints - START)) > 2e-3:
        assert client.move_to_named('start')
    return client


def straightness(points):
    along = points[-1] - points[0]
    along /= np.linalg.norm(along)
    return np.max(np.linalg.norm(np.cross(points - points[0], along), axis=1))


@pytest.mark.parametrize('timing', ['', 'cubic', 'trapezoid', 'jerk_limited', 'time_optimal'])
def test_move_joints(arm, timing):
    goal = START + [0.2, -0.1, 0.15, 0.3, -0.2, 0.4]
    result = arm.move_joints(goal, timing=timing)
    assert result, result.reason
    np.testing.assert_allclose(arm.joints, goal, atol=0.011)
    assert result.code == 'SUCCESS'
    assert result.duration > 0.0
    assert np.all(np.abs(result.peak_effort) <= MODEL.effort_limit)
    assert len(result.trajectory.points) >= 3
    np.testing.assert_allclose(result.trajectory.points[-1].positions, goal, atol=1e-9)


@pytest.mark.parametrize('timing', ['', 'jerk_limited', 'time_optimal'])
def test_straight_line(arm, timing):
    goal = forward_kinematics(MODEL, START)
    goal[:3, 3] += [-0.1, 0.05, -0.1]
    seen = []
    assert arm.move_to_pose(goal, path='lin', timing=timing, scaling=0.5, wait=False)
    while not arm._end.status >= 4:
        seen.append(arm.fk()[:3, 3])
        time.sleep(0.005)
    result = arm.wait()
    assert result, result.reason
    eventually(lambda: np.max(np.abs(arm.fk() - goal)) < 2e-3, 3.0)
    assert len(seen) > 20
    assert straightness(np.array(seen)) < 2e-3


def test_circle_and_via(arm):
    start = forward_kinematics(MODEL, START)
    over, goal = start.copy(), start.copy()
    over[:3, 3] += [-0.05, 0.05, 0.0]
    goal[:3, 3] += [-0.1, 0.0, 0.0]
    result = arm.move_to_pose(goal, path='circ', via=[over])
    assert result, result.reason
    points = np.array([forward_kinematics(MODEL, p.positions)[:3, 3] for p in result.trajectory.points])
    middle = start[:3, 3] + [-0.05, 0.0, 0.0]
    radii = np.linalg.norm(points - middle, axis=1)
    np.testing.assert_allclose(radii, 0.05, atol=2e-4)  # the arm begins a little beside START
    back = arm.move_to_pose(start, path='via', via=[over], blend=[0.02])
    assert back, back.reason
    points = np.array([forward_kinematics(MODEL, p.positions)[:3, 3] for p in back.trajectory.points])
    near = np.min(np.linalg.norm(points - over[:3, 3], axis=1))
    assert 1e-4 < near < 0.02


def test_branch_is_taken(arm):
    pose = forward_kinematics(MODEL, START + [0.2, 0, 0, 0, 0, 0])
    every = inverse_kinematics(MODEL, pose).solutions
    wished = every[-1]
    plan = arm.plan(pose=pose, branch=wished)
    assert plan, plan.reason
    np.testing.assert_allclose(plan.trajectory.points[-1].positions, wished, atol=1e-5)


def test_plans_move_nothing(arm):
    before = arm.joints
    plan = arm.plan(joints=START + 0.3, timing='time_optimal')
    assert plan
    other = arm.plan(joints=START + 0.3, start=START + 0.1)
    np.testing.assert_allclose(other.trajectory.points[0].positions, START + 0.1)
    assert plan.duration < arm.plan(joints=START + 0.3).duration
    time.sleep(0.2)
    np.testing.assert_allclose(arm.joints, before, atol=1e-3)


@pytest.mark.parametrize(('goal', 'code', 'words'), [
    ({'joints': [9.0] * 6}, 'GOAL_REFUSED', 'joint_1'),
    ({'joints': [float('nan')] * 6}, 'BAD_INPUT', 'nan'),
    ({'named': 'nowhere'}, 'BAD_INPUT', 'nowhere'),
    ({'joints': START, 'timing': 'warp'}, 'BAD_INPUT', 'warp'),
    ({'joints': START, 'path': 'spiral'}, 'BAD_INPUT', 'spiral'),
    ({'pose': np.eye(4), 'path': 'lin'}, 'UNREACHABLE', 'leaves what the arm reaches'),
    ({'pose': np.eye(4), 'path': 'circ'}, 'BAD_INPUT', 'one via pose'),
    ({'pose': np.eye(4), 'frame': 'mars'}, 'UNKNOWN_FRAME', 'mars'),
    ({'joints': START + 0.5, 'duration': 0.05}, 'GOAL_REFUSED', 'velocity'),
    ({'joints': START, 'scaling': 2.0}, 'BAD_INPUT', 'scaling'),
    ({'joints': START, 'branch': [1.0]}, 'BAD_INPUT', 'branch'),
])
def test_bad_goals_say_why_and_move_nothing(arm, goal, code, words):
    before = arm.joints
    if 'branch' in goal:
        goal = {'pose': forward_kinematics(MODEL, START), 'branch': goal['branch']}
    for result in (arm.plan(**goal), arm._move_to(True, **goal)):
        assert not result
        assert result.code == code, result
        assert words in result.reason
    np.testing.assert_allclose(arm.joints, before, atol=1e-3)


def test_newer_goals_replace_older_ones(arm):
    far = START + [0.8, 0, 0, 0, 0, 0]
    assert arm.move_joints(far, duration=4.0, wait=False)
    older = arm._end
    eventually(lambda: arm.joints[0] > START[0] + 0.1)
    result = arm.move_joints(START)
    assert result, result.reason
    _, answer = arm.result(older, 5.0)
    assert 'newer goal' in answer.message


def test_pause_speed_cancel(arm):
    goal = START + [0.6, 0, 0, 0, 0, 0]
    assert arm.move_joints(goal, duration=3.0, wait=False)
    eventually(lambda: arm.joints[0] > START[0] + 0.1)
    assert arm.pause()
    time.sleep(0.4)
    where = arm.joints
    time.sleep(0.3)
    np.testing.assert_allclose(arm.joints, where, atol=1e-3)
    arm.set_speed(0.0)
    assert arm.resume()
    time.sleep(0.3)
    np.testing.assert_allclose(arm.joints, where, atol=1e-3)
    arm.set_speed(1.0)
    eventually(lambda: arm.joints[0] > where[0] + 0.05)
    assert arm.feedback.progress > 0.1
    result = arm.cancel()
    assert not result
    assert result.code == 'CANCELED'
    assert 'holding' in result.reason
    assert arm.joints[0] < goal[0] - 0.05


def test_follow_a_motion(arm):
    motion = plan_joint(MODEL, arm.joints, START + 0.2, 1.5)
    result = arm.follow(motion)
    assert result, result.reason
    result = arm.follow((np.array([1.0, 2.0]), np.array([START + 0.1, START])))
    assert result, result.reason
    refused = arm.follow((np.array([0.01]), START[None] + 1.0))
    assert not refused
    assert 'velocity' in refused.reason


def test_ik_of_the_client(arm):
    pose = arm.fk()
    found = arm.ik(pose)
    np.testing.assert_allclose(found[0], arm.joints, atol=1e-2)
    assert len(found) > 1
    pose[0, 3] = 9.0
    assert len(arm.ik(pose)) == 0
    assert arm.ik_reason


def test_snippet_of_the_readme(arm):
    text = (Path(__file__).resolve().parents[2] / 'README.md').read_text(encoding='utf-8')
    parts = re.findall(r'```python\n(.*?)```', text, flags=re.DOTALL)
    snippet, = (part for part in parts if 'robokin_ros.client' in part)
    known = {}
    exec(compile(snippet, 'README.md', 'exec'), known)
    assert known['result'], known['result'].reason
    arm.set_control_mode('computed_torque')


def test_example():
    example = Path(__file__).resolve().parents[2] / 'examples' / 'move_the_arm.py'
    with Suite() as suite:
        suite.ready()
        done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, timeout=90, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert 'The line takes' in done.stdout
        assert 'Cancelled at' in done.stdout
