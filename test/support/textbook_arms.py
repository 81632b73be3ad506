"""Arms of the specification's dynamics examples, built of the symbols their closed forms use; random chains."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from robokin_ros.model import DhRow, Inertial, RobotModel
from robokin_ros.spatial import make_transform

QUARTER = np.pi / 2


def lump(mass: float, center: float | tuple = 0.0, inertia: float | list = 0.0) -> Inertial:
    """Mass with its centre on x (or anywhere) and a tensor that is a number times unity, or a diagonal."""
    place = np.array([center, 0.0, 0.0]) if np.ndim(center) == 0 else np.array(center, dtype=float)
    return Inertial(float(mass), place, np.diag(np.broadcast_to(np.asarray(inertia, dtype=float), 3)))


def along_x(length: float) -> np.ndarray:
    return make_transform(np.eye(3), (length, 0.0, 0.0))


def _planar2(p: dict) -> RobotModel:
    """Links with centres r1, r2 and moments I1, I2; without those, point masses at their ends."""
    first = lump(p['m1'], p.get('r1', p['l1']), p.get('I1', 0.0))
    second = lump(p['m2'], p.get('r2', p['l2']), p.get('I2', 0.0))
    return RobotModel.from_dh([DhRow(inertial=first), DhRow(a=p['l1'], inertial=second)], tool=along_x(p['l2']))


def _planar3(p: dict) -> RobotModel:
    parts = lump(p['m1'], p['l']), lump(p['m2'], p['l']), lump(p['m3'], 0.0, p['I'])
    return RobotModel.from_dh([DhRow(a=a, inertial=part) for a, part in zip((0.0, p['l'], p['l']), parts, strict=True)])


def _rp(p: dict) -> RobotModel:
    """The slide's z is -y of link 1: a quarter turn of joint 1 brings it to the textbook's x axis."""
    return RobotModel.from_dh([DhRow(theta=QUARTER, inertial=lump(p['m1'], (0.0, -p['l1'], 0.0), p['Izz1'])),
                               DhRow(alpha=QUARTER, type='prismatic', inertial=lump(p['m2'], 0.0, p['Izz2']))])


def _rp_polar(p: dict) -> RobotModel:
    """Link 1 has only its moment about the axis: its mass does not matter."""
    return RobotModel.from_dh([DhRow(inertial=lump(1.0, 0.0, p['Izz1'])),
                               DhRow(alpha=-QUARTER, type='prismatic', inertial=lump(p['m2']))])


def _rpr(p: dict) -> RobotModel:
    wrist = lump(p['m3'], 0.0, [p['Ixx3'], p['Iyy3'], p['Izz3']])
    return RobotModel.from_dh([DhRow(inertial=lump(1.0, 0.0, p['Izz1'])),
                               DhRow(alpha=QUARTER, type='prismatic', inertial=lump(p['m2'])),
                               DhRow(d=p['L2'], inertial=wrist)])


def _pr(p: dict) -> RobotModel:
    return RobotModel.from_dh([DhRow(type='prismatic', inertial=lump(p['m1'])),
                               DhRow(alpha=QUARTER, inertial=lump(p['m2'], 0.0, p['Izz2']))])


def _spatial2(p: dict) -> RobotModel:
    return RobotModel.from_dh([DhRow(inertial=lump(p['m1'], p['l1'])),
                               DhRow(alpha=QUARTER, a=p['l1'], inertial=lump(p['m2'], p['l2']))],
                              tool=along_x(p['l2']))


def _rods(p: dict) -> RobotModel:
    """n equal thin rods, of mass m and length L together."""
    mass, length = p['m'] / p['n'], p['L'] / p['n']
    moment = mass * length**2 / 12
    part = lump(mass, length / 2, [0.0, moment, moment])
    return RobotModel.from_dh([DhRow(a=length if i else 0.0, inertial=part) for i in range(p['n'])])


def bars(p: dict) -> dict:
    """Symbols of DYN-10 case 2 of boxes l, w or rods l, d."""
    found = dict(p)
    for i in ('1', '2'):
        length, mass = p[f'l{i}'], p[f'm{i}']
        width = p['w'] ** 2 if 'w' in p else 3 * (p[f'd{i}'] / 2) ** 2
        found[f'r{i}'], found[f'I{i}'] = length / 2, mass * (width + length**2) / 12
    return found


def pendulum(p: dict, convention: str = 'modified', shifted: bool = False) -> RobotModel:
    """Two rods in frames at their near or, 'standard', their far ends; `shifted`: tensors about the joints."""
    q = bars(p)
    rows = []
    for i in ('1', '2'):
        length, mass, radius = p[f'l{i}'], p[f'm{i}'], p[f'd{i}'] / 2
        moment = q[f'I{i}'] + (mass * q[f'r{i}'] ** 2 if shifted else 0.0)
        center = q[f'r{i}'] - (length if convention == 'standard' else 0.0)
        rows.append((length, lump(mass, center, [mass * radius**2 / 2, moment, moment])))
    if convention == 'standard':
        return RobotModel.from_dh([DhRow(a=length, inertial=part) for length, part in rows], convention)
    return RobotModel.from_dh([DhRow(a=a, inertial=part) for a, (_, part) in zip((0.0, p['l1']), rows, strict=True)],
                              tool=along_x(p['l2']))


_ARMS = {  # how to build it, and which way is down
    'planar2': (_planar2, (0, -1, 0)), 'planar2_bars': (_planar2, (0, -1, 0)),
    'planar2_boxes': (lambda p: _planar2(bars(p)), (0, -1, 0)), 'pendulum': (pendulum, (0, -1, 0)),
    'planar3': (_planar3, (0, -1, 0)), 'rods': (_rods, (0, -1, 0)), 'rp': (_rp, (0, -1, 0)),
    'pr': (_pr, (-1, 0, 0)), 'rp_polar': (_rp_polar, (0, 0, -1)), 'rpr': (_rpr, (0, 0, -1)),
    'spatial2': (_spatial2, (0, 0, -1)),
}


def textbook_arm(name: str, parameters: dict) -> tuple[RobotModel, np.ndarray]:
    """Model and gravity vector, 9.81 m/s^2 unless the parameters have g."""
    build, down = _ARMS[name]
    return build(parameters), parameters.get('g', 9.81) * np.array(down, dtype=float)


def joints(case: dict) -> np.ndarray:
    return np.array(case['q'], dtype=float) if 'q' in case else np.radians(case['q_deg'])


def examples(cases: dict, *names: str) -> pytest.MarkDecorator:
    """Parameter `case` of a test that runs these examples."""
    return pytest.mark.parametrize('case', [pytest.param(cases[name], id=name) for name in names])


def symbols(parameters: dict, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> dict:
    """Values of the symbols of the closed forms: parameters, s1 c1 s12 c12 ..., td, tdd, d2 d2dot d2ddot."""
    values = {'g': 9.81, **parameters, 'sin': math.sin}
    for i, (angle, rate, acceleration) in enumerate(zip(q, qd, qdd, strict=True), start=1):
        values |= {f'q{i}': angle, f's{i}': math.sin(angle), f'c{i}': math.cos(angle), f'td{i}': rate,
                   f'tdd{i}': acceleration}
    if len(q) > 1:
        values |= {'s12': math.sin(q[0] + q[1]), 'c12': math.cos(q[0] + q[1]), 'd2': q[1], 'd2dot': qd[1],
                   'd2ddot': qdd[1]}
    return values


def evaluate(form: list | str, values: dict, short: dict | None = None) -> np.ndarray:
    """Value of a closed form; `short`: names it uses for parts of itself."""
    names = dict(values)
    for name, text in (short or {}).items():
        names[name] = eval(text, {'__builtins__': {}}, names)

    def value(item: list | str) -> list | float:
        return [value(part) for part in item] if isinstance(item, list) else eval(item, {'__builtins__': {}}, names)

    return np.array(value(form), dtype=float)


def random_parameters(names: list, generator: np.random.Generator) -> dict:
    """No two differ by a factor 2: three of them are principal moments of a real body."""
    return {name: float(generator.uniform(0.5, 0.95)) for name in names}


def random_chain(generator: np.random.Generator, number: int) -> RobotModel:
    """Revolute and sliding joints in any directions, links of bricks in any orientation."""
    rows = []
    for _ in range(number):
        mass, turn = generator.uniform(0.5, 2.0), Rotation.random(random_state=generator).as_matrix()
        x, y, z = generator.uniform(0.05, 0.3, 3) ** 2
        tensor = turn @ np.diag([y + z, x + z, x + y]) @ turn.T * mass / 12
        rows.append(DhRow(generator.uniform(-np.pi, np.pi), generator.uniform(-0.3, 0.3), generator.uniform(-0.3, 0.3),
                          generator.uniform(-np.pi, np.pi), 'prismatic' if generator.random() < 0.3 else 'revolute',
                          inertial=Inertial(mass, generator.uniform(-0.15, 0.15, 3), 0.5 * (tensor + tensor.T))))
    return RobotModel.from_dh(rows)


def random_state(generator: np.random.Generator, number: int) -> tuple[np.ndarray, ...]:
    """Positions, rates, accelerations."""
    return tuple(generator.uniform(-scale, scale, number) for scale in (np.pi, 2.0, 5.0))
