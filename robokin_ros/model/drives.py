"""Drives of an arm where its description lacks them: rotors, gears and friction, from a mapping or a YAML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import yaml

from robokin_ros.errors import InputError, UnknownNameError
from robokin_ros.model.robot_model import RobotModel

QUANTITIES = ('rotor_inertia', 'gear_ratio', 'viscous', 'coulomb')


def with_drives(model: RobotModel, drives: Mapping[str, Mapping[str, float]] | str | Path) -> RobotModel:
    """Model with other drives; joints and quantities that are not named keep what they have.

    Parameters
    ----------
    drives
        By joint: `rotor_inertia` [kg m^2] of the motor and `gear_ratio` (motor turns per turn of the joint; default 1),
        reflected to the joint as ratio squared times rotor (DYN-13); `viscous` [N m s/rad] and `coulomb` [N m] friction
        at the joint. Or the path of a YAML file with the same.
    """
    if isinstance(drives, str | Path):
        try:
            drives = yaml.safe_load(Path(drives).read_text(encoding='utf-8'))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise InputError(f"The drives cannot be read from '{drives}': {error}", field='drives') from error
    if not isinstance(drives, Mapping):
        raise InputError(f'Drives are a mapping from joints to quantities, got {type(drives).__name__}.',
                         field='drives')
    rotor, viscous, coulomb = model.rotor_inertia.copy(), model.damping.copy(), model.friction.copy()
    for joint, given in drives.items():
        if joint not in model.joint_index:
            raise UnknownNameError('joint', joint, model.joint_names)
        values = _checked(joint, given)
        i = model.joint_index[joint]
        if 'rotor_inertia' in values:
            rotor[i] = values['rotor_inertia'] * values.get('gear_ratio', 1.0) ** 2
        elif 'gear_ratio' in values:
            raise InputError(f"The drive of '{joint}' has a gear_ratio but no rotor_inertia.", field='drives')
        viscous[i] = values.get('viscous', viscous[i])
        coulomb[i] = values.get('coulomb', coulomb[i])
    return replace(model, rotor_inertia=rotor, damping=viscous, friction=coulomb)


def _checked(joint: str, given: object) -> dict[str, float]:
    if not isinstance(given, Mapping):
        raise InputError(f"The drive of '{joint}' is a mapping of {', '.join(QUANTITIES)}, got {given!r}.",
                         field='drives', value=given)
    values = {}
    for name, value in given.items():
        if name not in QUANTITIES:
            raise UnknownNameError('quantity of a drive', str(name), QUANTITIES)
        try:
            number = np.nan if isinstance(value, bool) else float(value)  # YAML reads 1e-4 as text
        except (TypeError, ValueError):
            number = np.nan
        if not 0.0 <= number < np.inf:
            raise InputError(f"{name} of the drive of '{joint}' is {value!r}; a finite number that is not negative is "
                             'needed.', field='drives', value=value)
        values[name] = number
    return values
