"""Benchmarks of the kinematics: one file per topic, each with `run(poses) -> list[Row]`."""
