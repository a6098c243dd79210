"""Angles for people: radians shown and typed as degrees, without losing a bit of what the program has.

>>> from soid.formula.sorts import FLOAT32
>>> from soid.program.types import parse, show
>>> kind = FloatType(FLOAT32)
>>> show(kind, from_degrees(kind, "90")), to_degrees(kind, parse(kind, "1.5707964"))
('1.5707964', '90')
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

from soid.errors import QueryError
from soid.formula.softfloat import from_fraction, is_infinite, is_nan, is_zero, to_fraction
from soid.program.interface import Variable
from soid.program.types import FloatType, show
from soid.scenario.numbers import exact

#: far more digits than any float has, so that rounding the product is rounding the true one
_PI: Final = Fraction(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798"
)
_RADIANS: Final = _PI / 180  # in a degree

_UNITS: Final = ("rad", "radian", "radians")


def in_radians(variable: Variable) -> bool:
    """Whether its numbers can be told in degrees."""
    return variable.unit in _UNITS and isinstance(variable.type, FloatType)


def from_degrees(kind: FloatType, text: str) -> int:
    """The bits of the angle nearest to so many degrees."""
    degrees = exact(text)
    if degrees is None:
        raise QueryError(f"{text or 'nothing'} is no number of degrees", "Write one, such as 90 or 22.5.")
    return from_fraction(kind.format, degrees * _RADIANS, negative=text.startswith("-"))


def to_degrees(kind: FloatType, bits: int) -> str:
    """The fewest digits that `from_degrees` reads back to the same bits; what is no angle is told as it is."""
    if is_nan(kind.format, bits) or is_infinite(kind.format, bits) or is_zero(kind.format, bits):
        return show(kind, bits)
    degrees = to_fraction(kind.format, bits) / _RADIANS
    most = math.ceil(kind.format.significand * math.log10(2)) + 3
    rounded = (_digits(degrees, count) for count in range(1, most + 1))
    return next(text for text in rounded if from_degrees(kind, text) == bits)


def _digits(value: Fraction, count: int) -> str:
    """A number with so many digits, written without an exponent."""
    decimal = Context(prec=count).divide(Decimal(value.numerator), Decimal(value.denominator))
    return format(decimal.normalize(), "f")
