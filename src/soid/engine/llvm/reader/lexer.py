"""Splits a line of LLVM's canonical text into tokens, and walks over them.

>>> tokens('%4 = add nsw i32 %x, -7 ; a comment')
['%4', '=', 'add', 'nsw', 'i32', '%x', ',', '-7', '']
>>> unescape('a\\\\22b\\\\00')
b'a"b\\x00'

Tokens are plain strings; their first characters tell their kinds, and the empty token marks the end. LLVM writes a
quote inside quotes as \\22, so a quoted token ends at the next quote.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NoReturn, final

from soid.errors import ProgramError

_TOKEN = re.compile(
    r"""
      [%@$!c]?"[^"]*"                       # strings, quoted names, metadata strings, c"bytes"
    | [%@$!\#][-\w.$\\]+                     # names, !dbg, !12, #3
    | [-+]?\d+\.\d*(?:[eE][-+]?\d+)?       # decimal floats
    | [-\w.$]+                             # keywords, types, integers, 0xH3C00, ...
    | ;.*                                  # comments
    | \S                                   # punctuation
    """,
    re.VERBOSE,
)
_COMPLEX = re.compile(r"[^-+\w\s%@.,=$!\[\]]")
_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2}|\\)")


def tokens(line: str) -> list[str]:
    """The tokens of a line, comments dropped, with the empty token at the end."""
    if _COMPLEX.search(line) is None:
        # most instructions, and tables: words, commas and brackets; `split` is several times faster than the pattern
        found = line.replace(",", " ,").replace("[", " [ ").replace("]", " ] ").split()
        found.append("")
        return found
    found = _TOKEN.findall(line)
    if found and found[-1][0] == ";":
        found.pop()
    found.append("")
    return found


def unescape(text: str) -> bytes:
    """The bytes that LLVM wrote as text between quotes."""
    raw = text.encode()
    if b"\\" not in raw:
        return raw
    return _ESCAPE.sub(lambda m: b"\\" if m[1] == b"\\" else bytes((int(m[1], 16),)), raw)


def name_of(token: str) -> str:
    """The bare name in `%x`, `@"odd name"`, `$comdat` or a quoted string.

    >>> name_of('@"a b"'), name_of("%x.addr")
    ('a b', 'x.addr')
    """
    return string_of(token[1:]) if token.endswith('"') else token[1:]


def string_of(token: str) -> str:
    """The text between the quotes."""
    return unescape(token.strip('"')).decode(errors="surrogateescape")


_OPENED = re.compile(r"([(\[{]) ")
_CLOSED = re.compile(r" ([)\]},])")


def joined(words: Sequence[str]) -> str:
    """Tokens as a line, almost as LLVM writes it.

    >>> joined(["call", "void", "@f", "(", "i32", "1", ",", "i32", "2", ")", ""])
    'call void @f (i32 1, i32 2)'
    """
    return _CLOSED.sub(r"\1", _OPENED.sub(r"\1", " ".join(words).strip()))


@final
class Cursor:
    """A position in a list of tokens."""

    __slots__ = ("pos", "tokens")

    def __init__(self, line: str) -> None:
        self.tokens = tokens(line)
        self.pos = 0

    def peek(self) -> str:
        return self.tokens[self.pos]

    def next(self) -> str:
        token = self.tokens[self.pos]
        self.pos += 1
        return token

    def accept(self, token: str) -> bool:
        """Step over the token if it comes next."""
        if self.tokens[self.pos] == token:
            self.pos += 1
            return True
        return False

    def expect(self, token: str) -> None:
        """Step over the token, which must come next."""
        if self.tokens[self.pos] != token:
            self.fail(f"{token!r}")
        self.pos += 1

    def integer(self) -> int:
        try:
            return int(self.next())
        except ValueError:
            self.pos -= 1
            self.fail("an integer")

    def balanced(self) -> str:
        """Step over text in brackets, which must come next; gives the text: `(i32 0, 5)`."""
        depth, start = 0, self.pos
        while True:
            token = self.next()
            if token == "":
                self.fail("a closing bracket")
            depth += (token in "([{<") - (token in ")]}>")
            if depth == 0:
                return joined(self.tokens[start : self.pos])

    def fail(self, wanted: str) -> NoReturn:
        """Raise an error that says what was expected and what was found."""
        found = self.tokens[min(self.pos, len(self.tokens) - 1)] or "the end"
        line = joined(self.tokens)
        raise ProgramError(
            f"LLVM IR: expected {wanted}, found {found!r}, in: {line[:200]}",
            "only text as LLVM itself prints it is read here; let the module go through `canonical_text` first",
        )
