"""Loading URDF and xacro: what is read, and the sentence for every kind of bad description."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import OWN_ARMS, REAL_ARMS, arm, arm_path

from robokin_ros.errors import ModelError, NoDynamicsError, UnknownNameError
from robokin_ros.kinematics import forward_kinematics, frame_poses
from robokin_ros.model import RobotModel

LIMIT = '<limit lower="-1" upper="1" velocity="2" effort="3"/>'
BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def joint(name, parent, child, kind='revolute', inside=LIMIT):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<axis xyz="0 0 1"/>{inside}</joint>')


def robot(*parts, links=('a', 'b')):
    return ('<robot name="r">' + ''.join(f'<link name="{name}">{BODY}</link>' for name in links)
            + ''.join(parts) + '</robot>')


@pytest.mark.parametrize('name', [*OWN_ARMS, *REAL_ARMS])
def test_robots_load_from_path_and_text(name):
    model = arm(name)
    again = RobotModel.from_urdf(model.urdf)
    assert again.joint_names == model.joint_names
    assert again.tip == model.tip
    np.testing.assert_array_equal(again.constants, model.constants)
    assert model.dof == len(model.lower) == len(model.upper) == len(model.velocity_limit) == len(model.effort_limit)
    model.require_dynamics()


@pytest.mark.parametrize(('name', 'tip', 'dof'), [
    ('panda', 'panda_hand', 8), ('ur5', 'tool0', 6), ('puma560', 'tool0', 6), ('scara', 'tool0', 4),
    ('arm7', 'tool0', 7)])
def test_default_tip_is_what_a_user_means(name, tip, dof):
    assert (arm(name).tip, arm(name).dof) == (tip, dof)


def test_limits_and_types():
    model = RobotModel.from_urdf(robot(joint('j', 'a', 'b')))
    assert (model.lower[0], model.upper[0], model.velocity_limit[0], model.effort_limit[0]) == (-1, 1, 2, 3)
    free = RobotModel.from_urdf(robot(joint('j', 'a', 'b', 'continuous', '<limit velocity="2" effort="3"/>')))
    assert (free.lower[0], free.upper[0], free.velocity_limit[0]) == (-np.inf, np.inf, 2)


def test_chain_between_base_and_tip_locks_the_rest():
    model = RobotModel.from_urdf(arm_path('panda'), tip='panda_link8')
    assert model.dof == 7
    whole = arm('panda')
    q = np.array([0.1, 0.2, 0.3, -1.5, 0.5, 1.0, 0.7])
    full = np.zeros(whole.dof)
    full[whole.order_of(model.joint_names)] = q
    np.testing.assert_allclose(forward_kinematics(model, q), frame_poses(whole, full, ['panda_link8'])[0], atol=1e-14)
    assert model.constants[:, 12].sum() == pytest.approx(whole.constants[:, 12].sum())


def test_mimic_joints_follow():
    mimic = '<mimic joint="j" multiplier="-2" offset="0.5"/>' + LIMIT
    model = RobotModel.from_urdf(robot(joint('j', 'a', 'b'), joint('k', 'b', 'c', 'revolute', mimic),
                                       links=('a', 'b', 'c')))
    assert model.joint_names == ('j',)
    angle = 0.3 + (-2 * 0.3 + 0.5)
    rotation = frame_poses(model, [0.3], ['c'])[0][:3, :3]
    np.testing.assert_allclose(rotation[:2, 0], [np.cos(angle), np.sin(angle)], atol=1e-14)


def test_xacro_arguments():
    short = RobotModel.from_urdf(arm_path('planar_3r'), mappings={'l1': '0.3', 'l2': '0.2', 'l3': '0.1'})
    np.testing.assert_allclose(forward_kinematics(short, np.zeros(3))[0, 3], 0.6, atol=1e-15)


def test_visual_geometry_is_kept():
    shapes = {visual.kind for visuals in arm('puma560').visuals.values() for visual in visuals}
    assert shapes == {'box', 'cylinder'}
    assert any(visual.mesh for visuals in arm('panda').visuals.values() for visual in visuals)


def test_the_model_cannot_be_changed():
    with pytest.raises(ValueError, match='read-only'):
        arm('puma560').lower[0] = 0.0
    with pytest.raises(AttributeError):
        arm('puma560').tip = 'x'


@pytest.mark.parametrize(('text', 'words'), [
    ('<robot name="r"><link name="a">', 'not well-formed XML'),
    ('<sdf/>', 'starts with <sdf>'),
    ('<robot name="r"/>', 'no links'),
    (robot(), r'2 root links \(a, b\)'),
    (robot(joint('j', 'a', 'b'), joint('k', 'b', 'a')), 'closed loop'),
    (robot(joint('j', 'a', 'b'), joint('k', 'c', 'd'), joint('l', 'd', 'c'), links='abcd'), 'form a loop'),
    (robot(joint('j', 'a', 'b'), joint('k', 'c', 'b'), links='abc'), 'two parents'),
    (robot(joint('j', 'a', 'x')), "child link 'x', which does not exist"),
    (robot(joint('j', 'a', 'b'), joint('j', 'b', 'c'), links='abc'), "two joints named 'j'"),
    (robot(joint('j', 'a', 'b'), links=('a', 'b', 'b')), "two links named 'b'"),
    (robot(joint('j', 'a', 'b', 'floating')), "type 'floating'"),
    (robot(joint('j', 'a', 'b', 'spherical')), 'spherical|not valid URDF'),
    (robot(joint('j', 'a', 'b', inside='')), 'no <limit>'),
    (robot(joint('j', 'a', 'b', inside='<limit lower="2" upper="1" velocity="1" effort="1"/>')), 'above upper'),
    (robot(joint('j', 'a', 'b', inside='<limit lower="x" upper="1" velocity="1" effort="1"/>')), 'not valid URDF'),
    (robot(joint('j', 'a', 'b', inside='<limit lower="0" upper="1" velocity="-1" effort="1"/>')), 'velocity limit -1'),
    (robot(joint('j', 'a', 'b').replace('0 0 1', '0 0 0')), 'no direction'),
    (robot(joint('j', 'a', 'b', inside='<mimic joint="nobody"/>' + LIMIT)), 'no moving joint'),
    (robot(joint('j', 'a', 'b', inside='<mimic joint="j"/>' + LIMIT)), 'in a circle'),
    ('<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r"><xacro:nothing/></robot>', 'cannot be expanded'),
])
def test_bad_descriptions_get_a_sentence(text, words):
    with pytest.raises(ModelError, match=words):
        RobotModel.from_urdf(text)


def test_missing_file():
    with pytest.raises(ModelError, match=r"no robot description file '/nowhere/arm.urdf'"):
        RobotModel.from_urdf('/nowhere/arm.urdf')


@pytest.mark.parametrize('end', ['base', 'tip'])
def test_unknown_ends_list_the_known(end):
    with pytest.raises(UnknownNameError, match=f"no {end} link 'x'; known: a, b"):
        RobotModel.from_urdf(robot(joint('j', 'a', 'b')), **{end: 'x'})


@pytest.mark.parametrize(('inertial', 'words'), [
    ('<mass value="-1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>', 'negative'),
    ('<mass value="1"/><inertia ixx="9" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>', 'triangle inequality'),
    ('<mass value="1"/><inertia ixx="1" iyy="-1" izz="1" ixy="0" ixz="0" iyz="0"/>', 'negative principal moment'),
    ('<mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/>', 'no <inertial> data'),
])
def test_impossible_inertia_refuses_dynamics_but_not_kinematics(inertial, words):
    text = robot(joint('j', 'a', 'b')).replace(f'<link name="b">{BODY}',
                                               f'<link name="b"><inertial>{inertial}</inertial>')
    model = RobotModel.from_urdf(text)
    forward_kinematics(model, [0.1])
    with pytest.raises(NoDynamicsError, match=f"link 'b'.*{words}"):
        model.require_dynamics()


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_descriptions_never_raise_anything_else(data):
    """Cut or overwrite a piece of a valid description: it loads, or a ModelError says why not."""
    text = arm('two_link_pendulum').urdf
    start = data.draw(st.integers(0, len(text) - 1))
    length = data.draw(st.integers(1, 40))
    put = data.draw(st.sampled_from(['', '"', '<', '>', 'nan', '-1e999', 'joint_1', '<link/>', '\x00', 'é']))
    try:
        RobotModel.from_urdf(text[:start] + put + text[start + length:])
    except (ModelError, UnknownNameError) as error:
        assert str(error).endswith(('.', '>'))


def test_xacro_includes_are_found_beside_the_file(tmp_path, monkeypatch):
    xmlns = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    (tmp_path / 'part.xacro').write_text(f'<robot {xmlns}><link name="a"/></robot>')
    main = tmp_path / 'arm.urdf.xacro'
    main.write_text(f'<robot name="r" {xmlns}><xacro:include filename="part.xacro"/><link name="b"/>'
                    '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>')
    monkeypatch.chdir('/')
    assert RobotModel.from_urdf(main).joint_names == ('j',)


def test_a_follower_limits_its_master():
    mimic = '<mimic joint="j" multiplier="-4"/><limit lower="-1" upper="2" velocity="1" effort="1"/>'
    model = RobotModel.from_urdf(robot(joint('j', 'a', 'b'), joint('k', 'b', 'c', 'revolute', mimic),
                                       links=('a', 'b', 'c')))
    assert (model.lower[0], model.upper[0]) == (-0.5, 0.25)


@pytest.mark.parametrize('mimic', ['multiplier="nan"', 'multiplier="inf"', 'offset="nan"'])
def test_mimic_numbers_must_be_finite(mimic):
    text = robot(joint('j', 'a', 'b'), joint('k', 'b', 'c', 'revolute', f'<mimic joint="j" {mimic}/>' + LIMIT),
                 links=('a', 'b', 'c'))
    with pytest.raises(ModelError, match="Joint 'k' mimics with"):
        RobotModel.from_urdf(text)


@pytest.mark.parametrize('source', [None, 5, 'a' * 5000, '~nosuchuser/x.urdf'])
def test_odd_sources(source):
    with pytest.raises(ModelError):
        RobotModel.from_urdf(source)


def test_a_robot_that_cannot_move():
    from robokin_ros.dynamics import gravity_torque, mass_matrix
    still = RobotModel.from_urdf(robot(joint('j', 'a', 'b', 'fixed', '')))
    assert still.dof == 0
    assert forward_kinematics(still, np.zeros((5, 0))).shape == (5, 4, 4)
    assert mass_matrix(still, []).shape == (0, 0)
    assert gravity_torque(still, np.zeros((3, 0))).shape == (3, 0)
