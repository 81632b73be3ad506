"""Ten rods hang together and fall: Vereshchagin's demonstration (DYN-19), with what becomes of the energy.

    . .robokin/environment.sh && python examples/falling_chain.py [picture.png]
"""

import sys

import numpy as np

from robokin_ros.model import DhRow, Inertial, RobotModel
from robokin_ros.simulation import simulate
from robokin_ros.spatial import rod_inertia

RODS, MASS, LENGTH, SECONDS = 10, 10.0, 1.0, 10.0


def chain() -> RobotModel:
    """A planar chain of equal thin rods."""
    mass, length = MASS / RODS, LENGTH / RODS
    rod = Inertial(mass, np.array([length / 2.0, 0.0, 0.0]), rod_inertia(mass, 0.0, length))
    return RobotModel.from_dh([DhRow(a=length if i else 0.0, inertial=rod) for i in range(RODS)], name='falling_chain')


def main() -> None:
    """Simulate, print, draw."""
    model = chain()
    start = np.zeros(RODS)
    start[0] = -1.0
    run = simulate(model, start, np.zeros(RODS), np.zeros(RODS), SECONDS, step=0.02, method='adaptive', rtol=1e-9,
                   gravity=(0.0, -9.81, 0.0))
    print(f'energy at the start {run.energy[0]:.7f} J, largest change in {SECONDS:g} s {run.drift:.2e} J '
          f'({run.drift / abs(run.energy[0]):.1e} of it)')
    if len(sys.argv) > 1:
        draw(run.position, sys.argv[1])


def draw(position: np.ndarray, file: str) -> None:
    """The chain at some instants."""
    from matplotlib.figure import Figure
    axes = (figure := Figure(figsize=(6, 5), layout='constrained')).subplots()
    for i, q in enumerate(position[:60:6]):
        angles = np.cumsum(q)
        rods = LENGTH / RODS * np.column_stack((np.cos(angles), np.sin(angles)))
        corners = np.vstack((np.zeros(2), np.cumsum(rods, axis=0)))
        axes.plot(*corners.T, '-o', markersize=2, alpha=0.3 + 0.07 * i, label=f'{0.12 * i:.2f} s')
    axes.set(xlabel='x [m]', ylabel='y [m]', aspect='equal', title='Falling chain of ten rods')
    axes.legend(fontsize=7)
    figure.savefig(file, dpi=120)


if __name__ == '__main__':
    main()
