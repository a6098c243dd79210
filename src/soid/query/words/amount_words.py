"""Amounts as people read them, angles in degrees too: "1.5707964 rad (90°)".

>>> from soid.formula.sorts import FLOAT32
>>> from soid.program.interface import Role
>>> from soid.program.types import parse
>>> angle = Variable("angle", Role.ENVIRONMENT, FloatType(FLOAT32), unit="rad")
>>> [shown(angle, parse(angle.type, text)) for text in ("1.5707964", "0")]
['1.5707964 rad (90°)', '0.0 rad (0.0°)']
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

from soid.errors import QueryError
from soid.formula.softfloat import from_fraction, is_finite, is_infinite, is_nan, is_zero, to_fraction
from soid.program.interface import Variable
from soid.program.types import FloatType, show
from soid.query.query import Query
from soid.query.words.readable_numbers import borders_of, reader, rounded_text
from soid.scenario.number_terms import exact

DEGREES: Final = "°"
#: more digits than any float has, so that a rounded product equals the rounded exact product
_PI: Final = Fraction(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798"
)
_RADIANS: Final = _PI / 180  # in a degree

_UNITS: Final = ("rad", "radian", "radians")


def shown(variable: Variable, bits: int) -> str:
    """A value of the program with its unit; an angle is shown in degrees too."""
    text = variable.amount(bits)
    kind = variable.type
    if isinstance(kind, FloatType) and in_radians(variable):
        return f"{text} ({to_degrees(kind, bits)}{DEGREES})"
    return text


def read(query: Query, variable: Variable, apart: Iterable[int]) -> Callable[[int], str]:
    """The words for values of a variable in an answer, rounded for reading; some of them are never told alike."""
    text, kind = reader(query, variable, apart), variable.type
    if not (isinstance(kind, FloatType) and in_radians(variable)):
        return text

    def angle(bits: int) -> str:
        others = borders_of(query, variable, *({*apart} - {bits}))
        degrees = to_degrees(kind, bits)
        if is_finite(kind.format, bits):
            degrees = rounded_text(degrees, (each / _RADIANS for each in others)) or degrees
        return f"{text(bits)} ({degrees}{DEGREES})"

    return angle


# --- degrees --------------------------------------------------------------------------------------------------


def in_radians(variable: Variable) -> bool:
    """Whether its values can be shown in degrees."""
    return variable.unit in _UNITS and isinstance(variable.type, FloatType)


def from_degrees(kind: FloatType, text: str) -> int:
    """The bits of the angle nearest to a number of degrees."""
    degrees = exact(text)
    if degrees is None:
        raise QueryError(f"{text or 'nothing'} is no number of degrees", "Write one, such as 90 or 22.5.")
    return from_fraction(kind.format, degrees * _RADIANS, negative=text.startswith("-"))


def to_degrees(kind: FloatType, bits: int) -> str:
    """The fewest digits that `from_degrees` reads back to the same bits; NaN, infinities and zeros stay as they are."""
    if is_nan(kind.format, bits) or is_infinite(kind.format, bits) or is_zero(kind.format, bits):
        return show(kind, bits)
    degrees = to_fraction(kind.format, bits) / _RADIANS
    most = math.ceil(kind.format.significand * math.log10(2)) + 3
    rounded = (_digits(degrees, count) for count in range(1, most + 1))
    return next(text for text in rounded if from_degrees(kind, text) == bits)


def _digits(value: Fraction, count: int) -> str:
    """A number with `count` digits and without an exponent."""
    decimal = Context(prec=count).divide(Decimal(value.numerator), Decimal(value.denominator))
    return format(decimal.normalize(), "f")
