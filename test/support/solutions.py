"""Comparing sets of inverse solutions, and an independent forward kinematics of DH tables."""

from __future__ import annotations

import numpy as np

from robokin_ros.model import RobotModel


def solutions(response) -> np.ndarray:
    """Joint vectors (k, n) of a response of `compute_ik`."""
    return np.reshape(response.positions, (-1, len(response.joint_names)))


def circle(angles: np.ndarray) -> np.ndarray:
    """Size of angles modulo whole turns."""
    return np.abs(np.mod(np.asarray(angles) + np.pi, 2.0 * np.pi) - np.pi)


def apart(solutions: np.ndarray, q: np.ndarray, slides: np.ndarray | None = None) -> np.ndarray:
    """Largest difference of each solution from q; angles modulo whole turns."""
    difference = np.asarray(solutions) - q
    turning = circle(difference)
    return np.max(turning if slides is None else np.where(slides, np.abs(difference), turning), axis=-1)


def sliding(model: RobotModel) -> np.ndarray:
    """Which joints slide."""
    return np.array([kind == 'prismatic' for kind in model.joint_types])


def contains(solutions: np.ndarray, q: np.ndarray, tolerance: float, slides: np.ndarray | None = None) -> bool:
    """Whether one of the solutions is q, up to whole turns."""
    return len(solutions) > 0 and bool(np.min(apart(solutions, q, slides)) < tolerance)


def assert_same_set(solutions: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    """The same solutions in any order, angles modulo whole turns."""
    solutions, expected = np.asarray(solutions), np.asarray(expected)
    assert len(solutions) == len(expected), f'{np.degrees(solutions)} instead of {np.degrees(expected)}'
    for q in expected:
        assert contains(solutions, q, tolerance), f'{np.degrees(q)} is not among {np.degrees(solutions)}'


def link_matrix(alpha: float, a: float, d: float, theta: float) -> np.ndarray:
    """Craig (3.6), element by element."""
    ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
    return np.array([[ct, -st, 0.0, a], [st * ca, ct * ca, -sa, -sa * d], [st * sa, ct * sa, ca, ca * d],
                     [0.0, 0.0, 0.0, 1.0]])


def table_pose(table: np.ndarray, q: np.ndarray, slides: np.ndarray | None = None) -> np.ndarray:
    """Pose of the last frame of a modified DH table (alpha, a, d, theta) at q."""
    pose = np.eye(4)
    moves = np.zeros(len(q), dtype=bool) if slides is None else slides
    for (alpha, a, d, theta), value, slide in zip(table, q, moves, strict=True):
        pose = pose @ (link_matrix(alpha, a, d + value, theta) if slide else link_matrix(alpha, a, d, theta + value))
    return pose


def pose_distance(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Distance [m] and angle [rad] between poses, by the Frobenius norm of the difference of rotations."""
    chord = np.linalg.norm(one[:3, :3] - other[:3, :3]) / np.sqrt(8.0)
    return float(np.linalg.norm(one[:3, 3] - other[:3, 3])), float(2.0 * np.arcsin(min(chord, 1.0)))
