"""Functions of numbers: the least and the greatest of some, C's quotient and remainder, and conversions between types.

A conversion gives the same number in another type. A whole number that becomes a float is rounded to nearest, ties to
even; a float or a fraction that becomes a whole number loses what is behind its point. A number that does not fit a
type of whole numbers is not defined, as in C.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from msgspec.structs import replace

from soid.errors import SortMismatchError
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.operators import truncated_quotient
from soid.formula.sorts import Float
from soid.formula.term import Term
from soid.program.types import FloatType, IntType, named
from soid.scenario import whole_terms
from soid.scenario.expression import Comparison, NumberFunction
from soid.scenario.float_terms import to_real
from soid.scenario.number_terms import absolute, as_whole, compare_numbers, worked_out
from soid.scenario.operand_values import Exact, Number, Ratio, Real, Whole
from soid.scenario.ratio_terms import as_ratio, toward_zero
from soid.scenario.whole_terms import compare_wholes, whole


def call(function: NumberFunction, numbers: Sequence[Number]) -> Number:
    """The function of these numbers, of which there are as many as it takes."""
    match function:
        case NumberFunction.ABS:
            return absolute(numbers[0])
        case NumberFunction.MIN | NumberFunction.MAX:
            return _extreme(function, numbers)
        case NumberFunction.QUOT | NumberFunction.REM:
            return _as_in_c(function, *numbers)
        case _:
            return converted(numbers[0], function)


# --- conversions ----------------------------------------------------------------------------------------------


def converted(number: Number, to: NumberFunction) -> Number:
    """The number in another type."""
    kind = named(to.value)
    if isinstance(kind, FloatType):
        return to_real(number, kind.format)
    assert isinstance(kind, IntType)
    match number:
        case Exact(value, text):
            if value is None or not kind.least <= math.trunc(value) <= kind.greatest:
                raise SortMismatchError(
                    f"{text} is outside {kind}, which holds {kind.least} to {kind.greatest}", "Choose a wider type."
                )
            return worked_out(Fraction(math.trunc(value)))
        case Real(term, _, defined):
            fits = build.fits_integer(sf.Rounding.RTZ, kind.width, term, signed=kind.signed)
            cut = (build.fp_to_signed if kind.signed else build.fp_to_unsigned)(sf.Rounding.RTZ, kind.width, term)
            return Whole(cut, kind.signed, kind.least, kind.greatest, build.and_(defined, fits))
        case Ratio():
            return _within(toward_zero(number), kind)
        case Whole():
            return _within(number, kind)


def _within(number: Whole, kind: IntType) -> Whole:
    """A whole number where it is a value of a type."""
    low, high = max(number.low, kind.least), min(number.high, kind.greatest)
    if low > high:
        raise SortMismatchError(
            f"a whole number from {number.low} to {number.high} is never in {kind}", "Choose another type."
        )
    inside = build.and_(
        compare_wholes(Comparison.LE, whole(kind.least), number),
        compare_wholes(Comparison.LE, number, whole(kind.greatest)),
    )
    return replace(number, low=low, high=high, defined=build.and_(number.defined, inside))


# --- functions of several numbers -----------------------------------------------------------------------------


def _as_in_c(function: NumberFunction, a: Number, b: Number) -> Number:
    if isinstance(a, Exact) and isinstance(b, Exact) and a.value is not None and b.value:
        if a.value.denominator == b.value.denominator == 1:
            quotient = truncated_quotient(int(a.value), int(b.value))
            return worked_out(Fraction(quotient) if function is NumberFunction.QUOT else a.value - b.value * quotient)
    x, y = as_whole(a), as_whole(b)
    if x is None or y is None:
        raise SortMismatchError(
            f"{function.value} is for whole numbers", "Divide with /, or convert first: int64(x) cuts off the rest."
        )
    return whole_terms.truncated(x, y) if function is NumberFunction.QUOT else whole_terms.remainder(x, y)


def _extreme(function: NumberFunction, numbers: Sequence[Number]) -> Number:
    formats = [number.format for number in numbers if isinstance(number, Real)]
    if formats:
        wide = max(formats, key=lambda format: format.width)
        pick = functools.partial(_float_extreme, function, wide)
        return functools.reduce(pick, [to_real(number, wide) for number in numbers])
    exacts = [number for number in numbers if isinstance(number, Exact)]
    if any(number.value is None for number in exacts):
        raise SortMismatchError("inf and nan are no numbers to compute with", "Leave it out.")
    if len(exacts) == len(numbers):
        best: Callable[..., Exact] = min if function is NumberFunction.MIN else max
        return best(exacts, key=lambda number: number.value)
    return functools.reduce(functools.partial(_exact_extreme, function), numbers)


#: in which order two numbers are, where the first is the result
_FIRST: Final = {NumberFunction.MIN: Comparison.LE, NumberFunction.MAX: Comparison.GE}


def _exact_extreme(function: NumberFunction, a: Number, b: Number) -> Number:
    """Of two whole numbers or fractions."""
    first = compare_numbers(_FIRST[function], a, b).true
    best = min if function is NumberFunction.MIN else max
    x, y = as_whole(a), as_whole(b)
    if x is not None and y is not None:
        return whole_terms.chosen(first, x, y, best(x.low, y.low), best(x.high, y.high))
    p, q = as_ratio(a), as_ratio(b)
    over, under = (
        whole_terms.chosen(first, one, other, min(one.low, other.low), max(one.high, other.high))
        for one, other in ((p.over, q.over), (p.under, q.under))
    )
    return Ratio(over, under, build.and_(p.defined, q.defined))


def _float_extreme(function: NumberFunction, format: Float, a: Real, b: Real) -> Real:
    """As IEEE 754-2019 has it: NaN if one of them is, and -0.0 is below 0.0."""
    x, y = (a.term, b.term) if function is NumberFunction.MIN else (b.term, a.term)
    equal = build.ite(build.fp_is_negative(a.term), x, y)  # the two zeros, or the same number
    chosen: Term = build.ite(build.fp_lt(a.term, b.term), x, build.ite(build.fp_lt(b.term, a.term), y, equal))
    either_nan = build.or_(build.fp_is_nan(a.term), build.fp_is_nan(b.term))
    term = build.ite(either_nan, build.const(format, format.nan), chosen)
    return Real(term, format, build.and_(a.defined, b.defined))
