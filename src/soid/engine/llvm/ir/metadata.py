"""A module's metadata, kept as text; each node is read on demand, because most are never needed.

>>> table = MetadataTable({
...     1: '!DIFile(filename: "a.c", directory: ".")',
...     2: 'distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3)',
...     3: '!DILocation(line: 4, column: 9, scope: !2)',
...     4: '!{!1, null, !"x", i32 7}'}, {})
>>> table.node(2).kind, table.node(2).text("name"), table.node(2).number_of("line"), table.node(2).ref("file")
('DISubprogram', 'f', 3, 1)
>>> str(table.places["3"]), table.node(4).items
('a.c:4:9', (Ref(number=1), None, 'x', 7))
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias, final

from msgspec import Struct

from soid.engine.llvm.ir.instructions import SourcePosition
from soid.engine.llvm.reader.lexer import string_of
from soid.engine.summary import Location
from soid.errors import ProgramError

_NODE = re.compile(r"(?P<distinct>distinct )?!(?P<kind>\w*)[({](?P<body>.*)[)}]\s*\Z", re.DOTALL)
_PIECE = re.compile(r'(?:(?P<key>\w+): )?(?P<value>!?"[^"]*"|[^,({"]+(?:[({][^)}]*[)}])?)(?:, |\Z)')
_LOCATION = re.compile(r"(?:distinct )?!DILocation\(line: (\d+)(?:, column: (\d+))?, scope: !(\d+)")
_TYPED_INTEGER = re.compile(r"i\d+ (-?\d+)\Z")


@final
class Ref(Struct, frozen=True):
    """A reference to a numbered node."""

    number: int


@final
class Symbol(Struct, frozen=True):
    """A word that is not in quotes: DW_TAG_member, DIFlagBitField | DIFlagPublic, !DIExpression(...)."""

    text: str


Field: TypeAlias = Ref | Symbol | str | int | bool | None


@final
class Node(Struct, frozen=True):
    """One node: `!DIFile(filename: "a.c")` has fields, `!{!1, !2}` has items."""

    number: int
    kind: str  # "DIFile"; empty for a plain tuple
    fields: Mapping[str, Field]
    items: tuple[Field, ...]

    def text(self, key: str) -> str | None:
        """The field if it is a string or a word."""
        value = self.fields.get(key)
        return value.text if isinstance(value, Symbol) else value if isinstance(value, str) else None

    def number_of(self, key: str) -> int:
        """The field if it is an integer, else 0: LLVM leaves zeros out."""
        value = self.fields.get(key)
        return value if isinstance(value, int) else 0

    def ref(self, key: str) -> int | None:
        """The number of the node that the field refers to."""
        value = self.fields.get(key)
        return value.number if isinstance(value, Ref) else None

    def has_flag(self, flag: str) -> bool:
        """Whether `flags:` contains the word."""
        return flag in (self.text("flags") or "").split(" | ")


@final
class MetadataTable:
    """Numbered nodes and named lists of a module."""

    __slots__ = ("_files", "_nodes", "_raw", "named", "places")

    def __init__(self, raw: dict[int, str], named: dict[str, tuple[int, ...]]) -> None:
        self._raw = raw
        self.named: Mapping[str, tuple[int, ...]] = named  # llvm.dbg.cu and the like
        self._nodes: dict[int, Node] = {}
        self._files: dict[int, str] = {}
        self.places = SourcePositions(self)

    def node(self, number: int) -> Node:
        found = self._nodes.get(number)
        if found is None:
            found = self._nodes[number] = _read_node(number, self.text(number))
        return found

    def listed(self, number: int | None) -> list[Node]:
        """The nodes that a list refers to; None is no list."""
        items = self.node(number).items if number is not None else ()
        return [self.node(item.number) for item in items if isinstance(item, Ref)]

    def text(self, number: int) -> str:
        """A node as LLVM writes it."""
        try:
            return self._raw[number]
        except KeyError:
            raise ProgramError(f"LLVM IR: metadata !{number} is used and not defined") from None

    def file_of(self, number: int) -> str:
        """The file of a scope or a variable: its own, else that of the scope around it."""
        known = self._files.get(number)
        if known is None:
            node = self.node(number)
            inner = number if node.kind == "DIFile" else node.ref("file")
            outer = node.ref("scope")
            if inner is not None:
                known = self.node(inner).text("filename") or ""
            else:
                known = "" if outer is None else self.file_of(outer)
            self._files[number] = known
        return known


@final
class SourcePositions(dict[str | None, SourcePosition | None]):
    """Positions in the source by the number of their DILocation, as text; each is read once.

    Every instruction looks one up, so a known one must cost no more than a dictionary look-up.
    """

    __slots__ = ("_table",)

    def __init__(self, table: MetadataTable) -> None:
        super().__init__({None: None})
        self._table = table

    def tuple_of(self, number: int) -> tuple[Field, ...]:
        """The items of a plain tuple of metadata."""
        return self._table.node(number).items

    def __missing__(self, number: str | None) -> SourcePosition | None:
        match = _LOCATION.match(self._table.text(int(number or 0)))
        found = None
        if match is not None:
            line, column, scope = match.groups()
            found = SourcePosition(Location(self._table.file_of(int(scope)), int(line)), int(column or 0))
        self[number] = found
        return found


def _read_node(number: int, text: str) -> Node:
    match = _NODE.match(text)
    if match is None:
        raise ProgramError(f"LLVM IR: metadata !{number} cannot be read: {text[:200]}")
    fields: dict[str, Field] = {}
    items: list[Field] = []
    for key, value in _PIECE.findall(match["body"]):
        if key:
            fields[key] = _read_field(value)
        else:
            items.append(_read_field(value))
    return Node(number, match["kind"], fields, tuple(items))


def _read_field(text: str) -> Field:
    if text[-1] == '"':
        return string_of(text.lstrip("!"))
    if text[0] == "!" and text[1:].isdecimal():
        return Ref(int(text[1:]))
    if text.lstrip("-").isdecimal():
        return int(text)
    if text in ("true", "false"):
        return text == "true"
    if text == "null":
        return None
    integer = _TYPED_INTEGER.match(text)
    return int(integer[1]) if integer else Symbol(text)
