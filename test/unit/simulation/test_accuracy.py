"""Simulated motions against what physics keeps, and against MuJoCo with the same steps."""

from functools import cache
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.mujoco_oracle import MujocoArm
from support.robots import arm, real_arm_path

from robokin_ros.dynamics import Body, SeparateBodies, gravity_torque, kinetic_energy, mass_matrix
from robokin_ros.model import RobotModel
from robokin_ros.simulation import simulate

NOWHERE, CEILING = (0.0, 0.0, 0.0), (0.0, 0.0, 9.81)
START = np.array([0.3, -0.4, 0.2, -1.8, 0.5, 1.2, -0.3])
"""Of a panda: elbow bent, well within its limits."""
RATES = np.array([0.4, -0.3, 0.5, 0.2, -0.6, 0.3, 0.5])


@cache
def panda():
    """Its fingers are part of the hand."""
    robot = ElementTree.parse(real_arm_path('panda')).getroot()
    for joint in robot.findall('joint'):
        if joint.get('type') == 'prismatic':
            joint.set('type', 'fixed')
            for part in joint.findall('mimic'):
                joint.remove(part)
    model = RobotModel.from_urdf(ElementTree.tostring(robot, encoding='unicode'))
    assert model.dof == 7
    return model


def felt_inertia(mass):
    """Inertia that each joint feels while the others give way."""
    return 1.0 / np.diag(np.linalg.inv(mass))


def torques(inertia, t):
    """What joints of an arm do to each other: enough to swing each to and fro by some radians per second."""
    return 2.0 * inertia * np.sin(2.0 * t + np.arange(len(inertia)))


def fly(bodies, seconds, step, seed, forces):
    """State after a flight without gravity, and the momentum along it."""
    generator = np.random.default_rng(seed)
    q = bodies.neutral()
    q[:3], q[3:7] = generator.uniform(-1.0, 1.0, 3), Rotation.random(random_state=generator).as_quat()
    q[7:] = generator.uniform(-1.0, 1.0, bodies.n_q - 7)
    v = generator.uniform(-0.5, 0.5, bodies.n_v)
    momenta, inertia = [bodies.momentum(q, v)], felt_inertia(bodies.mass_matrix(q))[6:]
    for i in range(round(seconds / step)):
        tau = np.concatenate((np.zeros(6), forces(inertia, i * step)))
        q, v = bodies.step(q, v, tau, step, NOWHERE)
        momenta.append(bodies.momentum(q, v))
    return q, v, np.array(momenta)


@pytest.mark.parametrize('name', ['ur5', 'z1', 'talos_arm'])
def test_a_floating_arm_keeps_its_momentum(name):
    """To 1e-9 over 2 s, relative to its size: linear, and angular about a fixed point, whatever its motors do."""
    bodies = SeparateBodies.from_model(arm(name), 'free')
    q, v, momenta = fly(bodies, 2.0, 1e-3, 1, torques)
    drift = np.abs(momenta - momenta[0])
    assert np.max(drift[:, :3]) < 1e-9 * np.linalg.norm(momenta[0, :3])
    assert np.max(drift[:, 3:]) < 1e-9 * np.linalg.norm(momenta[0, 3:])
    assert np.linalg.norm(momenta[0, :3]) > 0.5
    assert np.linalg.norm(momenta[0, 3:]) > 0.5
    assert np.max(np.abs(v[6:])) > 0.5  # it did move
    assert abs(np.linalg.norm(q[3:7]) - 1.0) < 1e-12


def test_a_floating_arm_keeps_its_energy_without_motors():
    """To 1e-9 of it over 2 s; its motors change it."""
    bodies = SeparateBodies.from_model(arm('ur5'), 'free')
    ends = []
    for forces in (lambda inertia, t: 0.0 * inertia, torques):
        first = fly(bodies, 0.0, 1e-3, 2, forces)[:2]
        last = fly(bodies, 2.0, 1e-3, 2, forces)[:2]
        ends.append([bodies.energy(*state, NOWHERE)[0] for state in (first, last)])
    assert ends[0][1] == pytest.approx(ends[0][0], rel=1e-9)
    assert abs(ends[1][1] / ends[1][0] - 1.0) > 0.1


def test_the_centre_of_a_floating_arm_moves_straight():
    """Linear momentum over mass is its velocity: it is where it should be after 1 s."""
    model = arm('ur5')
    bodies = SeparateBodies.from_model(model, 'free')
    masses = np.array([body.mass for body in bodies.bodies])

    def center(q):
        poses = bodies.poses(q)
        return masses @ [(pose @ [*body.center, 1.0])[:3] for pose, body in zip(poses, bodies.bodies, strict=True)] \
            / masses.sum()

    first = fly(bodies, 0.0, 1e-3, 3, torques)
    last = fly(bodies, 1.0, 1e-3, 3, torques)
    np.testing.assert_allclose(center(last[0]), center(first[0]) + first[2][0, :3] / masses.sum(), atol=1e-9)


def test_a_quarter_of_a_radian_in_one_step():
    """Coarse, but no error of the caller."""
    body = SeparateBodies([Body(-1, 'free', mass=1.0, inertia=np.eye(3))])
    q, v = body.step(body.neutral(), [0.0, 0.0, 0.0, 0.0, 0.0, 5.0], np.zeros(6), 0.05, NOWHERE)
    np.testing.assert_allclose(q[3:], [0.0, 0.0, np.sin(0.125), np.cos(0.125)], atol=1e-5)
    np.testing.assert_allclose(v, [0.0, 0.0, 0.0, 0.0, 0.0, 5.0], atol=1e-12)


def test_energy_of_a_swinging_panda():
    """Hung from a ceiling, 10 s at 1 ms: below 1e-6 of the energy exchanged between height and speed."""
    run = simulate(panda(), START, RATES, np.zeros(7), 10.0, step=1e-3, method='rk4', gravity=CEILING)
    kinetic = kinetic_energy(panda(), run.position, run.velocity)
    exchanged = np.max(kinetic) - np.min(kinetic)
    assert exchanged > 5.0
    assert run.drift < 1e-6 * exchanged
    assert run.drift == np.max(np.abs(run.energy - run.energy[0]))


def test_energy_error_is_of_fourth_order():
    """Half the step, a sixteenth of the error or less: that of energy may fall faster than that of the motion."""
    drifts = [simulate(panda(), START, RATES, np.zeros(7), 1.0, step=step).drift for step in (2e-3, 1e-3)]
    assert 1e-12 < drifts[1] < drifts[0] / 14.0


def test_motors_do_work():
    """The change of energy is the integral of torque times rate."""
    model = panda()

    hold, inertia = gravity_torque(model, START), felt_inertia(mass_matrix(model, START))

    def torque(t, q, qd):
        return hold + torques(inertia, t)

    run = simulate(model, START, RATES, torque, 1.0, step=1e-3)
    power = np.array([torque(t, None, None) @ qd for t, qd in zip(run.time, run.velocity, strict=True)])
    work = np.sum(power[0:-2:2] + 4.0 * power[1:-1:2] + power[2::2]) * 1e-3 / 3.0
    assert abs(work) > 1.0
    assert run.energy[-1] - run.energy[0] == pytest.approx(work, rel=1e-6)


@pytest.mark.parametrize(('name', 'ours', 'limit'), [
    ('puma560', 'rk4', 1e-11), ('puma560', 'semi_implicit', 1e-11), ('ur5', 'rk4', 1e-11),
    ('ur5', 'semi_implicit', 1e-11), ('panda', 'rk4', 1e-8), ('panda', 'semi_implicit', 1e-7)])
def test_motions_against_mujoco(name, ours, limit):
    """2 s at 1 ms under constant torque: positions to `limit` [rad], rates to that share of the largest one.

    The panda falls into a whirl of its wrist, 75 rad/s, that magnifies rounding.
    """
    model = panda() if name == 'panda' else arm(name)
    n = model.dof
    torque = np.linspace(-2.0, 2.0, n) * felt_inertia(mass_matrix(model, START[:n]))
    theirs = {'rk4': mujoco.mjtIntegrator.mjINT_RK4, 'semi_implicit': mujoco.mjtIntegrator.mjINT_EULER}[ours]
    q, qd = MujocoArm(model).run(START[:n], RATES[:n], torque, 1e-3, 2000, theirs)
    run = simulate(model, START[:n], RATES[:n], torque, 2.0, step=1e-3, method=ours)
    assert np.max(np.abs(run.position[-1] - run.position[0])) > 0.5
    assert np.max(np.abs(run.position - q)) < limit
    assert np.max(np.abs(run.velocity - qd)) < limit * np.max(np.abs(qd))
