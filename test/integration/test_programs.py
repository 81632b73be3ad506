"""What a newcomer runs: the demo, the example, the viewer."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from support.suite import Suite, eventually, fresh_domain

CHECKOUT = Path(__file__).resolve().parents[2]
ROBOKIN = (sys.executable, '-m', 'robokin_ros.cli.main')


@pytest.mark.parametrize('robot', ['puma560', 'arm7'])
def test_demo(tmp_path, robot):
    fresh_domain()
    done = subprocess.run([*ROBOKIN, 'demo', '--exit', '--robot', robot, '--report', str(tmp_path / 'report')],
                          capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for figure in ('final position error', 'tracking RMS joint_1', 'control rate held', 'command latency p99'):
        assert figure in done.stdout
    summary = json.loads((tmp_path / 'report' / 'summary.json').read_text())
    assert summary['passed']
    for plot in ('motion.png', 'floating.png'):
        assert (tmp_path / 'report' / plot).read_bytes().startswith(b'\x89PNG')
    assert 'Traceback' not in (tmp_path / 'report' / 'log.txt').read_text()


def test_demo_fails_when_a_check_fails(tmp_path):
    """A shoulder too weak to carry the arm: the demonstration ends with a sentence and a code."""
    from robokin_ros.model import robot_path
    text = robot_path('puma560').read_text().replace('effort="186.4"', 'effort="3"')
    weak = tmp_path / 'weak.urdf.xacro'
    weak.write_text(text)
    fresh_domain()
    done = subprocess.run([*ROBOKIN, 'demo', '--exit', '--urdf', str(weak), '--report', str(tmp_path / 'report')],
                          capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 1
    assert 'joint_2' in done.stdout + done.stderr
    assert 'Traceback' not in done.stderr


def test_example_with_plain_rclpy():
    with Suite() as suite:
        suite.ready()
        done = subprocess.run([sys.executable, str(CHECKOUT / 'examples' / 'from_plain_rclpy.py')], capture_output=True,
                              text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert 'solutions; nearest' in done.stdout
        assert 'The arm floats now (it was in computed_torque).' in done.stdout


def test_viewer_serves_the_page():
    with Suite(nodes=('state_publisher', 'hardware_node', 'viewer_node'), viewer=True,
               parameters={'viewer_node': {'port': 8461}}) as suite:
        suite.hears(r'The robot is on http://127.0.0.1:8461', 'viewer_node')
        page = urllib.request.urlopen('http://127.0.0.1:8461/', timeout=10).read()
        assert b'<html' in page.lower()
        eventually(lambda: 'viewer_node' in suite.supervisor.alive)
        assert not suite.said('Traceback', 'viewer_node')
