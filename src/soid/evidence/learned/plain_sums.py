"""The sums of a learned model over boxes of features, in plain Python: enclosures of what its library computes.

Sums in a fixed order are added in that order, each step rounded as the library rounds it: rounding is monotone, so the
sum of the least terms is the least. For sums in any order the exact sum is widened by what rounding can change in the
worst case (gamma_n = n u / (1 - n u), times the sum of sizes).

This shares no code with `soid.engine.learned.sum_functions` and what that is made of, on purpose: one checks the other.
"""

from __future__ import annotations

import bisect
import math
import struct
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, final

from msgspec import Struct

from soid.engine.learned.column_steps import Bins, Clip, Column, ColumnArithmetic, Impute, Indicator, Table, ToFloat32
from soid.engine.learned.model import MISSING, UNSEEN, LinearSum, ModelFeature, TreeSum
from soid.evidence.learned.plain_trees import FeatureBox, FeatureRange, NotChecked

Enclosed = tuple[float, float]  # the least and the greatest that a number may be

DIGITS: Final = {32: 24, 64: 53}
TINY: Final = {32: Fraction(1, 2**126), 64: Fraction(1, 2**1022)}  # some processors flush what is smaller to 0
GREATEST: Final = {32: math.ldexp(2**24 - 1, 104), 64: math.ldexp(2**53 - 1, 971)}
OVERFLOWS: Final = "a number may be too large for its floats"


def single(x: float) -> float:
    """Rounded to float32."""
    try:
        found: float = struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)
    return found


def rounding(precision: int) -> Callable[[float], float]:
    return single if precision == 32 else float


# --- sums of trees


@final
class TreeTerms(Struct, frozen=True):
    """The terms of a sum of trees: whether it is exact in any order follows from all of its leaves."""

    sum: TreeSum
    values: Sequence[float]  # by row of a leaf
    exact: bool

    @classmethod
    def of(cls, one: TreeSum, values: Sequence[float], trees: int) -> TreeTerms:
        rounded = [rounding(one.precision)(value) for value in values]
        start = rounding(one.precision)(one.start)
        return cls(one, rounded, not one.any_order or _adds_exactly([start, *rounded], trees + 1, one.precision))

    def over(self, least: Sequence[float], most: Sequence[float]) -> Enclosed:
        """From the least and the greatest leaf of each tree."""
        one, step = self.sum, rounding(self.sum.precision)
        start = step(one.start)
        if self.exact:
            low, high = (_in_order(start, terms, step) for terms in (least, most))
        else:
            low, high = _in_any_order([start, *least], [start, *most], one.precision, len(least) + 1)
        return _finished(one, low), _finished(one, high)


def _in_order(start: float, terms: Sequence[float], step: Callable[[float], float]) -> float:
    total = start
    for term in terms:
        total = step(total + term)
    return _number(total)


def _finished(one: TreeSum, total: float) -> float:
    step = rounding(one.precision)
    for operation, value in one.finish:
        factor = step(value)
        if operation != "add" and not factor > 0:
            raise NotChecked("a sum is multiplied or divided by what is not above zero")
        total = step({"add": total + factor, "multiply": total * factor, "divide": total / factor}[operation])
    return _number(total)


def _number(total: float) -> float:
    if not math.isfinite(total):
        raise NotChecked(OVERFLOWS)
    return total


def _adds_exactly(values: Sequence[float], count: int, precision: int) -> bool:
    """Whether so many of the values add up without rounding: all are multiples of one power of two, and not large."""
    some = [value for value in set(values) if value]
    if not all(map(math.isfinite, some)):
        return False
    if not some:
        return True
    unit = min(Fraction(above & -above, below) for above, below in (value.as_integer_ratio() for value in some))
    largest = count * max(map(abs, some))
    return Fraction(largest) <= unit * 2 ** DIGITS[precision] and unit >= TINY[precision]


def _in_any_order(least: Sequence[float], most: Sequence[float], precision: int, operations: int) -> Enclosed:
    """Terms between two that are added in any order, each of them after so many roundings at most."""
    if not all(map(math.isfinite, (*least, *most))):
        raise NotChecked(OVERFLOWS)
    sizes = math.fsum(max(abs(low), abs(high)) for low, high in zip(least, most, strict=True))
    low, high = math.nextafter(math.fsum(least), -math.inf), math.nextafter(math.fsum(most), math.inf)  # fsum rounds
    return _widened(Fraction(low), Fraction(high), Fraction(math.nextafter(sizes, math.inf)), precision, operations)


def _widened(low: Fraction | int, high: Fraction | int, sizes: Fraction | int, precision: int, count: int) -> Enclosed:
    lost = Fraction(count, 2 ** DIGITS[precision])
    off = sizes * lost / (1 - lost) + count * TINY[precision]
    if sizes + off >= GREATEST[precision]:
        raise NotChecked(OVERFLOWS)
    return float_below(low - off, precision), -float_below(-(high + off), precision)


def float_below(exact: Fraction, precision: int) -> float:
    """The greatest float that is not above a number."""
    found = rounding(precision)(exact.numerator / exact.denominator)
    while Fraction(found) > exact:
        found = _below(found, precision)
    return found


def _below(x: float, precision: int) -> float:
    if precision == 64:
        return math.nextafter(x, -math.inf)
    if x == 0:
        return -math.ldexp(1.0, -149)
    bits: int = struct.unpack("<i", struct.pack("<f", x))[0]  # of a negative float: more bits, a smaller number
    found: float = struct.unpack("<f", struct.pack("<i", bits - 1 if x > 0 else bits + 1))[0]
    return found


# --- linear sums


def linear_sum(one: LinearSum, features: Sequence[ModelFeature], box: FeatureBox) -> Enclosed:
    step = rounding(one.precision)
    spans = [column_range(column, features[column.feature], box[column.feature]) for column in one.columns]
    weights = [step(weight) for weight in one.weights]
    least, most, exact = [], [], []
    for span, weight in zip(spans, weights, strict=True):
        ends = [step(end) for end in (span.low, span.high)] if span.low <= span.high else []
        if not all(map(math.isfinite, ends)) or (span.missing and not one.skips_missing):
            raise NotChecked("a weighted column may be infinite, or missing")
        nothing = [Fraction(0)] if span.missing or not ends else []
        exact.append([*(Fraction(end) * Fraction(weight) for end in ends), *nothing])
        rounded = [*(step(end * weight) for end in ends), *map(float, nothing)]
        least.append(min(rounded))
        most.append(max(rounded))
    intercept = step(one.intercept)
    if not one.any_order:
        return _in_order(intercept, least, step), _in_order(intercept, most, step)
    sizes = sum(max(map(abs, terms)) for terms in exact) + abs(Fraction(intercept))
    low, high = sum(map(min, exact)) + Fraction(intercept), sum(map(max, exact)) + Fraction(intercept)
    return _widened(low, high, sizes, one.precision, len(exact) + 2)


def column_range(column: Column, feature: ModelFeature, given: FeatureRange) -> FeatureRange:
    """The numbers that a column has in a box."""
    for step in column.steps:
        match step:
            case Table():
                given = _looked_up(step, given.codes)
            case Impute(value):
                filled = FeatureRange(value, value) if given.missing else FeatureRange()
                given = FeatureRange(given.low, given.high).hull(filled)
            case Indicator(value):
                given = _indicated(value, given)
            case ColumnArithmetic() | ToFloat32() | Clip() | Bins():
                given = _moved(step, given)
    if feature.kind == "category" and not any(isinstance(step, Table) for step in column.steps):
        raise NotChecked("a category is added as a number")
    return given


def _moved(step: ColumnArithmetic | ToFloat32 | Clip | Bins, given: FeatureRange) -> FeatureRange:
    """A range after a step that never falls, or never rises."""
    if given.low > given.high:
        return given
    low, high = sorted(_prepared(step, end) for end in (given.low, given.high))
    return FeatureRange(low, high, given.missing)


def _prepared(step: ColumnArithmetic | ToFloat32 | Clip | Bins, x: float) -> float:
    match step:
        case ColumnArithmetic(operation, value):
            found = {
                "add": lambda: x + value,
                "subtract": lambda: x - value,
                "multiply": lambda: x * value,
                "divide": lambda: x / value,
            }[operation]()
            if math.isnan(found):
                raise NotChecked("a prepared number may be NaN")
            return found
        case ToFloat32():
            return single(x)
        case Clip(low, high):
            return min(max(x, low), high)
        case Bins(edges):
            return float(bisect.bisect_right(edges, x))


def _indicated(value: float | None, given: FeatureRange) -> FeatureRange:
    some = given.low <= given.high
    if value is None:
        may, must = given.missing, not some
    else:
        may = some and given.low <= value <= given.high
        must = given.low == given.high == value and not given.missing
    return FeatureRange(float(must), float(may))


def _looked_up(step: Table, codes: frozenset[int]) -> FeatureRange:
    known = dict(step.entries)
    found = {step.missing if code == MISSING else known.get(code, step.unseen) for code in codes - {UNSEEN}}
    if UNSEEN in codes:
        found.add(step.unseen)
    some = [value for value in found if value is not None and not math.isnan(value)]
    return FeatureRange(min(some, default=math.inf), max(some, default=-math.inf), missing=len(some) < len(found))
