"""Direct calls of dynamics: one state of one model, without friction and without loads from outside.

The setting of a call is gravity (3) and the reflected rotor inertias (n).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import carray

from robokin_ros.kernels.articulated import WORK as ARTICULATED_WORK
from robokin_ros.kernels.articulated import accelerations
from robokin_ros.kernels.direct import bind
from robokin_ros.kernels.jit import c_function
from robokin_ros.kernels.mass import WORK as MASS_WORK
from robokin_ros.kernels.mass import mass_matrix_into
from robokin_ros.kernels.newton_euler import WORK as NEWTON_EULER_WORK
from robokin_ros.kernels.newton_euler import gravity_only, torques
from robokin_ros.kernels.poses import is_finite
from robokin_ros.model.robot_model import RobotModel

__all__ = ['forward_call', 'gravity_call', 'inverse_call', 'mass_call']

NO_LOADS = np.zeros((0, 6))


@c_function
def inverse_entry(topology, constants, setting, work, bodies, dof, q, qd, qdd, out):
    """Torques of a motion; 1 if a number is not finite."""
    given = carray(setting, 3 + dof)
    return 0 if torques(carray(topology, (bodies, 3)), carray(constants, (bodies, 24)), given[3:], carray(q, dof),
                        carray(qd, dof), carray(qdd, dof), given, NO_LOADS, carray(work, (bodies, NEWTON_EULER_WORK)),
                        carray(out, dof)) else 1


@c_function
def gravity_entry(topology, constants, setting, work, bodies, dof, q, _b, _c, out):
    """Gravity torques; 1 if a number is not finite."""
    joints = carray(q, dof)
    if not is_finite(joints):
        return 1
    gravity_only(carray(topology, (bodies, 3)), carray(constants, (bodies, 24)), joints, carray(setting, 3),
                 carray(work, (bodies, NEWTON_EULER_WORK)), carray(out, dof))
    return 0


@c_function
def mass_entry(topology, constants, setting, work, bodies, dof, q, _b, _c, out):
    """Mass matrix; 1 if a number is not finite."""
    joints = carray(q, dof)
    if not is_finite(joints):
        return 1
    rotor = carray(setting, 3 + dof)[3:]
    mass_matrix_into(carray(topology, (bodies, 3)), carray(constants, (bodies, 24)), rotor, joints,
                     carray(work, (bodies, MASS_WORK)), carray(out, (dof, dof)))
    return 0


@c_function
def forward_entry(topology, constants, setting, work, bodies, dof, q, qd, tau, out):
    """Accelerations under torques; not 0 if a number is not finite or a joint has no inertia."""
    given = carray(setting, 3 + dof)
    joints, rates, efforts = carray(q, dof), carray(qd, dof), carray(tau, dof)
    if not (is_finite(joints) and is_finite(rates) and is_finite(efforts)):
        return 1
    return 1 + accelerations(carray(topology, (bodies, 3)), carray(constants, (bodies, 24)), given[3:], joints, rates,
                             efforts, given, NO_LOADS, carray(work, (bodies, ARTICULATED_WORK)), carray(out, dof))


def inverse_call(model: RobotModel, gravity: np.ndarray) -> Callable[..., Any]:
    """Direct call: q, qd, qdd to torques."""
    return _bound(model, gravity, inverse_entry, 3, (model.dof,), NEWTON_EULER_WORK)


def gravity_call(model: RobotModel, gravity: np.ndarray) -> Callable[..., Any]:
    """Direct call: q to gravity torques."""
    return _bound(model, gravity, gravity_entry, 1, (model.dof,), NEWTON_EULER_WORK)


def mass_call(model: RobotModel) -> Callable[..., Any]:
    """Direct call: q to the mass matrix."""
    return _bound(model, np.zeros(3), mass_entry, 1, (model.dof, model.dof), MASS_WORK)


def forward_call(model: RobotModel, gravity: np.ndarray) -> Callable[..., Any]:
    """Direct call: q, qd, tau to accelerations; None for a model with mimic joints."""
    if len(model.topology) != model.dof:
        return lambda *_: None
    return _bound(model, gravity, forward_entry, 3, (model.dof,), ARTICULATED_WORK)


def _bound(model: RobotModel, gravity: np.ndarray, entry: int, inputs: int, shape: tuple[int, ...],
           work: int) -> Callable[..., Any]:
    bodies = len(model.topology)
    return bind(entry, model.constants, inputs, model.dof, shape, bodies=bodies, topology=model.topology,
                setting=np.concatenate((gravity, model.rotor_inertia)), work=bodies * work)
