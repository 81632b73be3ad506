"""Bringing the suite up: what it consists of, and running it without ros2 launch."""
