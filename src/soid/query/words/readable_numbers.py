"""Numbers as people read them: with a unit that agrees in number, rounded where that says nothing false."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Final

from soid.formula import softfloat as sf
from soid.program.interface import Variable
from soid.program.types import FloatType, show
from soid.query.words.variable_names import singular

_DIGITS: Final = 5  # of a number that is not rounded; fewer are harder to tell apart, more are hard to read
_ONE: Final = {"1", "1.0", "-1", "-1.0"}
_SYMBOL: Final = 3  # letters, at most, of a unit that is a symbol: s, m/s, lbs
_IRREGULAR: Final = {"feet": "foot", "inches": "inch"}


def with_unit(text: str, unit: str) -> str:
    """A number with its unit.

    >>> with_unit("1", "calls"), with_unit("2", "calls"), with_unit("1", "lbs"), with_unit("1.0", "feet")
    ('1 call', '2 calls', '1 lbs', '1.0 foot')
    """
    if not unit or text == "nan":
        return text
    if text in _ONE and len(unit) > _SYMBOL and unit.isalpha():
        unit = _IRREGULAR.get(unit, singular(unit))
    return f"{text} {unit}"


def readable(variable: Variable, bits: int, borders: Iterable[Fraction] = ()) -> str:
    """A value with its unit. A number of many digits is rounded, and is told as "about" then.

    Rounded or not, it lies on the same side of each border: a number that a question names, an end of a domain, the
    value in fact.
    """
    text = show(variable.type, bits)
    if not isinstance(variable.type, FloatType) or not sf.is_finite(variable.type.format, bits):
        return variable.amount(bits) if text in ("missing", "nan") else with_unit(text, variable.unit)
    rounded = _rounded(Decimal(text), tuple(borders))
    return f"about {with_unit(rounded, variable.unit)}" if rounded else with_unit(text, variable.unit)


def _rounded(exact: Decimal, borders: tuple[Fraction, ...]) -> str:
    """The number with as few digits as are enough; empty if it has few itself, or all are needed."""
    digits = len(exact.normalize().as_tuple().digits)
    if digits <= _DIGITS:
        return ""
    value, whole = Fraction(exact), exact.adjusted() + 1
    for count in range(max(_DIGITS - 1, whole), digits - 1):
        near = exact.quantize(Decimal(1).scaleb(exact.adjusted() + 1 - count), ROUND_HALF_EVEN)
        if all(_side(Fraction(near), border) == _side(value, border) for border in borders):
            return f"{near:f}" if -_DIGITS < whole <= digits + 1 else f"{near:e}"
    return ""


def _side(value: Fraction, border: Fraction) -> int:
    return (value > border) - (value < border)
