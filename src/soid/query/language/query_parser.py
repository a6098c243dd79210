"""From text to a query. The grammar is `grammar.lark`; what each of its rules builds is in `query_builder.py`.

>>> parse("would move == 1 if signal is anything and not (1.0 <= x <= 1.5)").suppositions[0]
Anything(path='signal')
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, UnexpectedInput

from soid.program.interface import Interface
from soid.query.behavior import Behavior
from soid.query.language.grammar_cache import language
from soid.query.language.query_builder import Builder
from soid.query.language.query_errors import drawn, unexpected
from soid.query.query import CheckedQuery, Query, check_supposition
from soid.scenario.supposition import Supposition, freed


def parse(text: str, interface: Interface | None = None) -> Query:
    """The question that the text asks; with an interface, checked against it."""
    return _read_query(text) if interface is None else parse_checked(text, interface).query


def parse_checked(text: str, interface: Interface) -> CheckedQuery:
    """The question that the text asks of a program with this interface."""
    query = _read_query(text)
    with drawn(text):
        return query.checked(interface)


def parse_behavior(text: str, interface: Interface | None = None) -> Behavior:
    """A behavior by itself: what stands between `would` and `if`."""
    behavior: Behavior = _read("behavior", text)
    if interface is not None:
        with drawn(text):
            behavior.check(interface)
    return behavior


def parse_suppositions(text: str, interface: Interface | None = None) -> tuple[Supposition, ...]:
    """What stands after `if`."""
    suppositions: tuple[Supposition, ...] = _read("suppositions", text)
    if interface is not None:
        with drawn(text):
            for supposition in suppositions:
                check_supposition(interface, supposition)
            freed(interface, suppositions)
    return suppositions


def _read_query(text: str) -> Query:
    query: Query = _read("question", text)
    return query


@cache
def grammar() -> Lark:
    """The grammar, read once; words are reserved everywhere, so that errors do not depend on where one stands."""
    return language(
        Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8"),
        Builder(),
        parser="lalr",
        lexer="basic",
        start=["question", "behavior", "suppositions"],
        keep_all_tokens=True,
        maybe_placeholders=False,
    )


def _read(start: str, text: str) -> Any:
    with drawn(text):
        try:
            return grammar().parse(text, start=start)
        except UnexpectedInput as error:
            raise unexpected(error, text) from None
