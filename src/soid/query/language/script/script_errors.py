"""Errors in a script: file, line and column, the cause, carets under the place, and a suggestion.

>>> with located("let x = 1\\nwuold x", "a.soid"):
...     raise error_at(TextSpan(10, 15), "what is this?")
Traceback (most recent call last):
soid.errors.QueryError: a.soid, line 2, column 1: what is this?
  wuold x
  ^^^^^
"""

from __future__ import annotations

import difflib
import re
from contextlib import AbstractContextManager
from typing import Final

from lark import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from soid.errors import QueryError, did_you_mean
from soid.query.language.query_errors import (
    EXPECTED,
    HINTS,
    accepted_terminals,
    carets,
    expected_words,
    retold,
    suggestion,
    unexpected_character,
)
from soid.query.language.script.nodes import WORDS
from soid.scenario.expression import TextSpan, error_at
from soid.scenario.expression_text import RESERVED

#: words that a line may begin with; a cause begins with a formula
_BEGINNINGS: Final = frozenset({
    "case", "program", "project", "trace", "keyframe", "let", "family", "at", "did", "would", "might", "when",
    "otherwise", "for", "conclude", "causes", "map", "explain",
})  # fmt: skip
_VERBS: Final = ("did", "would", "might")
_HANDLED: Final = ("unknown", "vacuous", "error")

_COLON: Final = "A line that has a block below it ends with a colon."

# Words for what the parser accepts in a line of a script, as in EXPECTED.
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

# Words of other languages, and how to write them here.
_HINTS: Final = {
    "if": "A question that others depend on begins with `when`.",
    "else": "The lines for a no begin with `otherwise:`.",
    "elif": "Inside `otherwise:` another `when` may stand.",
    "then": _COLON,
    "because": "What the program did stands before `because`: move because signal == RIGHT",
    "while": "A question is asked many times with `for each`.",
    "return": "A script ends with `conclude`.",
    "print": "A script ends with `conclude`.",
    "var": "A name is given with `let`.",
    "def": "A name is given with `let`.",
    "const": "A name is given with `let`.",
    "import": "The program is named with `program` or `project`.",
}


# What a line may mean, as its text up to where it goes wrong; and how to write it.
_LEADS: Final = tuple(
    (re.compile(pattern), lead)
    for pattern, lead in (
        (
            r"\bwhen\b.*(\b(and|or|not)|\()[\s(]*(did|would|might)\s+\w+$",
            "Name each question, then decide from the verdicts: let q = did move, and when q is yes and not (r is no):",
        ),
        (r"\bwitness\s+of$", "Give the scenario a name first: let w = witness of q; then write w.x."),
        (r"\bin\s*\{\s*\}$", "Name at least one value: {5, 10}, or 1..3."),
    )
)


def located(text: str, file: str) -> AbstractContextManager[None]:
    """Adds file, line, column and carets to errors raised inside, if their place is known."""

    def tell(span: TextSpan, cause: str) -> str:
        line, column = position(text, span.start)
        return f"{file}, line {line}, column {column}: {cause}\n{carets(text, span)}"

    return retold(tell)


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 1.

    >>> position("ab\\ncd", 4)
    (2, 2)
    """
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def unexpected(error: UnexpectedInput, text: str, line: TextSpan) -> QueryError:
    """The parser's error about one line in words."""
    if isinstance(error, UnexpectedCharacters):
        return unexpected_character(error, text)
    assert isinstance(error, UnexpectedToken | UnexpectedEOF)
    if (beginning := _wrong_beginning(text, line)) is not None:
        return beginning
    words = _words(error)
    if not isinstance(error, UnexpectedToken) or error.token.type == "$END":
        return _too_early(words, line.end)
    token = error.token
    assert token.start_pos is not None and token.end_pos is not None
    on_another_line = "\n" in text[line.start : token.start_pos]
    if on_another_line and "a colon" in words:
        return _too_early(words, len(text[: token.start_pos].rstrip()))
    remedy = _remedy(error, text, on_another_line=on_another_line)
    return error_at(TextSpan(token.start_pos, token.end_pos), f"expected {words}, found {str(token)!r}", remedy)


def _too_early(words: str, end: int) -> QueryError:
    return error_at(
        TextSpan(end, end + 1), f"the line ends too early: expected {words}", _COLON if "a colon" in words else ""
    )


def _wrong_beginning(text: str, line: TextSpan) -> QueryError | None:
    """The error for a line that begins with an unknown word. Only a cause may begin with a name of the program."""
    code = text[line.start : line.end]
    found = re.match(r"(when\s+)?([^\W\d]\w*)", code)
    if found is None:
        return None
    known = (*_VERBS, *_HANDLED) if found[1] else sorted(_BEGINNINGS)
    later = re.findall(r"\w+", code[found.end() :])
    if found[1] and "is" in later:  # about a verdict: when q is yes
        return None
    if found[2] in known or difflib.get_close_matches("because", later, cutoff=0.7):
        return None
    meant = did_you_mean(found[2].lower(), known, "A question begins with did, would (always) or might (ever).")
    expected = (
        "a question, a verdict (q is yes), `unknown`, `vacuous` or `error`"
        if found[1]
        else "a question, or let, when, conclude ..."
    )
    return error_at(
        TextSpan(line.start + found.start(2), line.start + found.end(2)),
        f"expected {expected}, found {found[2]!r}",
        _HINTS.get(found[2], meant),
    )


def _words(error: UnexpectedToken | UnexpectedEOF) -> str:
    accepted = accepted_terminals(error)
    words = dict(_EXPECTED)
    if "PATH" in accepted and not accepted & {"NUMBER", "LPAR"}:
        words["PATH"] = "a name"
    if "PATH" in accepted and "LPAR" in accepted:
        del words["LABEL"], words["LBRACE"]
    if "OF" in accepted and len(accepted) > 1:
        words["OF"] = "`of`"
    return expected_words(error, tuple(words.items()))


def _remedy(error: UnexpectedToken, text: str, *, on_another_line: bool) -> str:
    found, accepted = str(error.token), error.accepts or set()
    before = text[: error.token.start_pos or 0].split()[-1:]
    if before in (["witness"], ["causes"]) and not on_another_line:
        return "Write: let w = witness of q. Or: causes of move over signal is anything."
    if on_another_line and found in _BEGINNINGS:
        return "A line that is indented deeper goes on with the one above: begin it where that one begins."
    if found == "because" and accepted == {"COLON"}:  # after `when error`
        return "A variable called unknown, vacuous or error is written in backticks after `when`."
    line = text[text.rfind("\n", 0, error.token.start_pos or 0) + 1 : error.token.end_pos]
    if (lead := next((lead for pattern, lead in _LEADS if pattern.search(line)), None)) is not None:
        return lead
    if found in _HINTS:
        return _HINTS[found]
    if found in HINTS and (found != "=" or "COMPARISON" in accepted):
        return HINTS[found]
    near = sorted(word for word in WORDS | RESERVED if word.upper() in accepted)
    return did_you_mean(found.lower(), near, suggestion(error, text), cutoff=0.7)


def refuse_word(name: str, span: TextSpan | None) -> None:
    """Refuse to define a name that is a word of the language."""
    if name in RESERVED | WORDS:
        raise error_at(span, f"`{name}` is a word of the language", "Choose another name.")
