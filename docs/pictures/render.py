"""Renders the pictures of the documents: the shipped arms as the web viewer shows them (needs chromium).

    ./robokin setup && . .robokin/environment.sh && python docs/pictures/render.py
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import viser

from robokin_ros.model import RobotModel, robot_path
from robokin_ros.viewer.scene import RobotScene

ARMS = {
    'two_link_pendulum': ((-2.3, 0.6, 1.0), (-0.9, 0.7)),
    'scara': ((-0.95, -0.1, 0.0), (0.5, -0.9, -0.05, 0.0)),
    'puma560': ((0.0, 0.0, 0.66), (-0.7, -0.75, -0.35, 0.2, 0.7, 0.0)),
    'arm7': ((1.05, -0.1, 0.0), (-0.8, 0.6, 0.3, 1.2, 0.2, -0.6, 0.0)),
    'planar_3r': ((1.9, 0.6, 0.5), (0.9, -0.7, 0.5)),
}
FLAGS = ('--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
         '--disable-background-networking', '--hide-scrollbars', '--window-size=1500,1400',
         '--virtual-time-budget=20000')


def main() -> None:
    """Draw all arms side by side and photograph the page."""
    browser = shutil.which('chromium') or sys.exit('chromium is needed: sudo apt-get install chromium')
    server = viser.ViserServer(host='127.0.0.1', port=8097, verbose=False)
    server.scene.set_up_direction('+z')
    server.scene.add_grid('/floor', width=8.0, height=5.0, cell_size=0.25, section_size=1.0)
    server.initial_camera.position = (0.1, -3.6, 1.5)
    server.initial_camera.look_at = (-0.1, 0.4, 0.95)
    for name, (place, joints) in ARMS.items():
        server.scene.add_frame(f'/{name}', position=place, show_axes=False)
        RobotScene(server, RobotModel.from_urdf(robot_path(name)), f'/{name}').update(np.array(joints))
    target = Path(__file__).parent / 'shipped_arms.png'
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run([browser, *FLAGS, f'--user-data-dir={profile}', f'--screenshot={target}', 'http://127.0.0.1:8097/'],
                       check=True, stderr=subprocess.DEVNULL)
    server.stop()
    crop(target)
    print(f'{target} written.')


def crop(path: Path) -> None:
    """Cut off the page's panels at the top."""
    import imageio.v3 as imageio
    imageio.imwrite(path, imageio.imread(path)[610:1080, 60:1440])


if __name__ == '__main__':
    main()
