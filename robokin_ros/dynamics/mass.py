"""The mass matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import joint_rows
from robokin_ros.kernels.mass import mass_matrices
from robokin_ros.model.joint_vector import refuse_non_finite
from robokin_ros.model.robot_model import RobotModel


def mass_matrix(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Symmetric positive definite M(q), (..., n, n) [kg m^2, kg m, kg]; composite rigid bodies (DYN-06)."""
    model.require_dynamics()
    shape, (positions,) = joint_rows(model, q=q)
    matrices = np.empty((*positions.shape, model.dof))
    if not mass_matrices(model.topology, model.constants, model.rotor_inertia, positions, matrices):
        refuse_non_finite(model, q=positions)
    return matrices.reshape(*shape, model.dof)
