"""Reads calls: `tail call fast zeroext i8 %f(i32 noundef 3, ptr byval(%s) align 8 %p) #4 [ "bundle"() ]`."""

from __future__ import annotations

from typing import Final

from soid.engine.llvm.ir.instructions import NO_ATTRIBUTES, Argument, Attributes, Call, SourcePosition
from soid.engine.llvm.ir.ir_types import PTR, VOID, FunctionType
from soid.engine.llvm.reader.function_scope import FunctionScope
from soid.engine.llvm.reader.lexer import Cursor
from soid.engine.llvm.reader.operand_reader import read_flags

_CONVENTION_WORDS: Final = frozenset({"ccc", "fastcc", "coldcc", "tailcc", "swiftcc", "swifttailcc", "ghccc"})


def read_call(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Call:
    """Read a call; the cursor is after its first word."""
    tail = cursor.tokens[cursor.pos - 1]
    if tail in ("call", "invoke"):
        tail = ""
    else:
        cursor.expect("call")
    flags = read_flags(cursor)
    convention = read_convention(cursor)
    returns = scope.attributes.read(cursor)
    if cursor.accept("addrspace"):
        cursor.balanced()
    type_ = scope.types.read(cursor)
    written = scope.types.function(type_, cursor) if cursor.peek() == "(" else None
    callee = scope.values.value(PTR, cursor)
    arguments = _arguments(cursor, scope)
    signature = written or FunctionType(type_, tuple(a.value.type for a in arguments), varargs=False)
    attributes = scope.attributes.read(cursor)
    bundles = _bundles(cursor)
    assert not (result and signature.returns == VOID), "LLVM lets no void call have a result"
    register = scope.register(result, signature.returns) if result else None
    return Call(register, callee, arguments, signature, attributes, returns, flags, convention, tail, bundles, loc)


def read_convention(cursor: Cursor) -> str:
    """Step over a calling convention; C's own is not written."""
    word = cursor.peek()
    if word == "cc":
        cursor.pos += 1
        return f"cc {cursor.integer()}"
    if word in _CONVENTION_WORDS or (word.endswith(("cc", "_kernel")) and word.isidentifier()):
        return cursor.next()
    return "ccc"


def _arguments(cursor: Cursor, scope: FunctionScope) -> tuple[Argument, ...]:
    cursor.expect("(")
    found = []
    while not cursor.accept(")"):
        type_ = scope.types.read(cursor)
        attributes: Attributes = NO_ATTRIBUTES
        if cursor.tokens[cursor.pos][0].isalpha():
            attributes = scope.attributes.read(cursor)
        found.append(Argument(scope.values.value(type_, cursor), attributes))
        if not cursor.accept(",") and cursor.peek() != ")":
            cursor.fail("',' or ')'")
    return tuple(found)


def _bundles(cursor: Cursor) -> tuple[str, ...]:
    if not cursor.accept("["):
        return ()
    found = []
    while not cursor.accept("]"):
        found.append(cursor.next() + cursor.balanced())
        cursor.accept(",")
    return tuple(found)
