"""Forces and moments from outside: from links to the bodies that carry them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robokin_ros.dynamics.batches import vector
from robokin_ros.errors import InputError
from robokin_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]
NO_LOADS: Array = np.zeros((0, 6))


def body_wrench(placement: Array, wrench: Array) -> Array:
    """Force and moment at a frame's origin in its axes, at the origin of its body in that body's axes.

    `placement` is rotation (9) and position (3) of the frame in the body.
    """
    rotation = placement[:9].reshape(3, 3)
    force = rotation @ wrench[:3]
    return np.concatenate((force, rotation @ wrench[3:] + np.cross(placement[9:], force)))


def outer_loads(model: RobotModel, tip_wrench: ArrayLike | None,
               external_wrenches: Mapping[str, ArrayLike] | None) -> Array:
    """What bodies exert on the environment, (bodies, 6) in body axes; (0, 6) for nothing.

    Parameters
    ----------
    tip_wrench
        What the hand exerts on the environment, at the tip in its axes [N, N m].
    external_wrenches
        What the environment exerts on links, at each link's origin in its axes [N, N m].
    """
    if tip_wrench is None and not external_wrenches:
        return NO_LOADS
    loads = np.zeros((len(model.topology), 6))
    if tip_wrench is not None:
        given = vector(tip_wrench, 6, 'tip_wrench')
        if len(model.chain):
            loads[model.chain[-1]] += body_wrench(model.tip_placement, given)
    if external_wrenches is not None and not isinstance(external_wrenches, Mapping):
        raise InputError('external_wrenches is a mapping from links to six numbers.', field='external_wrenches',
                         value=external_wrenches)
    for link, wrench in (external_wrenches or {}).items():
        chain, placement = model.chain_to(link)
        given = vector(wrench, 6, f'external wrench on {link}')
        if len(chain):
            loads[chain[-1]] -= body_wrench(placement, given)
    return loads
