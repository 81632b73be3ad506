"""The command `robokin equations`."""

import pytest
from click.testing import CliRunner

from robokin_ros.cli.main import main


def run(*arguments):
    return CliRunner().invoke(main, ['equations', '--robot', 'two_link_pendulum', *arguments])


@pytest.mark.parametrize(('style', 'words'), [('text', 'V2 = m2 l1 r2 s2 qd1^2'), ('latex', r'\end{aligned}'),
                                              ('python', 'def dynamics_terms(q, qd):')])
def test_formats(style, words):
    result = run('--format', style)
    assert result.exit_code == 0, result.output
    assert words in result.output


def test_file_with_numbers(tmp_path):
    path = tmp_path / 'terms.py'
    assert run('--numeric', '--format', 'python', '-o', str(path)).output == ''
    assert 'm1' not in path.read_text(encoding='utf-8')


def test_mistakes_are_one_sentence(tmp_path):
    for arguments, words in ((('--robot', 'arm7'), 'has 7 joints'), (('-o', str(tmp_path)), 'cannot be written')):
        result = run(*arguments)
        assert result.exit_code == 1
        assert words in ' '.join(result.output.split())
