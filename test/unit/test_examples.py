"""Examples that need no running suite do what they say."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / 'examples'


def test_falling_chain(tmp_path):
    picture = tmp_path / 'chain.png'
    done = subprocess.run([sys.executable, str(EXAMPLES / 'falling_chain.py'), str(picture)], capture_output=True,
                          text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert 'energy at the start -41.2741518 J' in done.stdout
    assert float(done.stdout.split('(')[1].split(' of it')[0]) < 1e-6
    assert picture.read_bytes().startswith(b'\x89PNG')
