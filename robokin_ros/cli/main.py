"""The command-line program `robokin`: its commands and options. What a command does lives in a file of its name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from robokin_ros.errors import RobokinError


class RobokinGroup(click.Group):
    """Prints the library's errors as one sentence."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except RobokinError as error:
            raise click.ClickException(str(error)) from error
        except ModuleNotFoundError as error:
            if error.name and error.name.split('.')[0].startswith('robokin_ros'):
                raise
            raise click.ClickException(
                f"The Python module '{error.name}' is not installed. This command needs ROS 2 and the interfaces: "
                'source a ROS 2 installation with robokin_ros, or run ./robokin in a checkout.') from error


def system_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of bring-up: one per field of `SystemOptions`, as the launch file has them as arguments."""
    from dataclasses import fields

    from robokin_ros.bringup.options import OPTION_HELP, SystemOptions
    for item in reversed(fields(SystemOptions)):
        flag = isinstance(item.default, bool)
        command = click.option(f"--{item.name.replace('_', '-')}", default=item.default, is_flag=flag,
                               show_default=not flag and bool(item.default), help=OPTION_HELP[item.name])(command)
    return command


def robot_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that choose a robot without bringing it up."""
    for name, default, text in (
            ('tip', '', 'Tip link; empty to choose it from the description.'),
            ('base', '', 'Base link; empty for the root.'),
            ('urdf', '', 'Path of your own URDF or xacro file; takes the place of --robot.'),
            ('robot', 'puma560', "A robot shipped in urdf/, or one of the textbook's arms.")):
        command = click.option(f'--{name}', default=default, show_default=bool(default), help=text)(command)
    return command


@click.group(cls=RobokinGroup, context_settings={'help_option_names': ['-h', '--help']})
@click.version_option(package_name='robokin_ros')
def main() -> None:
    """One URDF in; kinematics, dynamics, trajectories, control and simulation out."""


@main.command()
def setup() -> None:
    """Prepare the environment (every command does) and say what is there."""
    from robokin_ros.cli.doctor import show
    sys.exit(show())


@main.command()
@system_options
def up(**options: Any) -> None:
    """Bring the suite up, one process per node, until Ctrl-C."""
    from robokin_ros.bringup.options import SystemOptions
    from robokin_ros.cli.up import run
    sys.exit(run(SystemOptions(**options)))


@main.command()
@click.option('--robot', default='puma560', show_default=True, help='Name of a robot shipped in urdf/.')
@click.option('--urdf', default='', help='Path of your own URDF or xacro file; takes the place of --robot.')
@click.option('--exit', 'leave', is_flag=True, help='End after the demonstration instead of staying up.')
@click.option('--report', default='robokin_report', show_default=True, help='Folder for the report.')
@click.option('--observe', default=0.0, help='Seconds to watch the control loop besides, for its statistics.')
def demo(**options: Any) -> None:
    """Bring the suite up, move an arm, let it float, check and measure it all."""
    from robokin_ros.cli.demo import run
    sys.exit(run(**options))


@main.command(context_settings={'ignore_unknown_options': True})
@click.argument('pytest_arguments', nargs=-1, type=click.UNPROCESSED)
def test(pytest_arguments: tuple[str, ...]) -> None:
    """Run lint, types, contracts and tests; with arguments, only pytest with these."""
    from robokin_ros.cli.test import run
    sys.exit(run(pytest_arguments))


@main.command(context_settings={'ignore_unknown_options': True})
@click.argument('arguments', nargs=-1, type=click.UNPROCESSED)
def bench(arguments: tuple[str, ...]) -> None:
    """Measure beside Pinocchio, EAIK, ssik and others: [kinematics|dynamics|forward|batch|...] [--poses N]."""
    from robokin_ros.cli.bench import run
    sys.exit(run(arguments))


@main.command()
@robot_options
@click.option('--json', 'as_json', is_flag=True, help='Print JSON (SI units) instead of tables.')
@click.option('--degrees', is_flag=True, help='Angles in degrees.')
def inspect(**options: Any) -> None:
    """Show joints, detected DH parameters and which inverse kinematics an arm has, and why."""
    from robokin_ros.cli.inspect_robot import run
    sys.exit(run(**options))


@main.command()
@robot_options
@click.option('--plane', default='xz', show_default=True, help='Plane of the slice: xy, xz or yz.')
@click.option('--at', default=0.0, show_default=True, help='Place of the plane along the third axis [m].')
@click.option('--cells', default=80, show_default=True, help='Cells along each axis.')
@click.option('--samples', default=5_000_000, show_default=True, help='Joint vectors to try.')
@click.option('--picture', default='', help='PNG file to draw.')
@click.option('--json', 'as_json', is_flag=True, help='Print JSON (SI units).')
def workspace(**options: Any) -> None:
    """Draw a slice of what an arm reaches within its joint limits."""
    from robokin_ros.cli.workspace import run
    sys.exit(run(**options))


@main.command()
@robot_options
@click.option('--start', default='', help='Joint vector, comma-separated [rad, m]; empty: the middle of the limits.')
@click.option('--goal', multiple=True,
              help='Joint vector; several: a path over them. With --path lin: offset x,y,z [m].')
@click.option('--path', 'move', type=click.Choice(['ptp', 'lin']), default='ptp', show_default=True,
              help='In joint space, or the tip along straight lines.')
@click.option('--timing', default='', help='quintic, cubic, trapezoid, jerk_limited or time_optimal.')
@click.option('--duration', default=0.0, help='Seconds; 0: the shortest.')
@click.option('--degrees', is_flag=True, help='Angles are given in degrees.')
@click.option('--picture', default='motion.png', show_default=True, help='PNG file to draw.')
@click.option('--json', 'as_json', is_flag=True, help='Print JSON (SI units).')
def plot(**options: Any) -> None:
    """Plan a move and draw position, rate, acceleration, torque and phase plane."""
    from robokin_ros.cli.plot import run
    sys.exit(run(**options))


@main.command()
@robot_options
@click.option('--format', 'style', type=click.Choice(['text', 'latex', 'python']), default='text', show_default=True,
              help='Formulas for reading, LaTeX, or a Python function.')
@click.option('--numeric', is_flag=True, help="Put the robot's numbers in instead of symbols.")
@click.option('--force', is_flag=True, help='Write them even if they are very long.')
@click.option('-o', '--output', default='', help='File to write instead of printing.')
def equations(**options: Any) -> None:
    """Write the equations of motion of an arm: M(q), V(q, qd), G(q) as formulas."""
    from robokin_ros.cli.equations import run
    sys.exit(run(**options))


@main.command()
def doctor() -> None:
    """Print what is found: ROS, versions, middleware, caches, optional parts."""
    from robokin_ros.cli.doctor import show
    sys.exit(show())


@main.command()
def clean() -> None:
    """Remove .robokin/ and what was compiled."""
    raise click.ClickException('Run ./robokin clean in the checkout: an installed robokin has nothing to remove.')


if __name__ == '__main__':
    main(prog_name='robokin')
