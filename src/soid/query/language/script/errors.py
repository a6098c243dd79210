"""Errors in a script: the line and the column, a caret under the place, what was expected, what was meant.

>>> with located("let x = 1\\nwuold x", "a.soid"):
...     raise placed(QueryError("what is this?"), Span(10, 15))
Traceback (most recent call last):
soid.errors.QueryError: a.soid, line 2, column 1: what is this?
  wuold x
  ^^^^^
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from lark import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from soid.errors import QueryError
from soid.query.language.errors import EXPECTED, HINTS, carets, expected_words, suggestion
from soid.query.language.script.nodes import WORDS
from soid.scenario.expression import Span, placed, span_of
from soid.scenario.text import RESERVED

# What may stand somewhere in a line of a script, in words; where a line begins, only the first of these is said.
_BEGINNING: Final = "a question, or a word that begins a line (let, when, conclude ...)"
_EXPECTED: Final[tuple[tuple[str, str], ...]] = (
    ("ENTRY", "`entry`"),
    ("EACH", "`each`"),
    ("STEP", "`step`"),
    ("KEYFRAME", "`keyframe`"),
    ("AS", "`as`"),
    ("AT", "`at step`"),
    ("EQUAL", "`=`"),
    ("INDEXES", "indexes ([1..3])"),
    ("LABEL", "a text in quotes"),
    *EXPECTED,
    ("BECAUSE", "`because`"),
    ("COLON", "a colon"),
)

# What people write who know another language.
_HINTS: Final = {
    "if": "A question that others depend on begins with `when`.",
    "else": "The lines for a no begin with `otherwise:`.",
    "elif": "Inside `otherwise:` another `when` may stand.",
    "while": "A question is asked many times with `for each`.",
    "return": "A script ends with `conclude`.",
    "print": "A script ends with `conclude`.",
    "var": "A name is given with `let`.",
    "def": "A name is given with `let`.",
    "const": "A name is given with `let`.",
    "import": "The program is named with `program` or `project`.",
}


@contextmanager
def located(text: str, file: str) -> Iterator[None]:
    """Errors that know their place in the text are shown with it: file, line and column, and carets below."""
    try:
        yield
    except QueryError as error:
        span = span_of(error)
        if span is None:
            raise
        line, column = position(text, span.start)
        cause = f"{file}, line {line}, column {column}: {error.cause}\n{carets(text, span)}"
        raise type(error)(cause, error.remedy) from error


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 1.

    >>> position("ab\\ncd", 4)
    (2, 2)
    """
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def unexpected(error: UnexpectedInput, text: str, line: Span) -> QueryError:
    """The parser's complaint about one line in words."""
    if isinstance(error, UnexpectedCharacters):
        start = error.pos_in_stream or 0
        hint = HINTS.get(text[start], "")
        return placed(QueryError(f"{text[start]!r} means nothing here", hint), Span(start, start + 1))
    assert isinstance(error, UnexpectedToken | UnexpectedEOF)
    words = _words(error)
    if not isinstance(error, UnexpectedToken) or error.token.type == "$END":
        remedy = "A line that has a block below it ends with a colon." if "a colon" in words else ""
        return placed(QueryError(f"the line ends too early: expected {words}", remedy), Span(line.end, line.end + 1))
    token = error.token
    assert token.start_pos is not None and token.end_pos is not None
    if "a colon" in words and "\n" in text[line.start : token.start_pos]:
        end = len(text[: token.start_pos].rstrip())
        remedy = "A line that has a block below it ends with a colon."
        return placed(QueryError(f"the line ends too early: expected {words}", remedy), Span(end, end + 1))
    cause = f"expected {words}, found {str(token)!r}"
    return placed(QueryError(cause, _remedy(error, line)), Span(token.start_pos, token.end_pos))


def _words(error: UnexpectedToken | UnexpectedEOF) -> str:
    accepted = set((isinstance(error, UnexpectedToken) and error.accepts) or error.expected or ())
    if "CONCLUDE" in accepted:
        return _BEGINNING
    if "VACUOUS" in accepted:
        return "a question, `unknown`, `vacuous` or `error`"
    known = _EXPECTED
    if "PATH" in accepted and not accepted & {"NUMBER", "LPAR"}:
        known = tuple((terminal, "a name" if terminal == "PATH" else words) for terminal, words in _EXPECTED)
    if "PATH" in accepted and "LPAR" in accepted:
        known = tuple((terminal, words) for terminal, words in known if terminal not in ("LABEL", "LBRACE"))
    return expected_words(error, known)


def _remedy(error: UnexpectedToken, line: Span) -> str:
    found = str(error.token)
    if error.token.start_pos == line.start:
        close = difflib.get_close_matches(found.lower(), sorted(WORDS | {"did", "would", "might"}), n=1)
        return _HINTS.get(found) or (f"Did you mean {close[0]}?" if close else "")
    if found in HINTS and found != "=":
        return HINTS[found]
    if found == "=" and "COMPARISON" in (error.accepts or ()):
        return HINTS["="]
    near = sorted(word for word in WORDS | RESERVED if word.upper() in (error.accepts or ()))
    close = difflib.get_close_matches(found.lower(), near, n=1)
    return f"Did you mean {close[0]}?" if close else suggestion(error)


def refuse_word(name: str, span: Span | None) -> None:
    """A name that a script gives is no word of the language."""
    if name in RESERVED | WORDS:
        error = QueryError(f"`{name}` is a word of the language", "Choose another name.")
        raise placed(error, span)
