"""The names inside one function: registers and blocks."""

from __future__ import annotations

from typing import final

from soid.engine.llvm.ir.ir_types import Type
from soid.engine.llvm.ir.metadata import SourcePositions
from soid.engine.llvm.ir.operands import Register
from soid.engine.llvm.reader.attribute_reader import AttributeReader
from soid.engine.llvm.reader.lexer import Cursor, name_of
from soid.engine.llvm.reader.operand_reader import ValueReader
from soid.engine.llvm.reader.type_reader import TypeReader


@final
class FunctionScope:
    """Names of the function that is being read, and the readers of its parts."""

    __slots__ = ("attributes", "labels", "places", "registers", "types", "values")

    def __init__(self, values: ValueReader, attributes: AttributeReader, places: SourcePositions) -> None:
        self.values = ValueReader(values.types, self.register, values)
        self.types: TypeReader = values.types
        self.attributes = attributes
        self.labels: dict[str, int] = {}  # label -> block index
        self.places = places  # number of a DILocation -> place
        self.registers: dict[str, Register] = {}  # %name -> register

    def register(self, token: str, type_: Type) -> Register:
        """The register of a `%name`, made at its first occurrence, which may precede its definition."""
        found = self.registers.get(token)
        if found is None:
            found = self.registers[token] = Register(len(self.registers), type_, name_of(token))
        return found

    def block(self, cursor: Cursor) -> int:
        """The index of the block `%name`."""
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
