"""`robokin plot`: plan a move and draw it: positions, rates, accelerations, torques, and its phase plane."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robokin_ros.cli.inspect_robot import chosen_model
from robokin_ros.errors import InputError, RobokinError
from robokin_ros.kinematics import forward_kinematics
from robokin_ros.model import RobotModel
from robokin_ros.trajectory import Motion, PathMotion, plan_cartesian, plan_joint, time_optimal
from robokin_ros.trajectory.time_optimal import PathPlanner
from robokin_ros.trajectory.time_optimal.phase_plane import phase_plane

Array = NDArray[np.float64]
SAMPLES, GRID = 1001, 400


def run(robot: str, urdf: str, base: str, tip: str, start: str, goal: tuple[str, ...], move: str, timing: str,
        duration: float, degrees: bool, picture: str, as_json: bool) -> int:
    """Plan, draw, say; 0."""
    model = chosen_model(robot, urdf, base, tip)
    joints = model.middle() if not start else numbers(model, start, model.dof, 'start', degrees)
    motion = planned(model, joints, goal, move, timing, duration or None, degrees)
    try:
        draw(model, motion, f'{model.name}: {move}, {motion.duration:.3f} s', Path(picture))
    except (OSError, ValueError) as error:
        raise RobokinError(f"The picture '{picture}' cannot be written: {error}") from error
    t = np.linspace(0.0, motion.duration, SAMPLES)
    rates = np.max(np.abs(motion.sample(t)[1]), axis=0)
    torques = None if model.no_dynamics_reason else np.max(np.abs(motion.torque(t)), axis=0)
    if as_json:
        print(json.dumps({'robot': model.name, 'duration': motion.duration, 'picture': picture,
                          'peak_rates': dict(zip(model.joint_names, rates.tolist(), strict=True)),
                          'peak_torques': None if torques is None else
                          dict(zip(model.joint_names, torques.tolist(), strict=True))}))
        return 0
    print(f'{model.name}: {motion.duration:.4f} s, drawn in {picture}')
    for i, name in enumerate(model.joint_names):
        torque = '' if torques is None else f', torque {torques[i]:8.3f} of {model.effort_limit[i]:g}'
        print(f'  {name:24s} rate {rates[i]:7.4f} of {model.velocity_limit[i]:g}{torque}')
    return 0


def planned(model: RobotModel, start: Array, goals: tuple[str, ...], move: str, timing: str, duration: float | None,
            degrees: bool) -> Motion:
    """Motion to a joint vector, over several of them, or of the tip along a line by an offset."""
    if not goals:
        raise InputError('Give a --goal: a joint vector, or for --path lin an offset x,y,z [m].', field='goal')
    if move == 'lin':
        pose = forward_kinematics(model, start)
        poses = []
        for goal in goals:
            pose = pose.copy()
            pose[:3, 3] += numbers(model, goal, 3, 'goal', False)
            poses.append(pose)
        return plan_cartesian(model, start, np.array(poses), timing=timing or 'trapezoid', duration=duration)
    points = [start, *(numbers(model, goal, model.dof, 'goal', degrees) for goal in goals)]
    if len(points) > 2:
        if timing not in ('', 'time_optimal') or duration is not None:
            raise InputError('A path over several goals is timed time_optimal.', field='timing')
        return time_optimal(model, np.array(points))
    return plan_joint(model, points[0], points[1], duration, timing=timing or 'quintic')


def numbers(model: RobotModel, text: str, count: int, field: str, degrees: bool) -> Array:
    """Comma-separated numbers; angles in degrees if asked for."""
    try:
        values = np.array([float(part) for part in text.split(',')])
    except ValueError as error:
        raise InputError(f"{field} '{text}' is not a list of numbers: {error}.", field=field, value=text) from error
    if len(values) != count:
        raise InputError(f'{field} needs {count} numbers, got {len(values)}.', field=field, value=text)
    turning = np.array([kind != 'prismatic' for kind in model.joint_types])
    return np.where(turning, np.radians(values), values) if degrees and count == model.dof else values


def draw(model: RobotModel, motion: Motion, title: str, path: Path) -> None:
    """Write the picture."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    on_path = isinstance(motion, PathMotion)
    figure, axes = pyplot.subplots(3 if on_path else 2, 2, figsize=(11.0, 10.0 if on_path else 7.0),
                                   layout='constrained')
    t = np.linspace(0.0, motion.duration, SAMPLES)
    curves: list[tuple[Any, str, Array | None]] = list(zip(
        motion.sample(t), ('position [rad, m]', 'rate [rad/s, m/s]', 'acceleration [rad/s², m/s²]'),
        (None, model.velocity_limit, None), strict=True))
    if not model.no_dynamics_reason:
        curves.append((motion.torque(t), 'torque [N m, N]', model.effort_limit))
    for axis, (values, label, limit) in zip(axes.flat, curves, strict=False):
        for joint, name in enumerate(model.joint_names):
            line, = axis.plot(t, values[:, joint], label=name, linewidth=1.4)
            if limit is not None and 0.5 * limit[joint] < np.max(np.abs(values[:, joint])):
                for side in (-limit[joint], limit[joint]):
                    axis.axhline(side, color=line.get_color(), linestyle=':', linewidth=0.8)
        axis.set(xlabel='time [s]', ylabel=label)
        axis.grid(alpha=0.3)
    axes.flat[0].legend(fontsize='small')
    for axis in axes.flat[len(curves):4]:
        axis.set_visible(False)
    if on_path:
        _draw_path(model, motion, axes[2])  # type: ignore[arg-type]
    figure.suptitle(title)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _draw_path(model: RobotModel, motion: PathMotion, axes: Any) -> None:
    """Phase plane of the path, with what limits it, and the path parameter over time."""
    torque = np.inf if model.no_dynamics_reason else None
    planner = PathPlanner(model, motion.curves.path, acceleration_limit=1e9, torque_limit=torque,
                          friction=motion.friction)
    s = np.linspace(0.0, 1.0, GRID)
    plane = phase_plane(s, planner.rows(s))
    t = np.linspace(0.0, motion.duration, SAMPLES)
    place, speed, acceleration = motion.progress(t)
    top = 1.6 * float(np.max(speed))
    axis = axes[0]
    axis.fill_between(s, np.minimum(plane.maximum, top), top, color='0.85', label='beyond the maximum velocity curve')
    axis.plot(s, np.minimum(plane.rate_limit, top), '--', color='tab:orange', linewidth=1.0, label='rate limits')
    axis.plot(s, np.minimum(plane.constant, top), ':', color='tab:green', linewidth=1.0, label='can be held')
    axis.plot(place, speed, color='tab:blue', linewidth=1.8, label='the motion')
    axis.set(xlabel='path parameter s', ylabel='path speed ds/dt [1/s]', ylim=(0.0, top), xlim=(0.0, 1.0))
    axis.legend(fontsize='small', loc='upper right')
    axes[1].plot(t, acceleration, color='tab:blue', linewidth=1.2)
    axes[1].set(xlabel='time [s]', ylabel='path acceleration [1/s²]')
    axes[1].grid(alpha=0.3)
