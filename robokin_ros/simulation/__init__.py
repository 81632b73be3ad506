"""Simulated arms: the rigid-body plant that the `simulated` driver runs on, and integrators for smooth motions."""

from robokin_ros.simulation.integrators import Run, simulate, update
from robokin_ros.simulation.plant import Plant

__all__ = ['Plant', 'Run', 'simulate', 'update']
