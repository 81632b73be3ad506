"""Whether the dynamics of a model is plausible (DYN-22): what wrong equations betray themselves by."""

from __future__ import annotations

import numpy as np

from robokin_ros.dynamics.energy import potential_energy
from robokin_ros.dynamics.forward import forward_dynamics
from robokin_ros.dynamics.inverse import coriolis_torque, gravity_torque, inverse_dynamics
from robokin_ros.dynamics.mass import mass_matrix
from robokin_ros.dynamics.velocity_terms import christoffel_matrix
from robokin_ros.errors import NoDynamicsError
from robokin_ros.model.robot_model import RobotModel

STEP = 1e-5
"""Step of finite differences [rad], [m]."""


def check_model(model: RobotModel, states: int = 5, seed: int = 0) -> list[str]:
    """Sentences on what is wrong with a model's dynamics at random states; none: nothing was found.

    M symmetric and positive definite; V quadratic in the rates; G the slope of the potential energy; Mdot - 2 Vm skew;
    forward dynamics the inverse of inverse dynamics.
    """
    try:
        model.require_dynamics()
    except NoDynamicsError as error:
        return [str(error)]
    generator = np.random.default_rng(seed)
    low = np.where(np.isfinite(model.lower), model.lower, -np.pi)
    high = np.where(np.isfinite(model.upper), model.upper, np.pi)
    findings: dict[str, str] = {}
    for _ in range(states):
        q, qd, qdd = generator.uniform(low, high), *generator.uniform(-1.0, 1.0, (2, model.dof))
        for name, sentence in _look(model, q, qd, qdd).items():
            findings.setdefault(name, f'{sentence} (at q = {np.round(q, 3).tolist()})')
    return list(findings.values())


def _look(model: RobotModel, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> dict[str, str]:
    found = {}
    mass = mass_matrix(model, q)
    size = float(np.max(np.abs(mass)))
    if np.max(np.abs(mass - mass.T)) > 1e-10 * size:
        found['symmetric'] = 'The mass matrix is not symmetric.'
    smallest = float(np.linalg.eigvalsh(mass)[0])
    if not smallest > 0.0:
        found['positive'] = f'The mass matrix is not positive definite: its smallest eigenvalue is {smallest:.3g}.'
    velocity = coriolis_torque(model, q, qd)
    scale = 1.0 + float(np.max(np.abs(velocity)))
    if np.max(np.abs(coriolis_torque(model, q, 3.0 * qd) - 9.0 * velocity)) > 1e-8 * scale:
        found['quadratic'] = 'The velocity torques are not quadratic in the rates.'
    steps = STEP * np.eye(model.dof)
    slope = (potential_energy(model, q + steps) - potential_energy(model, q - steps)) / (2.0 * STEP)
    weight = gravity_torque(model, q)
    if np.max(np.abs(slope - weight)) > 1e-5 * (1.0 + np.max(np.abs(weight))):
        found['slope'] = 'The gravity torques are not the slope of the potential energy.'
    rate = (mass_matrix(model, q + STEP * qd) - mass_matrix(model, q - STEP * qd)) / (2.0 * STEP)
    defect = rate - 2.0 * christoffel_matrix(model, q, qd)
    if np.max(np.abs(defect + defect.T)) > 1e-5 * (1.0 + size):
        found['skew'] = 'Mdot - 2 Vm is not skew: energy would come from nothing.'
    if smallest > 0.0:
        back = forward_dynamics(model, q, qd, inverse_dynamics(model, q, qd, qdd))
        if np.max(np.abs(back - qdd)) > 1e-6 * np.linalg.cond(mass) ** 0.5:
            found['inverse'] = 'Forward dynamics does not give back the accelerations of inverse dynamics.'
    return found
