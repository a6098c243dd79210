"""Whole numbers that a log writes as characters or as labels of the program's enumerations, as questions do.

grade,offence               unsigned char grade; int offence;
'B',OFF_VIOLENT             66, and the number of OFF_VIOLENT
"""

from __future__ import annotations

from collections.abc import Callable

from soid.program.types import IntType
from soid.scenario.expression import Literal
from soid.scenario.log_formats import quoted

#: the enumerations that have a label, and its number in each (`Interface.numbered`)
Numbered = Callable[[str], tuple[tuple[str, int], ...]]


def no_labels(_: str) -> tuple[tuple[str, int], ...]:
    """Of a program without enumerations."""
    return ()


def named_number(kind: IntType, text: str, numbered: Numbered) -> str | None:
    """The number in digits; None if the text is no character in quotes and no label. ValueError if it is unclear.

    >>> named_number(IntType(8, signed=True), "'B'", no_labels)
    '66'
    """
    if text.startswith("'") and text.endswith("'") and len(text) > 2:
        return _of_character(text)
    if not text.isidentifier():
        return None
    found = numbered(text)
    if len({number for _, number in found}) > 1:
        meanings = ", ".join(f"{number} in {name}" for name, number in found)
        raise ValueError(f"{quoted(text)} has several meanings: {meanings}")
    if found:
        return str(found[0][1])
    if kind.width == 8 and len(text) == 1:
        raise ValueError(f"expected a whole number, found {quoted(text)}; a character has quotes: '{text}'")
    return None


def _of_character(text: str) -> str | None:
    try:
        code = Literal(text).code
    except ValueError:
        return None
    return None if code is None else str(code)
