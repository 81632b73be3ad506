"""Paths of the tip in space, and the joint paths that follow them."""
