"""`robokin demo`: the whole suite at work on one arm, checked and measured."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress

from robokin_ros.bringup.options import SystemOptions
from robokin_ros.bringup.supervisor import Supervisor
from robokin_ros.bringup.system import describe_system
from robokin_ros.cli.report import Check, Recording, show_table, write_report
from robokin_ros.cli.up import Log, refuse_second_suite, stop_signals
from robokin_ros.client import RobotClient
from robokin_ros.dynamics import mass_matrix
from robokin_ros.errors import RobokinError
from robokin_ros.model import RobotModel, load_robot
from robokin_ros.spatial import rotation_vector
from robokin_ros.trajectory import plan_joint

Array = NDArray[np.float64]

POINTS = 30
"""Points of the trajectory that is sent."""
SPEED = 0.7
"""Share of the velocity limits that the demonstration uses."""
SHORTEST_MOTION = 2.5
"""Duration [s] that the motion has at least, to be watched."""
SETTLE_TIME = 0.3
"""Time [s] after the motion before its end is measured."""
PUSH_ACCELERATION = 0.8
"""How hard the arm is pushed [rad/s^2]; a tenth of it [m/s^2] for sliding joints."""
PUSH_TIME = 0.5
FLOAT_TIME = 1.5
STILL_TIME = 1.0

POSE_POSITION, POSE_ANGLE = 1e-3, 2e-3
TRACKING = 5e-3
RATE_SHARE, MISSED_SHARE = 0.95, 0.01
DRIFT, MOVED = 2e-3, 2e-2


def run(robot: str, urdf: str, leave: bool, report: str, observe: float) -> int:
    """Run the demonstration; 0 if every check passed."""
    console = Console(highlight=False)
    options = SystemOptions(robot=robot, urdf=urdf)
    processes = describe_system(options)
    model = RobotModel.from_urdf(Path(urdf)) if urdf else load_robot(robot)
    refuse_second_suite(options.namespace)
    log = Log(console, shown=False)
    supervisor = Supervisor(processes, options.namespace, log)
    folder = Path(report)
    with stop_signals() as asked:
        try:
            supervisor.start()
            with RobotClient(name='robokin_demo') as client:
                story = Story(client, model, console)
                story.tell()
                if observe:
                    console.print(f'Watching the control loop for {observe:g} s more.')
                    asked.wait(observe)
                checks = story.checks(supervisor.check())
                write_report(folder, model, story.recording, checks, log.lines)
            show_table(console, model, checks)
            console.print(f'Report with plots: {folder}/')
            if not leave and not asked.is_set():
                console.print('The suite stays up; try it from another shell. Ctrl-C ends it.')
                log.shown = True
                while not asked.wait(0.2):
                    supervisor.check()
            return 0 if all(check.passed for check in checks) else 1
        except RobokinError:
            for name, line in log.lines[-15:]:
                console.print(f'{name}: {line}', markup=False)
            raise
        finally:
            supervisor.stop()


@dataclass
class Floating:
    """What happened while the arm floated: drift and movement [rad, m], kinetic energies [J]."""

    drift: float
    moved: float
    energy_pushed: float
    energy_after: float


class Story:
    """The acts of the demonstration, and what is measured on the way."""

    def __init__(self, client: RobotClient, model: RobotModel, console: Console) -> None:
        self.client = client
        self.model = model
        self.console = console
        self.recording = Recording(client.node)
        self.position_error = self.angle_error = np.nan
        self.floating = Floating(np.nan, np.nan, np.nan, np.nan)

    def tell(self) -> None:
        """All acts in order."""
        began = time.monotonic()
        with self.console.status('Starting the nodes ...'):
            self.client.wait_until_ready()
        self.console.print(f"All nodes are active after {time.monotonic() - began:.1f} s; robot '{self.model.name}', "
                           f'{self.model.dof} joints.')
        target = self._ask_for_joints()
        self._move(*target)
        self._float()

    def _ask_for_joints(self) -> tuple[Array, Array]:
        """A pose in the workspace, and the joints that inverse kinematics gives for it."""
        wish = _wish(self.model, self.client.joints)
        pose = self.client.forward_kinematics(wish)
        began = time.monotonic()
        solutions = self.client.inverse_kinematics(pose)
        x, y, z = pose[:3, 3]
        self.console.print(f'Inverse kinematics of the pose at ({x:.3f}, {y:.3f}, {z:.3f}) m: {len(solutions)} '
                           f'solutions in {1e3 * (time.monotonic() - began):.0f} ms; the nearest is taken.')
        return pose, solutions[0]

    def _move(self, pose: Array, goal: Array) -> None:
        """Through the FollowJointTrajectory action, with live progress."""
        client = self.client
        motion = plan_joint(self.model, client.joints, goal, scaling=SPEED)
        if motion.duration < SHORTEST_MOTION:
            motion = plan_joint(self.model, client.joints, goal, SHORTEST_MOTION)
        times = np.linspace(0.0, motion.duration, POINTS + 1)[1:]
        positions, velocities, accelerations = motion.sample(times)
        with Progress(console=self.console, transient=True) as progress:
            task = progress.add_task('Moving', total=motion.duration)

            def feedback(message: object) -> None:
                seconds = message.feedback.desired.time_from_start  # type: ignore[attr-defined]
                progress.update(task, completed=seconds.sec + 1e-9 * seconds.nanosec)

            self.recording.begin('motion')
            client.follow_joint_trajectory(client.joint_names, times.tolist(), list(positions), list(velocities),
                                           list(accelerations), feedback)
            self.recording.end()
        time.sleep(SETTLE_TIME)
        reached = client.forward_kinematics(client.joints)
        self.position_error = float(np.linalg.norm(reached[:3, 3] - pose[:3, 3]))
        self.angle_error = float(np.linalg.norm(rotation_vector(reached[:3, :3].T @ pose[:3, :3])))
        self.console.print(f'Moved there in {motion.duration:.1f} s.')

    def _float(self) -> None:
        """Gravity compensation: still by itself, moves when pushed, never falls."""
        client, model = self.client, self.model
        client.set_control_mode('gravity_compensation')
        self.recording.begin('floating')
        start = client.joints
        time.sleep(STILL_TIME)
        still = client.joints
        push = mass_matrix(model, still) @ _push_acceleration(model, still)
        client.push(dict(zip(model.joint_names, push.tolist(), strict=True)), PUSH_TIME)
        time.sleep(PUSH_TIME)
        pushed, speed = client.joints, client.velocities
        time.sleep(FLOAT_TIME)
        self.recording.end()
        rest_speed = client.velocities
        self.floating = Floating(float(np.max(np.abs(still - start))), float(np.max(np.abs(client.joints - still))),
                                 _kinetic_energy(model, pushed, speed),
                                 _kinetic_energy(model, client.joints, rest_speed))
        previous = client.set_control_mode('computed_torque')
        self.console.print(f'In {previous} the arm stayed where it was, drifted off when pushed and floated on; '
                           'now it is held again.')

    def checks(self, died: list[str]) -> list[Check]:
        """Every figure with its limit."""
        state = self.client.hardware_state
        assert state is not None
        rms = self.recording.tracking_rms('motion')
        rate = float(np.median(self.recording.rates()))
        missed = state.missed_cycles / max(state.cycles, 1)
        seconds = state.cycles / state.rate
        floating = self.floating
        return [
            Check('final position error', 1e3 * self.position_error, 1e3 * POSE_POSITION, 'mm'),
            Check('final orientation error', 1e3 * self.angle_error, 1e3 * POSE_ANGLE, 'mrad'),
            *(Check(f'tracking RMS {name}', 1e3 * float(value), 1e3 * TRACKING, 'mrad, mm')
              for name, value in zip(self.model.joint_names, rms, strict=True)),
            Check('control rate held', rate, RATE_SHARE * state.rate, 'Hz', at_least=True),
            Check(f'missed cycles of {state.cycles} ({seconds:.0f} s)', 1e2 * missed, 1e2 * MISSED_SHARE, '%'),
            Check('command latency p50', 1e3 * state.latency_p50, 1e3 / state.rate, 'ms'),
            Check('command latency p99', 1e3 * state.latency_p99, None, 'ms'),
            Check('cycle lateness p99', 1e3 * state.jitter_p99, None, 'ms'),
            Check('drift while floating', 1e3 * floating.drift, 1e3 * DRIFT, 'mrad, mm'),
            Check('moved by the push', 1e3 * floating.moved, 1e3 * MOVED, 'mrad, mm', at_least=True),
            Check('kinetic energy after / by the push', floating.energy_after / floating.energy_pushed, 1.05, ''),
            Check('nodes that died', float(len(died)), 0.0, ''),
        ]


def _wish(model: RobotModel, joints: Array) -> Array:
    """A joint vector a good part of the range away from the present one."""
    low = np.where(np.isfinite(model.lower), model.lower, joints - np.pi)
    high = np.where(np.isfinite(model.upper), model.upper, joints + np.pi)
    share = np.resize([0.26, -0.18, 0.22, -0.24, 0.20, 0.28, -0.16], model.dof)
    return np.asarray(np.clip(joints + share * np.minimum(high - low, np.pi), low, high))


def _push_acceleration(model: RobotModel, joints: Array) -> Array:
    """Towards the middle of the range, so that no joint floats into its stop."""
    size = np.where([kind == 'prismatic' for kind in model.joint_types], 0.1 * PUSH_ACCELERATION, PUSH_ACCELERATION)
    return size * np.where(joints > model.middle(), -1.0, 1.0)


def _kinetic_energy(model: RobotModel, joints: Array, speed: Array) -> float:
    return float(0.5 * speed @ mass_matrix(model, joints) @ speed)
