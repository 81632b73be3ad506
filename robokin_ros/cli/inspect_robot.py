"""`robokin inspect`: what the suite finds in a robot description; the class of its inverse kinematics, and why."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from robokin_ros.kinematics import model_report
from robokin_ros.model import RobotModel, load_robot


def chosen_model(robot: str, urdf: str, base: str, tip: str) -> RobotModel:
    """Model of a robot by name, or of a file; with base and tip, the part between them."""
    if not (urdf or base or tip):
        return load_robot(robot)
    source: str | Path = Path(urdf) if urdf else load_robot(robot).urdf
    return RobotModel.from_urdf(source, base or None, tip or None)


def run(robot: str, urdf: str, base: str, tip: str, as_json: bool, degrees: bool) -> int:
    """Print the report; 0."""
    model = chosen_model(robot, urdf, base, tip)
    found = model_report(model)
    if as_json:
        print(json.dumps(found, indent=2))
        return 0
    console = Console(highlight=False)
    console.print(f"[bold]{found['name']}[/]: {len(found['joints'])} joints, {len(found['links'])} links, base "
                  f"'{found['base']}', tip '{found['tip']}', reach about {found['reach']:.3g} m")
    kind = found['inverse_kinematics']
    console.print(f"Inverse kinematics: [bold]{kind['class']}[/]. {kind['reason']}")
    console.print(
        'Dynamics: ' + (found['dynamics'] if found['dynamics'] == 'complete' else f'none: {found["dynamics"]}')
    )
    factor, unit = (180.0 / np.pi, 'deg') if degrees else (1.0, 'rad')
    table = Table(title=f'joints ({unit}, m)', title_justify='left', box=None)
    for heading in ('joint', 'type', 'lower', 'upper', 'velocity', 'effort', 'moves the tip'):
        table.add_column(heading, justify='left' if heading in ('joint', 'type') else 'right')
    for joint in found['joints']:
        scale = 1.0 if joint['type'] == 'prismatic' else factor
        table.add_row(
            joint['name'],
            joint['type'],
            *(_cell(joint[key], scale) for key in ('lower', 'upper', 'velocity')),
            _cell(joint['effort'], 1.0),
            'yes' if joint['moves_tip'] else 'no',
        )
    console.print(table)
    if found['dh']:
        table = Table(
            title=f'modified DH parameters ({unit}, m): Rx(alpha) Dx(a) Rz(theta) Dz(d), theta or d plus sign times '
            'the joint',
            title_justify='left',
            box=None,
        )
        for heading in ('joint', 'alpha', 'a', 'd', 'theta', 'sign'):
            table.add_column(heading, justify='left' if heading == 'joint' else 'right')
        for row in found['dh']:
            table.add_row(row['joint'], f"{row['alpha'] * factor:.6g}", f"{row['a']:.6g}", f"{row['d']:.6g}",
                          f"{row['theta'] * factor:.6g}", f"{row['sign']:+d}")
        console.print(table)
    for warning in found['warnings']:
        console.print(f'[dim]{warning}')
    return 0


def _cell(value: float | None, scale: float) -> str:
    return 'none' if value is None else f'{value * scale:.4g}'
