"""Values that people type: with their unit, and rounded once, to the program's own type.

>>> from soid.formula.sorts import FLOAT32
>>> from soid.program.interface import Role
>>> from soid.program.types import FloatType
>>> angle = Variable("angle", Role.ENVIRONMENT, FloatType(FLOAT32), unit="rad")
>>> typed(angle, "90°") == typed(angle, "1.5707964 rad")
True
"""

from __future__ import annotations

import re
from typing import Final

from soid.errors import QueryError
from soid.program.domain import contains, described
from soid.program.interface import Variable
from soid.program.types import FloatType, IntType, parse, show
from soid.query.words.amount_words import DEGREES, from_degrees, in_radians, to_degrees

_DEGREES: Final = re.compile(r"(.*?)\s*(?:°|deg|degrees?)")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*[,.:;!?]?(?:\s|$)")  # one that is no name of a file or a path


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
    if not isinstance(variable.type, IntType | FloatType):
        return text
    written = next((unit for unit in (variable.unit, variable.measure) if unit and text.endswith(unit)), "")
    return text.removesuffix(written).rstrip()


def over(variable: Variable) -> str:
    """The variable's domain, with its unit."""
    return described(variable.type, variable.domain, variable.measure)


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
