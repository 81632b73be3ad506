"""`robokin workspace`: what an arm reaches, as a picture of a slice, with the area and the extent of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress

from robokin_ros.cli.inspect_robot import chosen_model
from robokin_ros.errors import RobokinError
from robokin_ros.kinematics import WorkspaceSlice, workspace_slice


def run(robot: str, urdf: str, base: str, tip: str, plane: str, at: float, cells: int, samples: int, picture: str,
        as_json: bool) -> int:
    """Sample, draw, print; 0."""
    model = chosen_model(robot, urdf, base, tip)
    console = Console(highlight=False, stderr=True)
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task('sampling joints', total=samples)
        found = workspace_slice(model, plane, at, cells=cells, count=samples,
                                progress=lambda done, _: progress.update(task, completed=done))
    centers = found.centers()
    low, high = (centers.min(axis=0), centers.max(axis=0)) if len(centers) else (np.zeros(3), np.zeros(3))
    if picture:
        try:
            draw(found, model.name, Path(picture))
        except (OSError, ValueError) as error:
            raise RobokinError(f"The picture '{picture}' cannot be written: {error}") from error
    if as_json:
        print(json.dumps({'robot': model.name, 'plane': plane, 'at': at, 'thickness': found.thickness,
                          'area': found.area, 'lowest': low.tolist(), 'highest': high.tolist(), 'picture': picture}))
        return 0
    print(f'{model.name}, plane {plane} at {at:g} m ({found.thickness:.3g} m thick): {found.area:.4g} m^2 reached, '
          f"from ({', '.join(f'{v:.3g}' for v in low)}) to ({', '.join(f'{v:.3g}' for v in high)}) m"
          + (f'; drawn in {picture}' if picture else ''))
    return 0


def draw(found: WorkspaceSlice, name: str, path: Path) -> None:
    """Write a picture of a slice: how often each cell was reached."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(6.0, 5.2), layout='constrained')
    shown = np.where(found.hits > 0, found.hits, np.nan).T
    mesh = axes.pcolormesh(found.first, found.second, shown, cmap='viridis', norm='log' if np.any(found.hits) else None)
    figure.colorbar(mesh, label='samples per cell')
    axes.set(aspect='equal', xlabel=f'{found.plane[0]} [m]', ylabel=f'{found.plane[1]} [m]',
             title=f'{name}: reachable workspace, {found.area:.3g} m²')
    axes.plot(0.0, 0.0, '+', color='black')
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
