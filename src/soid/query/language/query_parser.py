"""Parses text to a query. The grammar is `grammar.lark`; `query_builder.py` builds the nodes.

>>> parse("would move == 1 if signal is anything and not (1.0 <= x <= 1.5)").suppositions[0]
Anything(path='signal')
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from lark import UnexpectedInput
from msgspec import Struct
from msgspec.structs import replace

from soid.program.interface import Interface
from soid.query.behavior import Behavior
from soid.query.every_input import of_each_input
from soid.query.language.grammar_cache import language
from soid.query.language.query_builder import Builder
from soid.query.language.query_errors import drawn, unexpected
from soid.query.language.table_parser import TableParser
from soid.query.query import CheckedQuery, Query, check_suppositions
from soid.scenario.character_arrays import with_characters
from soid.scenario.supposition import Supposition
from soid.scenario.trace import Trace

T = TypeVar("T")


def parse(text: str, interface: Interface | None = None, log: Trace | None = None) -> Query:
    """The query of a text, checked against the interface if one is given; `log` says which steps its times mean."""
    return _read_query(text) if interface is None else parse_checked(text, interface, log).query


def parse_checked(text: str, interface: Interface, log: Trace | None = None) -> CheckedQuery:
    """The query of a text, checked against the interface of a program, with steps of the log for its times."""
    query = _as_called(_read_query(text), text, interface)
    with drawn(text):
        return query.checked(interface, log)


def parse_behavior(text: str, interface: Interface | None = None) -> Behavior:
    """A behavior by itself: the part between `would` and `if`."""
    behavior: Behavior = _read("behavior", text)
    if interface is not None:
        behavior = _as_called(behavior, text, interface)
        with drawn(text):
            behavior = with_characters(behavior, interface)
            behavior.check(interface)
    return behavior


def parse_suppositions(text: str, interface: Interface | None = None) -> tuple[Supposition, ...]:
    """Suppositions by themselves: the part after `if`."""
    suppositions: tuple[Supposition, ...] = _read("suppositions", text)
    if interface is not None:
        suppositions = _as_called(suppositions, text, interface)
        with drawn(text):
            each_input = of_each_input(suppositions, interface)
            suppositions = tuple(with_characters(each, interface) for each in each_input)
            check_suppositions(interface, suppositions)
    return suppositions


def _read_query(text: str) -> Query:
    query: Query = _read("question", text)
    return query


def _as_called(read: T, text: str, interface: Interface) -> T:
    """What was read, where names in backticks that only the program's file has are those of the interface."""
    paths = {variable.path for variable in interface.nameable}
    names = {spelt: path for spelt, path in interface.spellings.items() if path in paths and spelt not in paths}
    return _renamed(read, names) if names and "`" in text else read


def _renamed(node: Any, names: Mapping[str, str]) -> Any:
    if isinstance(node, tuple):
        return tuple(_renamed(each, names) for each in node)
    if not isinstance(node, Struct):
        return node
    fields = {field: getattr(node, field) for field in node.__struct_fields__}
    changed = {field: _renamed(value, names) for field, value in fields.items()}
    if isinstance(path := fields.get("path"), str):
        changed["path"] = names.get(path, path)
    return replace(node, **changed)


@cache
def grammar() -> TableParser:
    """The parser, made once. The lexer is basic: words are reserved everywhere, so errors do not depend on context."""
    made = language(
        Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8"),
        Builder(),
        parser="lalr",
        lexer="basic",
        start=["question", "behavior", "suppositions"],
        keep_all_tokens=True,
        maybe_placeholders=False,
    )
    return TableParser(made)


def _read(start: str, text: str) -> Any:
    with drawn(text):
        try:
            return grammar().parse(text, start)
        except UnexpectedInput as error:
            raise unexpected(error, text) from None
