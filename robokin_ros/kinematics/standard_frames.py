"""The user's view: tool {T} and goal {G} in station {S}, not wrist {W} in base {B} (KIN-20, KIN-29)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.kinematics.forward import forward_kinematics
from robokin_ros.kinematics.ik_options import IkOptions
from robokin_ros.kinematics.ik_result import IkResult
from robokin_ros.kinematics.inverse import inverse_kinematics
from robokin_ros.model.robot_model import RobotModel
from robokin_ros.model.work_frames import WorkFrames
from robokin_ros.spatial import check_transform, invert_transform

Array = NDArray[np.float64]


def where(model: RobotModel, q: ArrayLike, frames: WorkFrames | None = None) -> Array:
    """WHERE: tool in station, S_T_T = B_T_S^-1 B_T_W(q) W_T_T, (..., 4, 4); Craig (3.18)."""
    used = WorkFrames() if frames is None else frames
    return np.asarray(invert_transform(used.station_frame()) @ forward_kinematics(model, q) @ used.tool_frame())


def wrist_goal(goal: ArrayLike, frames: WorkFrames | None = None) -> Array:
    """Wrist in base for a tool at a goal in the station: B_T_S S_T_G W_T_T^-1; Craig (4.108)."""
    used = WorkFrames() if frames is None else frames
    return np.asarray(used.station_frame() @ check_transform(goal) @ invert_transform(used.tool_frame()))


def solve(model: RobotModel, goal: ArrayLike, seed: ArrayLike | None = None, frames: WorkFrames | None = None,
          all_solutions: bool = True, options: IkOptions | None = None) -> IkResult:
    """SOLVE: joint vectors that bring the tool to a goal (4, 4) given in the station."""
    result = inverse_kinematics(model, wrist_goal(goal, frames), seed, all_solutions, options)
    assert isinstance(result, IkResult)
    return result


def calibrate_tool(model: RobotModel, q: ArrayLike, goal: ArrayLike, frames: WorkFrames | None = None) -> Array:
    """W_T_T of a tool that touches a known goal in the station with the joints at q: B_T_W^-1 B_T_S S_T_G."""
    used = WorkFrames() if frames is None else frames
    return np.asarray(invert_transform(forward_kinematics(model, q)) @ used.station_frame() @ check_transform(goal))


@dataclass(frozen=True)
class Visit:
    """What became of one goal: the result of SOLVE, and where the arm is afterwards (unmoved if it has none)."""

    result: IkResult
    joints: Array

    @property
    def reached(self) -> bool:
        """Whether the arm is at the goal."""
        return len(self.result.solutions) > 0


def visit_goals(model: RobotModel, goals: Iterable[ArrayLike], start: ArrayLike, frames: WorkFrames | None = None,
                stop_at_first_failure: bool = False) -> list[Visit]:
    """Goals one after the other, each by the solution nearest to where the arm is; one that fails leaves it there."""
    here = np.asarray(start, dtype=float)
    visits: list[Visit] = []
    for goal in goals:
        result = solve(model, goal, here, frames)
        if len(result.solutions):
            here = result.solutions[0]
        visits.append(Visit(result, here))
        if stop_at_first_failure and not len(result.solutions):
            break
    return visits
