"""Reads attributes: of parameters, arguments, results and functions, single and in groups.

>>> reader = AttributeReader(TypeReader({}), {0: "nounwind \\"frame-pointer\\"=\\"all\\""})
>>> str(reader.read(Cursor("noundef byval([2 x i32]) align 8 %x")))
'noundef byval([2 x i32]) align 8'
>>> reader.read(Cursor("#0 {")).strings
(('frame-pointer', 'all'),)
"""

from __future__ import annotations

from typing import final

from msgspec import Struct, field

from soid.engine.llvm.ir.instructions import NO_ATTRIBUTES, Attributes
from soid.engine.llvm.ir.ir_types import Type
from soid.engine.llvm.reader.lexer import Cursor, string_of
from soid.engine.llvm.reader.operand_reader import VALUE_WORDS
from soid.engine.llvm.reader.type_reader import TypeReader

# words in a function's header that are no attributes
_STOP = frozenset({"to", "section", "partition", "comdat", "gc", "prefix", "prologue", "personality", "x"})


@final
class _Found(Struct):
    """Attributes read so far."""

    flags: set[str] = field(default_factory=set)
    byval: Type | None = None
    sret: Type | None = None
    align: int | None = None
    strings: list[tuple[str, str]] = field(default_factory=list)


@final
class AttributeReader:
    """Reads attributes, and knows the module's attribute groups."""

    __slots__ = ("_groups", "_memo", "_types")

    def __init__(self, types: TypeReader, groups: dict[int, str]) -> None:
        self._types = types
        self._groups = groups  # number -> what stands between the braces
        self._memo: dict[tuple[str, ...], Attributes] = {}

    def read(self, cursor: Cursor) -> Attributes:
        """Read as many attributes as come next: up to a type, a value or punctuation."""
        start = cursor.pos
        if not self._continues(cursor.tokens[start]):
            return NO_ATTRIBUTES
        end = self._end(cursor)
        key = tuple(cursor.tokens[start:end])
        known = self._memo.get(key)
        if known is None:
            found = _Found()
            while cursor.pos < end:
                self._one(cursor, found)
            known = Attributes(frozenset(found.flags), found.byval, found.sret, found.align, tuple(found.strings))
            self._memo[key] = known
        cursor.pos = end
        return known

    def _continues(self, token: str) -> bool:
        if token[:1] in ("#", '"'):
            return True
        return token[:1].isalpha() and token not in VALUE_WORDS and token not in _STOP and not self._types.starts(token)

    def _end(self, cursor: Cursor) -> int:
        """Where the attributes end, found without reading them."""
        ahead, tokens = cursor.pos, cursor.tokens
        while self._continues(tokens[ahead]):
            word = tokens[ahead]
            ahead += 1
            if word in ("align", "alignstack") and tokens[ahead].isdecimal():
                ahead += 1
            elif tokens[ahead] == "=":
                ahead += 2
            elif tokens[ahead] == "(":
                saved, cursor.pos = cursor.pos, ahead
                cursor.balanced()
                ahead, cursor.pos = cursor.pos, saved
        return ahead

    def _one(self, cursor: Cursor, found: _Found) -> None:
        word = cursor.next()
        if word[0] == "#":
            self._group(int(word[1:]), found)
        elif word[0] == '"':
            value = string_of(cursor.next()) if cursor.accept("=") else ""
            found.strings.append((string_of(word), value))
        elif word == "align":
            cursor.accept("=")
            found.align = int(cursor.balanced().strip("( )")) if cursor.peek() == "(" else cursor.integer()
        elif word in ("byval", "sret") and cursor.accept("("):
            setattr(found, word, self._types.read(cursor))
            cursor.expect(")")
        elif cursor.accept("="):
            found.flags.add(f"{word}={cursor.next()}")
        else:
            found.flags.add(word + (cursor.balanced() if cursor.peek() == "(" else ""))

    def _group(self, number: int, found: _Found) -> None:
        cursor = Cursor(self._groups.get(number, ""))
        while cursor.peek():
            self._one(cursor, found)
