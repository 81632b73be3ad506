"""Counts of operations and the size of tables (DYN-15, DYN-16)."""

import pytest
from support.robots import spec_examples
from support.textbook_arms import examples

from robokin_ros.dynamics.cost import lagrangian_operations, newton_euler_operations, table_size

CASES = spec_examples('spec/DYN-cost')


@examples(CASES, 'DYN-15-n2', 'DYN-15-n3', 'DYN-15-n6')
def test_operations(case):
    """Multiplications and additions."""
    number, expected = case['joints'], case['expected']
    assert list(newton_euler_operations(number)) == expected['newton_euler']
    assert list(lagrangian_operations(number)) == expected['lagrangian']
    if 'about_times' in expected:
        ratio = lagrangian_operations(number)[0] / newton_euler_operations(number)[0]
        assert ratio == pytest.approx(expected['about_times'], rel=0.05)


@examples(CASES, 'DYN-16-n6')
def test_words_of_a_table(case):
    assert table_size(case['joints'], case['bins']) == case['expected']
