"""The command-line program `robokin`."""
