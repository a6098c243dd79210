"""What is known of an approximated result: bounds over cells of arguments, and what the library returns at points.

Every fact is an implication that holds whatever the arguments are: "where x lies in this cell, the result lies between
these bounds". So how the cells were chosen decides how much is known, never whether it is true.

    exp(x), x in 0 to 2     0 <= x < 1: 1 <= exp(x) <= 2.72      1 <= x <= 2: 2.71 <= exp(x) <= 7.39      x = 0: 1

Cells and bounds are kept as ordinals: floats numbered in their order, -0.0 at -1 and +0.0 at 0.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, final

from flint import arb

from soid.engine.llvm.exploring.approximated.errors import units
from soid.engine.llvm.exploring.approximated.functions import FUNCTIONS, Function
from soid.engine.llvm.exploring.approximated.library import Library
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, Float
from soid.formula.term import Term

Span = tuple[int, int]  # the first and the last ordinal
Box = tuple[Span, ...]  # one span for each argument

_AT_FIRST: Final = {1: 16, 2: 4}  # equal parts of each argument's range, by the number of arguments that vary
_CLOSER: Final = {1: 4, 2: 2}
_ZEROS: Final[Span] = (-1, 0)


@final
@dataclass(frozen=True, slots=True)
class Cells:
    """The enclosure of one approximated result."""

    function: Function
    format: Float
    symbol: Term
    arguments: tuple[Term, ...]
    library: Library
    cells: tuple[Box, ...]
    points: tuple[tuple[int, ...], ...]  # bits of arguments at which the library was asked

    def facts(self) -> tuple[Term, ...]:
        at_points = (self._at(point) for point in self.points)
        over_cells = (self._over(cell) for cell in self.cells)
        return tuple(fact for fact in (*_rules(self), *at_points, *over_cells) if fact is not build.TRUE)

    def value(self, arguments: tuple[int, ...], /) -> int:
        return self.library.call(self.function.name, self.format, *arguments)

    def closer(self, arguments: tuple[int, ...], /) -> Cells:
        points = self.points if arguments in self.points else (*self.points, arguments)
        if any(sf.is_nan(self.format, bits) for bits in arguments):
            return replace(self, points=points)
        place = tuple(sf.ordinal(self.format, bits) for bits in arguments)
        cells: list[Box] = []
        for cell in self.cells:
            inside = all(low <= at <= high for at, (low, high) in zip(place, cell, strict=True))
            cells.extend(self._parted(cell) if inside else [cell])
        return replace(self, points=points, cells=tuple(cells))

    def range(self) -> Span:
        """Where the result may be expected, if the arguments are where they were expected."""
        found = [bounds(self.function.name, self.format, cell) for cell in self.cells]
        known = [each for each in found if each is not None]
        if not known or len(known) < len(found):
            return ~self.format.infinity, self.format.infinity
        return min(low for low, _ in known), max(high for _, high in known)

    def _parted(self, cell: Box) -> list[Box]:
        parts = _CLOSER[min(2, sum(low < high for low, high in cell)) or 1]
        return list(itertools.product(*(_cut(self.format, span, parts, ()) for span in cell)))

    def _at(self, point: tuple[int, ...]) -> Term:
        there = [build.eq(a, build.const(self.format, bits)) for a, bits in zip(self.arguments, point, strict=True)]
        return build.implies(build.all_of(there), self.equals(self.value(point)))

    def equals(self, bits: int) -> Term:
        return build.eq(self.symbol, build.const(self.format, bits))

    def _over(self, cell: Box) -> Term:
        known = bounds(self.function.name, self.format, cell)
        if known is None:
            return build.TRUE
        low, high = (build.const(self.format, sf.from_ordinal(self.format, end)) for end in known)
        there = [_lies(a, self.format, span) for a, span in zip(self.arguments, cell, strict=True)]
        between = build.and_(build.fp_leq(low, self.symbol), build.fp_leq(self.symbol, high))
        return build.implies(build.all_of(there), between)


def cells(
    name: str, format: Float, symbol: Term, arguments: tuple[Term, ...], ranges: Sequence[Span], library: Library
) -> Cells:
    """What is known at first of a function whose arguments are expected in these ranges."""
    function = FUNCTIONS[name]
    varying = min(2, sum(not argument.is_const for argument in arguments))
    spans: list[list[Span]] = []
    for argument, (low, high) in zip(arguments, ranges, strict=True):
        if argument.is_const:
            low = high = sf.ordinal(format, argument.value) if not sf.is_nan(format, argument.value) else 0
        greatest = format.infinity - 1
        least, most = (_nearest(format, end) for end in (function.low, function.high))
        span = (max(low, ~greatest, least), min(high, greatest, most))
        spans.append(_cut(format, span, _AT_FIRST[varying], function.marks) if span[0] <= span[1] else [])
    special = [_special(format, function) if not a.is_const else (a.value,) for a in arguments]
    points = tuple(itertools.product(*special)) if varying == 1 else ()
    return Cells(function, format, symbol, arguments, library, tuple(itertools.product(*spans)), points)


# --- bounds -----------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=65_536)
def bounds(name: str, format: Float, cell: Box) -> Span | None:
    """The ordinals between which the library's results lie over a cell of finite arguments in the domain."""
    numbers = [(_number(format, low), _number(format, high)) for low, high in cell]
    found = FUNCTIONS[name].over(*numbers)
    if found is None:
        return None
    # A unit in the last place is one step of ordinals, or two just below a power of two.
    slack = 2 * units(name, format) + 2
    low, high = _floor(format, found[0]) - slack, _ceiling(format, found[1]) + slack
    if found[0] >= 0:
        low = max(low, -1)  # of the true value's sign; a zero may have either
    if found[1] <= 0:
        high = min(high, 0)
    return max(low, ~format.infinity), min(high, format.infinity)


def _floor(format: Float, end: arb) -> int:
    """The ordinal of the largest float that is no more than an exact end."""
    if not end.is_finite() or end < -_greatest(format):
        return ~format.infinity
    if end > _greatest(format):
        return format.infinity - 1
    if abs(end) < _least(format):
        return 0 if end >= 0 else ~1
    return sf.ordinal(format, sf.floor_fraction(format, _fraction(end)))


def _ceiling(format: Float, end: arb) -> int:
    return ~_floor(format, -end)


def _fraction(end: arb) -> Fraction:
    mantissa, exponent = end.man_exp()
    scale = Fraction(2) ** int(exponent)
    return int(mantissa) * scale


def _greatest(format: Float) -> float:
    return _number(format, format.infinity - 1)


def _least(format: Float) -> float:
    return _number(format, 1)


def _number(format: Float, ordinal: int) -> float:
    bits = sf.from_ordinal(format, ordinal)
    return sf.bits32_to_float(bits) if format == FLOAT32 else sf.bits64_to_float(bits)


def _nearest(format: Float, number: float) -> int:
    return sf.ordinal(format, sf.float_to_bits32(number) if format == FLOAT32 else sf.float_to_bits64(number))


# --- cells ------------------------------------------------------------------------------------------------------


def _cut(format: Float, span: Span, parts: int, marks: Iterable[float]) -> list[Span]:
    """A span cut into parts: equal in value, some equal in ordinal, at marks, and with the zeros apart."""
    low, high = span
    if low == high or span == _ZEROS:
        return [span]
    cuts = {low, high + 1, -1, 0, 1, *(_nearest(format, mark) for mark in marks)}
    bottom, top = Fraction(_number(format, low)), Fraction(_number(format, high))
    for k in range(1, parts):
        cuts.add(sf.ordinal(format, sf.from_fraction(format, bottom + (top - bottom) * k / parts)))
    for k in range(1, 4):
        cuts.add(low + (high - low) * k // 4)
    kept = sorted(cut for cut in cuts if low <= cut <= high + 1)
    return [(a, b - 1) for a, b in itertools.pairwise(kept)]


def _special(format: Float, function: Function) -> tuple[int, ...]:
    """Arguments at which C says what the result is; it is asked of the library all the same."""
    ends = [_nearest(format, end) for end in (function.low, function.high)]
    ordinals = {-1, 0, format.infinity, ~format.infinity, *ends, _nearest(format, 1.0), _nearest(format, -1.0)}
    return tuple(sf.from_ordinal(format, ordinal) for ordinal in sorted(ordinals))


def _lies(argument: Term, format: Float, span: Span) -> Term:
    """Whether an argument lies in a span; comparing floats does not tell zeros apart, so their sign is asked for."""
    low, high = span
    ends = [build.const(format, sf.from_ordinal(format, end)) for end in span]
    above = build.fp_is_positive(argument) if low == 0 else build.fp_leq(ends[0], argument)
    below = build.fp_is_negative(argument) if high == -1 else build.fp_leq(argument, ends[1])
    return build.and_(above, below)


# --- what C's Annex F says of arguments that are no finite numbers ------------------------------------------------


def _rules(known: Cells) -> list[Term]:
    if known.function.arity == 1:
        return _rules_of_one(known)
    if known.function.name == "pow":
        return _rules_of_pow(known)
    missing = build.any_of(build.fp_is_nan(argument) for argument in known.arguments)
    nan = build.fp_is_nan(known.symbol)
    if known.function.name == "hypot":
        infinite = build.any_of(build.fp_is_inf(argument) for argument in known.arguments)
        without = build.and_(build.not_(infinite), missing)
        return [build.implies(infinite, known.equals(known.format.infinity)), build.implies(without, nan)]
    return [build.implies(missing, nan)]


def _rules_of_one(known: Cells) -> list[Term]:
    (x,), format = known.arguments, known.format
    low, high = (_nearest(format, end) for end in (known.function.low, known.function.high))
    outside = [build.fp_is_nan(x)]
    if low > ~format.infinity:
        outside.append(build.fp_lt(x, build.const(format, sf.from_ordinal(format, low))))
    if high < format.infinity:
        outside.append(build.fp_lt(build.const(format, sf.from_ordinal(format, high)), x))
    return [build.implies(build.any_of(outside), build.fp_is_nan(known.symbol))]


def _rules_of_pow(known: Cells) -> list[Term]:
    (x, y), format = known.arguments, known.format
    one = sf.from_integer(format, 1)
    constant = build.or_(build.fp_is_zero(y), build.eq(x, build.const(format, one)))
    missing = build.and_(build.not_(constant), build.or_(build.fp_is_nan(x), build.fp_is_nan(y)))
    whole = build.eq(build.fp_round(sf.Rounding.RTZ, y), y)  # infinities and NaNs count as whole here
    negative = build.and_(build.fp_lt(x, build.const(format, 0)), build.not_(build.fp_is_inf(x)))
    unreal = build.and_(negative, build.not_(whole))
    nowhere = build.or_(missing, unreal)
    return [build.implies(constant, known.equals(one)), build.implies(nowhere, build.fp_is_nan(known.symbol))]
