"""Reads types.

>>> reader = TypeReader({"struct.s": "{ i8, [2 x %struct.t] }", "struct.t": "<{ ptr, float }>"})
>>> reader.struct("struct.s").body()
'{ i8, [2 x %struct.t] }'
>>> str(reader.read(Cursor("<4 x float> %x")))
'<4 x float>'
"""

from __future__ import annotations

import re
from typing import Final, final

from soid.engine.llvm.ir.ir_types import (
    FLOATING,
    LABEL,
    METADATA,
    PTR,
    VOID,
    ArrayType,
    FunctionType,
    IntegerType,
    OtherType,
    Ptr,
    StructType,
    Type,
    VectorType,
)
from soid.engine.llvm.reader.lexer import Cursor, name_of
from soid.errors import ProgramError

_INT = re.compile(r"i([1-9]\d*)\Z")

#: types that are one word
_WORDS: Final[dict[str, Type]] = {
    "ptr": PTR,
    **{str(type_): type_ for type_ in (VOID, LABEL, METADATA, OtherType("token"), OtherType("x86_amx"), *FLOATING)},
    **{f"i{width}": IntegerType(width) for width in (1, 8, 16, 32, 64, 128)},
}


@final
class TypeReader:
    """Reads types, and knows the module's named structs."""

    __slots__ = ("_bodies", "_open", "known", "structs")

    def __init__(self, bodies: dict[str, str]) -> None:
        self._bodies = bodies  # struct name -> what stands after `= type`
        self._open: set[str] = set()  # structs that are being read, to detect one that contains itself
        self.structs: dict[str, StructType] = {}
        self.known: dict[str, Type] = dict(_WORDS)  # types by their text

    def struct(self, name: str) -> StructType:
        """A named struct, its body read on first use."""
        found = self.structs.get(name)
        if found is None:
            found = self.structs[name] = self._define(name)
        return found

    def starts(self, token: str) -> bool:
        return token in self.known or token[:1] in ("[", "{", "<", "%") or token == "target" or bool(_INT.match(token))

    def word(self, token: str) -> Type:
        """A type that is a single token."""
        return self.known.get(token) or self._read_other(token, Cursor(token))

    def of_text(self, text: str) -> Type | None:
        """The type that the whole text denotes, None if it is not exactly one type; cached."""
        found = self.known.get(text)
        if found is None and text[:1] in "[{<%i":
            cursor = Cursor(text)
            type_ = self.read(cursor)
            if not cursor.peek():
                found = self.known[text] = type_
        return found

    def read(self, cursor: Cursor) -> Type:
        """Read a type; a parenthesis after it makes it a function type."""
        token = cursor.next()
        type_ = self.known.get(token) or self._read_other(token, cursor)
        if cursor.tokens[cursor.pos] == "addrspace" and type_ is PTR:
            cursor.pos += 1
            type_ = Ptr(int(cursor.balanced().strip("( )")))
        return type_

    def function(self, returns: Type, cursor: Cursor) -> FunctionType:
        """Read the parameter list of a function type, `(i32, ...)`."""
        cursor.expect("(")
        params: list[Type] = []
        varargs = False
        while not cursor.accept(")"):
            if cursor.accept("..."):
                varargs = True
            else:
                params.append(self.read(cursor))
            cursor.accept(",")
        return FunctionType(returns, tuple(params), varargs)

    def _read_other(self, token: str, cursor: Cursor) -> Type:
        if token.startswith("%"):
            return self.known.setdefault(token, self.struct(name_of(token)))
        if number := _INT.match(token):
            return self.known.setdefault(token, IntegerType(int(number[1])))
        if token == "[":
            count = cursor.integer()
            cursor.expect("x")
            array = ArrayType(count, self.read(cursor))
            cursor.expect("]")
            return array
        if token == "{":
            return StructType(None, self._elements(cursor), packed=False)
        if token == "<":
            return self._packed_or_vector(cursor)
        if token == "target":
            return OtherType("target" + cursor.balanced())
        cursor.pos -= 1
        return cursor.fail("a type")

    def _packed_or_vector(self, cursor: Cursor) -> Type:
        if cursor.accept("{"):
            elements = self._elements(cursor)
            cursor.expect(">")
            return StructType(None, elements, packed=True)
        scalable = cursor.accept("vscale")
        if scalable:
            cursor.expect("x")
        count = cursor.integer()
        cursor.expect("x")
        vector = VectorType(count, self.read(cursor), scalable)
        cursor.expect(">")
        return vector

    def _elements(self, cursor: Cursor) -> tuple[Type, ...]:
        found: list[Type] = []
        while not cursor.accept("}"):
            found.append(self.read(cursor))
            if not cursor.accept(",") and cursor.peek() != "}":
                cursor.fail("',' or '}'")
        return tuple(found)

    def _define(self, name: str) -> StructType:
        body = self._bodies.get(name)
        if body is None or name in self._open:
            reason = "is not defined" if body is None else "contains itself"
            raise ProgramError(f"LLVM IR: type %{name} {reason}")
        if body == "opaque":
            return StructType(name, None, packed=False)
        self._open.add(name)
        literal = self.read(Cursor(body))
        self._open.discard(name)
        if not isinstance(literal, StructType):
            raise ProgramError(f"LLVM IR: type %{name} is no struct: {body[:200]}")
        return StructType(name, literal.elements, literal.packed)
