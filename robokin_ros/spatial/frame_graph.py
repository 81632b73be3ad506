"""Named transforms as a graph: any frame in any other, consistency of loops, one unknown edge (KIN-05)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.spatial.axis_angle import rotation_vector
from robokin_ros.spatial.transform import check_transform, invert_transform

Array = NDArray[np.float64]


class FrameGraph:
    """Frames joined by known transforms. An edge A -> B holds A_T_B.

    Parameters
    ----------
    position_tolerance, angle_tolerance
        Largest mismatch [m], [rad] of two ways between the same frames.
    """

    def __init__(self, position_tolerance: float = 1e-6, angle_tolerance: float = 1e-6) -> None:
        self.position_tolerance = position_tolerance
        self.angle_tolerance = angle_tolerance
        self._edges: dict[str, dict[str, Array]] = {}

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of all frames."""
        return tuple(self._edges)

    def set(self, parent: str, child: str, transform: ArrayLike) -> None:
        """Add or replace parent_T_child; InputError, naming both ways, if it contradicts another way."""
        if parent == child:
            raise InputError(f"Frame '{parent}' cannot be joined to itself.", field='frames')
        known = check_transform(transform)
        self.remove(parent, child)
        if parent in self._edges and child in self._edges:
            path = self._path(parent, child)
            if path is not None:
                self._compare(known, self._product(path), (parent, child), path)
        self._edges.setdefault(parent, {})[child] = known
        self._edges.setdefault(child, {})[parent] = invert_transform(known)

    def remove(self, parent: str, child: str) -> None:
        """Forget the edge between two frames, if there is one."""
        self._edges.get(parent, {}).pop(child, None)
        self._edges.get(child, {}).pop(parent, None)

    def get(self, reference: str, frame: str) -> Array:
        """reference_T_frame (4, 4) along the shortest way; InputError if nothing joins them."""
        path = self._path(reference, frame)
        if path is None:
            raise InputError(f"No transforms join '{reference}' and '{frame}'; known frames: "
                             f"{', '.join(self.frames)}.", field='frames')
        return self._product(path)

    def solve_edge(self, loop: Iterable[str], unknown: tuple[str, str]) -> Array:
        """The one unknown transform A_T_B of a closed loop of frames: T = L^-1 N M^-1, Craig (2.51)-(2.55).

        Parameters
        ----------
        loop
            Frames in order round the loop, each joined to the next, the last to the first.
        unknown
            Pair (A, B), neighbours in the loop.
        """
        frames = list(loop)
        a, b = unknown
        pairs = list(zip(frames, [*frames[1:], frames[0]], strict=True))
        if (a, b) not in pairs and (b, a) not in pairs:
            raise InputError(f"'{a}' and '{b}' are not neighbours in the loop {' -> '.join(frames)}.", field='loop')
        start = frames.index(b) if (a, b) in pairs else frames.index(a)
        around = [*frames[start:], *frames[:start]]  # from B round to A, or from A round to B
        transform = self._product(around)
        return invert_transform(transform) if (a, b) in pairs else transform

    def _product(self, path: list[str]) -> Array:
        transform = np.eye(4)
        for here, there in pairwise(path):
            if there not in self._edges.get(here, {}):
                raise InputError(f"The transform between '{here}' and '{there}' is not known.", field='frames')
            transform = transform @ self._edges[here][there]
        return transform

    def _path(self, start: str, goal: str) -> list[str] | None:
        """Shortest way by breadth-first search."""
        for name in (start, goal):
            if name not in self._edges:
                raise UnknownNameError('frame', name, self._edges)
        came = {start: ''}
        queue = deque([start])
        while queue and goal not in came:
            here = queue.popleft()
            for there in self._edges[here]:
                if there not in came:
                    came[there] = here
                    queue.append(there)
        if goal not in came:
            return None
        path = [goal]
        while path[-1] != start:
            path.append(came[path[-1]])
        return path[::-1]

    def _compare(self, one: Array, other: Array, first: tuple[str, ...], second: list[str]) -> None:
        position = float(np.linalg.norm(one[:3, 3] - other[:3, 3]))
        angle = float(np.linalg.norm(rotation_vector(one[:3, :3].T @ other[:3, :3])))
        if position > self.position_tolerance or angle > self.angle_tolerance:
            raise InputError(f"The ways {' -> '.join(first)} and {' -> '.join(second)} differ by {position:.3g} m and "
                             f'{angle:.3g} rad.', field='frames')
