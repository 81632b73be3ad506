"""Benchmarks of trajectories: one file per topic, each with `run(paths) -> list[Row]`."""
