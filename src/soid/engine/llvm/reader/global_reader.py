"""Reads global variables, aliases and ifuncs.

`@x = internal unnamed_addr constant [3 x i8] c"hi\\00", section "s", align 1, !dbg !4`
"""

from __future__ import annotations

from collections.abc import Iterable

from soid.engine.llvm.ir.ir_module import Alias, Global
from soid.engine.llvm.ir.ir_types import Type
from soid.engine.llvm.ir.operands import Constant
from soid.engine.llvm.reader.function_reader import LINKAGES, VISIBILITY, Readers
from soid.engine.llvm.reader.lexer import Cursor, name_of


def read_globals(lines: Iterable[str], readers: Readers) -> tuple[dict[str, Global], dict[str, Alias]]:
    """Read all the lines that begin with `@`."""
    variables: dict[str, Global] = {}
    aliases: dict[str, Alias] = {}
    for line in lines:
        found = read_global(line, readers)
        if isinstance(found, Global):
            variables[found.name] = found
        else:
            aliases[found.name] = found
    return variables, aliases


def read_global(line: str, readers: Readers) -> Global | Alias:
    """Read one line."""
    cursor = Cursor(line)
    name = name_of(cursor.next())
    cursor.expect("=")
    linkage = cursor.next() if cursor.peek() in LINKAGES else "external"
    _skip_words(cursor)
    if cursor.accept("addrspace"):
        cursor.balanced()
    cursor.accept("externally_initialized")
    kind = cursor.next()
    type_ = readers.values.types.read(cursor)
    if kind in ("alias", "ifunc"):
        return _alias(name, type_, kind, cursor, readers)
    if kind not in ("global", "constant"):
        cursor.fail("'global' or 'constant'")
    initializer: Constant | None = None
    if cursor.peek() not in (",", ""):
        value = readers.values.value(type_, cursor)
        initializer = readers.values.constant_only(value, cursor)
    align, expressions = _trailer(cursor)
    return Global(
        name=name,
        type=type_,
        initializer=initializer,
        constant=kind == "constant",
        linkage=linkage,
        align=align,
        expressions=expressions,
    )


def _skip_words(cursor: Cursor) -> None:
    """Step over visibility, thread-locality and the like."""
    while (word := cursor.peek()) in VISIBILITY or word == "thread_local":
        cursor.next()
        if cursor.peek() == "(":
            cursor.balanced()


def _alias(name: str, type_: Type, kind: str, cursor: Cursor, readers: Readers) -> Alias:
    if cursor.peek() == "(":
        type_ = readers.values.types.function(type_, cursor)
    cursor.expect(",")
    return Alias(name, type_, readers.values.constant(cursor), ifunc=kind == "ifunc")


def _trailer(cursor: Cursor) -> tuple[int | None, tuple[int, ...]]:
    """Read what follows the initializer: `, section "s", comdat, align 8, !dbg !3, !dbg !5`."""
    align: int | None = None
    expressions: list[int] = []
    while cursor.accept(","):
        word = cursor.next()
        if word == "align":
            align = cursor.integer()
        elif word == "!dbg":
            expressions.append(int(cursor.next()[1:]))
        while cursor.peek() not in (",", ""):
            cursor.pos += 1
    return align, tuple(expressions)
