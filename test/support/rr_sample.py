"""The reference arm of CAP-02, its cases, and straight lines of its hand as paths of its joints (CAP-04, CAP-05)."""

import numpy as np

from robokin_ros.model import RobotModel
from robokin_ros.trajectory import TorqueLimits

LINK = """<link name="link_{0}"><inertial><origin xyz="{1} 0 0"/><mass value="{2}"/>
<inertia ixx="{3}" iyy="{4}" izz="{4}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="joint_{0}" type="continuous"><parent link="{1}"/><child link="link_{0}"/>
<origin xyz="{2} 0 0"/><axis xyz="0 0 1"/></joint>"""


def rr_arm(arm, payload=0.0):
    """Model of two slender rods; `payload` [kg] is a point at the hand."""
    parts = []
    for i, length in enumerate((arm['l1'], arm['l2']), start=1):
        thick = length / arm['kappa']
        mass = np.pi * thick**2 / 4.0 * length * arm['rho']
        parts.append(LINK.format(i, length / 2.0, mass, mass * thick**2 / 8.0, mass * length**2 / 12.0))
    hand = f"""<link name="hand"/><joint name="grip" type="fixed"><parent link="link_2"/><child link="hand"/>
<origin xyz="{arm['l2']} 0 0"/></joint>"""
    text = ('<robot name="rr_sample"><link name="base"/>' + ''.join(parts) + JOINT.format(1, 'base', 0.0)
            + JOINT.format(2, 'link_1', arm['l1']) + hand + '</robot>')
    model = RobotModel.from_urdf(text, tip='hand')
    return model.with_payload(payload) if payload else model


def case(data, name):
    """Arm data of a reference case: those of rr_sample, and what differs."""
    given = dict(data['rr_sample'])
    given.update(data['cases'][name])
    return given | given['differs_in']


def limits(given, droop=True, clipped=False):
    """Torque limits of a case."""
    return TorqueLimits(given['torque_limits'], droop=given['F'] if droop else 0.0, clipped=clipped)


class Line:
    """Joints that lead the hand along a straight line, p in [0, 1], elbow by `sigma`."""

    def __init__(self, arm, start, goal, sigma=-1):
        self.l1, self.l2, self.sigma = arm['l1'], arm['l2'], sigma
        self.start, self.along = np.array(start, float), np.subtract(goal, start).astype(float)

    def joints(self, p):
        x, y = (self.start + p[:, None] * self.along).T
        h = (x * x + y * y - self.l1**2 - self.l2**2) / (2.0 * self.l1 * self.l2)
        second = np.arctan2(self.sigma * np.sqrt(1.0 - h * h), h)
        first = np.arctan2(y, x) - np.arctan2(self.l2 * np.sin(second), self.l1 + self.l2 * np.cos(second))
        first = np.mod(first, 2.0 * np.pi)
        return np.stack((first, second), axis=1)

    def jacobian(self, q, rates=None):
        """Of the hand's position, or its rate."""
        a, b = q[:, 0], q[:, 0] + q[:, 1]
        s1, c1, s2, c2 = self.l1 * np.sin(a), self.l1 * np.cos(a), self.l2 * np.sin(b), self.l2 * np.cos(b)
        if rates is None:
            return np.moveaxis(np.array([[-s1 - s2, -s2], [c1 + c2, c2]]), 2, 0)
        da, db = rates[:, 0], rates[:, 0] + rates[:, 1]
        return np.moveaxis(np.array([[-c1 * da - c2 * db, -c2 * db], [-s1 * da - s2 * db, -s2 * db]]), 2, 0)

    def __call__(self, p):
        return self.joints(np.atleast_1d(p))

    def derivative(self, order):
        def curve(p):
            at = np.atleast_1d(p)
            along = np.tile(self.along[:, None], (len(at), 1, 1))
            first = np.linalg.solve(self.jacobian(self.joints(at)), along)[:, :, 0]
            if order == 1:
                return first
            q = self.joints(at)
            bend = -(self.jacobian(q, first) @ first[:, :, None])
            return np.linalg.solve(self.jacobian(q), bend)[:, :, 0]
        return curve
