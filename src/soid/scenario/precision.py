"""Logs with fewer digits than the program computes with: the values that a logged one may stand for.

>>> from soid.formula.sorts import FLOAT16
>>> from soid.program.domain import describe
>>> kind = FloatType(FLOAT16)
>>> describe(kind, rounding_to(kind, "0.3", 1))
'0.25 to 0.3499'

A value rounds to a decimal if it lies at most half a unit of the last digit away. Both ends are included, because
loggers round ties up or down. Both signs of zero are included, because some loggers drop the sign of a number that
rounds to zero. The ends are computed with fractions and are the outermost values of the type. A domain does not narrow
them: it is what a question ranges over, and says nothing about the digits that a log has lost.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from soid.formula.decimals import number_literal
from soid.formula.softfloat import ceil_fraction, floor_fraction, is_infinite, ordinal
from soid.program.domain import Range
from soid.program.types import FloatType

_MOST_DECIMALS: Final = 5000  # all floats of programs have fewer


def rounding_to(kind: FloatType, literal: str, decimals: int, *, further: bool = False) -> Range | None:
    """The values that round to a literal. None for a literal that is exact because it is no decimal (nan, inf, hex).

    ValueError if the literal has more decimals than declared, unless what is further says nothing; or if no value
    rounds to it.
    """
    number = number_literal(literal.strip())
    if number is None or number.base != 10:
        return None
    if -number.exponent > (_MOST_DECIMALS if further else decimals):
        raise ValueError(f"{literal} has more than the {decimals} decimals that the manifest declares for it")
    nothing = ValueError(f"no {kind} rounds to {literal} at {decimals} decimals")
    if number.exponent > kind.format.bias:  # beyond every finite number of the type; its digits need not be computed
        raise nothing
    value = number.value
    half = Fraction(1, 2 * 10**decimals)
    low, high = ceil_fraction(kind.format, value - half), floor_fraction(kind.format, value + half)
    if is_infinite(kind.format, low) or ordinal(kind.format, low) > ordinal(kind.format, high):
        raise nothing
    return Range(low, high)
