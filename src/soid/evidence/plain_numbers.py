"""The numbers of a learned model over boxes of features, in plain Python: enclosures of what its library computes.

Sums in a fixed order are added in that order, each step rounded as the library rounds it: rounding is monotone, so the
sum of the least terms is the least. For sums in any order the exact sum is widened by what rounding can change in the
worst case (gamma_n = n u / (1 - n u), times the sum of sizes). Links are real functions, widened by their errors.

This shares no code with `soid.engine.learned.functions` and what that is made of, on purpose: one checks the other.
"""

from __future__ import annotations

import bisect
import ctypes
import ctypes.util
import math
import struct
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Final, final

from msgspec import Struct

from soid.engine.learned.model import (
    MISSING,
    UNSEEN,
    Arithmetic,
    Bins,
    Clip,
    Column,
    Feature,
    Impute,
    Indicator,
    LinearSum,
    Link,
    Table,
    ToFloat32,
    TreeSum,
)
from soid.evidence.plain_trees import FeatureBox, FeatureRange, NotChecked

Enclosed = tuple[float, float]  # the least and the greatest that a number may be

_DIGITS: Final = {32: 24, 64: 53}
_TINY: Final = {32: Fraction(1, 2**126), 64: Fraction(1, 2**1022)}  # some processors flush what is smaller to 0
_GREATEST: Final = {32: math.ldexp(2**24 - 1, 104), 64: math.ldexp(2**53 - 1, 971)}
_OVERFLOWS: Final = "a number may be too large for its floats"


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
        raise NotChecked(_OVERFLOWS)
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
    return Fraction(largest) <= unit * 2 ** _DIGITS[precision] and unit >= _TINY[precision]


def _in_any_order(least: Sequence[float], most: Sequence[float], precision: int, operations: int) -> Enclosed:
    """Terms between two that are added in any order, each of them after so many roundings at most."""
    if not all(map(math.isfinite, (*least, *most))):
        raise NotChecked(_OVERFLOWS)
    sizes = math.fsum(max(abs(low), abs(high)) for low, high in zip(least, most, strict=True))
    low, high = math.nextafter(math.fsum(least), -math.inf), math.nextafter(math.fsum(most), math.inf)  # fsum rounds
    return _widened(
        Fraction(low), Fraction(high), Fraction(math.nextafter(sizes, math.inf)), precision, operations
    )


def _widened(low: Fraction | int, high: Fraction | int, sizes: Fraction | int, precision: int, count: int) -> Enclosed:
    lost = Fraction(count, 2 ** _DIGITS[precision])
    off = sizes * lost / (1 - lost) + count * _TINY[precision]
    if sizes + off >= _GREATEST[precision]:
        raise NotChecked(_OVERFLOWS)
    return _down(low - off, precision), -_down(-(high + off), precision)


def _down(exact: Fraction, precision: int) -> float:
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


def linear_sum(one: LinearSum, features: Sequence[Feature], box: FeatureBox) -> Enclosed:
    step = rounding(one.precision)
    spans = [_column(column, features[column.feature], box[column.feature]) for column in one.columns]
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


def _column(column: Column, feature: Feature, given: FeatureRange) -> FeatureRange:
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
            case Arithmetic() | ToFloat32() | Clip() | Bins():
                ends = sorted(_prepared(step, end) for end in (given.low, given.high)) if given.low <= given.high else []
                given = FeatureRange(*(ends or (math.inf, -math.inf)), missing=given.missing)
    if feature.kind == "category" and not any(isinstance(step, Table) for step in column.steps):
        raise NotChecked("a category is added as a number")
    return given


def _prepared(step: Arithmetic | ToFloat32 | Clip | Bins, x: float) -> float:
    match step:
        case Arithmetic(operation, value):
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


# --- links


def linked(link: Link, given: Sequence[Enclosed]) -> Enclosed:
    """The numbers that a link may be while its arguments lie within bounds."""
    if link.exact and all(low == high for low, high in given):
        computed = _computed(link, [low for low, _ in given])
        return computed, computed
    step = rounding(link.precision)
    low, high = given[0]
    match link.function:
        case "complement":
            return step(1.0 - high), step(1.0 - low)
        case "twice" | "half":
            factor = 2.0 if link.function == "twice" else 0.5
            return _spread(low * factor, high * factor, link, 1)
        case "signed_square":
            return _spread(low * abs(low), high * abs(high), link, 1)
        case "sigmoid" | "clipped_sigmoid":
            most = 88.7 if link.function == "clipped_sigmoid" else math.inf
            return _spread(*(1.0 / (1.0 + _exp(min(-x, most))) for x in (low, high)), link, 5)
        case "exp":
            return _spread(_exp(low), _exp(high), link, 3)
        case "softplus":
            return _spread(math.log1p(_exp(low)), math.log1p(_exp(high)), link, 5)
        case "share" | "softmax":
            return _shared(link, given)


def _shared(link: Link, given: Sequence[Enclosed]) -> Enclosed:
    """The share of one of several numbers: it rises with that one, and falls with the others."""
    (low, high), others = given[0], [
        each for name, each in zip(link.arguments[1:], given[1:], strict=True) if name != link.arguments[0]
    ]  # fmt: skip
    if link.function == "softmax":
        ends = [
            1.0 / (1.0 + sum(_exp(each[1 - end] - own) for each in others)) for end, own in enumerate((low, high))
        ]
        apart = max(each[1] for each in given) - min(each[0] for each in given)
        return _spread(*ends, link, 2 * (len(given) + 3 + math.ceil(apart)))  # a difference of arguments is rounded too
    if low < 0 or any(each[0] < 0 for each in others) or not low + sum(each[0] for each in others) > 0:
        raise NotChecked("the share of a number that is not above zero")
    ends = [own / (own + sum(each[1 - end] for each in others)) for end, own in enumerate((low, high))]
    return _spread(*ends, link, len(given) + 2)


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _spread(low: float, high: float, link: Link, ulps: int) -> Enclosed:
    """A range widened by the errors of its computation, in the library and here, as units in the last place."""
    if math.isnan(low) or math.isnan(high):
        raise NotChecked(_OVERFLOWS)
    off = ulps * math.ldexp(1.0, 1 - _DIGITS[link.precision])
    least = float(_TINY[link.precision])
    low, high = min(low, _GREATEST[link.precision]), max(high, -_GREATEST[link.precision])
    return low - max(abs(low) * off, least), high + max(abs(high) * off, least)


@cache
def _exponential(precision: int) -> Callable[[float], float]:
    """The C library's own function."""
    library = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")
    kind = ctypes.c_float if precision == 32 else ctypes.c_double
    function = library.expf if precision == 32 else library.exp
    function.restype, function.argtypes = kind, [kind]
    return lambda x: float(function(x))


def _computed(link: Link, given: Sequence[float]) -> float:
    """What the library computes, step by step, with the C library's functions."""
    step, exp, first = rounding(link.precision), _exponential(link.precision), given[0]
    match link.function:
        case "sigmoid":
            return step(1.0 / step(1.0 + exp(-first)))
        case "clipped_sigmoid":
            return step(1.0 / step(1.0 + exp(step(min(-first, 88.7)))))
        case "exp":
            return exp(first)
        case "complement":
            return step(1.0 - first)
        case "twice":
            return step(first * 2.0)
        case "half":
            return first * 0.5
        case "signed_square":
            return step(first * abs(first))
        case "softmax":
            shifted = [exp(step(each - max(given))) for each in given]
            return step(shifted[0] / step(sum(shifted[1:])))
        case "share":
            total = 0.0
            for each in given[1:]:
                total = step(total + each)
            return step(first / total)
        case "softplus":
            raise NotChecked("a softplus is not evaluated")
