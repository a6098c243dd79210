"""Numbers as people read them: with a unit that agrees in number, rounded where that says nothing false.

A number of many digits is told as "about" so much. It is never rounded to the other side of a border, nor onto it: of a
number that the question names, of an end of a domain, of the value in fact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Final, final

from msgspec import Struct

from soid.formula import softfloat as sf
from soid.program.domain import OrMissing, Range, Values
from soid.program.interface import Variable
from soid.program.types import EnumType, FloatType, missing_value, show
from soid.program.units import unit_told
from soid.query.query import Query
from soid.query.words.lists import singular
from soid.scenario.expression import Literal, walk
from soid.scenario.number_terms import exact

#: stands before a number that was rounded
ABOUT: Final = "about "

_DIGITS: Final = 5  # of a number that is not rounded; fewer are harder to tell apart, more are hard to read
_ONE: Final = {"1", "1.0", "-1", "-1.0"}
_SYMBOL: Final = 3  # letters, at most, of a unit that is a symbol: s, m/s, lbs
_IRREGULAR: Final = {"feet": "foot"}


def with_unit(text: str, unit: str) -> str:
    """A number with its unit.

    >>> with_unit("1", "calls"), with_unit("2", "calls"), with_unit("1", "lbs"), with_unit("1.0", "feet")
    ('1 call', '2 calls', '1 lbs', '1.0 foot')
    >>> with_unit("48.8", "kg/m^2"), with_unit("102", "1/min")
    ('48.8 kg/m²', '102 per min')
    """
    if not unit or text == "nan":
        return text
    unit = unit_told(unit)
    if text in _ONE and len(unit) > _SYMBOL and unit.isalpha():
        unit = _IRREGULAR.get(unit, singular(unit))
    return f"{text} {unit}"


@final
class RoundedText(Struct, frozen=True):
    """A text with a number: rounded for reading, and with all its digits."""

    read: str
    exact: str


Text = Callable[[int], str]  # the words for bits


def reader(query: Query, variable: Variable, apart: Iterable[int]) -> Text:
    """The words for values of a variable in an answer to a question; some of them are never told alike."""
    others = set(apart)
    return lambda bits: readable(variable, bits, borders_of(query, variable, *others - {bits}))


def readable(variable: Variable, bits: int, borders: Iterable[Fraction] = ()) -> str:
    """A value with its unit, as short as the borders allow: "about 12.35 m"."""
    if (bare := _no_amount(variable, bits)) is not None:
        return bare
    return with_unit(readable_number(variable, bits, borders, ABOUT), variable.unit)


def is_amount(variable: Variable, bits: int) -> bool:
    """Whether a value is a number or a label, and neither missing nor no number."""
    kind = variable.type
    return bits != missing_value(kind) and not (isinstance(kind, FloatType) and sf.is_nan(kind.format, bits))


def _no_amount(variable: Variable, bits: int) -> str | None:
    """The words for what is no amount: missing, no number, bits without a label; None for any other value."""
    kind = variable.type
    if bits == missing_value(kind):
        return show(kind, bits)
    if isinstance(kind, FloatType) and sf.is_nan(kind.format, bits):
        return "no number" if bits == kind.format.nan else f"no number (with the bits 0x{bits:x})"
    if isinstance(kind, EnumType) and kind.spellings and show(kind, bits) not in dict(kind.labels):
        return f"the bits 0x{bits:x}"
    return None


def readable_number(variable: Variable, bits: int, borders: Iterable[Fraction], about: str) -> str:
    """The same without the unit; `about` stands before a number that was rounded."""
    kind, text = variable.type, show(variable.type, bits)
    if not isinstance(kind, FloatType) or not sf.is_finite(kind.format, bits):
        return text
    rounded = rounded_text(text, borders)
    return f"{about}{rounded}" if rounded else text


def borders_of(query: Query, variable: Variable, *values: int) -> list[Fraction]:
    """The numbers that a value of the variable is never rounded across: those of the question, and some values."""
    if not isinstance(variable.type, FloatType):
        return []
    parts = (query.behavior, *query.suppositions)
    literals = (node.text for part in parts for node in walk(part) if isinstance(node, Literal) and node.is_number)
    named = (exact(text) for text in literals)
    return [*(each for each in named if each is not None), *_told(variable.type, (*values, *_ends(variable)))]


def _told(kind: FloatType, values: Iterable[int]) -> Iterator[Fraction]:
    """Values as they are, and as they are written: the two may differ in the last digit."""
    for bits in values:
        if sf.is_finite(kind.format, bits):
            yield sf.to_fraction(kind.format, bits)
            yield Fraction(show(kind, bits))


def _ends(variable: Variable) -> tuple[int, ...]:
    domain = variable.domain.domain if isinstance(variable.domain, OrMissing) else variable.domain
    match domain:
        case Range(low, high):
            return low, high
        case Values(values):
            return values
        case _:
            return ()


def rounded_text(text: str, borders: Iterable[Fraction]) -> str:
    """The number with as few digits as are enough; empty if it has few itself, or all are needed."""
    shown, apart = Decimal(text), tuple(borders)
    length = len(shown.normalize().as_tuple().digits)
    if length <= _DIGITS:
        return ""
    value, whole = Fraction(shown), shown.adjusted() + 1
    for count in range(max(_DIGITS - 1, whole), length - 1):
        near = shown.quantize(Decimal(1).scaleb(whole - count), ROUND_HALF_EVEN)
        if near.as_tuple().digits[-1] == 0:  # a round number may be a border that the question does not name
            continue
        if all(_side(Fraction(near), border) == _side(value, border) for border in apart):
            return f"{near:f}" if whole > -_DIGITS else f"{near.normalize():e}"
    return ""


def _side(value: Fraction, border: Fraction) -> int:
    return (value > border) - (value < border)
