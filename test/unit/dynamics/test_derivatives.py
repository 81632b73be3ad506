"""Derivatives of inverse and forward dynamics against Pinocchio's analytical ones and central differences."""

import numpy as np
import pinocchio
import pytest
from support.example_robots import ROBOTS, distance, oracle, robot
from support.robots import random_joints
from support.textbook_arms import random_chain

from robokin_ros.dynamics import (
    forward_dynamics,
    forward_dynamics_derivatives,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    mass_matrix,
)
from robokin_ros.model import RobotModel

CLOSE = 1e-9
GRAVITY = (1.0, -2.0, -9.0)
ROWS = 3
LAYS = {'no wrench': False, 'wrenches': True}
MIMICS = ('baxter_description/urdf/baxter', 'panda_description/urdf/panda', 'panda_description/urdf/panda_collision',
          'talos_data/robots/talos_full_v2', 'talos_data/robots/talos_full_v2_box',
          'tiago_pro_description/robots/tiago_pro')
"""Their joints couple bodies beyond the tree: forward dynamics there by differences only, below."""
FORK = """<robot name="fork"><link name="base"/>{links}
  <joint name="turn" type="continuous"><parent link="base"/><child link="trunk"/><axis xyz="0 0.6 0.8"/></joint>
  <joint name="left" type="continuous"><parent link="trunk"/><child link="arm"/><origin xyz="0.3 0.1 0" rpy="1 0 2"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="slide" type="prismatic"><parent link="trunk"/><child link="rail"/><origin xyz="0.3 -0.1 0" rpy="0 1 1"/>
    <axis xyz="0.8 0 0.6"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="follow" type="continuous"><parent link="rail"/><child link="hand"/><origin xyz="0 0.2 0.1"/>
    <axis xyz="1 0 0"/><mimic joint="left" multiplier="-1.7" offset="0.3"/></joint>
  <joint name="finger" type="prismatic"><parent link="hand"/><child link="tip"/><origin rpy="0.3 0 0.4"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/>
    <mimic joint="slide" multiplier="0.6" offset="0.1"/></joint></robot>"""
LINK = """<link name="{}"><inertial><origin xyz="0.1 0.02 -0.05" rpy="0.3 0.1 0"/><mass value="{}"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0" iyz="-0.002"/></inertial></link>"""


def fork():
    """Branches, slides, and joints that follow others on another branch."""
    links = ''.join(LINK.format(name, 1.0 + 0.3 * i)
                    for i, name in enumerate(('trunk', 'arm', 'rail', 'hand', 'tip')))
    return RobotModel.from_urdf(FORK.format(links=links))


ARMS = {'puma560': lambda: robot('puma560'), 'scara': lambda: robot('scara'), 'fork': fork,
        'chain': lambda: random_chain(np.random.default_rng(3), 9),
        'panda': lambda: robot('panda_description/urdf/panda'),
        'tiago_pro': lambda: robot('tiago_pro_description/robots/tiago_pro'),
        'solo12': lambda: robot('solo_description/robots/solo12')}


def motion(model, seed, rows=ROWS):
    generator = np.random.default_rng(seed)
    q = random_joints(model, rows, seed)
    return q, generator.uniform(-2.0, 2.0, q.shape), generator.uniform(-5.0, 5.0, q.shape)


def options(model, loaded):
    if not loaded:
        return {'gravity': GRAVITY}
    tip, other = np.random.default_rng(4).uniform(-10.0, 10.0, (2, 6))
    return {'gravity': GRAVITY, 'tip_wrench': tip, 'external_wrenches': {model.body_names[len(model.body_names) // 2]:
                                                                         other}}


def theirs_with(name, given):
    theirs, model = oracle(name), robot(name)
    outer = [*given.get('external_wrenches', {}).items()]
    if 'tip_wrench' in given:
        outer.append((model.tip, -given['tip_wrench']))
    return theirs, theirs.forces(outer)


@pytest.fixture
def tilted():
    """Pinocchio's models in our gravity, for a while."""
    models = []

    def tilt(theirs):
        models.append(theirs.model)
        theirs.model.gravity.linear = np.array(GRAVITY)
    yield tilt
    for model in models:
        model.gravity.linear = np.array([0.0, 0.0, -9.81])


@pytest.mark.parametrize('lay', LAYS)
@pytest.mark.parametrize('name', ROBOTS)
def test_inverse_dynamics_against_pinocchio(name, lay, tilted):
    """Mimic joints by the chain rule of their positions."""
    model = robot(name)
    given = options(model, LAYS[lay])
    theirs, forces = theirs_with(name, given)
    tilted(theirs)
    rows = motion(model, 1)
    found = inverse_dynamics_derivatives(model, *rows, **given)
    single = inverse_dynamics_derivatives(model, *(row[0] for row in rows), **given)
    for i, (q, qd, qdd) in enumerate(zip(*rows, strict=True)):
        spread = theirs.spread
        by_q, by_qd, _ = pinocchio.computeRNEADerivatives(
            theirs.model, theirs.data, theirs.configuration(q), spread @ qd, spread @ qdd, forces)
        expected = spread.T @ by_q @ spread, spread.T @ by_qd @ spread, theirs.mass_matrix(q)
        for k in range(3):
            assert distance(found[k][i], expected[k]) <= CLOSE, (i, k)
            if i == 0:
                assert distance(single[k], expected[k]) <= CLOSE, (i, k)


@pytest.mark.parametrize('lay', LAYS)
@pytest.mark.parametrize('name', [name for name in ROBOTS if name not in MIMICS])
def test_forward_dynamics_against_pinocchio(name, lay, tilted):
    """Without mimic joints; 1e-9, or cond(M) eps where that is more."""
    model = robot(name)
    given = options(model, LAYS[lay])
    theirs, forces = theirs_with(name, given)
    assert theirs.model.nv == model.dof
    tilted(theirs)
    q, qd, qdd = motion(model, 2)
    tau = inverse_dynamics(model, q, qd, qdd, **given)
    found = forward_dynamics_derivatives(model, q, qd, tau, **given)
    for i in range(ROWS):
        spread = theirs.spread
        expected = pinocchio.computeABADerivatives(theirs.model, theirs.data, theirs.configuration(q[i]),
                                                   spread @ qd[i], spread @ tau[i], forces)
        limit = max(CLOSE, np.finfo(float).eps * np.linalg.cond(theirs.mass_matrix(q[i])))
        floor = 1e-3 * np.linalg.norm(expected[2])  # derivatives of torques below 1e-3 N m / rad count as none
        for k in range(3):
            matrix = expected[k] if k < 2 else np.triu(expected[k]) + np.triu(expected[k], 1).T
            assert distance(found[k][i], spread.T @ matrix @ spread, floor) <= limit, (i, k)


def differences(function, at, step=1e-5):
    """Columns: central differences."""
    return np.stack([(function(at + step * unit) - function(at - step * unit)) / (2.0 * step)
                     for unit in np.eye(len(at))], axis=-1)


@pytest.mark.parametrize('lay', LAYS)
@pytest.mark.parametrize('name', ARMS)
def test_inverse_dynamics_against_differences(name, lay):
    model = ARMS[name]()
    given = options(model, LAYS[lay])
    q, qd, qdd = (row[0] for row in motion(model, 5))
    found = inverse_dynamics_derivatives(model, q, qd, qdd, **given)
    assert distance(found[0], differences(lambda x: inverse_dynamics(model, x, qd, qdd, **given), q)) < 1e-7
    assert distance(found[1], differences(lambda x: inverse_dynamics(model, q, x, qdd, **given), qd)) < 1e-8
    assert distance(found[2], differences(lambda x: inverse_dynamics(model, q, qd, x, **given), qdd)) < 1e-8


@pytest.mark.parametrize('lay', LAYS)
@pytest.mark.parametrize('name', ARMS)
def test_forward_dynamics_against_differences(name, lay):
    model = ARMS[name]()
    given = options(model, LAYS[lay])
    q, qd, qdd = (row[0] for row in motion(model, 6))
    tau = inverse_dynamics(model, q, qd, qdd, **given)
    found = forward_dynamics_derivatives(model, q, qd, tau, **given)
    assert distance(found[0], differences(lambda x: forward_dynamics(model, x, qd, tau, **given), q)) < 1e-5
    assert distance(found[1], differences(lambda x: forward_dynamics(model, q, x, tau, **given), qd)) < 1e-6
    assert distance(found[2], differences(lambda x: forward_dynamics(model, q, qd, x, **given), tau)) < 1e-6


@pytest.mark.parametrize('name', ARMS)
def test_rotors_count(name):
    """In M they are there, in the other derivatives of torques they are not."""
    from dataclasses import replace
    model = ARMS[name]()
    heavy = replace(model, rotor_inertia=np.linspace(0.5, 1.5, model.dof))
    row = tuple(rows[0] for rows in motion(model, 7))
    bare = replace(model, rotor_inertia=np.zeros(model.dof))
    with_rotors, without = inverse_dynamics_derivatives(heavy, *row), inverse_dynamics_derivatives(bare, *row)
    for k in range(2):
        np.testing.assert_array_equal(with_rotors[k], without[k])
    np.testing.assert_allclose(with_rotors[2] - without[2], np.diag(heavy.rotor_inertia), atol=1e-12)
    tau = inverse_dynamics(heavy, *row)
    found = forward_dynamics_derivatives(heavy, *row[:2], tau)
    slope = differences(lambda x: forward_dynamics(heavy, x, row[1], tau), row[0])
    assert distance(found[0], slope) < 1e-5
    assert distance(found[2] @ mass_matrix(heavy, row[0]), np.eye(model.dof)) < 1e-9


def test_batches_have_any_shape():
    model = robot('puma560')
    q, qd, qdd = (rows.reshape(2, 3, 6) for rows in motion(model, 8, 6))
    for function in (inverse_dynamics_derivatives, forward_dynamics_derivatives):
        found = function(model, q, qd, qdd)
        single = function(model, q[1, 2], qd[1, 2], qdd[1, 2])
        for whole, part in zip(found, single, strict=True):
            assert whole.shape == (2, 3, 6, 6)
            assert distance(whole[1, 2], part) < 1e-12
