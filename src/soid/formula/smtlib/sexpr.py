"""SMT-LIB text as s-expressions, each with its place in the text. No recursion, so nesting may be of any depth.

>>> source = SmtLibText("demo.smt2", "(assert (= x #x0f)) ; why")
>>> [(item.kind, item.text) for item in source.expressions()[0].items if isinstance(item, Atom)]
[('symbol', 'assert')]
>>> print(source.error(8, "what is this?", "Write it otherwise."))
demo.smt2:1:9: what is this?
Write it otherwise.
"""

from __future__ import annotations

import re
from typing import Final, Literal, final

from msgspec import Struct

from soid.allowance import paced
from soid.errors import SmtLibError

#: a number with an exponent is none of SMT-LIB, but formats beside it have some: 1e-05
Kind = Literal["symbol", "keyword", "numeral", "decimal", "exponent", "hexadecimal", "binary", "string"]


@final
class Atom(Struct, frozen=True):
    """A symbol, a keyword or a literal."""

    kind: Kind
    text: str  # symbols and strings without their bars and quotes, literals without #x and #b
    at: int  # offset in the text
    barred: bool = False  # a symbol between bars; it is never a reserved word


@final
class Parenthesis(Struct, frozen=True):
    """The s-expressions between two parentheses."""

    items: tuple[Sexpr, ...]
    at: int  # offset of the opening parenthesis


Sexpr = Atom | Parenthesis

_TOKEN: Final = re.compile(
    r"""(?: [ \t\r\n\f\v]++ | ;[^\r\n]*+ )*+
    (?: (?P<open>\() | (?P<close>\)) | (?P<word>[^ \t\r\n\f\v();"|]++)
      | (?P<string>"(?:[^"]|"")*+") | (?P<barred>\|[^|\\]*+\|) | (?P<end>\Z) | (?P<endless>.) )""",
    re.VERBOSE | re.DOTALL,
)
_WORDS: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    ("symbol", re.compile(r"([A-Za-z~!@$%^&*_+=<>.?/-][A-Za-z0-9~!@$%^&*_+=<>.?/-]*)")),
    ("numeral", re.compile(r"([0-9]+)", re.ASCII)),
    ("hexadecimal", re.compile(r"\#x([0-9a-fA-F]+)")),
    ("binary", re.compile(r"\#b([01]+)")),
    ("decimal", re.compile(r"([0-9]+\.[0-9]+)", re.ASCII)),
    ("exponent", re.compile(r"([0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]+)", re.ASCII)),
    ("keyword", re.compile(r"(:[A-Za-z0-9~!@$%^&*_+=<>.?/-]+)")),
)
_PRINTABLE: Final = re.compile(r"[^\x00-\x08\x0e-\x1f\x7f]*")


@final
class SmtLibText(Struct, frozen=True):
    """A text and its name in messages."""

    name: str
    text: str

    def error(self, at: int, cause: str, remedy: str = "") -> SmtLibError:
        """An error that points at a place."""
        line = self.text.count("\n", 0, at) + 1
        column = at - self.text.rfind("\n", 0, at)
        return SmtLibError(f"{self.name}:{line}:{column}: {cause}", remedy)

    def expressions(self) -> list[Parenthesis]:
        """The text's s-expressions; at the outermost level, all are in parentheses."""
        done: list[Parenthesis] = []
        open_groups: list[tuple[int, list[Sexpr]]] = []
        for token in paced(_TOKEN.finditer(self.text), f"reading {self.name}"):
            kind = token.lastgroup
            assert kind is not None
            at = token.start(kind)
            item: Sexpr
            if kind == "open":
                open_groups.append((at, []))
                continue
            if kind == "end":
                break
            if kind == "close":
                if not open_groups:
                    raise self.error(at, "a parenthesis closes that was never opened", "Take it away.")
                start, items = open_groups.pop()
                item = Parenthesis(tuple(items), start)
            else:
                item = self._atom(kind, token[kind], at)
            if open_groups:
                open_groups[-1][1].append(item)
            elif isinstance(item, Parenthesis):
                done.append(item)
            else:
                raise self.error(at, f"expected a command in parentheses, found {token[kind][:40]}")
        if open_groups:
            raise self.error(open_groups[-1][0], "this parenthesis is never closed", "Is the file cut off?")
        return done

    def _atom(self, token: str, text: str, at: int) -> Atom:
        if token == "endless":
            raise self.error(at, f"this {text} has no end", "Close it; what stands in bars has no backslash.")
        if token == "string":
            return Atom("string", text[1:-1].replace('""', '"'), at)
        if token == "barred":
            if not _PRINTABLE.fullmatch(text):
                raise self.error(at, "a control character in a name", "Names hold printable characters only.")
            return Atom("symbol", text[1:-1], at, barred=True)
        for kind, pattern in _WORDS:
            word = pattern.fullmatch(text)
            if word is not None:
                return Atom(kind, word[1], at)
        raise self.error(at, f"{text[:40]!r} is no word of SMT-LIB", "Names of other shapes stand in |bars|.")
