"""What the names inside one function stand for."""

from __future__ import annotations

from typing import final

from soid.engine.llvm.metadata import Places
from soid.engine.llvm.reading.attributes import AttributeReader
from soid.engine.llvm.reading.lexer import Cursor, name_of
from soid.engine.llvm.reading.types import TypeReader
from soid.engine.llvm.reading.values import ValueReader
from soid.engine.llvm.types import Type
from soid.engine.llvm.values import Register


@final
class Scope:
    """The function being read: its registers and its blocks."""

    __slots__ = ("attributes", "labels", "places", "registers", "types", "values")

    def __init__(
        self, values: ValueReader, attributes: AttributeReader, labels: dict[str, int], places: Places
    ) -> None:
        self.values = values
        self.types: TypeReader = values.types
        self.attributes = attributes
        self.labels = labels  # label -> block index
        self.places = places  # number of a DILocation -> place
        self.registers: dict[str, Register] = {}  # %name -> register
        values.local = self.register

    def register(self, token: str, type_: Type) -> Register:
        """The register of a `%name`, made when it is first met, which may be before it is set."""
        found = self.registers.get(token)
        if found is None:
            found = self.registers[token] = Register(len(self.registers), type_, name_of(token))
        return found

    def block(self, cursor: Cursor) -> int:
        """The index of the block that `%name` stands for."""
        token = cursor.next()
        index = self.labels.get(name_of(token)) if token[:1] == "%" else None
        if index is None:
            cursor.pos -= 1
            cursor.fail("the label of a block")
        return index

    def label(self, cursor: Cursor) -> int:
        """Read `label %name`."""
        cursor.expect("label")
        return self.block(cursor)
