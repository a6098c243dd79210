"""A log that has fewer digits than the program: which values a logged one may stand for.

>>> from soid.formula.sorts import FLOAT16
>>> from soid.program.domain import describe
>>> kind = FloatType(FLOAT16)
>>> describe(kind, rounding_to(kind, "0.3", 1))
'0.25 to 0.3499'

What rounds to a decimal is what lies no farther from it than half of its last digit, exactly: ties may have been
rounded either way, so both ends belong to it, and not every logger writes the sign of what rounds to zero, so both
signs do. Everything is computed with fractions; the ends are the outermost values of the type.
"""

from __future__ import annotations

from fractions import Fraction

from soid.formula.number_literal import number_literal
from soid.formula.softfloat import ceil_fraction, floor_fraction, is_infinite, ordinal
from soid.program.domain import Domain, Range, Values, contains
from soid.program.types import FloatType


def rounding_to(kind: FloatType, literal: str, decimals: int) -> Range | None:
    """The values that round to a literal; None for one that is no decimal (nan, inf, a hex float), which is exact.

    ValueError says what is wrong: it has more decimals than were declared, or nothing rounds to it.
    """
    number = number_literal(literal.strip())
    if number is None or number.base != 10:
        return None
    if -number.exponent > decimals:
        raise ValueError(f"{literal} has more than the {decimals} decimals that the manifest declares for it")
    if number.exponent > kind.format.bias:  # beyond every finite number of the type; its digits need not be computed
        raise ValueError(_nothing(kind, literal, decimals))
    value = number.value
    half = Fraction(1, 2 * 10**decimals)
    low, high = ceil_fraction(kind.format, value - half), floor_fraction(kind.format, value + half)
    if is_infinite(kind.format, low) or ordinal(kind.format, low) > ordinal(kind.format, high):
        raise ValueError(_nothing(kind, literal, decimals))
    return Range(low, high)


def _nothing(kind: FloatType, literal: str, decimals: int) -> str:
    return f"no {kind} rounds to {literal} at {decimals} decimals"


def within(kind: FloatType, domain: Domain, rounded: Range) -> Range | Values:
    """The values of a domain that a logged one may stand for."""
    order = kind.format
    match domain:
        case Range(low, high):
            return Range(
                max(low, rounded.low, key=lambda bits: ordinal(order, bits)),
                min(high, rounded.high, key=lambda bits: ordinal(order, bits)),
            )
        case Values(values):
            return Values(tuple(bits for bits in values if contains(kind, rounded, bits)))
        case _:
            return rounded
