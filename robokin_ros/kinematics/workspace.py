"""What an arm can reach: clouds and slices by sampling joints, points by inverse kinematics (KIN-22)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError
from robokin_ros.kinematics.forward import forward_kinematics
from robokin_ros.kinematics.ik_options import IkOptions
from robokin_ros.kinematics.ik_result import IkBatch
from robokin_ros.kinematics.inverse import inverse_kinematics
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.spatial import make_transform, matrix_from_quaternion
from robokin_ros.spatial.rotation import finite

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]
"""Called with what is done and what there is to do."""
CHUNK = 50_000
PLANES = {'xy': (0, 1, 2), 'xz': (0, 2, 1), 'yz': (1, 2, 0)}


def workspace_cloud(model: RobotModel, count: int = 20_000, seed: int = 0, progress: Progress | None = None) -> Array:
    """Positions (count, 3) [m] of the tip for joints spread evenly within their limits; the same for the same seed."""
    if not 1 <= count <= 100_000_000:
        raise InputError(f'count is {count}; it must be from 1 to 100000000.', field='count', value=count)
    low = np.where(np.isfinite(model.lower), model.lower, -np.pi)
    high = np.where(np.isfinite(model.upper), model.upper, np.pi)
    generator = np.random.default_rng(seed)
    points = np.empty((count, 3))
    for begin in range(0, count, CHUNK):
        end = min(begin + CHUNK, count)
        points[begin:end] = forward_kinematics(model, generator.uniform(low, high, (end - begin, model.dof)))[:, :3, 3]
        if progress is not None:
            progress(end, count)
    return points


@dataclass(frozen=True)
class WorkspaceSlice:
    """Where the tip can be in a plane.

    Attributes
    ----------
    plane
        'xy', 'xz' or 'yz'.
    at, thickness
        Place of the plane along the third axis [m], and how thick it is.
    first, second
        Edges [m] of the cells along the two axes, (u + 1,) and (v + 1,).
    hits
        (u, v) how many samples fell into each cell; 0: not reached by any.
    """

    plane: str
    at: float
    thickness: float
    first: Array
    second: Array
    hits: NDArray[np.int64]

    @property
    def area(self) -> float:
        """Area [m^2] of the cells that are reached."""
        cell = (self.first[1] - self.first[0]) * (self.second[1] - self.second[0])
        return float(np.sum(self.hits > 0) * cell)

    def centers(self) -> Array:
        """Centres (k, 3) [m] of the cells that are reached."""
        u, v = np.nonzero(self.hits)
        a, b, c = PLANES[self.plane]
        points = np.empty((len(u), 3))
        points[:, a] = 0.5 * (self.first[u] + self.first[u + 1])
        points[:, b] = 0.5 * (self.second[v] + self.second[v + 1])
        points[:, c] = self.at
        return points


def workspace_slice(
    model: RobotModel,
    plane: str = 'xz',
    at: float = 0.0,
    thickness: float | None = None,
    cells: int = 80,
    count: int = 500_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> WorkspaceSlice:
    """Occupancy of a plane of the reachable workspace, within joint limits, by sampling the joints."""
    if plane not in PLANES:
        raise InputError(f"plane is '{plane}'; it must be one of {', '.join(PLANES)}.", field='plane', value=plane)
    if not (np.isfinite(at) and 2 <= cells <= 2000):
        raise InputError(f'A slice is at {at} m with {cells} cells; it must be finite and have from 2 to 2000 cells.',
                         field='cells', value=cells)
    points = workspace_cloud(model, count, seed, progress)
    a, b, c = PLANES[plane]
    reach = float(np.max(np.abs(points), initial=1e-9)) * 1.02
    if thickness is None:
        thickness = max(2.0 * reach / cells, 1e-9)
    if not thickness > 0.0:
        raise InputError(f'thickness is {thickness} m; it must be positive.', field='thickness', value=thickness)
    inside = points[np.abs(points[:, c] - at) <= 0.5 * thickness]
    edges = np.linspace(-reach, reach, cells + 1)
    hits, _, _ = np.histogram2d(inside[:, a], inside[:, b], bins=(edges, edges))
    return WorkspaceSlice(plane, at, thickness, edges, edges, hits.astype(np.int64))


def is_reachable(model: RobotModel, points: ArrayLike, options: IkOptions | None = None) -> NDArray[np.bool_]:
    """Whether the tip can be at points (..., 3) [m] in some orientation within limits."""
    where = finite(points, 'points', (3,))
    poses = make_transform(np.eye(3), where.reshape(-1, 3))
    found = inverse_kinematics(
        model, poses, all_solutions=False, options=options or IkOptions(position_only=True, starts=30)
    )
    assert isinstance(found, IkBatch)
    return np.asarray(found.counts > 0).reshape(where.shape[:-1])


def dexterity(model: RobotModel, points: ArrayLike, orientations: int = 60, progress: Progress | None = None) -> Array:
    """Share (...) of evenly spread orientations that the tip can have at points (..., 3) [m]; 1 is dexterous."""
    where = finite(points, 'points', (3,))
    flat = where.reshape(-1, 3)
    rotations = spread_rotations(orientations)
    share = np.empty(len(flat))
    for i, point in enumerate(flat):
        found = inverse_kinematics(model, make_transform(rotations, point), all_solutions=False,
                                   options=IkOptions(starts=20))
        assert isinstance(found, IkBatch)
        share[i] = np.mean(found.counts > 0)
        if progress is not None:
            progress(i + 1, len(flat))
    return share.reshape(where.shape[:-1])


def spread_rotations(count: int) -> Array:
    """Rotations (count, 3, 3) spread evenly: a super-Fibonacci spiral on the quaternions."""
    if not 1 <= count <= 1_000_000:
        raise InputError(f'{count} orientations; there must be from 1 to 1000000.', field='orientations', value=count)
    s = (np.arange(count) + 0.5) / count
    first, second = 2.0 * np.pi * s * count / np.sqrt(2.0), 2.0 * np.pi * s * count / 1.533751168755204288118041
    small, large = np.sqrt(s), np.sqrt(1.0 - s)
    return matrix_from_quaternion(np.stack((small * np.sin(first), small * np.cos(first), large * np.sin(second),
                                            large * np.cos(second)), axis=-1))
