"""Enclosures of sums whose order is not known: threads that add in any order, BLAS that adds in blocks, fused or not.

Each operation rounds with a relative error of at most u, so a term that goes through k of them comes out with a factor
within 1 ± gamma_k, gamma_k = k u / (1 - k u) (Higham, Accuracy and Stability of Numerical Algorithms, 3.1). That holds
for every order and every way to put brackets; fused operations round less often. Bounds are computed in fractions, so
nothing rounds but their ends, which go to the floats that are just inside: a computed sum is a float itself.

>>> from soid.engine.learned.model import TreeSum
>>> any_order_spread(TreeSum("value", 0, any_order=True), [0.1, 0.2, 0.3])
(0.6, 0.6000000000000001)
>>> any_order_spread(TreeSum("value", 0, any_order=True), [0.5, 0.25, 1.0])  # no order rounds
(1.75, 1.75)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np
from msgspec import Struct

from soid.engine.learned.cuts import to_float32
from soid.engine.learned.evaluation import finished
from soid.engine.learned.model import LinearSum, TreeSum


class _Format(Struct, frozen=True):
    """A format of floats."""

    digits: int
    greatest: Fraction
    least_normal: Fraction  # products below may lose all of their bits, and may be flushed to 0


_FORMATS: Final = {
    32: _Format(24, Fraction(2**24 - 1) * 2**104, Fraction(1, 2**126)),
    64: _Format(53, Fraction(2**53 - 1) * 2**971, Fraction(1, 2**1022)),
}
_NOTHING_KNOWN: Final = (-math.inf, math.inf)


def any_order_spread(one: TreeSum, leaves: Sequence[float]) -> tuple[float, float]:
    """Least and greatest of the numbers that a sum of trees may be, given the leaf of each tree."""
    kind = np.float32 if one.precision == 32 else np.float64
    if not one.any_order:
        total = kind(one.start)
        for leaf in leaves:
            total = total + kind(leaf)
        value = float(finished(one, total))
        return value, value
    low, high = sum_spread([one.start, *leaves], one.precision)
    return float(finished(one, kind(low))), float(finished(one, kind(high)))  # what finishes a sum never falls


def sum_spread(terms: Sequence[float], precision: int) -> tuple[float, float]:
    """Least and greatest of what these floats may add up to, in any order and with any brackets."""
    if not all(map(math.isfinite, terms)):
        return _NOTHING_KNOWN
    exact = [Fraction(term) for term in terms if term]
    size = sum(map(abs, exact), Fraction(0))
    known = _FORMATS[precision]
    if (len(exact) <= 2 and size <= known.greatest) or _adds_exactly(exact, size, known):
        kind = np.float32 if precision == 32 else np.float64
        found = float(sum((kind(term) for term in terms), kind(0)))  # as in every other order
        return found, found
    return _around(sum(exact, Fraction(0)), size * _gamma(max(len(exact) - 1, 0), known), size, precision)


def linear_spread(one: LinearSum, values: Sequence[float]) -> tuple[float, float]:
    """Least and greatest of the numbers that a linear sum may be, given the value of each column."""
    if not one.any_order:
        value = _in_order(one, values)
        return value, value
    pairs = [
        (Fraction(weight), Fraction(value))
        for weight, value in zip(one.weights, values, strict=True)
        if math.isfinite(value)
    ]
    if len(pairs) < len(values) and not (one.skips_missing and all(math.isnan(x) or math.isfinite(x) for x in values)):
        return _NOTHING_KNOWN
    known = _FORMATS[one.precision]
    products = [weight * value for weight, value in pairs if weight and value]
    intercept = Fraction(one.intercept)
    size = sum(map(abs, products), abs(intercept))
    # n products and the intercept: each goes through at most n additions, and a product was rounded once before
    count = len(products)
    lost = (2 * count + 1) * known.least_normal * 2  # what may be flushed to 0; twice, for later roundings of it
    error = size * _gamma(count + 1, known) + lost
    if count == 0:
        return one.intercept, one.intercept
    return _around(sum(products, intercept), error, size + lost, one.precision)


def _in_order(one: LinearSum, values: Sequence[float]) -> float:
    kind = np.float32 if one.precision == 32 else np.float64
    total = kind(one.intercept)
    for weight, value in zip(one.weights, values, strict=True):
        if not (one.skips_missing and math.isnan(value)):
            total = total + kind(value) * kind(weight)
    return float(total)


def _gamma(count: int, known: _Format) -> Fraction:
    scaled = Fraction(count, 2**known.digits)
    assert scaled < 1  # a sum of 2**24 terms or more has no such bound
    return scaled / (1 - scaled)


def _adds_exactly(terms: list[Fraction], size: Fraction, known: _Format) -> bool:
    """Whether every partial sum is a float: all terms are multiples of one power of two, and few enough of them."""
    if not terms:
        return True
    unit = Fraction(1, math.lcm(*(term.denominator for term in terms)))  # a power of two, as all denominators are
    whole = math.gcd(*(int(term / unit) for term in terms))
    unit *= whole & -whole
    return size / unit <= 2**known.digits and size <= known.greatest


def _around(middle: Fraction, error: Fraction, size: Fraction, precision: int) -> tuple[float, float]:
    """The floats within an error of a number; nothing is known if a partial sum may be too large."""
    if size + error > _FORMATS[precision].greatest:
        return _NOTHING_KNOWN
    return _next_inside(middle - error, 1, precision), _next_inside(middle + error, -1, precision)


def _next_inside(end: Fraction, step: int, precision: int) -> float:
    """The first float at a number or after it, in the direction of the step."""
    found = float(end) if precision == 64 else to_float32(float(end))
    kind = np.float32 if precision == 32 else np.float64
    while (Fraction(found) - end) * step < 0:
        found = float(np.nextafter(kind(found), kind(step * math.inf)))
    while True:
        before = float(np.nextafter(kind(found), kind(-step * math.inf)))
        if not math.isfinite(before) or (Fraction(before) - end) * step < 0:
            return found
        found = before
