"""The parameter files: complete, typed, within their own ranges."""

import pytest

from robokin_ros.nodes.__main__ import NODES
from robokin_ros.nodes.parameters import TYPES, parameter_table

PYTHON_TYPES = {'bool': bool, 'int': int, 'double': float, 'string': str, 'double_array': list}


@pytest.mark.parametrize('node', NODES)
def test_every_entry_is_documented_and_its_default_valid(node):
    for name, entry in parameter_table(node).items():
        assert set(entry) <= {'type', 'default', 'description', 'range', 'read_only', 'one_of'}, name
        assert entry['type'] in TYPES
        assert type(entry['default']) is PYTHON_TYPES[entry['type']], name
        assert entry['description'].endswith('.'), name
        if 'range' in entry:
            low, high = entry['range']
            assert low <= entry['default'] <= high, name
        if 'one_of' in entry:
            assert entry['default'] in entry['one_of'], name
