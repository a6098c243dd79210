"""Values that people type and read: with their unit, and rounded once, to the program's own type.

>>> from soid.formula.sorts import FLOAT32
>>> from soid.program.interface import Role
>>> from soid.program.types import FloatType
>>> angle = Variable("angle", Role.ENVIRONMENT, FloatType(FLOAT32), unit="rad")
>>> shown(angle, typed(angle, "90°")), shown(angle, typed(angle, "1.5707964 rad"))
('1.5707964 rad (90°)', '1.5707964 rad (90°)')
>>> shown(angle, typed(angle, "0"))
'0.0 rad (0.0°)'
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

from soid.errors import QueryError
from soid.formula.softfloat import from_fraction, is_finite, is_infinite, is_nan, is_zero, to_fraction
from soid.program.domain import contains
from soid.program.interface import Variable
from soid.program.types import FloatType, IntType, parse, show
from soid.query.query import Query
from soid.query.words import borders_of, reader
from soid.query.words.readable_numbers import rounded_text
from soid.scenario.number_terms import exact

DEGREES: Final = "°"
_DEGREES: Final = re.compile(r"(.*?)\s*(?:°|deg|degrees?)")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*[,.:;!?]?(?:\s|$)")  # one that is no name of a file or a path
#: more digits than any float has, so that a rounded product equals the rounded exact product
_PI: Final = Fraction(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798"
)
_RADIANS: Final = _PI / 180  # in a degree

_UNITS: Final = ("rad", "radian", "radians")


def typed(variable: Variable, text: str) -> int:
    """The bits of a typed value; QueryError says what was expected."""
    kind, text = variable.type, text.strip()
    if not text:
        raise QueryError("there is no value", "Type one.")
    if isinstance(kind, FloatType) and in_radians(variable):
        degrees = _DEGREES.fullmatch(text)
        if degrees:
            return from_degrees(kind, degrees[1])
    try:
        return parse(kind, _without_unit(variable, text))
    except ValueError as error:
        raise QueryError(str(error), f"It ranges over {over(variable)}.") from None


def _without_unit(variable: Variable, text: str) -> str:
    """The number alone; only the variable's own unit may follow it."""
    if not isinstance(variable.type, IntType | FloatType) or not variable.unit or not text.endswith(variable.unit):
        return text
    return text.removesuffix(variable.unit).rstrip()


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


def over(variable: Variable) -> str:
    """The variable's domain, with its unit."""
    text = variable.domain_text
    if not variable.unit:
        return text
    return f"{text} {variable.unit}" if text[-1].isdigit() else f"{text}, in {variable.unit}"


def capital(text: str) -> str:
    """A sentence with its capital, unless it begins with a name: of a file, a path, a program's part.

    >>> capital("there is no entry 9"), capital("limit_v1.c:3 includes a.h"), capital("log.csv is no bundle")
    ('There is no entry 9', 'limit_v1.c:3 includes a.h', 'log.csv is no bundle')
    """
    return text[:1].upper() + text[1:] if _WORD.match(text) else text


def in_unit(variable: Variable, text: str, unit: str) -> str:
    """A typed value in another unit, with the same bits; text that is no value only gets the unit."""
    kind = variable.type
    try:
        bits = typed(variable, text)
    except QueryError:
        return text.removesuffix(DEGREES) + (DEGREES if unit == DEGREES else "")
    if unit == DEGREES and isinstance(kind, FloatType):
        return f"{to_degrees(kind, bits)}{DEGREES}"
    return show(kind, bits)


def tidy_angle(variable: Variable, bits: int) -> int:
    """A dragged angle, rounded to tenths of a degree if the variable can have that value."""
    kind = variable.type
    if not isinstance(kind, FloatType):
        return bits
    if in_radians(variable):
        tidied = from_degrees(kind, f"{float(to_degrees(kind, bits)):.1f}")
    else:
        tidied = parse(kind, f"{float(show(kind, bits)):.1f}")
    return tidied if contains(kind, variable.domain, tidied) else bits


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
