"""The Python snippets of the README and the documents run as they stand."""

import re
from pathlib import Path

import pytest
from support.robots import real_arm_path

README = Path(__file__).resolve().parents[2] / 'README.md'
SNIPPETS = re.findall(r'```python\n(.*?)```', README.read_text(encoding='utf-8'), flags=re.DOTALL)


@pytest.mark.parametrize('snippet', [text for text in SNIPPETS if 'robokin_ros.client' not in text])
def test_library_snippets(snippet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'my_arm.urdf').write_text(real_arm_path('ur5').read_text())
    exec(compile(snippet, 'README.md', 'exec'), {})


def test_all_kinds_of_snippets_are_there():
    assert len(SNIPPETS) == 3


@pytest.mark.parametrize('page', ['kinematics', 'dynamics', 'trajectories', 'control'])
def test_snippets_of_the_documents(page):
    text = (README.parent / 'docs' / f'{page}.md').read_text(encoding='utf-8')
    snippets = [part for part in re.findall(r'```python\n(.*?)```', text, flags=re.DOTALL)
                if 'robokin_ros.client' not in part]
    assert snippets
    for snippet in snippets:
        exec(compile(snippet, page, 'exec'), {})
