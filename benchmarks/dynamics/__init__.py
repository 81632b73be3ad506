"""Benchmarks of the dynamics: one file per topic, each with `run(states) -> list[Row]`."""
