"""What dynamics costs: operations of the formulations, and why torques are not tabulated (DYN-15, DYN-16)."""

from __future__ import annotations


def newton_euler_operations(joints: int) -> tuple[int, int]:
    """Multiplications and additions of the iterative Newton-Euler method, Craig 6.13."""
    return 126 * joints - 99, 106 * joints - 92


def lagrangian_operations(joints: int) -> tuple[int, int]:
    """Multiplications and additions of the early Lagrangian formulation, Craig 6.13."""
    n = joints
    return (32 * n**4 + 86 * n**3 + 171 * n**2 + 53 * n - 128, 25 * n**4 + 66 * n**3 + 129 * n**2 + 42 * n - 96)


def table_size(joints: int, bins: int) -> int:
    """Words of a table of torques over positions, rates and accelerations, `bins` values each."""
    return joints * (bins**3) ** joints
