"""Servos of the tip in space: transpose and inverse Jacobian, operational space with a posture (CTL-18 to CTL-20)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.control.joint_servos import gains
from robokin_ros.control.laws import JointState
from robokin_ros.dynamics import STANDARD_GRAVITY, gravity_torque, inverse_dynamics, mass_matrix
from robokin_ros.errors import InputError
from robokin_ros.kinematics import bias_acceleration, forward_kinematics, jacobian
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import rotation_vector

Array = NDArray[np.float64]
ALL_ROWS = (0, 1, 2, 3, 4, 5)
DAMPED = 1e-3
"""Ratio of singular values below which a direction is dropped."""
FARTHEST, MOST_TURNED = 0.1, 0.2
"""Error of the tip [m], [rad] beyond which a trajectory has to be planned first."""


@dataclass
class TipReference:
    """Where the tip should be, how fast, with which acceleration: pose (4, 4), twist and its rate (6,) in base axes."""

    pose: Array
    twist: Array
    acceleration: Array


def tip_error(pose: Array, wanted: Array) -> Array:
    """Position error [m] and rotation vector [rad] (6,) in base axes from a pose to the wanted one."""
    return np.concatenate((wanted[:3, 3] - pose[:3, 3], rotation_vector(wanted[:3, :3] @ pose[:3, :3].T)))


class _TipServo:
    """What the laws share: the rows of the task, the error, and a refusal of large steps."""

    def __init__(self, model: RobotModel, rows: Sequence[int], gravity: ArrayLike) -> None:
        if not rows or sorted(set(rows)) != sorted(rows) or not set(rows) <= set(ALL_ROWS):
            raise InputError(f'Rows are different numbers from 0 to 5, got {list(rows)}.', field='rows', value=rows)
        self.model, self.rows, self.gravity = model, list(rows), gravity
        self._begun = False

    def _task(self, state: JointState, reference: TipReference) -> tuple[Array, Array]:
        """Error and Jacobian of the rows; InputError for a first error that is too large."""
        error = tip_error(forward_kinematics(self.model, state.position), reference.pose)[self.rows]
        if not self._begun:
            for part, most, unit in ((error[[r < 3 for r in self.rows]], FARTHEST, 'm'),
                                     (error[[r > 2 for r in self.rows]], MOST_TURNED, 'rad')):
                away = float(np.linalg.norm(part))
                if away > 1.2 * most:
                    raise InputError(f'The tip is {away:.4g} {unit} away from its reference; beyond {most:g} {unit} '
                                     'plan a trajectory first.', field='reference')
            self._begun = True
        return error, jacobian(self.model, state.position)[self.rows]


class TransposeJacobian(_TipServo):
    """tau = J^T (K_p dX + K_v (Xd_d - J qd)) + G: needs no inverse, safe (but able to stall) at singularities (10.16).

    `stiffness` [N/m, N m/rad], `damping` [N s/m, N m s/rad]: one for all rows of the task, or one each.
    """

    def __init__(self, model: RobotModel, stiffness: ArrayLike, damping: ArrayLike, rows: Sequence[int] = ALL_ROWS,
                 gravity_compensation: bool = True, gravity: ArrayLike = STANDARD_GRAVITY) -> None:
        super().__init__(model, rows, gravity)
        self.stiffness, self.damping = (np.broadcast_to(np.asarray(v, dtype=float), (len(rows),))
                                        for v in (stiffness, damping))
        self.gravity_compensation = gravity_compensation

    def update(self, state: JointState, reference: TipReference, dt: float) -> Array:
        """Torque before saturation."""
        error, matrix = self._task(state, reference)
        force = self.stiffness * error + self.damping * (reference.twist[self.rows] - matrix @ state.velocity)
        torque = matrix.T @ force
        if self.gravity_compensation:
            torque = torque + gravity_torque(self.model, state.position, self.gravity)
        return np.asarray(torque)


class InverseJacobian(_TipServo):
    """tau = K_p J^-1 dX - K_v qd + G; directions that the arm has lost are left out.

    `stiffness` [N m/rad], `damping` [N m s/rad] of the joints.
    """

    def __init__(self, model: RobotModel, stiffness: ArrayLike, damping: ArrayLike, rows: Sequence[int] = ALL_ROWS,
                 gravity: ArrayLike = STANDARD_GRAVITY) -> None:
        super().__init__(model, rows, gravity)
        self.stiffness, self.damping = gains(model, 'stiffness', stiffness), gains(model, 'damping', damping)

    def update(self, state: JointState, reference: TipReference, dt: float) -> Array:
        """Torque before saturation."""
        error, matrix = self._task(state, reference)
        step = np.linalg.pinv(matrix, rcond=DAMPED) @ error
        return (self.stiffness * step - self.damping * state.velocity
                + gravity_torque(self.model, state.position, self.gravity))


class OperationalSpace(_TipServo):
    """The tip as a unit mass in space, decoupled (10.53)-(10.54); what is left of the joints holds a posture.

    tau = J^T Lambda (a - Jdot qd) + N^T M (kp (q_0 - q) - kv qd) + V + G, with a = Xdd_d + k_v dXd + k_p dX.

    Parameters
    ----------
    bandwidth, damping_ratio
        Of the tip [rad/s].
    posture, posture_bandwidth
        Joint vector q_0 of redundant arms, and how strongly it is held [rad/s]; None: only damped.
    """

    def __init__(self, model: RobotModel, bandwidth: float, damping_ratio: float = 1.0,
                 rows: Sequence[int] = ALL_ROWS, posture: ArrayLike | None = None, posture_bandwidth: float = 5.0,
                 gravity: ArrayLike = STANDARD_GRAVITY) -> None:
        super().__init__(model, rows, gravity)
        for name, value in (('bandwidth', bandwidth), ('damping_ratio', damping_ratio),
                            ('posture_bandwidth', posture_bandwidth)):
            if not 0.0 < value < np.inf:
                raise InputError(f'{name} is {value}; it must be positive and finite.', field=name, value=value)
        self.k_p, self.k_v = bandwidth**2, 2.0 * damping_ratio * bandwidth
        self.posture = None if posture is None else np.asarray(posture, dtype=float)
        self.posture_k_p, self.posture_k_v = posture_bandwidth**2, 2.0 * posture_bandwidth

    def update(self, state: JointState, reference: TipReference, dt: float) -> Array:
        """Torque before saturation."""
        model, q, qd = self.model, state.position, state.velocity
        error, matrix = self._task(state, reference)
        wanted = (reference.acceleration[self.rows] + self.k_v * (reference.twist[self.rows] - matrix @ qd)
                  + self.k_p * error)
        mass = mass_matrix(model, q)
        mobility = matrix @ np.linalg.solve(mass, matrix.T)
        apparent = np.linalg.pinv(mobility, rcond=DAMPED**2, hermitian=True)  # a lost direction is let go
        force = apparent @ (wanted - bias_acceleration(model, q, qd)[self.rows])
        held = -self.posture_k_v * qd
        if self.posture is not None:
            held = held + self.posture_k_p * (self.posture - q)
        free = mass @ held
        rest = free - matrix.T @ (apparent @ (matrix @ np.linalg.solve(mass, free)))
        return matrix.T @ force + rest + inverse_dynamics(model, q, qd, np.zeros(model.dof), self.gravity)
