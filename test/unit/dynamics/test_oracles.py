"""Dynamics against Pinocchio and MuJoCo on every robot of example-robot-data, at random states.

Agreement is the norm of the difference relative to the norm of Pinocchio's vector or matrix, 1e-10 for everything. Only
accelerations may differ by more where the mass matrix is close to singular, by cond(M) eps / 100: that is above 1e-10
from cond(M) = 4.5e7 on, which of all the robots only `human` reaches, near the gimbal lock of its massless bodies.
"""

import numpy as np
import pinocchio
import pytest
from support.example_robots import ROBOTS, SKIPPED, USED, descriptions, distance, oracle, robot
from support.mujoco_oracle import MujocoArm
from support.robots import OWN_ARMS, random_joints

from robokin_ros.dynamics import (
    body_loads,
    coriolis_torque,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    mass_matrix,
)
from robokin_ros.errors import ModelError, NoDynamicsError
from robokin_ros.model import RobotModel

CLOSE = 1e-10
ROWS = 43
"""Rows of a batch: whole blocks of the vectorised kernels, and some left over."""
SINGLES = 4
"""Rows that are also computed one by one."""
GRAVITIES = {'earth': (0.0, 0.0, -9.81), 'none': (0.0, 0.0, 0.0), 'tilted': (2.0, -7.5, 4.0)}
every_robot = pytest.mark.parametrize('name', ROBOTS)


def motion(model, seed):
    generator = np.random.default_rng(seed)
    q = random_joints(model, ROWS, seed)
    return q, generator.uniform(-2.0, 2.0, q.shape), generator.uniform(-5.0, 5.0, q.shape)


def assert_agree(function, expected, *arrays, limits=None):
    """In a batch, and row by row."""
    batch, limits = function(*arrays), np.full(ROWS, CLOSE) if limits is None else limits
    assert len(expected) == len(batch) == ROWS
    for row, theirs in enumerate(expected):
        assert distance(batch[row], theirs) <= limits[row], row
        if row < SINGLES:
            assert distance(function(*(array[row] for array in arrays)), theirs) <= limits[row], f'{row}, single'


def limits_of_accelerations(model, theirs, q):
    condition = np.linalg.cond([theirs.mass_matrix(row) for row in q])
    assert model.name == 'human_36dof_ISB_model' or np.all(condition < 4.5e7)
    return np.maximum(CLOSE, 1e-2 * np.finfo(float).eps * condition)


@pytest.fixture
def down():
    """Gravity for a while on a Pinocchio model that others use too."""
    changed = []

    def pull(theirs, gravity):
        changed.append(theirs.model)
        theirs.model.gravity.linear = np.array(gravity)
    yield pull
    for model in changed:
        model.gravity.linear = np.array(GRAVITIES['earth'])


def test_every_description_is_accounted_for():
    assert set(descriptions()) == {*USED, *SKIPPED}
    assert not set(USED) & set(SKIPPED)


@pytest.mark.parametrize('name', USED)
def test_robots_have_all_their_joints(name):
    assert robot(name).dof == USED[name]
    assert robot(name).no_dynamics_reason == ''


@pytest.mark.parametrize('name', SKIPPED)
def test_skipped_robots_are_refused_for_the_reason_given(name):
    problem, words = SKIPPED[name]
    if problem == 'does not load':
        with pytest.raises(ModelError, match=words):
            RobotModel.from_urdf(descriptions()[name])
        return
    model = RobotModel.from_urdf(descriptions()[name])
    if problem == 'nothing moves':
        assert model.dof == 0
        return
    with pytest.raises(NoDynamicsError, match=words):
        inverse_dynamics(model, *np.zeros((3, model.dof)))


@pytest.mark.parametrize('gravity', GRAVITIES)
@every_robot
def test_inverse_dynamics(name, gravity, down):
    model, theirs, acting = robot(name), oracle(name), GRAVITIES[gravity]
    down(theirs, acting)
    rows = motion(model, 11)
    expected = [theirs.inverse_dynamics(*row) for row in zip(*rows, strict=True)]
    assert_agree(lambda *row: inverse_dynamics(model, *row, gravity=acting), expected, *rows)
    if gravity == 'earth':
        assert_agree(lambda *row: inverse_dynamics(model, *row), expected, *rows)


@pytest.mark.parametrize('gravity', GRAVITIES)
@every_robot
def test_forward_dynamics(name, gravity, down):
    model, theirs, acting = robot(name), oracle(name), GRAVITIES[gravity]
    down(theirs, acting)
    q, qd, qdd = motion(model, 12)
    tau = inverse_dynamics(model, q, qd, qdd) * (1.0 + 0.1 * np.sin(100.0 * qdd))
    expected = [theirs.forward_dynamics(*row) for row in zip(q, qd, tau, strict=True)]
    limits = limits_of_accelerations(model, theirs, q)
    assert_agree(lambda *row: forward_dynamics(model, *row, gravity=acting), expected, q, qd, tau, limits=limits)
    if gravity == 'earth':
        assert_agree(lambda *row: forward_dynamics(model, *row), expected, q, qd, tau, limits=limits)


@every_robot
def test_mass_matrix(name):
    model, theirs = robot(name), oracle(name)
    q, _, _ = motion(model, 13)
    assert_agree(lambda row: mass_matrix(model, row), [theirs.mass_matrix(row) for row in q], q)
    for matrix in mass_matrix(model, q):
        np.testing.assert_array_equal(matrix, matrix.T)
        np.linalg.cholesky(matrix)


@every_robot
def test_gravity_and_velocity_terms(name, down):
    model, theirs, still = robot(name), oracle(name), np.zeros(robot(name).dof)
    q, qd, _ = motion(model, 14)
    for acting in GRAVITIES.values():
        down(theirs, acting)
        expected = [theirs.inverse_dynamics(row, still, still) for row in q]
        assert_agree(lambda row, acting=acting: gravity_torque(model, row, acting), expected, q)
        if acting == GRAVITIES['earth']:
            assert_agree(lambda row: gravity_torque(model, row), expected, q)
    down(theirs, GRAVITIES['none'])
    expected = [theirs.inverse_dynamics(*row, still) for row in zip(q, qd, strict=True)]
    assert_agree(lambda *row: coriolis_torque(model, *row), expected, q, qd)


def loads(model, seed):
    """Wrenches on three links anywhere, also on the base, and on the tip; ours, and all of them as theirs."""
    generator = np.random.default_rng(seed)
    links = generator.choice(model.frame_names, min(3, len(model.frame_names)), replace=False).tolist()
    outer = {link: generator.uniform(-20.0, 20.0, 6) for link in {*links, model.body_names[-1]}}
    tip = generator.uniform(-20.0, 20.0, 6)
    return {'external_wrenches': outer, 'tip_wrench': tip}, [*outer.items(), (model.tip, -tip)]


@every_robot
def test_wrenches(name, down):
    model, theirs = robot(name), oracle(name)
    q, qd, qdd = motion(model, 15)
    limits = limits_of_accelerations(model, theirs, q)
    for seed, acting in enumerate(GRAVITIES.values()):
        down(theirs, acting)
        ours, listed = loads(model, seed)
        forces = theirs.forces(listed)
        expected = [theirs.inverse_dynamics(*row, forces) for row in zip(q, qd, qdd, strict=True)]
        options = {**ours, 'gravity': acting}
        assert_agree(lambda *row, options=options: inverse_dynamics(model, *row, **options), expected, q, qd, qdd)
        tau = np.array(expected) * (1.0 + 0.1 * np.sin(100.0 * qdd))
        expected = [theirs.forward_dynamics(*row, forces) for row in zip(q, qd, tau, strict=True)]
        assert_agree(lambda *row, options=options: forward_dynamics(model, *row, **options), expected, q, qd, tau,
                     limits=limits)


@every_robot
def test_wrench_of_the_tip_alone(name):
    """And that on the tip link is the same with the sign of the environment."""
    model, theirs = robot(name), oracle(name)
    q, qd, qdd = (rows[0] for rows in motion(model, 16))
    wrench = np.array([3.0, -7.0, 11.0, 0.5, 0.9, -1.3])
    expected = theirs.inverse_dynamics(q, qd, qdd, theirs.forces([(model.tip, -wrench)]))
    assert distance(inverse_dynamics(model, q, qd, qdd, tip_wrench=wrench), expected) <= CLOSE
    outer = {model.tip: -wrench}
    assert distance(inverse_dynamics(model, q, qd, qdd, external_wrenches=outer), expected) <= CLOSE


@every_robot
def test_forces_in_the_joints(name, down):
    """What the parent exerts through every joint, also of mimic ones; theirs is in the axes of the link."""
    model, theirs = robot(name), oracle(name)
    q, qd, qdd = motion(model, 17)
    acting = GRAVITIES['tilted']
    down(theirs, acting)
    ours, listed = loads(model, 17)
    for row in zip(q[:SINGLES], qd, qdd, strict=False):
        torque = theirs.inverse_dynamics(*row, theirs.forces(listed))
        found = body_loads(model, *row, gravity=acting, **ours)
        assert distance(found.torque, torque) <= CLOSE
        expected = []
        for link in model.body_names:
            rotation = model.frame_placement(link)[1][:3, :3]
            frame = theirs.model.frames[theirs.model.getFrameId(link, pinocchio.BODY)]
            assert np.allclose(frame.placement.homogeneous, np.eye(4))
            force = theirs.data.f[frame.parentJoint]
            expected.append((rotation @ force.linear, rotation @ force.angular))
        assert distance(np.stack((found.force, found.moment), axis=1), np.array(expected)) <= CLOSE
        for i, (force, moment) in enumerate(expected):
            assert distance(found.force[i], force) <= 1e-9, model.body_names[i]
            assert distance(found.moment[i], moment) <= 1e-9, model.body_names[i]


@pytest.mark.parametrize('name', [*(name for name in OWN_ARMS if name != 'planar_3r'), 'ur_description/urdf/ur5_robot',
                                  'talos_data/robots/talos_left_arm', 'g1_description/urdf/g1_29dof_with_hand_rev_1_0'])
def test_mujoco(name):
    """Of ours not planar_3r: it has no use for point masses. It stores principal moments, hence the 1e-8."""
    model = robot(name)
    theirs = MujocoArm(model)
    rows = motion(model, 18)
    torque = inverse_dynamics(model, *rows)
    for row, (q, qd, qdd) in enumerate(zip(*rows, strict=True)):
        assert distance(torque[row], theirs.torque(q, qd, qdd)) <= CLOSE
        assert distance(forward_dynamics(model, q, qd, torque[row]), theirs.acceleration(q, qd, torque[row])) <= 1e-8
