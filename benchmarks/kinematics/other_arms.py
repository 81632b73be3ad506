"""Inverse kinematics of arms beyond the closed six-joint classes: one-variable search, and seven joints.

ssik runs as its generated C++ artifact of the same arm; our model is made of that artifact's joints.
"""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import numpy as np
import ssik
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from benchmarks.arms import apart, random_joints
from benchmarks.kinematics.peers import ssik_prebuilt
from benchmarks.report import Row
from benchmarks.timing import interleave_over
from robokin_ros.kinematics import classify_arm, forward_kinematics, inverse_kinematics
from robokin_ros.model import RobotModel

Array = NDArray[np.float64]
SIX_JOINTS = ('jaco2', 'gen3_lite', 'xarm6', 'piper', 'crx10ial')
SEVEN_JOINTS = ('panda', 'iiwa14', 'xarm7', 'gen3')
MOST = 200
"""Poses: a search takes milliseconds."""
SAME = 1e-4
"""[rad] two solutions are one."""


def run(poses: int) -> list[Row]:
    """Time of one pose, number of solutions, and how often the joints that made the pose are among them."""
    return [_arm(name, min(poses, MOST)) for name in (*SIX_JOINTS, *SEVEN_JOINTS)]


def _arm(name: str, poses: int) -> Row:
    theirs = ssik_prebuilt(name)
    model = RobotModel.from_urdf(_urdf(name, theirs))
    joints = random_joints(model, poses)
    targets = forward_kinematics(model, joints)
    np.testing.assert_allclose(targets[0], theirs.fk(joints[0]), atol=1e-9)
    found, timing = interleave_over({
        'ours': lambda pose: inverse_kinematics(model, pose).solutions,
        'ssik': lambda pose: np.array([one.q for one in theirs.solve(pose, enumerate_windings=False)]),
    }, list(targets))
    checks = {f'class: {classify_arm(model).name}': True}
    for who, answers in found.items():
        solved = np.mean([len(answer) > 0 for answer in answers])
        number = np.mean([_branches(answer) for answer in answers])
        text = f'{who}: {number:.1f} solutions a pose, {solved:.1%} solved'
        if model.dof == 6:
            held = np.mean([_contains(answer, q) for answer, q in zip(answers, joints, strict=True)])
            text += f', {held:.1%} hold the joints that made the pose'
            solved = held
        checks[text] = bool(who != 'ours' or solved >= 0.999)
    return Row(f'{name}, all solutions, single call', timing.median('ours'), 'ssik, generated C++',
               timing.median('ssik'), timing.ratio('ssik', 'ours'), checks=checks)


def _contains(solutions: Array, q: Array) -> bool:
    """Whether a joint vector is among solutions, modulo whole turns."""
    return bool(len(solutions) and np.min(apart(solutions, q[None])) < SAME)


def _branches(solutions: Array) -> int:
    """Number of solutions that differ by more than whole turns."""
    return int(np.sum(~np.any(np.tril(apart(solutions, solutions) < SAME, -1), axis=1))) if len(solutions) else 0


def _urdf(name: str, arm: ssik.Manipulator) -> str:
    """Description of an arm's joints: a moving one between two fixed steps each."""
    parts, link = [], 0
    for joint, limits in zip(arm.kinbody.joints, arm.joint_limits, strict=True):
        kind = 'revolute' if limits else 'continuous'
        bounds = '' if limits is None else f'<limit lower="{limits[0]}" upper="{limits[1]}" effort="1" velocity="1"/>'
        axis = ' '.join(map(repr, map(float, joint.axis)))
        parts.append(_joint(link, kind, joint.T_left, f'<axis xyz="{axis}"/>{bounds}'))
        parts.append(_joint(link + 1, 'fixed', joint.T_right))
        link += 2
    links = ''.join(f'<link name="link_{number}"/>' for number in range(link + 1))
    return f'<robot name={quoteattr(name)}>{links}{"".join(parts)}</robot>'


def _joint(parent: int, kind: str, step: Array, inside: str = '') -> str:
    place = ' '.join(map(repr, map(float, step[:3, 3])))
    turn = ' '.join(map(repr, map(float, Rotation.from_matrix(step[:3, :3]).as_euler('xyz', suppress_warnings=True))))
    return (f'<joint name="joint_{parent}" type="{kind}"><parent link="link_{parent}"/>'
            f'<child link="link_{parent + 1}"/><origin xyz="{place}" rpy="{turn}"/>{inside}</joint>')
