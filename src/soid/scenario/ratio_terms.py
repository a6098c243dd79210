"""Fractions of whole numbers: exact, like the numbers that they are made of.

>>> from soid.formula.build import var
>>> from soid.formula.sorts import BitVec
>>> third = ratio(Whole(var("x", BitVec(8)), False, 0, 255), whole(3))
>>> compare_ratios(Comparison.LT, third, as_ratio(whole(90)))
True
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from soid.formula import build
from soid.formula.term import Term
from soid.scenario import whole_terms
from soid.scenario.expression import ArithmeticOp, Comparison
from soid.scenario.operand_values import Exact, Number, Ratio, Whole
from soid.scenario.whole_terms import compare_wholes, divisor, multiply, whole

ONE: Final = whole(1)


def ratio(over: Whole, under: Whole) -> Whole | Ratio:
    """The exact quotient; it is not defined where the divisor is zero."""
    by = divisor(under)
    defined = build.and_(over.defined, by.defined)
    if by.low < 0:  # minus above and minus below cancel out
        negative = compare_wholes(Comparison.LT, by, whole(0))
        turned = whole_terms.minus(over)
        over = whole_terms.chosen(negative, turned, over, min(over.low, turned.low), max(over.high, turned.high))
        by = whole_terms.absolute(by)
    return _over_one(Ratio(over, Whole(by.term, by.signed, max(by.low, 1), by.high), defined))


def as_ratio(number: Number) -> Ratio:
    """A finite exact number as a fraction."""
    if isinstance(number, Ratio):
        return number
    if isinstance(number, Whole):
        return Ratio(number, ONE, number.defined)
    assert isinstance(number, Exact) and number.value is not None, "it is exact and finite"
    return Ratio(whole(number.value.numerator), whole(number.value.denominator))


def _over_one(number: Ratio) -> Whole | Ratio:
    """A fraction as a whole number, if it is written as one."""
    return replace(number.over, defined=number.defined) if number.under.low == number.under.high == 1 else number


def ratio_arithmetic(op: ArithmeticOp, a: Ratio, b: Ratio) -> Whole | Ratio:
    """a op b, for a sum, a difference, a product or a quotient."""
    if op is ArithmeticOp.MUL:
        over, under = multiply(a.over, b.over), multiply(a.under, b.under)
    elif op is ArithmeticOp.DIV:
        found = ratio(multiply(a.over, b.under), multiply(a.under, b.over))
        return replace(found, defined=build.and_(found.defined, a.defined, b.defined))
    else:
        combine = whole_terms.add if op is ArithmeticOp.ADD else whole_terms.subtract
        over, under = combine(multiply(a.over, b.under), multiply(b.over, a.under)), multiply(a.under, b.under)
        if a.under == b.under:
            over, under = combine(a.over, b.over), a.under
    return _over_one(Ratio(over, under, build.and_(a.defined, b.defined)))


def floor(number: Ratio) -> Whole:
    """The fraction rounded down to a whole number."""
    found = whole_terms.floor_quotient(number.over, number.under)
    return replace(found, defined=build.and_(found.defined, number.defined))


def toward_zero(number: Ratio) -> Whole:
    """The fraction without what is behind its point."""
    found = whole_terms.truncated(number.over, number.under)
    return replace(found, defined=build.and_(found.defined, number.defined))


def compare_ratios(op: Comparison, a: Ratio, b: Ratio) -> Term:
    """a op b, multiplied crosswise."""
    return compare_wholes(op, multiply(a.over, b.under), multiply(b.over, a.under))
