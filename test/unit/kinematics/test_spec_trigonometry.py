"""The trigonometric equations of inverse kinematics (KIN-13): the specification's examples, and random equations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import spec_cases
from support.solutions import circle

from robokin_ros.errors import InputError
from robokin_ros.kinematics.trigonometry import (
    real_roots,
    solve_cosine,
    solve_cosine_sine,
    solve_offset,
    solve_pair,
    solve_second_degree,
    solve_sine,
    solve_three_angles,
)

NUMBER = st.floats(-3.0, 3.0).map(lambda x: x if abs(x) > 1e-6 else 0.0)
ANGLE = st.floats(-np.pi, np.pi)
QUICK = settings(max_examples=200, deadline=None, derandomize=True)


def assert_angles(found, expected, tolerance):
    assert found is not None
    assert len(found) == len(expected)
    assert np.all((found > -np.pi) & (found <= np.pi))
    assert np.all(np.diff(found) > 0.0)
    for angle in expected:
        assert np.min(circle(found - angle)) <= tolerance


@pytest.mark.parametrize(('given_values', 'expected', 'tolerance'), spec_cases('KIN-13'))
def test_examples_of_the_specification(given_values, expected, tolerance):
    if 'coefficients_high_to_low' in given_values:
        found = real_roots(given_values['coefficients_high_to_low'])
        roots = expected.get('real_roots', expected.get('real_roots_with_multiplicity'))
        np.testing.assert_allclose(found, sorted(roots), atol=tolerance)
    elif 'A_B_C_D_E_F' in given_values:
        found = solve_second_degree(given_values['A_B_C_D_E_F'])
        assert_angles(found, np.radians(expected['solutions_deg']), np.radians(tolerance['deg']))
    elif 'd' in given_values:
        found = solve_pair(*(given_values[name] for name in 'abcd'))
        assert_angles(found, np.radians([expected['theta_deg']]), np.radians(tolerance['deg']))
    else:
        found = solve_cosine_sine(*(given_values[name] for name in 'abc'))
        within = tolerance['deg'] if isinstance(tolerance, dict) else tolerance
        assert_angles(found, np.radians(expected['solutions_deg']), np.radians(within))


@QUICK
@given(NUMBER, NUMBER, ANGLE)
def test_a_known_root_is_among_the_found(a, b, t):
    size = np.hypot(a, b)
    found = solve_cosine_sine(a, b, a * np.cos(t) + b * np.sin(t))
    if size == 0.0:
        assert found is None
        return
    assert len(found) in (1, 2)
    # at a double root the angle is known to the root of the rounding error (MERGE of KIN-01: 1e-3)
    assert np.min(circle(found - t)) < 2e-3
    np.testing.assert_allclose(a * np.cos(found) + b * np.sin(found), a * np.cos(t) + b * np.sin(t),
                               atol=2e-6 * size)


@QUICK
@given(NUMBER, NUMBER, NUMBER)
def test_all_that_is_returned_solves_and_nothing_is_lost(a, b, c):
    found = solve_cosine_sine(a, b, c)
    size = np.hypot(a, b)
    if found is None:
        assert a == b == c == 0.0
    elif abs(c) > size * (1.0 + 1e-5) or size == 0.0:
        assert len(found) == 0
    elif abs(c) < size * (1.0 - 1e-5):
        assert len(found) == 2
    for t in () if found is None else found:
        assert a * np.cos(t) + b * np.sin(t) == pytest.approx(c, abs=2e-6 * size)


@QUICK
@given(ANGLE)
def test_sine_and_cosine(t):
    for solve, function in ((solve_sine, np.sin), (solve_cosine, np.cos)):
        found = solve(function(t))
        assert len(found) in (1, 2)
        assert np.min(circle(found - t)) < 2e-3
        np.testing.assert_allclose(function(found), function(t), atol=2e-6)


@QUICK
@given(NUMBER, NUMBER, ANGLE)
def test_offset_form_of_the_puma(x, y, t):
    d = -np.sin(t) * x + np.cos(t) * y
    found = solve_offset(x, y, d)
    if x == y == 0.0:
        assert found is None
        return
    assert np.min(circle(found - t)) < 2e-3
    np.testing.assert_allclose(-np.sin(found) * x + np.cos(found) * y, d, atol=2e-6 * np.hypot(x, y))


@QUICK
@given(NUMBER, NUMBER, ANGLE)
def test_pairs(a, b, t):
    c, d = a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)
    found = solve_pair(a, b, c, d)
    if a == b == 0.0:
        assert found is None
        return
    assert circle(found - t).max() < 1e-9
    assert len(solve_pair(a, b, 1.01 * c, 1.01 * d)) == 0


@QUICK
@given(st.lists(NUMBER, min_size=5, max_size=5), ANGLE)
def test_second_degree_finds_every_root_that_a_scan_sees(numbers, t):
    c, s = np.cos(t), np.sin(t)
    coefficients = np.array([*numbers, 0.0])
    coefficients[5] = -coefficients[:5] @ [c * c, c * s, s * s, c, s]  # t is a root

    def value(angles):
        c, s = np.cos(angles), np.sin(angles)
        return np.stack((c * c, c * s, s * s, c, s, np.ones_like(c)), axis=-1) @ coefficients

    size = np.max(np.abs(coefficients))
    found = solve_second_degree(coefficients)
    if size < 1e-3:
        return
    if found is None:
        np.testing.assert_allclose(value(np.linspace(-np.pi, np.pi, 50)), 0.0, atol=1e-6 * size)
        return
    assert len(found) <= 4
    assert np.max(np.abs(value(found)), initial=0.0) < 1e-8 * size
    grid = np.linspace(-np.pi, np.pi, 2001) + 1e-4
    values = value(grid)
    for left, right in zip(grid[:-1][values[:-1] * values[1:] < 0.0], grid[1:][values[:-1] * values[1:] < 0.0],
                           strict=True):
        assert np.min(circle(found - 0.5 * (left + right))) < 0.5 * (right - left) + 1e-5
    slope = (value(np.array(t + 1e-6)) - value(np.array(t - 1e-6))) / 2e-6
    if abs(slope) > 1e-2 * size:
        assert np.min(circle(found - t)) < 1e-6


@QUICK
@given(st.lists(st.floats(-4.0, 4.0), min_size=1, max_size=4), st.floats(0.1, 5.0))
def test_roots_of_polynomials(roots, lead):
    apart = np.min(np.diff(np.sort(roots)), initial=np.inf)
    found = real_roots(lead * np.poly(roots))
    if apart > 0.05:
        np.testing.assert_allclose(found, np.sort(roots), atol=1e-7)
    in_a_row = np.sort(roots)
    if len(roots) < 3 or np.min(in_a_row[2:] - in_a_row[:-2]) > 0.05:  # no triple roots
        for root in roots:
            assert np.min(np.abs(found - root), initial=np.inf) < 1e-4


@pytest.mark.parametrize('roots', [[2.0, 2.0], [-1.0, 2.0, 2.0], [0.0, 0.0, 3.0, 3.0], [1.0, 1.0, 1.0],
                                   [2.0] * 3 + [-1.0], [0.0] * 4, [3.0] * 4])
def test_multiple_roots_of_polynomials_are_all_there(roots):
    found = real_roots(np.poly(roots))
    np.testing.assert_allclose(found, np.sort(roots), atol=2e-3)


def test_leading_zeros_and_impossible_polynomials():
    np.testing.assert_allclose(real_roots([0.0, 0.0, 1.0, -3.0, 2.0]), [1.0, 2.0], atol=1e-12)
    assert len(real_roots([1.0, 0.0, 1.0])) == 0
    assert len(real_roots([5.0])) == 0
    with pytest.raises(InputError, match='every number is a root'):
        real_roots([0.0, 0.0])
    with pytest.raises(InputError, match='degree 5'):
        real_roots([1.0, 0, 0, 0, 0, 1.0])
    with pytest.raises(InputError):
        real_roots([1.0, np.nan])


@QUICK
@given(NUMBER, NUMBER, ANGLE, st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.sampled_from(['', 'flat', 'opposite']))
def test_three_angles(a, c, t, xi, phi, kind):
    """Exercise 4.23 with b and d chosen so that (t, xi, phi) is a solution."""
    if kind:
        phi = (0.0 if kind == 'flat' else np.pi) - xi
    b, d = np.sin(xi) - a * np.sin(t), np.sin(phi) - c * np.cos(t)
    psi = xi + phi
    if max(abs(a), abs(c)) < 1e-3 or (not kind and abs(np.sin(psi)) < 1e-2):
        return
    try:
        rows = solve_three_angles(a, b, c, d, psi)
    except InputError as error:
        assert 'Every angle' in str(error)
        return
    for angle, first, second in rows:
        assert np.sin(first) == pytest.approx(a * np.sin(angle) + b, abs=1e-4)
        assert np.sin(second) == pytest.approx(c * np.cos(angle) + d, abs=1e-4)
        assert circle(first + second - psi) < 1e-9
    near = np.min(np.max(circle(rows - [t, xi, phi]), axis=1))
    slope = _slope(a, b, c, d, psi, t)
    if slope > 1e-2 and abs(np.cos(xi)) > 1e-2:
        assert near < 1e-4


def _slope(a, b, c, d, psi, t):
    """How fast the condition on t leaves zero at t; slow where roots merge."""
    def value(angle):
        p, q = a * np.sin(angle) + b, c * np.cos(angle) + d
        if abs(np.sin(psi)) < 1e-6:
            return p + np.cos(psi) * q
        return p * p + q * q + 2.0 * p * q * np.cos(psi) - np.sin(psi) ** 2
    return abs(value(t + 1e-6) - value(t - 1e-6)) / 2e-6


@pytest.mark.parametrize('call', [lambda: solve_cosine_sine(np.nan, 1.0, 0.0), lambda: solve_sine(np.inf),
                                  lambda: solve_second_degree([1.0] * 5), lambda: solve_pair('a', 1, 1, 1),
                                  lambda: solve_three_angles(1, 1, 1, np.nan, 1)])
def test_bad_coefficients_are_refused(call):
    with pytest.raises(InputError, match='coefficient'):
        call()
