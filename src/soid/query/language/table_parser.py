"""Reads a text by the tables that lark has made of a grammar, in half of the time that lark's own loop takes.

The grammar stays the one description of the language. The loop here knows nothing of what may be wrong with a text:
what the tables do not accept is read again by lark, whose error says what was expected, and where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, final

from lark import Lark, Token
from lark.parsers.lalr_analysis import Shift
from msgspec import Struct

_END: Final = "$END"
_LAST: Final = "last"  # the end among tokens: `$END` is no name of a group
_REFUSED: Final = object()  # the text is not of the language


@final
class _Reduction(Struct, frozen=True):
    """What becomes of the last parts."""

    size: int
    rule: str
    build: Callable[[list[Any]], Any] | None  # None: the only part stands for the rule


#: by kind of token: the state after it, or what is done before it is looked at; by rule the state after that
_Actions = Mapping[str, Any]


@final
class TableParser:
    """The parser of a grammar, of a lark parser with a basic lexer and a transformer inside."""

    def __init__(self, grammar: Lark) -> None:
        self.lark = grammar
        table, builders = grammar.parser.parser.parser.parse_table, grammar.parser.parser.parser.callbacks
        self._begins: Final[Mapping[str, int]] = table.start_states
        self._ends: Final[Mapping[str, int]] = table.end_states
        self._states: Final[Mapping[int, _Actions]] = {
            state: {kind: _action(does, to, builders) for kind, (does, to) in actions.items()}
            for state, actions in table.states.items()
        }
        self._passed: Final[dict[tuple[int, int, str], int]] = {}  # see `_pass`
        lexer = grammar.parser.lexer
        (pattern,) = lexer.scanner._mres
        ignored = "|".join(each.pattern.to_regexp() for each in lexer.terminals if each.name in lexer.ignore_types)
        whole = re.compile(f"(?>(?:{ignored})*)(?:(?P<{_LAST}>\\Z)|{pattern.pattern})", pattern.flags)
        self._next: Final[Callable[[str, int], re.Match[str] | None]] = whole.match
        #: names of words, by the kind that they would be of otherwise
        self._words: Final[Mapping[str, Mapping[str, str]]] = {
            kind: {each.pattern.value: each.name for each in unless.scanner.terminals}
            for kind, unless in lexer.callback.items()
        }

    def parse(self, text: str, start: str) -> Any:
        """What the builder made of a text; the error is lark's, as the builder's are its own."""
        tokens = self._tokens(text)
        found = self._built(tokens, start) if tokens is not None else _REFUSED
        return self.lark.parse(text, start=start) if found is _REFUSED else found

    def _tokens(self, text: str) -> list[tuple[str, Any]] | None:
        """The tokens with their kinds, and the end; None if something is no token."""
        found: list[tuple[str, Any]] = []
        place, words = 0, self._words
        while (match := self._next(text, place)) is not None:
            kind = str(match.lastgroup)
            if kind == _LAST:
                found.append((_END, None))
                return found
            begins, place = match.span(kind)
            token: Any = str.__new__(Token, match[kind])  # its own constructor has much more to say
            if kind in words:
                kind = words[kind].get(token, kind)
            token.type, token.start_pos, token.end_pos = kind, begins, place
            found.append((kind, token))
        return None

    def _built(self, tokens: list[tuple[str, Any]], start: str) -> Any:
        states, actions, passed = [self._begins[start]], self._states, self._passed
        values: list[Any] = []
        for kind, token in tokens:
            while isinstance(step := actions[states[-1]].get(kind), _Reduction):
                if step.build is None:
                    key = states[-2], states[-1], kind
                    states[-1] = passed[key] if key in passed else self._pass(*key)
                    continue
                parts = values[-step.size :]
                del values[-step.size :], states[-step.size :]
                values.append(step.build(parts))
                states.append(actions[states[-1]][step.rule])
            if step is None:
                return values[0] if kind == _END and states[-1] == self._ends[start] else _REFUSED
            states.append(step)
            values.append(token)
        return _REFUSED

    def _pass(self, below: int, state: int, kind: str) -> int:
        """The state after all rules of one part that end before a token: a number is an atom, a product, a sum, ..."""
        found, actions = state, self._states
        while isinstance(step := actions[found].get(kind), _Reduction) and step.build is None:
            found = actions[below][step.rule]
        self._passed[below, state, kind] = found
        return found


def _action(does: object, to: Any, builders: Mapping[Any, Any]) -> Any:
    """A row of lark's table. A rule that lark writes with `?` and that has one part is that part."""
    if does is Shift:
        return int(to)
    assert to.expansion, "no rule of the grammar is empty"
    alone = len(to.expansion) == 1 and to.options.expand1 and not to.alias
    return _Reduction(len(to.expansion), to.origin.name, None if alone else builders[to])
