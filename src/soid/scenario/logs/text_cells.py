"""Cells with text for an array of characters: `PhD` in the column c.degree gives c.degree[0], c.degree[1], ...

The text is UTF-8, and zeros fill the rest of the array. A cell that looks like a number may be one that was meant for
something else: it is read as a text only if the manifest maps the column to the array.
"""

from __future__ import annotations

from collections.abc import Callable

from soid.formula.decimals import number_literal
from soid.program.domain import LoggedValue
from soid.program.interface import Interface
from soid.scenario.character_arrays import text_length
from soid.scenario.log_formats import Literal, quoted


def element_names(name: str, interface: Interface) -> tuple[str, ...]:
    """The elements of an array of characters, by the name of its column; with a prime if it has one."""
    path, prime = name.removesuffix("'"), "'" * name.endswith("'")
    if not interface.is_text(path):
        return ()
    return tuple(f"{path}[{index}]{prime}" for index in range(text_length(path, interface)))


def is_number(literal: Literal) -> bool:
    """Whether a cell may have a number."""
    return not isinstance(literal, str) or number_literal(literal) is not None


def character_reader(index: int, length: int, *, is_told: bool) -> Callable[[Literal], LoggedValue]:
    """Reads one element of an array of characters; `is_told`: the manifest says that the column has its text."""

    def read(literal: Literal) -> LoggedValue:
        if not isinstance(literal, str):
            raise ValueError(f"expected a text of at most {length} characters")
        if is_number(literal) and not is_told:
            raise ValueError(
                f"{quoted(literal)} may be a number, and the variable is an array of {length} characters; "
                "[trace.columns] can say that the column has its text"
            )
        text = literal.encode()
        if len(text) > length:
            raise ValueError(f"{quoted(literal)} has {len(text)} bytes, and the array has room for {length}")
        return LoggedValue(text[index] if index < len(text) else 0)

    return read
