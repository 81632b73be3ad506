"""The mass matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import joint_rows, refuse_rows
from robokin_ros.kernels.direct_dynamics import mass_call
from robokin_ros.kernels.mass_lanes import mass_matrices
from robokin_ros.kinematics.threads import in_parts
from robokin_ros.model.robot_model import RobotModel


def mass_matrix(model: RobotModel, q: ArrayLike, threads: int | None = 1) -> NDArray[np.float64]:
    """Symmetric positive definite M(q), (..., n, n) [kg m^2, kg m, kg]; composite rigid bodies (DYN-06)."""
    try:
        matrix = model.calls['mass matrix'](q)
    except KeyError:
        model.require_dynamics()
        model.calls['mass matrix'] = mass_call(model)
        return mass_matrix(model, q, threads)
    if matrix is not None:
        return matrix
    return _matrices(model, q, threads)


def _matrices(model: RobotModel, q: ArrayLike, threads: int | None) -> NDArray[np.float64]:
    """The general way: any shape, checked, batches over lanes and threads."""
    shape, (positions,) = joint_rows(model, q=q)
    matrices = np.empty((*positions.shape, model.dof))

    def work(part: slice) -> None:
        if not mass_matrices(model.topology, model.constants, model.rotor_inertia, positions[part], matrices[part]):
            refuse_rows(model, shape, q=positions)

    in_parts(len(positions), threads, work)
    return matrices.reshape(*shape, model.dof)
