"""Numbers and flags that a log has as another type writes them, without a loss: 3132.0 for 3132, True for 1.

Tables make floats of whole numbers as soon as a cell of a column is empty, and libraries make numbers of flags.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from soid.formula import softfloat as sf
from soid.formula.decimals import number_literal, shortest
from soid.formula.sorts import FLOAT64
from soid.program.types import FloatType, IntType, VariableType
from soid.scenario.log_formats import StoredFloat, quoted

_FLAGS: Final = frozenset(("true", "false"))
_MAX_EXPONENT: Final = 100


def plain_number(kind: VariableType, literal: bool | str) -> bool | str:
    """A number or a flag as its type writes it, where a log has it as another type does, without a loss.

    From 2^53 on a float is not certainly the number that was meant.

    >>> plain_number(IntType(32, signed=True), "3132.0"), plain_number(IntType(32, signed=True), "true")
    ('3132', '1')
    >>> plain_number(FloatType(FLOAT64, flags=True), "True"), plain_number(IntType(32, signed=True), "3132.5")
    ('1', '3132.5')
    """
    text = str(literal).strip()
    if text.lstrip("+-").isdigit():  # as nearly all are
        return literal
    if text.lower() in _FLAGS and (isinstance(kind, IntType) or (isinstance(kind, FloatType) and kind.flags)):
        return "1" if text.lower() == "true" else "0"
    if isinstance(kind, FloatType) or isinstance(literal, bool):
        return literal
    number = whole_number(text)
    if number is None:
        return literal
    if abs(number) >= 1 << FLOAT64.significand and not text.lstrip("+-").lower().startswith("0x"):
        raise _rounded(text)
    return str(number)


def stored_number(stored: StoredFloat) -> str:
    """A finite stored float as text, and as a whole number if it is one."""
    number, text = sf.to_fraction(stored.format, stored.bits), shortest(stored.format, stored.bits)
    if number.denominator > 1:
        return text
    if abs(number) >= 1 << stored.format.significand:
        raise _rounded(text)
    return str(number.numerator)


def same_number(text: str, label: str) -> bool:
    """Whether two texts write the same number, or the same flag.

    >>> same_number("3.0", "3"), same_number("true", "True"), same_number("True", "1"), same_number("a", "A")
    (True, True, True, False)
    """
    value = _number(text)
    return value is not None and value == _number(label)


def whole_number(text: str) -> int | None:
    """The whole number that a text writes, also as a float: 3132.0; None: it writes none.

    >>> whole_number("3132.0"), whole_number("-1e3"), whole_number("3132.5"), whole_number("nan")
    (3132, -1000, None, None)
    """
    value = _number(text) if text.lower() not in _FLAGS else None
    return int(value) if value is not None and value.denominator == 1 else None


def _number(text: str) -> Fraction | None:
    """The number that a text writes, where a flag is 0 or 1."""
    if text.lower() in _FLAGS:
        return Fraction(text.lower() == "true")
    found = number_literal(text)
    return found.value if found is not None and abs(found.exponent) <= _MAX_EXPONENT else None


def _rounded(text: str) -> ValueError:
    return ValueError(f"{quoted(text)} is so large a float that it may have been another whole number")
