"""Laws for whole arms against the specification: CTL-12 to CTL-21, on its two- and three-link arms."""

import numpy as np
import pytest
from support.robots import spec_examples
from support.textbook_arms import along_x, lump

from robokin_ros.control import (
    AdaptiveControl,
    ComputedTorque,
    FeedforwardPd,
    InverseJacobian,
    JointPid,
    JointReference,
    JointState,
    OperationalSpace,
    TipReference,
    TransposeJacobian,
    critical_damping,
    mixed_regressor,
    servo_poles,
    tip_error,
    worst_damping,
)
from robokin_ros.dynamics import forward_dynamics, gravity_torque, inertial_parameters, mass_matrix
from robokin_ros.errors import InputError
from robokin_ros.kinematics import forward_kinematics, jacobian
from robokin_ros.model import DhRow, RobotModel
from robokin_ros.spatial import elementary_rotation, make_transform
from robokin_ros.trajectory import motion_through_points

CASES = spec_examples('spec/CTL-laws')
DOWN = (0.0, 0.0, -9.8)
UPRIGHT = make_transform(elementary_rotation('x', np.pi / 2.0), [0.0, 0.0, 0.0])
"""The plane of the arms stands upright: their y axis is the base's z axis."""
PLANE = (0, 2)
NEAR = {'rtol': 0.0, 'atol': 1.01e-6}
A2 = RobotModel.from_dh([DhRow(inertial=lump(4.6, 0.5)), DhRow(a=0.5, inertial=lump(2.3, 0.5))], tool=along_x(0.5),
                        base=UPRIGHT)
A3 = RobotModel.from_dh([DhRow(inertial=lump(4.6, 0.5)), DhRow(a=0.5, inertial=lump(2.3, 0.5)),
                         DhRow(a=0.5, inertial=lump(1.0, 0.0, 0.1))], base=UPRIGHT)


def example(*names):
    return pytest.mark.parametrize(('given', 'expected'), [
        pytest.param(CASES[name]['given'], CASES[name]['expected'], id=name) for name in names])


def states(given):
    reference = given.get('reference', {})
    return (JointState(np.radians(given['q_deg']), np.array(given.get('qd', [0.0, 0.0]), float)),
            JointReference(np.radians(reference.get('q_deg', [0, 0])), np.array(reference.get('qd', [0, 0]), float),
                           np.array(reference.get('qdd', [0, 0]), float)))


def simulate(model, q, law, reference_at, duration, period=1e-3, load=None, plant_step=1e-3):
    """States at the sampling instants: torque held between them, fourth-order Runge-Kutta inside."""
    q, qd, out = np.array(q, float), np.zeros(model.dof), []
    for k in range(round(duration / period) + 1):
        out.append((q.copy(), qd.copy()))
        torque = law.update(JointState(q, qd), reference_at(k * period), period)
        if load is not None:
            torque = torque - load
        for _ in range(max(round(period / plant_step), 1)):
            h = min(plant_step, period)

            def slope(x, v, torque=torque):
                return v, forward_dynamics(model, x, v, torque, DOWN)
            k1 = slope(q, qd)
            k2 = slope(q + 0.5 * h * k1[0], qd + 0.5 * h * k1[1])
            k3 = slope(q + 0.5 * h * k2[0], qd + 0.5 * h * k2[1])
            k4 = slope(q + h * k3[0], qd + h * k3[1])
            q = q + h / 6.0 * (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0])
            qd = qd + h / 6.0 * (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1])
    return out


@example('CTL-12-a')
def test_computed_torque(given, expected):
    law = ComputedTorque(A2, given['bandwidth'], gravity=DOWN)
    np.testing.assert_allclose(law.update(*states(given), 0.0), expected['tau'], **NEAR)


@example('CTL-12-b')
def test_tracking_with_an_exact_model(given, expected):
    ends = np.radians([given['from_deg'], given['to_deg']])
    motion = motion_through_points(A2, np.array([0.0, given['duration']]), ends, np.zeros((2, 2)))
    for period, worst in expected.items():
        found = simulate(A2, ends[0], ComputedTorque(A2, given['bandwidth'], gravity=DOWN),
                         lambda t: JointReference(*motion.sample(t)), given['duration'], float(period))
        wanted = motion.sample(float(period) * np.arange(len(found)))[0]
        error = np.degrees(np.max(np.abs(wanted - np.array([q for q, _ in found])), axis=0))
        np.testing.assert_allclose(error, worst, atol=0.002)


@example('CTL-13-a')
def test_feedforward(given, expected):
    law = FeedforwardPd(A2, given['k_p'], given['k_v'], start_error=1.0, gravity=DOWN)
    state, reference = states(given)
    np.testing.assert_allclose(law.feedforward(reference), expected['open_loop'], **NEAR)
    np.testing.assert_allclose(law.update(state, reference, 0.0), expected['tau'], **NEAR)
    with pytest.raises(InputError, match='joint_1'):
        FeedforwardPd(A2, 1.0, 1.0, gravity=DOWN).update(state, reference, 0.0)


@example('CTL-13-b')
def test_poles_move_with_the_pose(given, expected):
    for angle in ('0', '90', '180'):
        q = np.array([0.0, np.radians(float(angle))])
        poles = servo_poles(mass_matrix(A2, q), np.diag(given['k_p']), np.diag(given['k_v']))
        wanted = [complex(*pole) for pole in expected[angle]]
        for pole in wanted:
            assert np.min(np.abs(poles - pole)) < 1e-4 * abs(pole)
        ratio, _ = worst_damping(A2, given['k_p'], given['k_v'], [q])
        assert ratio == pytest.approx(expected['zeta_min'].get(angle, 1.0), abs=1e-4)


@example('CTL-15-a')
def test_a_load_leaves_an_error(given, expected):
    target = np.radians(given['q_deg'])
    rest = JointReference(target, np.zeros(2), np.zeros(2))
    found = simulate(A2, target, ComputedTorque(A2, given['bandwidth'], gravity=DOWN), lambda t: rest, 3.0,
                     load=np.array(given['load'], float))
    linear = np.linalg.solve(mass_matrix(A2, target), given['load']) / given['bandwidth']**2
    np.testing.assert_allclose(linear, expected['error'], **NEAR)
    q = found[-1][0]
    np.testing.assert_allclose(target - q, np.linalg.solve(mass_matrix(A2, q), given['load']) / given['bandwidth']**2,
                               atol=1e-5)


@example('CTL-16-a')
def test_gains_of_independent_joints(given, expected):
    q = np.radians(given['q_deg'])
    np.testing.assert_allclose(mass_matrix(A3, q), expected['M'], **NEAR)
    np.testing.assert_allclose(critical_damping(A3, given['k_p'], q), expected['k_v'], rtol=1e-5)


@example('CTL-16-c')
def test_without_gravity_compensation_the_arm_hangs(given, expected):
    law = JointPid(A2, given['k_p'], 1.0)
    for target, rest in zip(np.radians(given['targets_deg']), np.radians(expected['rests_deg']), strict=True):
        reference = JointReference(target, np.zeros(2), np.zeros(2))
        torque = law.update(JointState(rest, np.zeros(2)), reference, 0.0)
        np.testing.assert_allclose(torque, gravity_torque(A2, rest, DOWN), atol=2e-4)


@example('CTL-16-d')
def test_pd_with_gravity(given, expected):
    law = JointPid(A2, given['k_p'], given['k_v'], gravity_compensation=True, gravity=DOWN)
    reference = JointReference(np.radians(given['target_deg']), np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(law.update(states(given)[0], reference, 0.0), expected['tau'], **NEAR)


def test_the_integral_removes_what_a_load_leaves_and_does_not_wind_up():
    target = np.radians([30.0, 60.0])
    rest = JointReference(target, np.zeros(2), np.zeros(2))
    law = JointPid(A2, 400.0, critical_damping(A2, 400.0), 400.0, torque_limit=60.0)
    found = simulate(A2, target, law, lambda t: rest, 6.0)
    assert np.max(np.abs(found[-1][0] - target)) < 1e-3
    weak = JointPid(A2, 400.0, 40.0, 400.0, torque_limit=1.0)
    for _ in range(5000):
        weak.update(JointState(target - 1.0, np.zeros(2)), rest, 0.01)
    assert np.max(np.abs(weak.integral * weak.sum)) < 1.0
    weak.reset()
    assert not weak.sum.any()


def tip_reference(q, step):
    pose = forward_kinematics(A2, q)
    pose[PLANE, 3] += step
    return TipReference(pose, np.zeros(6), np.zeros(6))


@example('CTL-19-a')
def test_first_torques_in_space(given, expected):
    q = np.radians(given['q_deg'])
    state, reference = JointState(q, np.zeros(2)), tip_reference(q, given['step'])
    inverse = InverseJacobian(A2, given['inverse_k_p'], 1.0, PLANE, DOWN).update(state, reference, 0.0)
    np.testing.assert_allclose(inverse - gravity_torque(A2, q, DOWN), expected['inverse'], **NEAR)
    transpose = TransposeJacobian(A2, given['transpose_k_p'], 1.0, PLANE, gravity_compensation=False)
    np.testing.assert_allclose(transpose.update(state, reference, 0.0), expected['transpose'], **NEAR)


@example('CTL-19-b', 'CTL-19-c', 'CTL-20-b')
def test_steps_of_the_tip(given, expected, request):
    q = np.radians(given['q_deg'])
    reference = tip_reference(q, given['step'])
    name = request.node.callspec.id
    law = {'CTL-19-b': lambda: TransposeJacobian(A2, given['k_p'], given['k_v'], PLANE, gravity=DOWN),
           'CTL-19-c': lambda: InverseJacobian(A2, given['k_p'], given['k_v'], PLANE, DOWN),
           'CTL-20-b': lambda: OperationalSpace(A2, given['bandwidth'], rows=PLANE, gravity=DOWN)}[name]()
    longest = max(float(t) for t in expected['error_mm'])
    found = simulate(A2, q, law, lambda t: reference, longest)
    for t, wanted in expected['error_mm'].items():
        at = forward_kinematics(A2, found[round(float(t) / 1e-3)][0])
        error = 1e3 * (reference.pose - at)[list(PLANE), 3]
        np.testing.assert_allclose(error, wanted, rtol=5e-3, atol=0.011)


@example('CTL-21-a')
def test_regressor_of_the_adaptive_law(given, expected):
    q, qd, vr, ar = np.radians(given['q_deg']), *(np.array(given[name], float) for name in ('qd', 'vr', 'ar'))
    matrix = mixed_regressor(A2, q, qd, vr, ar, DOWN)
    np.testing.assert_allclose(matrix @ inertial_parameters(A2), expected['Y a'], **NEAR)
    other = mixed_regressor(A2, q, qd, vr + 0.3, ar, DOWN) @ inertial_parameters(A2)
    from robokin_ros.dynamics import christoffel_matrix
    np.testing.assert_allclose(other, mass_matrix(A2, q) @ ar + christoffel_matrix(A2, q, qd) @ (vr + 0.3)
                               + gravity_torque(A2, q, DOWN), atol=1e-9)


def test_adaptation_takes_the_error_away():
    true = inertial_parameters(A2)
    used = np.abs(true) > 1e-12
    basis = np.eye(len(true))[:, used]

    def reference_at(t):
        w = np.pi
        return JointReference(0.5 * np.array([np.sin(w * t), 1.0 - np.cos(w * t)]),
                              0.5 * w * np.array([np.cos(w * t), np.sin(w * t)]),
                              0.5 * w**2 * np.array([-np.sin(w * t), np.cos(w * t)]))

    def worst(adaptation):
        law = AdaptiveControl(A2, 0.5 * true[used], adaptation, 5.0, [20.0, 10.0], basis, lower=0.0, gravity=DOWN)
        start = reference_at(0.0)
        q, qd, errors = start.position.copy(), start.velocity.copy(), []
        for k in range(8000):
            t = 2e-3 * k
            reference = reference_at(t)
            errors.append(reference.position - q)
            torque = law.update(JointState(q, qd), reference, 2e-3)
            qd = qd + 2e-3 * forward_dynamics(A2, q, qd, torque, DOWN)
            q = q + 2e-3 * qd
        return np.degrees(np.sqrt(np.mean(np.square(errors[-1000:]), axis=0))), law

    adapted, law = worst(4.0)
    frozen, _ = worst(1e-12)
    assert np.all(frozen > 4.0)
    assert np.all(adapted < 0.05 * frozen)
    assert np.all(law.parameters >= 0.0)


def test_operational_space_moves_to_a_posture_behind_the_tip():
    from support.robots import arm
    model = arm('arm7')
    q = model.middle() + 0.3
    pose = forward_kinematics(model, q)
    posture = q.copy()
    for _ in range(40):  # along the self-motion of the arm
        away = np.linalg.svd(jacobian(model, posture))[2][-1]
        posture = posture + 0.01 * away * np.sign(away[0])
        posture = posture + np.linalg.pinv(jacobian(model, posture)) @ tip_error(
            forward_kinematics(model, posture), pose)
    assert np.linalg.norm(posture - q) > 0.3
    law = OperationalSpace(model, 20.0, posture=posture, posture_bandwidth=5.0)
    reference, qd, farthest = TipReference(pose, np.zeros(6), np.zeros(6)), np.zeros(7), 0.0
    for _ in range(3000):
        torque = law.update(JointState(q, qd), reference, 1e-3)
        qd = qd + 1e-3 * forward_dynamics(model, q, qd, torque)
        q = q + 1e-3 * qd
        farthest = max(farthest, float(np.max(np.abs(forward_kinematics(model, q) - pose))))
    assert farthest < 2e-3
    np.testing.assert_allclose(q, posture, atol=5e-3)


@pytest.mark.parametrize('call', [
    lambda: JointPid(A2, [1.0, 2.0, 3.0], 1.0), lambda: JointPid(A2, -1.0, 1.0), lambda: JointPid(A2, 1.0, 1.0, -1.0),
    lambda: OperationalSpace(A2, 0.0), lambda: OperationalSpace(A2, 1.0, rows=(0, 0)),
    lambda: OperationalSpace(A2, 1.0, rows=(7,)), lambda: AdaptiveControl(A2, [1.0], 1.0, 1.0, 1.0),
    lambda: InverseJacobian(A2, 1.0, 1.0, PLANE, DOWN).update(
        JointState(np.array([0.3, 1.0]), np.zeros(2)), tip_reference(np.array([0.3, 1.0]), [0.5, 0.0]), 0.0),
])
def test_what_makes_no_sense_is_refused(call):
    with pytest.raises(InputError):
        call()
