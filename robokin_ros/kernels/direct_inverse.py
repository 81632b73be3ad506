"""Direct call of inverse kinematics: one pose of an arm with a table of six joints, every branch within limits.

The result is one row: number of branches, branches that break a limit, free joints (bits), then room for `BRANCHES`
branches: their joints, their residuals, their limit margins. Its topology is that of the model, followed by the bodies
and the joints of the chain, the joints of the table and whether they slide.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import carray

from robokin_ros.kernels.closed_form import BRANCHES, solve_six
from robokin_ros.kernels.direct import bind
from robokin_ros.kernels.jit import c_function, part
from robokin_ros.kernels.packed_chain import is_finite
from robokin_ros.kernels.poses import is_pose
from robokin_ros.kernels.solution_list import smallest_margins
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial.rotation import ORTHONORMAL_STRICT

__all__ = ['six_call']

HEAD = 3
"""Numbers before the branches."""
FARTHEST = 1e6
"""Poses farther away [m], and seeds that are larger, take the general way."""
UNIT = 2e-3
"""Largest difference from 1 of the square of a quaternion's length."""
SETTING = 88
"""Numbers of a setting before the limits of the joints."""


@part
def six_row(topology, constants, setting, bodies, dof, poses, seeds, result):
    """Every branch; not 0 if there is none, or pose or seed need a closer look."""
    if not is_finite(seeds[0]) or not is_pose(poses[0], ORTHONORMAL_STRICT):
        return 1
    for i in range(3):
        if abs(poses[0, i, 3]) > FARTHEST:
            return 1
    for i in range(dof):
        if abs(seeds[0, i]) > FARTHEST:
            return 1
    values = carray(setting, SETTING + 2 * dof)
    lower, upper = values[SETTING:SETTING + dof], values[SETTING + dof:]
    chain, moved = int(values[0]), int(values[0]) + int(values[1])
    indices = carray(topology, 3 * bodies + moved + 12)[3 * bodies:]
    out = carray(result, HEAD + BRANCHES * (dof + 3))
    solutions = out[HEAD:HEAD + BRANCHES * dof].reshape((1, BRANCHES, dof))
    residuals = out[HEAD + BRANCHES * dof:HEAD + BRANCHES * (dof + 2)].reshape((1, BRANCHES, 2))
    counts, blocked, free = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    solve_six(int(values[2]), int(values[3]), values[8:32].reshape((6, 4)), values[32:38], values[38:44],
              indices[moved:moved + 6], indices[moved + 6:], values[44:60].reshape((4, 4)),
              values[60:76].reshape((4, 4)), values[4], carray(topology, (bodies, 3)),
              carray(constants, (bodies, 24)), indices[:chain], values[76:88], lower, upper, seeds, poses, values[5:7],
              solutions, residuals, counts, blocked, free)
    if counts[0] == 0:
        return 2
    out[0], out[1], out[2] = counts[0], blocked[0], free[0] & int(values[7])
    smallest_margins(solutions[0, :counts[0]], lower, upper, indices[chain:moved],
                     out[HEAD + BRANCHES * (dof + 2):HEAD + BRANCHES * (dof + 2) + counts[0]])
    return 0


@c_function
def matrix_entry(topology, constants, setting, _work, bodies, dof, pose, seed, _c, result):
    """Branches of a pose given as a 4x4 matrix."""
    return six_row(topology, constants, setting, bodies, dof, carray(pose, (1, 4, 4)), carray(seed, (1, dof)), result)


@c_function
def quaternion_entry(topology, constants, setting, _work, bodies, dof, pose, seed, _c, result):
    """Branches of a pose given as position and unit quaternion x, y, z, w."""
    given = carray(pose, 7)
    x, y, z, w = given[3], given[4], given[5], given[6]
    square = x * x + y * y + z * z + w * w
    if not abs(square - 1.0) <= UNIT:
        return 1
    s = 2.0 / square
    poses = np.zeros((1, 4, 4))
    matrix = poses[0]
    matrix[0, 0], matrix[0, 1], matrix[0, 2] = 1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)
    matrix[1, 0], matrix[1, 1], matrix[1, 2] = s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)
    matrix[2, 0], matrix[2, 1], matrix[2, 2] = s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)
    matrix[0, 3], matrix[1, 3], matrix[2, 3], matrix[3, 3] = given[0], given[1], given[2], 1.0
    return six_row(topology, constants, setting, bodies, dof, poses, carray(seed, (1, dof)), result)


def six_call(model: RobotModel, solver: Any, real: int, tolerance: np.ndarray,
             quaternion: bool = False) -> Callable[..., Any]:
    """Direct call: pose and seed to every branch, for a `SixJoints`; `real`: bits of the joints the arm has.

    The pose is (4, 4), or (7,) position and `quaternion`.
    """
    table = (solver.table, solver.offset, solver.sign, solver.to_base, solver.to_flange, model.tip_placement,
             model.lower, model.upper)
    head = [len(model.chain), len(model.chain_joints), solver.kind, solver.first, solver.size, *tolerance, real]
    indices = (model.topology.ravel(), model.chain, model.chain_joints, solver.joints, solver.slides)
    entry, form = (quaternion_entry, (7,)) if quaternion else (matrix_entry, (4, 4))
    return bind(entry, model.constants, (form, (model.dof,)), model.dof, (HEAD + BRANCHES * (model.dof + 3),),
                bodies=len(model.topology), topology=np.concatenate(indices).astype(np.int64),
                setting=np.concatenate((head, *(np.ravel(part) for part in table))))
