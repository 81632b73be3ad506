"""`RobotModel`: the immutable model that every other room works on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.errors import InputError, NoDynamicsError, UnknownNameError
from robokin_ros.model.tree import Visual
from robokin_ros.spatial import check_inertia, combine_bodies, make_transform
from robokin_ros.spatial.inertia import Body

REVOLUTE, PRISMATIC = 0, 1


@dataclass(frozen=True, eq=False)
class RobotModel:
    """A tree of rigid bodies, one per moving joint, as contiguous arrays.

    Links joined by fixed joints are one body. The frame of a body has its z axis on the joint axis (Craig's
    link frames); `frames_*` place every link of the description in its body. Index -1 is the base.

    Attributes
    ----------
    joint_names, lower, upper, velocity_limit, effort_limit
        The independent joints and their limits [rad, m, rad/s, m/s, N m, N]; infinite where not given.
    damping, friction
        Viscous [N m s/rad] and Coulomb [N m] joint friction.
    rotor_inertia
        Inertia of the motors reflected to the joints, gear ratio squared times rotor [kg m^2] (DYN-13).
    topology : (bodies, 3) int64
        Parent body, joint type (0 revolute, 1 prismatic), index into the joint vector.
    constants : (bodies, 24) float64
        Rotation (9, row-major) and position (3) of the joint frame in the parent body; mass; centre (3);
        inertia about the centre (xx xy xz yy yz zz); mimic multiplier and offset.
    chain : int64
        Bodies from the base to the tip.
    tip_placement : (12,) float64
        Rotation (9) and position (3) of the tip in its body.
    base_inertial : (10,) float64
        Mass, centre and inertia of what is fixed to the base, in base axes; for bases that are not fixed themselves.
    """

    name: str
    base: str
    tip: str
    joint_names: tuple[str, ...]
    joint_types: tuple[str, ...]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    velocity_limit: NDArray[np.float64]
    effort_limit: NDArray[np.float64]
    damping: NDArray[np.float64]
    friction: NDArray[np.float64]
    rotor_inertia: NDArray[np.float64]
    topology: NDArray[np.int64]
    constants: NDArray[np.float64]
    chain: NDArray[np.int64]
    tip_placement: NDArray[np.float64]
    body_names: tuple[str, ...]
    frame_names: tuple[str, ...]
    frame_parents: tuple[str, ...]
    frame_bodies: NDArray[np.int64]
    frame_placements: NDArray[np.float64]
    visuals: dict[str, tuple[Visual, ...]]
    no_dynamics_reason: str
    base_inertial: NDArray[np.float64] = field(default_factory=lambda: np.zeros(10))
    no_base_reason: str = ''
    warnings: tuple[str, ...] = ()
    urdf: str = ''

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __getstate__(self) -> dict[str, Any]:
        """What is copied and pickled: the fields, not what was derived from them."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    @classmethod
    def from_urdf(cls, source: str | Path, base: str | None = None, tip: str | None = None,
                  mappings: dict[str, str] | None = None) -> RobotModel:
        """Model of a URDF or xacro file, or of URDF text.

        Parameters
        ----------
        source
            Path of a file, or the XML itself.
        base, tip
            Without them the model is the whole tree and the tip is chosen (`Tree.default_tip`). With `base` the
            model is the subtree below it. With `tip` the model is the chain from base to tip: joints off the
            chain stay locked, their links ride along with their mass.
        mappings
            Arguments for xacro.
        """
        from robokin_ros.model.urdf import load_urdf
        return load_urdf(source, base, tip, mappings)

    @classmethod
    def from_dh(cls, rows: Sequence, convention: str = 'modified', **options: object) -> RobotModel:
        """Model of a Denavit-Hartenberg table; see `robokin_ros.model.dh.model_from_dh`."""
        from robokin_ros.model.dh import model_from_dh
        return model_from_dh(rows, convention, **options)  # type: ignore[arg-type]

    @cached_property
    def dof(self) -> int:
        """Number of independent joints."""
        return len(self.joint_names)

    @cached_property
    def joint_index(self) -> dict[str, int]:
        """Position of each joint name in the joint vector."""
        return {name: i for i, name in enumerate(self.joint_names)}

    @cached_property
    def frame_index(self) -> dict[str, int]:
        """Position of each link name in `frame_*`."""
        return {name: i for i, name in enumerate(self.frame_names)}

    @cached_property
    def chain_joints(self) -> NDArray[np.int64]:
        """Indices of the joints that move the tip."""
        return np.unique(self.topology[self.chain, 2])

    @property
    def base_body(self) -> Body:
        """Mass, centre and inertia about it of all links that are fixed to the base; NoDynamicsError if impossible."""
        if self.no_base_reason:
            raise NoDynamicsError(f"The base of '{self.name}' cannot be a body: {self.no_base_reason}.")
        row = self.base_inertial
        return float(row[0]), row[1:4], unpack_inertia(row[4:])

    @cached_property
    def packed(self) -> NDArray[np.float64]:
        """The chain to the tip in one array, as `kernels.packed_chain` takes it."""
        packed = np.zeros((len(self.chain) + 1, 16))
        packed[:-1, :12] = self.constants[self.chain, :12]
        packed[:-1, 12:14] = self.topology[self.chain, 1:3]
        packed[:-1, 14:16] = self.constants[self.chain, 22:24]
        packed[-1, :12] = self.tip_placement
        packed.flags.writeable = False
        return packed

    @cached_property
    def calls(self) -> dict[str, Callable[..., Any]]:
        """Compiled calls bound to this model, by name, as they come into use."""
        return {}

    def middle(self) -> NDArray[np.float64]:
        """Middle of the joint limits; 0 for joints without limits."""
        return self.usual_seed.copy()

    @cached_property
    def usual_seed(self) -> NDArray[np.float64]:
        """The same, not to be written to."""
        bounded = np.isfinite(self.lower) & np.isfinite(self.upper)
        with np.errstate(invalid='ignore'):
            middle = np.where(bounded, 0.5 * (self.lower + self.upper), np.clip(0.0, self.lower, self.upper))
        middle.flags.writeable = False
        return middle

    def order_of(self, names: Iterable[str]) -> NDArray[np.int64]:
        """Indices in the joint vector of the named joints, or raise UnknownNameError."""
        indices = []
        for name in names:
            if name not in self.joint_index:
                raise UnknownNameError('joint', name, self.joint_names)
            indices.append(self.joint_index[name])
        return np.array(indices, dtype=np.int64)

    def require_dynamics(self) -> None:
        """Raise NoDynamicsError, naming the link, if inertial data are missing or impossible."""
        if self.no_dynamics_reason:
            raise NoDynamicsError(f"Model '{self.name}' has no usable dynamics: {self.no_dynamics_reason}.")

    def with_payload(self, mass: float, center: ArrayLike = (0.0, 0.0, 0.0),
                     inertia: ArrayLike | None = None) -> RobotModel:
        """Model that also carries a body at the tip.

        Parameters
        ----------
        mass
            [kg], not negative.
        center
            Centre of mass in the tip frame [m].
        inertia
            3x3 about the centre, tip axes [kg m^2]; None: a point mass.
        """
        try:
            mass = float(mass)
            offset = np.asarray(center, dtype=float)
            tensor = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, dtype=float)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f'A payload is described by numbers: {error}.', field='payload') from error
        if offset.shape != (3,) or tensor.shape != (3, 3):
            raise InputError(f'A payload needs a centre of 3 and an inertia of 3x3 numbers, got {offset.shape} '
                             f'and {tensor.shape}.', field='payload')
        if not np.all(np.isfinite(offset)):
            raise InputError('The payload centre is not finite.', field='center', value=offset)
        problem = check_inertia(mass, tensor)
        if problem:
            raise InputError(f'This payload cannot exist: {problem}.', field='inertia', value=tensor)
        if len(self.chain) == 0:
            raise InputError(f"No joint moves tip '{self.tip}': a payload there has no effect.", field='tip')
        body = int(self.chain[-1])
        rotation = self.tip_placement[:9].reshape(3, 3)
        carried = (mass, rotation @ offset + self.tip_placement[9:], rotation @ tensor @ rotation.T)
        row = self.constants[body]
        own = (float(row[12]), row[13:16], unpack_inertia(row[16:22]))
        constants = self.constants.copy()
        constants[body, 12:22] = pack_body(*combine_bodies([own, carried]))
        return replace(self, constants=constants)

    def chain_to(self, frame: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Bodies from the base to a link, and the link's placement (12 numbers) in the last of them."""
        if frame == self.tip:
            return self.chain, self.tip_placement
        if frame not in self.frame_index:
            raise UnknownNameError('frame', frame, self.frame_names)
        if frame not in self._chains:
            index = self.frame_index[frame]
            body, bodies = int(self.frame_bodies[index]), []
            while body >= 0:
                bodies.append(body)
                body = int(self.topology[body, 0])
            self._chains[frame] = np.array(bodies[::-1], dtype=np.int64), self.frame_placements[index].copy()
        return self._chains[frame]

    @cached_property
    def _chains(self) -> dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]]:
        return {}

    def frame_placement(self, frame: str) -> tuple[int, NDArray[np.float64]]:
        """Body that carries a link, and the pose of the link's frame in that body."""
        if frame not in self.frame_index:
            raise UnknownNameError('frame', frame, self.frame_names)
        index = self.frame_index[frame]
        values = self.frame_placements[index]
        return int(self.frame_bodies[index]), make_transform(values[:9].reshape(3, 3), values[9:])


def pack_body(mass: float, center: NDArray[np.float64],
              inertia: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mass, centre and tensor as the ten numbers of a row of `constants`."""
    return np.concatenate(([mass], center, inertia[0], inertia[1, 1:], [inertia[2, 2]]))


def unpack_inertia(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tensor of its six numbers xx xy xz yy yz zz."""
    xx, xy, xz, yy, yz, zz = values
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
