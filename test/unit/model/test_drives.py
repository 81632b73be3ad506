"""Drives from a mapping or a file."""

import numpy as np
import pytest
from support.robots import arm

from robokin_ros.dynamics import mass_matrix
from robokin_ros.errors import RobokinError
from robokin_ros.model import with_drives

MODEL = arm('scara')
JOINT = MODEL.joint_names[1]


def test_a_rotor_adds_its_reflected_inertia():
    driven = with_drives(MODEL, {JOINT: {'rotor_inertia': 2e-3, 'gear_ratio': 100, 'viscous': 0.3, 'coulomb': 1.5}})
    q = MODEL.middle()
    expected = mass_matrix(MODEL, q)
    expected[1, 1] += 20.0 - MODEL.rotor_inertia[1]
    np.testing.assert_allclose(mass_matrix(driven, q), expected, rtol=1e-12)
    assert (driven.damping[1], driven.friction[1]) == (0.3, 1.5)
    np.testing.assert_array_equal(driven.damping[[0, 2, 3]], MODEL.damping[[0, 2, 3]])


def test_a_file(tmp_path):
    file = tmp_path / 'drives.yaml'
    file.write_text(f'{JOINT}: {{coulomb: 0.7, rotor_inertia: 1e-4}}\n', encoding='utf-8')
    driven = with_drives(MODEL, file)
    assert (driven.friction[1], driven.rotor_inertia[1]) == (0.7, 1e-4)


@pytest.mark.parametrize(('drives', 'words'), [
    ({'nobody': {}}, 'nobody'), ({JOINT: {'mass': 1.0}}, 'mass'), ({JOINT: {'coulomb': -1.0}}, '-1.0'),
    ({JOINT: {'coulomb': float('nan')}}, 'nan'), ({JOINT: {'gear_ratio': 3.0}}, 'no rotor_inertia'),
    ({JOINT: 3}, 'got 3'), ([1], 'list'), ('/nowhere.yaml', 'cannot be read')])
def test_refusals(drives, words):
    with pytest.raises(RobokinError, match=words):
        with_drives(MODEL, drives)
