"""Simulated arms: the rigid-body plant that the `simulated` driver and tests run on."""

from robokin_ros.simulation.plant import Plant

__all__ = ['Plant']
