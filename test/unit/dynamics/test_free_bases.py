"""Free-flying bases, spherical and planar joints of `SeparateBodies` against Pinocchio."""

import numpy as np
import pinocchio
import pytest
from scipy.spatial.transform import Rotation
from support.example_robots import distance, robot
from support.robots import random_joints

from robokin_ros.dynamics import Body, SeparateBodies, inverse_dynamics
from robokin_ros.errors import NoDynamicsError
from robokin_ros.model import RobotModel
from robokin_ros.spatial import make_transform

CLOSE = 1e-10
GRAVITY = (1.5, -2.0, -9.0)
FLYERS = ('a1_description/urdf/a1', 'talos_data/robots/talos_reduced', 'talos_data/robots/talos_left_arm',
          'solo_description/robots/solo', 'solo_description/robots/solo12', 'ur_description/urdf/ur5_robot',
          'z1_description/urdf/z1', 'go2_description/urdf/go2',
          'hextilt_description/urdf/hextilt_flying_arm_5', 'g1_description/urdf/g1_29dof_with_hand_rev_1_0',
          'simple_humanoid_description/urdf/simple_humanoid', 'centauro_description/urdf/centauro')
flyers = pytest.mark.parametrize('name', FLYERS)


class Flyer:
    """Pinocchio's model with a free-flyer root; takes and returns vectors of `SeparateBodies`.

    Their base velocity is the spatial one in axes of the base link, their accelerations are its derivative there.
    """

    def __init__(self, model):
        self.model = pinocchio.buildModelFromXML(model.urdf, pinocchio.JointModelFreeFlyer())
        self.model.gravity.linear = np.array(GRAVITY)
        self.joints = [self.model.joints[self.model.getJointId(name)] for name in model.joint_names]
        self.order = [*range(6), *(joint.idx_v for joint in self.joints)]
        for joint, rotor in zip(self.joints, model.rotor_inertia, strict=True):
            self.model.armature[joint.idx_v] = rotor
        assert self.model.nv == 6 + model.dof
        self.data = self.model.createData()

    def state(self, q, v):
        theirs = pinocchio.neutral(self.model)
        theirs[:7] = q[:7]
        for joint, angle in zip(self.joints, q[7:], strict=True):
            theirs[joint.idx_q:joint.idx_q + joint.nq] = (np.cos(angle), np.sin(angle)) if joint.nq == 2 else angle
        return theirs, self.turn(q) @ v

    def turn(self, q):
        """Takes our velocities to theirs; the transpose takes their forces to ours."""
        back = Rotation.from_quat(q[3:7]).as_matrix().T
        matrix = np.zeros((self.model.nv, self.model.nv))
        matrix[self.order, range(self.model.nv)] = 1.0
        matrix[:3, :3] = matrix[3:6, 3:6] = back
        return matrix

    def rate(self, q, v, rate):
        """Derivative of their velocities: seen from the turning base link."""
        theirs, speed = self.turn(q) @ rate, self.turn(q) @ v
        theirs[:3] -= np.cross(speed[3:6], speed[:3])
        return theirs

    def rate_back(self, q, v, theirs):
        speed, rate = self.turn(q) @ v, theirs.copy()
        rate[:3] += np.cross(speed[3:6], speed[:3])
        return self.turn(q).T @ rate


def random_flight(model, seed):
    generator = np.random.default_rng(seed)
    pose = (*generator.uniform(-1.0, 1.0, 3), *Rotation.random(random_state=generator).as_quat())
    q = np.array([*pose, *random_joints(model, 1, seed)[0]])
    return q, generator.uniform(-2.0, 2.0, 6 + model.dof), generator.uniform(-5.0, 5.0, 6 + model.dof)


def on_bodies(model, seed):
    """Wrenches on the base link and two moving bodies: ours by index, theirs by joint."""
    generator = np.random.default_rng(seed)
    wrenches = {0: generator.uniform(-20.0, 20.0, 6), 1: generator.uniform(-20.0, 20.0, 6),
                model.dof: generator.uniform(-20.0, 20.0, 6)}
    turned = {}
    for body, wrench in wrenches.items():
        rotation = np.eye(3) if body == 0 else model.frame_placement(model.body_names[body - 1])[1][:3, :3]
        turned[body] = pinocchio.Force(rotation.T @ wrench[:3], rotation.T @ wrench[3:])
    return wrenches, turned


@flyers
def test_forces_of_a_flight(name):
    model, theirs, bodies = robot(name), Flyer(robot(name)), SeparateBodies.from_model(robot(name), 'free')
    for seed in range(5):
        q, v, rate = random_flight(model, seed)
        expected = theirs.turn(q).T @ pinocchio.rnea(theirs.model, theirs.data, *theirs.state(q, v),
                                                     theirs.rate(q, v, rate))
        assert distance(bodies.inverse_dynamics(q, v, rate, GRAVITY), expected) <= CLOSE


@flyers
def test_flight_under_forces(name):
    model, theirs, bodies = robot(name), Flyer(robot(name)), SeparateBodies.from_model(robot(name), 'free')
    for seed in range(5):
        q, v, rate = random_flight(model, seed)
        tau = bodies.inverse_dynamics(q, v, rate) * (1.0 + 0.1 * np.sin(100.0 * rate))
        found = pinocchio.aba(theirs.model, theirs.data, *theirs.state(q, v), theirs.turn(q) @ tau)
        assert distance(bodies.forward_dynamics(q, v, tau, GRAVITY), theirs.rate_back(q, v, found)) <= CLOSE


@flyers
def test_mass_matrix(name):
    model, theirs, bodies = robot(name), Flyer(robot(name)), SeparateBodies.from_model(robot(name), 'free')
    q, v, _ = random_flight(model, 6)
    upper = pinocchio.crba(theirs.model, theirs.data, theirs.state(q, v)[0])
    expected = theirs.turn(q).T @ (np.triu(upper) + np.triu(upper, 1).T) @ theirs.turn(q)
    assert distance(bodies.mass_matrix(q), expected) <= CLOSE


@flyers
def test_momentum_and_energy(name):
    """Their momentum is about the centre of mass, ours about the origin of the base."""
    model, theirs, bodies = robot(name), Flyer(robot(name)), SeparateBodies.from_model(robot(name), 'free')
    q, v, _ = random_flight(model, 7)
    state = theirs.state(q, v)
    momentum = pinocchio.computeCentroidalMomentum(theirs.model, theirs.data, *state).vector
    momentum[3:] += np.cross(pinocchio.centerOfMass(theirs.model, theirs.data, state[0]), momentum[:3])
    assert distance(bodies.momentum(q, v), momentum) <= CLOSE
    kinetic, potential = bodies.energy(q, v, GRAVITY)
    assert kinetic == pytest.approx(pinocchio.computeKineticEnergy(theirs.model, theirs.data, *state), rel=CLOSE)
    assert potential == pytest.approx(pinocchio.computePotentialEnergy(theirs.model, theirs.data, state[0]), rel=CLOSE)


@flyers
def test_wrenches(name):
    model, theirs, bodies = robot(name), Flyer(robot(name)), SeparateBodies.from_model(robot(name), 'free')
    q, v, rate = random_flight(model, 8)
    ours, turned = on_bodies(model, 8)
    forces = [pinocchio.Force.Zero() for _ in range(theirs.model.njoints)]
    for body, force in turned.items():
        joint = 'root_joint' if body == 0 else model.joint_names[body - 1]
        forces[theirs.model.getJointId(joint)] += force
    forces = pinocchio.StdVec_Force(forces)
    expected = theirs.turn(q).T @ pinocchio.rnea(theirs.model, theirs.data, *theirs.state(q, v),
                                                 theirs.rate(q, v, rate), forces)
    assert distance(bodies.inverse_dynamics(q, v, rate, GRAVITY, ours), expected) <= CLOSE
    tau = expected * (1.0 + 0.1 * np.sin(100.0 * rate))
    found = pinocchio.aba(theirs.model, theirs.data, *theirs.state(q, v), theirs.turn(q) @ tau, forces)
    assert distance(bodies.forward_dynamics(q, v, tau, GRAVITY, ours), theirs.rate_back(q, v, found)) <= CLOSE


BAD_BASE = """<robot name="bad"><link name="base"><inertial><mass value="10"/>
    <inertia ixx="1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="plate"><inertial><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="screws" type="fixed"><parent link="base"/><child link="plate"/></joint>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""


def test_a_base_that_cannot_exist_does_not_fly():
    """On a fixed base it does not matter."""
    model = RobotModel.from_urdf(BAD_BASE)
    assert inverse_dynamics(model, [0.0], [0.0], [2.0])[0] == pytest.approx(2.0)
    with pytest.raises(NoDynamicsError, match="'base'"):
        SeparateBodies.from_model(model, 'free')


# Spherical and planar joints

TREE = {'turn': (-1, 'revolute'), 'shoulder': (0, 'spherical'), 'table': (1, 'planar'), 'hip': (0, 'spherical'),
        'knee': (3, 'revolute'), 'floor': (-1, 'planar'), 'ball': (5, 'spherical')}
WIDTHS = {'revolute': 1, 'spherical': 3, 'planar': 3}
THEIRS = {'revolute': pinocchio.JointModelRZ, 'spherical': pinocchio.JointModelSpherical,
          'planar': pinocchio.JointModelPlanar}


class Joints:
    """A tree of such joints: our bodies, their model, and what converts between them."""

    def __init__(self):
        generator, self.model, bodies, self.parts = np.random.default_rng(9), pinocchio.Model(), [], []
        self.model.gravity.linear = np.array(GRAVITY)
        first_q = first_v = 0
        for parent, kind in TREE.values():
            place = make_transform(Rotation.random(random_state=generator).as_matrix(), generator.uniform(-0.4, 0.4, 3))
            turn = Rotation.random(random_state=generator).as_matrix()
            mass, center = generator.uniform(0.5, 3.0), generator.uniform(-0.2, 0.2, 3)
            inertia = turn @ np.diag([0.02, 0.03, 0.04]) @ turn.T
            inertia = 0.5 * (inertia + inertia.T)
            bodies.append(Body(parent, kind, place, mass=mass, center=center, inertia=inertia))
            joint = self.model.addJoint(parent + 1, THEIRS[kind](), pinocchio.SE3(place), str(len(bodies)))
            self.model.appendBodyToJoint(joint, pinocchio.Inertia(mass, center, inertia), pinocchio.SE3.Identity())
            self.parts.append((kind, first_q, slice(first_v, first_v + WIDTHS[kind]), self.model.joints[joint]))
            first_q, first_v = first_q + WIDTHS[kind] + (kind == 'spherical'), first_v + WIDTHS[kind]
        self.bodies, self.data = SeparateBodies(bodies), self.model.createData()
        assert (self.bodies.n_q, self.bodies.n_v) == (first_q, first_v)

    def configuration(self, q):
        theirs = pinocchio.neutral(self.model)
        for kind, first, _, joint in self.parts:
            at = slice(joint.idx_q, joint.idx_q + joint.nq)
            if kind == 'planar':
                theirs[at] = *q[first:first + 2], np.cos(q[first + 2]), np.sin(q[first + 2])
            else:
                theirs[at] = q[first:first + joint.nq]
        return theirs

    def turn(self, q):
        """Takes our velocities to theirs: in base axes, or of the joint frame, to those of the body."""
        pinocchio.forwardKinematics(self.model, self.data, self.configuration(q))
        matrix = np.zeros((self.model.nv, self.model.nv))
        for number, (kind, first, ours, joint) in enumerate(self.parts, 1):
            block = np.eye(WIDTHS[kind])
            if kind == 'spherical':
                block = self.data.oMi[number].rotation.T
            elif kind == 'planar':
                cosine, sine = np.cos(q[first + 2]), np.sin(q[first + 2])
                block[:2, :2] = [[cosine, sine], [-sine, cosine]]
            matrix[joint.idx_v:joint.idx_v + joint.nv, ours] = block
        return matrix

    def bias(self, q, v):
        """Derivative of their velocities while ours are constant: the axes of theirs turn."""
        theirs = self.turn(q) @ v
        pinocchio.forwardKinematics(self.model, self.data, self.configuration(q), theirs)
        bias = np.zeros(self.model.nv)
        for number, (kind, _, _, joint) in enumerate(self.parts, 1):
            own = theirs[joint.idx_v:joint.idx_v + joint.nv]
            if kind == 'spherical':
                bias[joint.idx_v:joint.idx_v + 3] = -np.cross(self.data.v[number].angular, own)
            elif kind == 'planar':
                bias[joint.idx_v:joint.idx_v + 2] = own[2] * np.array([own[1], -own[0]])
        return bias

    def random(self, seed):
        generator = np.random.default_rng(seed)
        q = generator.uniform(-1.0, 1.0, self.bodies.n_q)
        v, rate = generator.uniform(-2.0, 2.0, (2, self.bodies.n_v))
        return self.bodies.normalized(q), v, rate


@pytest.fixture(scope='module')
def tree():
    return Joints()


@pytest.mark.parametrize('seed', range(5))
def test_spherical_and_planar_joints(tree, seed):
    q, v, rate = tree.random(seed)
    turn, bias, state = tree.turn(q), tree.bias(q, v), tree.configuration(q)
    expected = turn.T @ pinocchio.rnea(tree.model, tree.data, state, turn @ v, turn @ rate + bias)
    assert distance(tree.bodies.inverse_dynamics(q, v, rate, GRAVITY), expected) <= CLOSE
    tau = expected * (1.0 + 0.1 * np.sin(100.0 * rate))
    found = pinocchio.aba(tree.model, tree.data, state, turn @ v, np.linalg.solve(turn.T, tau))
    solved = np.linalg.solve(turn, found - bias)
    assert distance(tree.bodies.forward_dynamics(q, v, tau, GRAVITY), solved) <= CLOSE
    upper = pinocchio.crba(tree.model, tree.data, state)
    matrix = turn.T @ (np.triu(upper) + np.triu(upper, 1).T) @ turn
    assert distance(tree.bodies.mass_matrix(q), matrix) <= CLOSE


def test_poses_and_their_rates(tree):
    """A small step of q to and fro along its rate is the motion that Pinocchio integrates."""
    q, v, _ = tree.random(7)
    step, ours, theirs = 1e-4, [], []
    for way in (0.0, -step, step):
        moved = pinocchio.integrate(tree.model, tree.configuration(q), way * (tree.turn(q) @ v))
        pinocchio.forwardKinematics(tree.model, tree.data, moved)
        theirs.append([tree.data.oMi[i + 1].homogeneous for i in range(len(TREE))])
        ours.append(tree.bodies.poses(tree.bodies.normalized(q + way * tree.bodies.q_rate(q, v))))
    ours, theirs = np.array(ours), np.array(theirs)
    assert distance(ours[0], theirs[0]) < 1e-13
    assert distance(ours[2] - ours[1], theirs[2] - theirs[1]) < 1e-8
