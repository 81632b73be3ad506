"""Equations of motion as formulas: the textbook's closed forms, and the numbers of the recursion."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import sympy
from support.robots import arm

from robokin_ros.dynamics import coriolis_torque, gravity_torque, inverse_dynamics, mass_matrix
from robokin_ros.dynamics.symbolic import equations_of_motion
from robokin_ros.dynamics.symbolic.trig_products import trig_products
from robokin_ros.errors import InputError, RobokinError
from robokin_ros.model import DhRow, Inertial, RobotModel, load_robot

QUARTER = np.pi / 2
DOWN_Y = (0.0, -9.81, 0.0)
g, m1, m2, m3, l1, l2, r1, r2 = sympy.symbols('g m1 m2 m3 l1 l2 r1 r2')
I1, I2, Izz1, Izz2, Ixx3, Iyy3, Izz3 = sympy.symbols('I1 I2 Izz1 Izz2 Ixx3 Iyy3 Izz3')
q1, q2, q3, d2, qd1, qd2, qd3, dd2, qdd1, qdd2, qdd3, ddd1, ddd2 = sympy.symbols(
    'q1 q2 q3 d2 qd1 qd2 qd3 dd2 qdd1 qdd2 qdd3 ddd1 ddd2')
sin, cos = sympy.sin, sympy.cos
s2, c2, s3, c3 = sin(q2), cos(q2), sin(q3), cos(q3)


def body(mass, x=0.0, y=0.0, z=0.0, inertia=(0.0, 0.0, 0.0)):
    return Inertial(mass, np.array([x, y, z]), np.diag(inertia))


def along_x(length):
    pose = np.eye(4)
    pose[0, 3] = length
    return pose


def point_masses(**second):
    rows = [DhRow(inertial=body(4.6, 0.5)), DhRow(a=0.5, inertial=body(2.3, 0.3), **second)]
    return RobotModel.from_dh(rows, tool=along_x(0.3))


def slide(alpha, inertial, d=0.0):
    return DhRow(alpha=alpha, d=d, type='prismatic', inertial=inertial)


def bars():
    return RobotModel.from_dh([DhRow(inertial=body(4.0, 0.2, inertia=(0.01, 0.08, 0.085))),
                               DhRow(a=0.5, inertial=body(2.0, 0.15, inertia=(0.01, 0.02, 0.027)))])


def rp():
    """Example 6.5: a quarter turn of joint 1 brings the slide to the textbook's x axis."""
    return RobotModel.from_dh([DhRow(theta=QUARTER, inertial=body(5.0, y=-0.4, inertia=(0.2, 0.2, 0.2))),
                               slide(QUARTER, body(3.0, inertia=(0.1, 0.1, 0.1)))])


def rp_polar():
    return RobotModel.from_dh([DhRow(inertial=body(1.0, inertia=(0.2, 0.25, 0.3))), slide(-QUARTER, body(2.0))])


def rpr():
    return RobotModel.from_dh([DhRow(inertial=body(1.0, inertia=(0.1, 0.2, 0.25))), slide(QUARTER, body(2.0)),
                               DhRow(d=0.3, inertial=body(1.5, inertia=(0.04, 0.05, 0.06)))])


def spatial_3r(tip='link_3'):
    return RobotModel.from_urdf(load_robot('puma560').urdf, tip=tip)


def generic(number):
    generator = np.random.default_rng(5)
    rows = []
    for _ in range(number):
        root = generator.uniform(-0.1, 0.1, (3, 3))
        inertial = Inertial(generator.uniform(1, 3), generator.uniform(-0.3, 0.3, 3), root @ root.T + 0.1 * np.eye(3))
        rows.append(DhRow(*generator.uniform(0.1, 1.0, 4), inertial=inertial))
    return RobotModel.from_dh(rows)


r = l1 + l2 * c2
L = d2 + l2
m23 = m2 + m3
CLOSED_FORMS = {
    '1 planar2, point masses': (point_masses(), DOWN_Y, [
        m2 * l2**2 * (qdd1 + qdd2) + m2 * l1 * l2 * c2 * (2 * qdd1 + qdd2) + (m1 + m2) * l1**2 * qdd1
        - m2 * l1 * l2 * s2 * qd2**2 - 2 * m2 * l1 * l2 * s2 * qd1 * qd2 + m2 * l2 * g * cos(q1 + q2)
        + (m1 + m2) * l1 * g * cos(q1),
        m2 * l1 * l2 * c2 * qdd1 + m2 * l1 * l2 * s2 * qd1**2 + m2 * l2 * g * cos(q1 + q2)
        + m2 * l2**2 * (qdd1 + qdd2)]),
    '2 planar2, bars': (bars(), DOWN_Y, [
        (Izz1 + Izz2 + m1 * r1**2 + m2 * (l1**2 + r2**2 + 2 * l1 * r2 * c2)) * qdd1
        + (Izz2 + m2 * (r2**2 + l1 * r2 * c2)) * qdd2 - m2 * l1 * r2 * s2 * (2 * qd1 * qd2 + qd2**2)
        + (m1 * r1 + m2 * l1) * g * cos(q1) + m2 * r2 * g * cos(q1 + q2),
        (Izz2 + m2 * (r2**2 + l1 * r2 * c2)) * qdd1 + (Izz2 + m2 * r2**2) * qdd2 + m2 * l1 * r2 * s2 * qd1**2
        + m2 * r2 * g * cos(q1 + q2)]),
    '3 spatial2': (point_masses(alpha=QUARTER), (0.0, 0.0, -9.81), [
        (m1 * l1**2 + m2 * r**2) * qdd1 - 2 * m2 * l2 * r * s2 * qd1 * qd2,
        m2 * l2**2 * qdd2 + m2 * l2 * r * s2 * qd1**2 + m2 * g * l2 * c2]),
    '4 RP': (rp(), DOWN_Y, [
        (m1 * r1**2 + I1 + I2 + m2 * d2**2) * qdd1 + 2 * m2 * d2 * qd1 * dd2 + (m1 * r1 + m2 * d2) * g * cos(q1),
        m2 * ddd2 - m2 * d2 * qd1**2 + m2 * g * sin(q1)]),
    '5 rp_polar': (rp_polar(), (0.0, 0.0, -9.81), [
        (Izz1 + m2 * d2**2) * qdd1 + 2 * m2 * d2 * dd2 * qd1, m2 * ddd2 - m2 * d2 * qd1**2]),
    '6 rpr': (rpr(), (0.0, 0.0, -9.81), [
        (Izz1 + m2 * d2**2 + m3 * L**2 + Ixx3 * s3**2 + Iyy3 * c3**2) * qdd1
        + qd1 * ((Ixx3 - Iyy3) * sin(2 * q3) * qd3 + 2 * (m2 * d2 + m3 * L) * dd2),
        (m2 + m3) * ddd2 - (m2 * d2 + m3 * L) * qd1**2,
        Izz3 * qdd3 + (Iyy3 - Ixx3) * sin(2 * q3) * qd1**2 / 2]),
    '7 PR': (RobotModel.from_dh([slide(0.0, body(1.0)),
                                 DhRow(alpha=QUARTER, inertial=body(2.0, inertia=(0.03, 0.03, 0.05)))]),
             (-9.81, 0.0, 0.0), [(m1 + m2) * ddd1, Izz2 * qdd2]),
    '8 planar3': (arm('planar_3r'), (0.0, 0.0, -9.8), [
        ((m1 + 2 * m23 + 2 * m23 * c2) * l1**2 + Izz3) * qdd1 + (m23 * l1**2 * (1 + c2) + Izz3) * qdd2 + Izz3 * qdd3
        - m23 * l1**2 * s2 * (2 * qd1 * qd2 + qd2**2) + g * l1 * ((m1 + m23) * cos(q1) + m23 * cos(q1 + q2)),
        (m23 * l1**2 * (1 + c2) + Izz3) * qdd1 + (m23 * l1**2 + Izz3) * qdd2 + Izz3 * qdd3
        + m23 * l1**2 * s2 * qd1**2 + g * l1 * m23 * cos(q1 + q2),
        Izz3 * (qdd1 + qdd2 + qdd3)]),
}
ARMS = {
    'pendulum': lambda: arm('two_link_pendulum'),
    'planar_3r': lambda: arm('planar_3r'),
    'rp': rp,
    'rpr': rpr,
    'scara': lambda: arm('scara'),
    'spatial_3r': spatial_3r,
    'no zeros': lambda: generic(2),
    'twists of 45 degrees': lambda: load_robot('arm4r_416'),
    'rotors': lambda: replace(arm('planar_3r'), rotor_inertia=np.array([0.3, 0.2, 0.1])),
    'fork': lambda: RobotModel.from_urdf(FORK),
}
INERTIAL = """<inertial><origin xyz="0.1 0.02 0"/><mass value="{}"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0" iyz="-0.002"/></inertial>"""
FORK = f"""<robot name="fork"><link name="base"/>
  <link name="arm">{INERTIAL.format(2)}</link><link name="left">{INERTIAL.format(1)}</link>
  <link name="right">{INERTIAL.format(1.5)}</link><link name="finger">{INERTIAL.format(0.5)}</link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
  <joint name="a" type="continuous"><parent link="arm"/><child link="left"/><origin xyz="0.3 0.1 0"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="b" type="continuous"><parent link="arm"/><child link="right"/><origin xyz="0.3 -0.1 0"/>
    <axis xyz="0 0 1"/><mimic joint="a" multiplier="-2" offset="0.2"/></joint>
  <joint name="c" type="prismatic"><parent link="left"/><child link="finger"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/><mimic joint="a" multiplier="0.3" offset="0.1"/></joint>
</robot>"""


def written(equations):
    """The function of the Python text."""
    names = {}
    exec(equations.python(), names)
    return names['dynamics_terms']


@pytest.mark.parametrize('case', CLOSED_FORMS)
def test_closed_forms_of_the_textbook(case):
    """DYN-10, without friction."""
    model, gravity, expected = CLOSED_FORMS[case]
    found = equations_of_motion(model, gravity).tau
    if case.startswith('8'):
        found = found.subs(l2, l1)
    for torque, formula in zip(found, expected, strict=True):
        assert sympy.simplify(sympy.expand(torque - formula)) == 0


@pytest.mark.parametrize('numeric', [False, True])
@pytest.mark.parametrize('name', ARMS)
def test_numbers_of_the_recursion(name, numeric):
    model, gravity = ARMS[name](), (0.0, 3.0, -9.0)
    equations = equations_of_motion(model, gravity, numeric)
    terms = written(equations)
    tau = sympy.lambdify([*equations.q, *equations.qd, *equations.qdd], list(equations.tau.subs(equations.values)))
    for q, qd, qdd in np.random.default_rng(3).uniform(-2.0, 2.0, (5, 3, model.dof)):
        mass, velocity, weight = terms(q, qd)
        np.testing.assert_allclose(mass, mass_matrix(model, q), atol=1e-10)
        np.testing.assert_allclose(velocity, coriolis_torque(model, q, qd), atol=1e-10)
        np.testing.assert_allclose(weight, gravity_torque(model, q, gravity), atol=1e-10)
        np.testing.assert_allclose(tau(*q, *qd, *qdd), inverse_dynamics(model, q, qd, qdd, gravity), atol=1e-10)


def test_text_reads_like_the_textbook():
    text = equations_of_motion(arm('two_link_pendulum')).text()
    for line in ('M11 = Izz1 + Izz2 + m1 r1^2 + m2 (l1^2 + 2 l1 r2 c2 + r2^2)',
                 'M12 = M21 = Izz2 + m2 r2 (l1 c2 + r2)',
                 'V1 = -m2 l1 r2 s2 (2 qd1 qd2 + qd2^2)',
                 'G1 = (m1 r1 + m2 l1) g c1 + m2 r2 g c12',
                 'r2   = 0.4          mass centre of link_2, along x [m]'):
        assert line in text.splitlines()


def test_squares_and_sums_are_found():
    text = equations_of_motion(load_robot('spatial3r_33')).text()
    assert 'Ixx2 s2^2 + Izz2 c2^2' in text
    assert 'm2 (l1 + r2 c2)^2' in text
    assert 'M11 = Izz1 + Ixx3 s3^2 + Iyy3 c3^2 + m2 d2^2 + m3 (d2 + l2)^2' in equations_of_motion(rpr()).text()


def test_numbers_in_the_text():
    text = equations_of_motion(arm('two_link_pendulum'), numeric=True).text()
    assert 'M11 = 2.48852 + 1.2 c2' in text
    assert not equations_of_motion(arm('two_link_pendulum'), numeric=True).values


@pytest.mark.parametrize('name', ['pendulum', 'rpr', 'spatial_3r', 'no zeros'])
def test_latex_is_balanced(name):
    latex = equations_of_motion(ARMS[name]()).latex()
    assert latex.startswith('\\begin{aligned}\n')
    assert latex.endswith('\\end{aligned}\n')
    assert latex.count('{') == latex.count('}')
    assert latex.count(r'\left(') == latex.count(r'\right)')
    assert '*' not in latex
    if name == 'pendulum':
        assert r'V_{1} &= -m_{2} l_{1} r_{2} s_{2} \left(2 \dot{q}_{1} \dot{q}_{2} + \dot{q}_{2}^{2}\right)' in latex


@pytest.mark.parametrize(('fourier', 'expected'), [
    ({(2,): 0.25, (0,): 0.5, (-2,): 0.25}, {(('c', (1,)), ('c', (1,))): 1.0}),
    ({(2,): -0.25, (0,): 2.5, (-2,): -0.25}, {(): 2.0, (('s', (1,)), ('s', (1,))): 1.0}),
    ({(2,): 0.5, (0,): 0.0, (-2,): 0.5}, {(('c', (2,)),): 1.0}),
    ({(2,): -0.5j, (-2,): 0.5j}, {(('c', (1,)), ('s', (1,))): 2.0}),
    ({(1, 0): 0.25, (1, 2): 0.25, (-1, 0): 0.25, (-1, -2): 0.25}, {(('c', (0, 1)), ('c', (1, 1))): 1.0}),
    ({(1, 1): 0.5, (-1, -1): 0.5}, {(('c', (1, 1)),): 1.0})])
def test_products_of_sines(fourier, expected):
    """cos^2, 2 + sin^2, cos 2x, sin 2x, c2 c12, c12."""
    assert {factors: number for number, factors in trig_products(fourier)} == expected


def test_missing_sympy_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, 'sympy', None)
    with pytest.raises(RobokinError, match='needs sympy: pip install sympy'):
        equations_of_motion(arm('two_link_pendulum'))


def test_long_equations_are_refused():
    with pytest.raises(InputError, match="'arm7' has 7 joints"):
        equations_of_motion(arm('arm7'))
    with pytest.raises(InputError, match='put the numbers in, choose a tip nearer the base, or force it'):
        equations_of_motion(generic(4))


def test_joints_that_follow_by_a_fraction_are_refused():
    with pytest.raises(InputError, match='whole factors only'):
        equations_of_motion(RobotModel.from_urdf(FORK.replace('"-2"', '"0.7"')))
