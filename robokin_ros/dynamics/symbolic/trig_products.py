"""Fourier terms as the textbook writes them: few products of sines and cosines instead of many sums of angles."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush

Angles = tuple[int, ...]
"""Frequencies: how often each angle is in a sum."""
Factor = tuple[str, Angles]
"""'c' or 's' and the angles: a cosine or sine of their sum."""
Factors = tuple[Factor, ...]
Term = tuple[float, Factors]
Pair = tuple[int, Factors, Factors, Factors, tuple[float, float], Factors, float]
"""Two terms that make one product: its order, the terms, their numbers, the product, the ratio of its number."""
SAME = 1e-11
"""Numbers that differ by less than this share of them are equal."""
MOST_SIZES = 8
"""Ways of leaving a part of the constant aside are tried if the terms have at most this many different sizes."""


def trig_products(fourier: dict[Angles, complex]) -> list[Term]:
    """Sum of products equal to a real Fourier sum, numbers by frequencies.

    Two terms of equal size become one product, cos x + cos y = 2 cos((x+y)/2) cos((x-y)/2) and its like, as long
    as there are any; then sin 2x becomes 2 s c. A part of the constant may be left aside first, where that makes
    the sum shorter: 3 - cos 2x becomes 2 + 2 s^2.
    """
    terms: dict[Factors, float] = {}
    for angles, number in fourier.items():
        if not any(angles):
            _put(terms, (), number.real)
        elif _leads(angles):
            _put(terms, (('c', angles),), 2.0 * number.real)
            _put(terms, (('s', angles),), -2.0 * number.imag)
    best = _paired(terms, 0.0)
    sizes = {abs(number) for factors, number in terms.items() if factors}
    if () in terms and 0 < len(sizes) <= MOST_SIZES:
        aside = {terms[()] - sign * size for size in sizes for sign in (1.0, -1.0)} - {0.0}
        best = min([best, *(_paired(terms, part) for part in sorted(aside, key=abs))], key=_length)
    return [(number, factors) for factors, number in best.items()]


def _paired(terms: dict[Factors, float], aside: float) -> dict[Factors, float]:
    """Terms made into products, those of the smallest angles first, `aside` of the constant being kept out of it."""
    found: dict[Factors, float] = {}
    queue: list[Pair] = []
    for factors, number in terms.items():
        _enter(found, queue, factors, number if factors else number - aside)
    while queue:
        *_, first, second, numbers, factors, ratio = heappop(queue)
        if (found.get(first), found.get(second)) == numbers:
            del found[first], found[second]
            _enter(found, queue, factors, ratio * numbers[0])
    _split_double_angles(found)
    _put(found, (), aside)
    return found


def _enter(found: dict[Factors, float], queue: list[Pair], factors: Factors, number: float) -> None:
    """Add a term, and to the queue the products that it can make with others."""
    _put(found, factors, number)
    total = found.get(factors, 0.0)
    for other, value in found.items():
        if other != factors and abs(abs(value) - abs(total)) < SAME * abs(total):
            made = _product(factors, other, total * value > 0.0)
            if made is not None:
                cost = sum(abs(k) for _, angles in made[0] for k in angles)
                heappush(queue, (cost, made[0], factors, other, (total, value), *made))


def _length(terms: dict[Factors, float]) -> tuple[int, int, int]:
    """How long a sum is: terms, then multiples of angles, then angles."""
    counts = [abs(k) for factors in terms for _, angles in factors for k in angles]
    return len(terms), max(counts, default=0), sum(counts)


def _put(terms: dict[Factors, float], factors: Factors, number: float) -> None:
    total = terms.pop(factors, 0.0) + number
    if abs(total) > 1e-13 * abs(number):
        terms[factors] = total


def _leads(angles: Angles) -> bool:
    return next((k for k in angles if k), 0) > 0


def _product(first: Factors, second: Factors, plus: bool) -> tuple[Factors, float] | None:
    """A product equal to first + second (or first - second), and its number."""
    left, right, shared = list(first), list(second), []
    for factor in first:
        if factor in right:
            left.remove(factor)
            right.remove(factor)
            shared.append(factor)
    if len(left) > 1 or len(right) > 1:
        return None
    one = ('c', (0,) * len((left or right)[0][1]))
    (kind, x), (other, y) = (left or [one])[0], (right or [one])[0]
    if kind != other or any((a + b) % 2 for a, b in zip(x, y, strict=True)):
        return None
    half = tuple((a + b) // 2 for a, b in zip(x, y, strict=True))
    rest = tuple((a - b) // 2 for a, b in zip(x, y, strict=True))
    if kind == 'c':
        pair, number = ((('c', half), ('c', rest)), 2.0) if plus else ((('s', half), ('s', rest)), -2.0)
    else:
        pair, number = ((('s', half), ('c', rest)), 2.0) if plus else ((('c', half), ('s', rest)), 2.0)
    return _ordered((*shared, *pair), number)


def _ordered(factors: Iterable[Factor], number: float) -> tuple[Factors, float]:
    """The same product with the first angle of every sum positive."""
    kept = []
    for kind, angles in factors:
        if _leads(angles):
            kept.append((kind, angles))
        elif any(angles):
            kept.append((kind, tuple(-k for k in angles)))
            number = -number if kind == 's' else number
    return tuple(sorted(kept)), number


def _split_double_angles(terms: dict[Factors, float]) -> None:
    """Write sin 2x as 2 sin x cos x."""
    for factors in list(terms):
        halves = [((('s', half), ('c', half)) if kind == 's' and not any(k % 2 for k in angles) else ((kind, angles),))
                  for kind, angles in factors for half in [tuple(k // 2 for k in angles)]]
        split = tuple(sorted(factor for pair in halves for factor in pair))
        if len(split) > len(factors):
            _put(terms, split, 2.0**(len(split) - len(factors)) * terms.pop(factors))
