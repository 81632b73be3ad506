"""Every worked example of the specification that is kept as data is run by some test."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.robots import DATA

TESTS = Path(__file__).parent
EXAMPLE = re.compile(r'KIN-\d\d-E\d+|VEL-\d\d[a-z]|DYN-\d\d(?:[a-z]|(?:-[a-z\d]+)+)'
                     r'|TRJ-\d\d[a-z]|TOP-\d\d-E\d|CAP-\d\d-E\d|CTL-\d\d-[a-z]')
FILES = sorted((DATA / 'spec').glob('*.json'))


@pytest.fixture(scope='module')
def collected():
    """IDs of examples among the parameters of the tests that pytest collects."""
    rooms = [str(TESTS / room) for room in ('spatial', 'model', 'kinematics', 'dynamics', 'simulation',
                                           'trajectory', 'control')]
    run = subprocess.run([sys.executable, '-m', 'pytest', '--collect-only', '-q', *rooms], cwd=TESTS.parents[1],
                         capture_output=True, text=True, timeout=170, check=False)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    parameters = re.findall(r'::\w+\[(.*)\]$', run.stdout, flags=re.MULTILINE)
    return {match for text in parameters for match in EXAMPLE.findall(text)}


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_every_example_is_run(collected, path):
    names = set(json.loads(path.read_text(encoding='utf-8')))
    assert names
    assert all(EXAMPLE.fullmatch(name) for name in names)
    assert names <= collected, f'No test runs {sorted(names - collected)}.'


def test_examples_are_all_there():
    """KIN-01, KIN-11 and KIN-32 have no examples; VEL-07, DYN-04, DYN-09 and DYN-22 none with numbers."""
    names = {name for path in FILES for name in json.loads(path.read_text(encoding='utf-8'))}
    capabilities = {name[:6] for name in names}
    assert {f'KIN-{number:02d}' for number in range(2, 32)} - {'KIN-11'} <= capabilities
    assert {f'VEL-{number:02d}' for number in range(1, 16)} - {'VEL-07'} <= capabilities
    assert {f'DYN-{number:02d}' for number in range(1, 22)} - {'DYN-04', 'DYN-09'} <= capabilities
    assert len([name for name in names if name.startswith('KIN')]) == 92
    assert len([name for name in names if name.startswith('VEL')]) == 23
    dynamics = [name for name in names if name.startswith('DYN')]
    assert len([name for name in dynamics if '-' not in name[6:]]) == 32  # worked examples
    assert len([name for name in dynamics if name.startswith('DYN-10-case')]) == 8
    assert len([name for name in dynamics if '-' in name[6:]]) == 17  # closed forms and rows of tables
    assert len([name for name in names if name.startswith('TRJ')]) == 28
    timings = {name[:6] for name in names if name.startswith('TOP')}
    assert timings == {f'TOP-0{number}' for number in (1, 2, 3, 4, 5, 6, 8)}
