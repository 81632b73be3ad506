"""Where matrices are singular: Cartesian mass near a singularity, and models whose mass matrix has no inverse."""

import numpy as np
import pytest
from support.robots import arm

from robokin_ros.dynamics import cartesian_dynamics, forward_dynamics
from robokin_ros.errors import NoDynamicsError
from robokin_ros.model import RobotModel


@pytest.mark.parametrize('angle', [3e-6, 1e-6, 1e-7, 0.0])
def test_lost_directions_do_not_show_in_the_cartesian_mass(angle):
    """Joint 5 of a PUMA nearly straight: whatever is left has the size of the mass nearby, not of 1 / angle^2."""
    model = arm('puma560')
    q = np.array([0.3, -0.5, 0.2, 0.1, angle, 0.4])
    found = cartesian_dynamics(model, q, np.zeros(6))
    assert not found.regular
    assert np.max(np.abs(found.mass)) < 1e4
    direction = np.linalg.svd(found.jacobian)[0][:, -1]
    np.testing.assert_allclose(found.mass @ direction, 0.0, atol=1e-6 * np.max(np.abs(found.mass)))


def test_a_massless_link_of_a_model_with_mimic_joints_is_told():
    """Link c carries nothing with inertia about the axis that it shares with link d."""
    tensor = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
    inertial = f'<inertial><mass value="1"/>{tensor}</inertial>'
    text = '<robot name="r"><link name="a"/><link name="c"/>'
    text += ''.join(f'<link name="{name}">{inertial}</link>' for name in 'bde')
    for name, parent, child, extra in (('jb', 'a', 'b', ''), ('jc', 'b', 'c', ''), ('jd', 'c', 'd', ''),
                                       ('je', 'b', 'e', '<mimic joint="jb"/>')):
        text += (f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
                 f'<axis xyz="0 0 1"/>{extra}</joint>')
    model = RobotModel.from_urdf(text + '</robot>')
    assert not model.no_dynamics_reason
    with pytest.raises(NoDynamicsError, match='singular'):
        forward_dynamics(model, np.zeros(3), np.zeros(3), np.ones(3))
