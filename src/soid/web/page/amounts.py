"""Amounts that people type and read: a variable's value with its unit, rounded once to the program's own type.

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

import re
from typing import Final

from soid.errors import QueryError
from soid.program.domain import contains
from soid.program.interface import Variable
from soid.program.types import FloatType, IntType, parse, show
from soid.web.page.angles import from_degrees, in_radians, to_degrees

DEGREES: Final = "°"
_DEGREES: Final = re.compile(r"(.*?)\s*(?:°|deg|degrees?)")


def typed(variable: Variable, text: str) -> int:
    """The bits of what somebody typed; QueryError says what was expected. An empty text is no value, 0.0 is one."""
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
    """A number may be typed with the unit that the variable has, and with no other."""
    if not isinstance(variable.type, IntType | FloatType) or not variable.unit or not text.endswith(variable.unit):
        return text
    return text.removesuffix(variable.unit).rstrip()


def shown(variable: Variable, bits: int) -> str:
    """A value as the program has it, with its unit; an angle in degrees as well."""
    text = f"{show(variable.type, bits)} {variable.unit}".rstrip()
    kind = variable.type
    if isinstance(kind, FloatType) and in_radians(variable):
        return f"{text} ({to_degrees(kind, bits)}{DEGREES})"
    return text


def over(variable: Variable) -> str:
    """What it ranges over where it is freed, with its unit."""
    text = variable.domain_text
    if not variable.unit:
        return text
    return f"{text} {variable.unit}" if text[-1].isdigit() else f"{text}, in {variable.unit}"


def called(variable: Variable) -> str:
    """A variable in words: its label where it has one, else its name in the program."""
    return variable.label or variable.path


def in_unit(variable: Variable, text: str, unit: str) -> str:
    """What was typed, in another unit: the same bits. What cannot be read stays as it is, in that unit."""
    kind = variable.type
    try:
        bits = typed(variable, text)
    except QueryError:
        return text.removesuffix(DEGREES) + (DEGREES if unit == DEGREES else "")
    if unit == DEGREES and isinstance(kind, FloatType):
        return f"{to_degrees(kind, bits)}{DEGREES}"
    return show(kind, bits)


def tidy_angle(variable: Variable, bits: int) -> int:
    """The angle that a hand can mean: tenths of a degree, where that is a value that the variable can have."""
    kind = variable.type
    if not isinstance(kind, FloatType):
        return bits
    if in_radians(variable):
        tidied = from_degrees(kind, f"{float(to_degrees(kind, bits)):.1f}")
    else:
        tidied = parse(kind, f"{float(show(kind, bits)):.1f}")
    return tidied if contains(kind, variable.domain, tidied) else bits
