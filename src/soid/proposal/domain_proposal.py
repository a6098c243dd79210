"""A domain for a variable, rounded out from the values that a log has: a proposal for what questions range over.

>>> from soid.program.types import IntType
>>> rounded_out(IntType(32, signed=True), Fraction(3), Fraction(15))
(0, 20)
>>> rounded_out(IntType(8, signed=False), Fraction(3), Fraction(250))
(0, 255)
>>> from soid.formula.sorts import FLOAT32
>>> rounded_out(FloatType(FLOAT32), Fraction("10.3"), Fraction("11.4"))
(10.0, 12.0)
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from soid.program.types import FloatType, IntType
from soid.program.units import unit_conversion


def rounded_out(kind: FloatType | IntType, low: Fraction, high: Fraction) -> tuple[float, float] | tuple[int, int]:
    """The range of what was seen, out to the next round numbers; 0 is in it if it is as near as the range is wide."""
    span = high - low or max(abs(high), Fraction(1))
    apart = Fraction(10) ** math.floor(math.log10(span))
    least, most = math.floor(low / apart) * apart, math.ceil(high / apart) * apart
    least = Fraction(0) if 0 <= least <= span else least
    most = Fraction(0) if 0 >= most >= -span else most
    if least == most:
        most += apart
    if isinstance(kind, FloatType):
        return float(least), float(most)
    return max(math.floor(least), kind.least), min(math.ceil(most), kind.greatest)


def proposed_domain(
    kind: FloatType | IntType, low: Decimal, high: Decimal, logged: str | None, ours: str | None
) -> tuple[float, float] | tuple[int, int]:
    """The domain for logged numbers, which are converted from the log's unit to the program's."""
    least, most = Fraction(low), Fraction(high)
    if logged is not None and ours is not None:
        conversion = unit_conversion(logged, ours)
        least, most = conversion.bounds(least)[0], conversion.bounds(most)[1]
    if ours in ("%", "percent") and least >= 0 and most <= 100:
        return (0, 100) if isinstance(kind, IntType) else (0.0, 100.0)
    return rounded_out(kind, least, most)
