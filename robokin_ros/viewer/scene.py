"""A robot in a viser scene: its shapes placed by forward kinematics."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import viser
from numpy.typing import ArrayLike

from robokin_ros.kinematics import frame_poses
from robokin_ros.model import RobotModel, Visual
from robokin_ros.spatial import quaternion_from_matrix

PLAIN = (0.75, 0.76, 0.78, 1.0)
"""Colour of shapes without one."""


class RobotScene:
    """Shapes of every link below a frame that follows the joints.

    Parameters
    ----------
    server
        The page.
    model
        The robot.
    path
        Node of the scene below which the robot is drawn.
    """

    def __init__(self, server: viser.ViserServer, model: RobotModel, path: str = '/robot') -> None:
        self.model = model
        self.warnings: list[str] = []
        self._links = {}
        for link, visuals in model.visuals.items():
            self._links[link] = server.scene.add_frame(f'{path}/{link}', show_axes=link == model.tip, axes_length=0.1,
                                                       axes_radius=0.004)
            for number, visual in enumerate(visuals):
                self._add(server, f'{path}/{link}/{number}', visual)
        self.update(model.middle())

    def update(self, joints: ArrayLike) -> None:
        """Move the robot to joint positions [rad, m]."""
        for name, pose in zip(self.model.frame_names, frame_poses(self.model, joints), strict=True):
            frame = self._links[name]
            frame.wxyz, frame.position = _wxyz(pose), pose[:3, 3]

    def _add(self, server: viser.ViserServer, path: str, visual: Visual) -> None:
        scene = server.scene
        place = {'wxyz': _wxyz(visual.origin), 'position': visual.origin[:3, 3]}
        red, green, blue, _ = visual.color or PLAIN
        color = (round(255 * red), round(255 * green), round(255 * blue))
        if visual.kind == 'box':
            scene.add_box(path, color, visual.size, **place)
        elif visual.kind == 'cylinder':
            scene.add_cylinder(path, visual.size[0], visual.size[1], color, **place)
        elif visual.kind == 'sphere':
            scene.add_icosphere(path, visual.size[0], color, **place)
        else:
            self._add_mesh(server, path, visual, place)

    def _add_mesh(self, server: viser.ViserServer, path: str, visual: Visual, place: dict) -> None:
        import trimesh
        file = find_mesh(visual.mesh)
        if file is None:
            self.warnings.append(f"Mesh '{visual.mesh}' is not found: it is not shown.")
            return
        try:
            mesh = trimesh.load(file, force='mesh')
        except (ValueError, ImportError, OSError) as error:
            self.warnings.append(f"Mesh '{visual.mesh}' cannot be read and is not shown: {error}.")
            return
        mesh.apply_transform(np.diag([*visual.size, 1.0]))
        server.scene.add_mesh_trimesh(path, mesh, **place)


def furnish(server: viser.ViserServer, model: RobotModel) -> None:
    """A floor below the robot, and a camera that sees the whole of it."""
    reach = float(np.sum(np.linalg.norm(model.constants[:, 9:12], axis=1))) + 0.2
    fixed = [name for name, body in zip(model.frame_names, model.frame_bodies, strict=True) if body < 0]
    poses = frame_poses(model, model.middle(), fixed)
    lowest = min((lower_end(pose @ visual.origin, visual) for name, pose in zip(fixed, poses, strict=True)
                  for visual in model.visuals[name]), default=0.0)
    server.scene.set_up_direction('+z')
    server.scene.add_grid('/floor', width=4.0, height=4.0, cell_size=0.25, section_size=1.0,
                          position=(0.0, 0.0, lowest))
    server.initial_camera.position = (1.5 * reach, -1.2 * reach, lowest + 1.3 * reach)
    server.initial_camera.look_at = (0.0, 0.0, lowest + 0.5 * reach)


def lower_end(pose: np.ndarray, visual: Visual) -> float:
    """Height [m] of the lowest point of a shape (of its box)."""
    if visual.kind == 'mesh':
        return float(pose[2, 3])
    if visual.kind == 'box':
        half = 0.5 * np.array(visual.size)
    elif visual.kind == 'cylinder':
        radius, length = visual.size
        half = np.array([radius, radius, 0.5 * length])
    else:
        half = np.full(3, visual.size[0])
    return float(pose[2, 3] - np.abs(pose[2, :3]) @ half)


def find_mesh(uri: str) -> Path | None:
    """File of a mesh: a path, file://, or package:// below the prefixes of ROS or of this Python."""
    if uri.startswith('package://'):
        prefixes = [*os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep),
                    *os.environ.get('ROS_PACKAGE_PATH', '').split(os.pathsep)]
        candidates = [Path(prefix) / share / uri.removeprefix('package://')
                      for prefix in prefixes if prefix for share in ('share', '')]
    else:
        candidates = [Path(uri.removeprefix('file://'))]
    return next((path for path in candidates if path.is_file()), None)


def _wxyz(pose: np.ndarray) -> np.ndarray:
    x, y, z, w = quaternion_from_matrix(pose[:3, :3])
    return np.array([w, x, y, z])
