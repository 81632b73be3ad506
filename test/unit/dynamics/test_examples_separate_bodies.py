"""Vereshchagin's method of separate bodies against the specification (DYN-17, DYN-18)."""

import numpy as np
import pytest
from support.robots import arm, random_joints, spec_examples
from support.textbook_arms import along_x, examples, random_chain, random_state

from robokin_ros.dynamics import forward_dynamics, inverse_dynamics, mass_matrix
from robokin_ros.dynamics.separate_bodies import Body, SeparateBodies
from robokin_ros.errors import NoDynamicsError
from robokin_ros.kinematics import frame_poses
from robokin_ros.model import RobotModel
from robokin_ros.spatial import axis_angle_matrix, make_transform

CASES = spec_examples('spec/DYN-separate-bodies')
PLANE = np.array([0, 1, 5])
"""Rows of a planar problem among the six: x, y and the turn."""


def rods(case):
    """A chain of equal thin rods in the plane of x and y."""
    number = case['rods']
    mass, length = case['mass'] / number, case['length'] / number
    moment = mass * length**2 / 12
    return SeparateBodies([Body(parent=i - 1, joint='revolute', joint_in_parent=along_x(length if i else 0.0),
                                axes=(np.array([0.0, 0.0, 1.0]),), mass=mass, center=np.array([length / 2, 0.0, 0.0]),
                                inertia=np.diag([0.0, moment, moment])) for i in range(number)])


def listed(case):
    """Bodies given by ck (centre to joint) and e (centre of the parent to the joint), axes parallel at q = 0."""
    centers, bodies = {-1: np.zeros(3)}, []
    for i, row in enumerate(case['bodies']):
        centers[i] = -np.array(row['ck'])
        place = row['through'] if 'through' in row else centers[row['parent']] + row['e']
        bodies.append(Body(parent=row['parent'], joint=row['joint'], joint_in_parent=make_transform(np.eye(3), place),
                           axes=tuple(np.array(axis, dtype=float) for axis in row['axes']), mass=row['mass'],
                           center=centers[i], inertia=np.diag(row['inertia'])))
    return bodies


def turned(axis):
    """Some rotation and shift that no symmetry hides."""
    return make_transform(axis_angle_matrix(np.array(axis) / np.linalg.norm(axis), 0.8), (0.3, -0.2, 0.1))


def brick(parent, joint, axes, place, seed, mass=1.4):
    generator = np.random.default_rng(seed)
    return Body(parent=parent, joint=joint, joint_in_parent=place, axes=tuple(np.array(axis) for axis in axes),
                mass=mass, center=generator.uniform(-0.2, 0.2, 3), inertia=np.diag([0.02, 0.03, 0.025]))


def massless(parent, joint, axis, place):
    return Body(parent=parent, joint=joint, joint_in_parent=place, axes=(np.array(axis),), mass=0.0,
                center=np.zeros(3), inertia=np.zeros((3, 3)))


@examples(CASES, 'DYN-17a', 'DYN-17b', 'DYN-17c')
def test_falling_rods(case):
    number, expected = case['rods'], case['expected']
    none = np.zeros(number)
    found = rods(case).forward_dynamics(case['q'], case['qd'], none, gravity=case['gravity'])
    np.testing.assert_allclose(found, expected['qdd'], rtol=0.0, atol=1.01e-6 if number == 10 else 1.01e-8)
    if 'first_with_the_wrong_sign' in expected:
        assert abs(found[0] - expected['first_with_the_wrong_sign']) > 60.0


@examples(CASES, 'DYN-17b')
def test_quantities_of_the_planar_recursion(case):
    report = rods(case).report(case['q'], case['qd'], np.zeros(2), gravity=case['gravity'])
    expected = case['expected']
    np.testing.assert_allclose(report.acceleration, expected['qdd'], rtol=0.0, atol=1.01e-8)
    np.testing.assert_allclose([np.squeeze(block) for block in report.U], expected['U'], rtol=0.0, atol=1.01e-8)
    planar = {'articulated_inertia_1': report.articulated_inertia[0][np.ix_(PLANE, PLANE)],
              'articulated_force_1': report.articulated_force[0][PLANE],
              'body_acceleration': report.body_acceleration[:, PLANE], 'reaction_1': report.reaction[0][PLANE]}
    for name, value in planar.items():
        np.testing.assert_allclose(value, expected[name], rtol=0.0, atol=1.01e-6, err_msg=name)


@examples(CASES, 'DYN-18a', 'DYN-18b')
def test_revolute_and_universal_joint(case):
    bodies = SeparateBodies(listed(case))
    assert bodies.report(case['q'], case['qd'], case['tau'], gravity=case['gravity']).U[1].shape == (2, 2)
    report = bodies.report(case['q'], case['qd'], case['tau'], gravity=case['gravity'],
                           base_acceleration=case.get('base_acceleration'))
    expected = case['expected']
    np.testing.assert_allclose(report.acceleration, expected['qdd'], rtol=0.0, atol=1.01e-6)
    if 'reaction_1' in expected:
        np.testing.assert_allclose(report.body_acceleration[1], expected['body_acceleration_2'], rtol=0.0, atol=1.01e-6)
        np.testing.assert_allclose(report.reaction[0], expected['reaction_1'], rtol=0.0, atol=1.01e-6)
        direct = bodies.forward_dynamics(case['q'], case['qd'], case['tau'], gravity=case['gravity'])
        np.testing.assert_allclose(direct, report.acceleration, rtol=1e-12)


@pytest.mark.parametrize('number', range(1, 21))
def test_chains_agree_with_the_mass_matrix(number):
    """To 1e-9 relative on random revolute and sliding joints."""
    generator = np.random.default_rng(300 + number)
    model, (q, qd, _) = random_chain(generator, number), random_state(generator, number)
    tau = generator.uniform(-5.0, 5.0, number)
    bias = inverse_dynamics(model, q, qd, np.zeros(number))
    solved = np.linalg.solve(mass_matrix(model, q), tau - bias)
    found = SeparateBodies.from_model(model).forward_dynamics(q, qd, tau)
    assert np.linalg.norm(found - solved) <= 1e-9 * np.linalg.norm(solved)


def assert_same_motion(model):
    generator = np.random.default_rng(18)
    q, qd, tau = random_joints(model, 1, 18)[0], *generator.uniform(-1.0, 1.0, (2, model.dof))
    found = SeparateBodies.from_model(model).forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(found, forward_dynamics(model, q, qd, tau), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize('name', ['puma560', 'arm7', 'scara', 'ur5'])
def test_arms_agree_with_forward_dynamics(name):
    """Also with the motors of puma560, whose inertia the joints feel (DYN-13)."""
    assert_same_motion(arm(name))


def test_trees_agree_with_forward_dynamics():
    """A trunk with two arms, one of which splits again."""
    parents = {'trunk': 'base', 'left': 'trunk', 'left_hand': 'left', 'right': 'trunk', 'thumb': 'left_hand',
               'finger': 'left_hand', 'right_hand': 'right'}
    text = '<robot name="tree"><link name="base"/>'
    for i, (name, parent) in enumerate(parents.items()):
        text += f"""<link name="{name}"><inertial><mass value="{2.0 - 0.2 * i}"/>
          <origin xyz="0.05 {0.01 * i} -0.02" rpy="0.1 {0.2 * i} 0"/>
          <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0.002" izz="0.025"/></inertial></link>
          <joint name="to_{name}" type="{'prismatic' if name == 'right' else 'revolute'}">
          <parent link="{parent}"/><child link="{name}"/><axis xyz="0.6 {0.8 * (i % 2)} {0.8 * (1 - i % 2)}"/>
          <origin xyz="0.2 {0.05 * i - 0.1} 0.1" rpy="{0.3 * i} -0.2 0.4"/>
          <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>"""
    assert_same_motion(RobotModel.from_urdf(f'{text}</robot>'))


@pytest.mark.parametrize('number', [1, 4, 11])
def test_reactions(number):
    """S^T R = tau at every joint, and the reaction of the first carries the whole chain."""
    generator = np.random.default_rng(400 + number)
    model, (q, qd, _) = random_chain(generator, number), random_state(generator, number)
    tau = generator.uniform(-5.0, 5.0, number)
    report = SeparateBodies.from_model(model).report(q, qd, tau, gravity=(0.0, 0.0, -9.81))
    poses = frame_poses(model, q, [f'link_{i + 1}' for i in range(number)])
    driven = []
    for i, (pose, row) in enumerate(zip(poses, model.constants, strict=True)):
        axis, force, moment = pose[:3, 2], report.reaction[i][:3], report.reaction[i][3:]
        from_joint = pose[:3, :3] @ row[13:16]
        driven.append(axis @ force if model.topology[i, 1] else axis @ (moment + np.cross(from_joint, force)))
    np.testing.assert_allclose(driven, tau, atol=1e-8 * max(1.0, np.max(np.abs(report.reaction))))
    masses = model.constants[:, 12]
    total = masses @ report.body_acceleration[:, :3] + [0.0, 0.0, 9.81 * masses.sum()]
    np.testing.assert_allclose(report.reaction[0][:3], total, rtol=1e-8, atol=1e-8)


def test_gravity_is_a_base_that_accelerates_upwards():
    case = CASES['DYN-18a']
    bodies, state = SeparateBodies(listed(case)), (case['q'], case['qd'], case['tau'])
    weight = bodies.forward_dynamics(*state, gravity=case['gravity'])
    lift = bodies.report(*state, gravity=(0.0, 0.0, 0.0), base_acceleration=np.array([0.0, 0.0, 9.81, 0.0, 0.0, 0.0]))
    np.testing.assert_allclose(lift.acceleration, weight, rtol=1e-11)


def test_universal_joint_is_two_revolute_ones():
    """The body between them has no mass."""
    place, still = turned((1.0, 2.0, -1.0)), np.eye(4)
    first = brick(-1, 'revolute', [(0.0, 0.6, 0.8)], place, 1)
    axes = ((0.0, 0.0, 1.0), (0.8, 0.0, 0.6))
    whole = SeparateBodies([first, brick(0, 'universal', axes, place, 2)])
    parts = SeparateBodies([first, massless(0, 'revolute', axes[0], place), brick(1, 'revolute', axes[1:], still, 2)])
    state = [0.3, 0.7, -0.4], [0.8, -1.1, 0.6], [0.5, 0.2, -0.3]
    np.testing.assert_allclose(whole.forward_dynamics(*state), parts.forward_dynamics(*state), rtol=1e-10)


def test_cylindrical_joint_is_a_revolute_and_a_sliding_one():
    """Its variables are the turn, then the slide."""
    place, still, axis = turned((1.0, 2.0, -1.0)), np.eye(4), (0.6, 0.0, 0.8)
    first = brick(-1, 'revolute', [(0.0, 0.6, 0.8)], place, 1)
    last = brick(1, 'prismatic', [(0.0, 1.0, 0.0)], turned((0.0, 1.0, 3.0)), 3)
    whole = SeparateBodies([first, brick(0, 'cylindrical', [axis], place, 2), last])
    last = brick(2, 'prismatic', [(0.0, 1.0, 0.0)], turned((0.0, 1.0, 3.0)), 3)
    parts = SeparateBodies([first, massless(0, 'revolute', axis, place), brick(1, 'prismatic', [axis], still, 2), last])
    state = [0.3, 0.7, -0.4, 0.2], [0.8, -1.1, 0.6, -0.5], [0.5, 0.2, -0.3, 0.4]
    np.testing.assert_allclose(whole.forward_dynamics(*state), parts.forward_dynamics(*state), rtol=1e-10)


def test_branches_do_not_feel_each_other_on_a_heavy_body():
    """A tree: two arms on one body; with that body immovable, each moves as if alone."""
    place = turned((1.0, 2.0, -1.0))
    trunk = brick(-1, 'prismatic', [(0.0, 0.0, 1.0)], np.eye(4), 1, mass=1e12)
    left, right = (brick(0, 'revolute', [(0.0, 0.6, 0.8)], place, 2), brick(0, 'revolute', [(1.0, 0.0, 0.0)], place, 3))
    none = (0.0, 0.0, 0.0)
    both = SeparateBodies([trunk, left, right]).forward_dynamics([0, 0.4, -0.3], [0, 1, 2], [0, 0.5, 0.7], gravity=none)
    for i, branch in enumerate((left, right)):
        alone = SeparateBodies([trunk, branch]).forward_dynamics([0, (0.4, -0.3)[i]], [0, (1, 2)[i]],
                                                                 [0, (0.5, 0.7)[i]], gravity=none)
        assert both[1 + i] == pytest.approx(alone[1], rel=1e-9)


def test_a_massless_last_body_is_refused():
    """Nothing to accelerate; inside the chain such a body is fine."""
    first = brick(-1, 'revolute', [(0.0, 0.6, 0.8)], np.eye(4), 1)
    chain = SeparateBodies([first, massless(0, 'revolute', (0.0, 0.0, 1.0), turned((1.0, 0.0, 0.0)))])
    with pytest.raises(NoDynamicsError):
        chain.forward_dynamics(np.zeros(2), np.zeros(2), np.zeros(2))
