"""Errors in the text of a question: the cause, the line with carets under the place, and a suggestion.

>>> print(draw("would mvoe == 1", TextSpan(6, 10), "there is no variable mvoe"))
there is no variable mvoe
  would mvoe == 1
        ^^^^
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from lark import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from soid.errors import QueryError, did_you_mean
from soid.scenario.expression import TextSpan, error_at, span_of
from soid.scenario.expression_text import RESERVED

#: columns of the line that are shown around an error
_SHOWN: Final = 100

# Words for what the parser accepts: (terminal, words), in the order in which they are listed.
EXPECTED: Final = (
    ("DID", "`did`, `would` or `might`"),
    ("PATH", "a variable or a value"),
    ("NUMBER", "a number"),
    ("STEP_COUNT", "a number of steps (5 steps)"),
    ("COMPARISON", "a comparison (==, <, in, is ...)"),
    ("PLUS", "arithmetic (+, -, *, /)"),
    ("DOTS", "`..`"),
    ("COMMA", "a comma"),
    ("AND", "`and`"),
    ("OR", "`or`"),
    ("IF", "`if`"),
    ("LPAR", "`(`"),
    ("RPAR", "`)`"),
    ("LBRACE", "`{`"),
    ("RBRACE", "`}`"),
    ("IN", "`in`"),
    ("OF", "`of fact`"),
    ("BITS", "`bits`"),
    ("FACT", "`fact`"),
    ("$END", "the end"),
)

# The same, where nothing else is accepted.
_OF_PAIRS: Final = (("CHANGE", "how it differs (differs, rises, falls, differs by at most 1 %)"),)

# (terminal, words that its own words include)
_INCLUDED: Final = (("PATH", ("a number", "`(`", "`fact`")), ("COMPARISON", ("`in`",)))

# Characters of other languages, and how to write them here.
HINTS: Final = {
    "=>": "At least is written >=; if one holds, so does the other, is written `implies`.",
    "=<": "At most is written <=.",
    "=": "Two values are compared with ==.",
    "!": "The opposite is written with the word `not`; `!=` compares.",
    "[": "A set is written in braces: in {1, 2}, in {1..3}; a range also 1.0 <= x <= 1.5.",
    '"': "What stands in quotes ends with another quote, on the same line.",
    "`": "A name in backticks ends with another backtick, on the same line.",
    ".": "Numbers have a digit before and after the point: 0.5, 1.0.",
    "?": "A question needs no question mark.",
    "^": "A power is written x * x; exclusive or of bits is written x xor y.",
}

_IMPLIES: Final = "If one holds, so does the other, is written with the word `implies`: icy implies speed < 2."
_CONVERSIONS: Final = "Conversions are written int32(x), uint8(x), float64(x)."

_OUTCOMES: Final = (
    "What becomes of it is written `x be the same`, `x differ`, `x rise`, `x fall` or `x differ by at most 0.5`, "
    "each with `not` before it or without, and then `if` and what differs."
)
_BECOMES: Final = (
    r"\b(did|would|might)\s+\S+\s+(not\s+)?"
    r"(be|stay|remain|change|vary|increase|decrease|grow|shrink|go|rise|fall|drop|differ)\b(?!.*\bif\b)"
)
_CHANGES: Final = "What differs is written `x differs`, `x rises`, `x falls` or `x differs by at most 1 %`."
_BY_HOW_MUCH: Final = "By how much is written `x rises and x differs by at most 100`, or `x differs by at most 1 %`."

_PHRASE: Final = 80  # characters that are looked at for one of these

# What other languages and plain English write, as the text up to where it means nothing here; and how to write it.
PHRASES: Final = tuple(
    (re.compile(pattern), remedy)
    for pattern, remedy in (
        (r"['\u2019]\s*['\u2019]$", "One prime is enough: x' is the state after the call."),
        (r"['\u2019]$", "A character has quotes on both sides: 'A'. A text has double quotes. A prime follows a name."),
        (r"&\s*&$", "Formulas are joined by the word `and`."),
        (r"\|\s*\|$", "Formulas are joined by the word `or`."),
        (r"\*\s*\*\s*\S+$", "There are no powers: write x * x."),
        (r"\+\s*\+$", "A question changes nothing: write x + 1."),
        (r"<\s*>$", "Not equal is written !=."),
        (r"-\s*>$", _IMPLIES),
        (r"~$", "Nearly equal is written abs(x - 1.5) <= 0.1."),
        (
            r"\bif\b.*\b(differs?|rises|falls|drops)\b[^,]*,$",
            "What follows is `all else equal`, or for whom: `for every patient with 18 <= age <= 90`.",
        ),
        (r"\bif\s+only\b", "All else is the same in such a question: leave out `only`."),
        (
            r"\b(never|always)(\s+\S+)?$",
            "Never is `would not ...`, or `would x not fall`; always is `would`; ever is `might`.",
        ),
        (_BECOMES, _OUTCOMES),
        (
            r"\bfor\s+(every|any|each)\s+\w+\s+(where|whose|that|who|which)\s+\S+$",
            "Which of them is said after `with`: for every patient with age >= 18.",
        ),
        (r",$", "Formulas are joined by the word `and`. A number has no comma: 1000, 0.5."),
        (r"\b(did|would|might|and|or|not)\s+if$", _IMPLIES),
        (r"\b(then|when|unless|whenever)$", _IMPLIES),
        (r"\b(did|would|might|if|and|or|not)\s+implies$", _IMPLIES),
        (r"\bbetween(\s+\S+)?$", "A range is written 1.0 <= x <= 1.5, or in {1..3}."),
        (r"\b(greater|more|bigger|higher|less|smaller|lower)(\s+than)?$", "Compare with <, <=, > or >=: x > 1.5."),
        (r"\bat\s+(most|least)$", "At most is written <=, and at least >=: x >= 1.5."),
        (r"\b(equals|equal)$", "Two values are compared with ==."),
        (r"\b(mod|modulo)$", "What a quotient leaves is written %: x % 2 == 1."),
        (r"\bdiv$", "A quotient that is rounded down is written //, an exact one /."),
        (r"\b(did|would|might|if|and|or|not)\b[^{}]*\bin\s+\S+$", "A set is written in braces: in {1, 2}, in {1..3}."),
        (r"\bstarts\s*with$", "Its first characters are compared one by one: name[0] == 'A'."),
        (r"\b0[bB][01]+$", "Numbers are decimal or hexadecimal: 31, 0x1f."),
        (r"\d[fFuUlL]+$", "A number has no suffix: it takes the type of what it is compared with."),
        (r"\b(isnan|isinf|isfinite)\s*\($", "Ask `x is nan`, `x is inf`, or `-1e300 <= x <= 1e300`."),
        (r"\b(strcmp|strncmp|strcasecmp)\s*\($", 'A text is compared with ==: name == "abc".'),
        (r"\b(str)?len\s*\($", "The end of a text is a zero: name[3] == 0."),
        (r"\b(int|unsigned|long|short|char|float|double|bool)\s*\($", _CONVERSIONS),
        (r"\(\s*(unsigned|signed|int|long|short|char|float|double|u?int\d+_t)\s*\)\s*\S+$", _CONVERSIONS),
        (
            r"\b(round|floor|ceil|trunc)\s*\($",
            "int64(x) cuts off what is behind the point; // rounds down.",
        ),
        (r"\w\s*\($", "Functions are abs, min, max, quot, rem, int8(x) to float64(x); for others there is smtlib."),
    )
)


def draw(text: str, span: TextSpan, cause: str) -> str:
    """The cause, and below it the line with carets under the span."""
    line = text.count("\n", 0, span.start) + 1
    where = f"{cause} (line {line})" if "\n" in text.strip() else cause
    return f"{where}\n{carets(text, span)}"


def carets(text: str, span: TextSpan) -> str:
    """The line on which the span begins, and below it carets under the span."""
    start = min(span.start, len(text))
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line = text[line_start : line_end if line_end >= 0 else len(text)]
    column = start - line_start
    length = max(1, min(span.end - start, len(line) - column))
    skipped = max(0, column - _SHOWN // 2)
    shown = "".join(c if c.isprintable() else " " for c in line[skipped : skipped + _SHOWN])
    signs = "^" * min(length, max(1, len(shown) - (column - skipped)))
    return f"  {shown}\n  {' ' * (column - skipped)}{signs}"


def drawn(text: str) -> AbstractContextManager[None]:
    """Adds the line and carets to errors raised inside, if their place is known."""
    return retold(lambda span, cause: draw(text, span, cause))


@contextmanager
def retold(tell: Callable[[TextSpan, str], str]) -> Iterator[None]:
    """Replaces the cause of errors raised inside by `tell(place, cause)`, if their place is known."""
    try:
        yield
    except QueryError as error:
        span = span_of(error)
        if span is None:
            raise
        raise type(error)(tell(span, error.cause), error.remedy) from error


def unexpected(error: UnexpectedInput, text: str) -> QueryError:
    """The parser's error in words."""
    if isinstance(error, UnexpectedCharacters):
        return unexpected_character(error, text)
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        token = error.token
        assert token.start_pos is not None and token.end_pos is not None
        cause = f"expected {expected_words(error)}, found {str(token)!r}"
        return error_at(TextSpan(token.start_pos, token.end_pos), cause, suggestion(error, text))
    assert isinstance(error, UnexpectedToken | UnexpectedEOF)
    end = len(text.rstrip())
    if not re.sub(r"#[^\n]*", "", text).strip():
        return error_at(
            TextSpan(end, end + 1), "there is no question", "Write one, such as: would move == 1 if signal is anything"
        )
    any_ = "`is anything` is any value of its domain; `is any bits` is NaN, too, and the infinities."
    remedy = any_ if re.search(r"\bis\s+any$", text.rstrip()) else ""
    return error_at(TextSpan(end, end + 1), f"the question ends too early: expected {expected_words(error)}", remedy)


def unexpected_character(error: UnexpectedCharacters, text: str) -> QueryError:
    start = error.pos_in_stream or 0
    if text[start] == "." and text[:start].endswith(("'", "\u2019")):
        return error_at(
            TextSpan(start, start + 1), "a prime stands at the end of a name", "Write p.mode', not p'.mode."
        )
    hint = next((HINTS[text[start:end]] for end in (start + 2, start + 1) if text[start:end] in HINTS), "")
    return error_at(TextSpan(start, start + 1), f"{text[start]!r} means nothing here", hint)


def accepted_terminals(error: UnexpectedToken | UnexpectedEOF) -> set[str]:
    accepted: set[str] = set((isinstance(error, UnexpectedToken) and error.accepts) or error.expected or ())
    return accepted


def expected_words(error: UnexpectedToken | UnexpectedEOF, known: Sequence[tuple[str, str]] = EXPECTED) -> str:
    """What the parser accepts there, in words."""
    accepted = accepted_terminals(error)
    words = [text for terminal, text in known if terminal in accepted]
    words = words or [text for terminal, text in _OF_PAIRS if terminal in accepted]
    for larger, smaller in _INCLUDED:
        if larger in accepted:
            words = [text for text in words if text not in smaller]
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def suggestion(error: UnexpectedToken, text: str = "") -> str:
    """The word that was meant, or how to write a variable that is named like a reserved word."""
    accepted, found = accepted_terminals(error), str(error.token)
    end = error.token.end_pos or 0
    before = text[max(0, end - _PHRASE) : end]
    if (phrase := next((remedy for pattern, remedy in PHRASES if pattern.search(before)), None)) is not None:
        return phrase
    if "CHANGE" in accepted and "PATH" not in accepted:
        return _BY_HOW_MUCH if found in ("differs", "rises", "falls", "drops") else _CHANGES
    if found in RESERVED and "PATH" in accepted:
        return f"`{found}` is a word of the language; a variable so called is written in backticks: `{found}`."
    known = [word for word in RESERVED if word.upper() in accepted]
    begin = "A question begins with did, would (always) or might (ever): would move == 1 if signal is anything"
    otherwise = begin if "DID" in accepted else ""
    if "STEP_SPAN" in accepted and found in ("at", "from", "to", "until"):
        otherwise = (
            "Steps are written `at step 231`, `from step 230`, `from step 230 to step 239` or `to step 239`; "
            "or by the log's clock: `at 46.2s`, `from 45s to 1:30`."
        )
    elif "OF" in accepted and found in ("s", "ms", "sec", "seconds", "min", "h"):
        otherwise = "How long a question is about is said in steps: `within 15 steps`."
    elif "IF" in accepted and "AND" not in accepted:  # after the steps
        otherwise = "What is perceived in the steps is written `as logged`, `held` or `anything`."
    return did_you_mean(found.lower(), sorted(known), otherwise)
