"""`robokin equations`: the equations of motion of a small arm, as text, LaTeX or Python."""

from __future__ import annotations

from pathlib import Path

from robokin_ros.cli.inspect_robot import chosen_model
from robokin_ros.dynamics import equations_of_motion
from robokin_ros.errors import RobokinError


def run(robot: str, urdf: str, base: str, tip: str, style: str, numeric: bool, force: bool, output: str) -> int:
    """Print the equations or write them to a file; 0."""
    equations = equations_of_motion(chosen_model(robot, urdf, base, tip), numeric=numeric, force=force)
    written = {'text': equations.text, 'latex': equations.latex, 'python': equations.python}[style]()
    if not output:
        print(written, end='')
        return 0
    try:
        Path(output).write_text(written, encoding='utf-8')
    except OSError as error:
        raise RobokinError(f"The equations cannot be written to '{output}': {error}") from error
    return 0
