"""Reads LLVM's canonical text into an `ir_module.Module`.

>>> module = read_module('''
... target datalayout = "e-i64:64"
... @limit = constant i32 7, align 4
... define i32 @decide(i32 %x) {
... entry:
...   %y = add nsw i32 %x, 1
...   ret i32 %y
... }
... ''')
>>> module.globals["limit"].initializer
ConstInt(type=IntegerType(width=32), value=7)
>>> [type(i).__name__ for i in module.function("decide").blocks[0].instructions]
['BinaryOp', 'Ret']

Canonical text is what LLVM itself prints, one instruction a line. `module_linker.canonical_text` makes it from any
compiler's output and checks it. This reader relies on that check.
"""

from __future__ import annotations

import gc
import re
from types import MappingProxyType
from typing import final

from msgspec import Struct, field

from soid.allowance import paced
from soid.engine.llvm.ir.data_layout import DataLayout
from soid.engine.llvm.ir.ir_module import Alias, Global, Module
from soid.engine.llvm.ir.metadata import MetadataTable
from soid.engine.llvm.reader.attribute_reader import AttributeReader
from soid.engine.llvm.reader.function_reader import LINKAGES, READING, VISIBILITY, Readers, read_function
from soid.engine.llvm.reader.lexer import Cursor, name_of, string_of
from soid.engine.llvm.reader.operand_reader import ValueReader
from soid.engine.llvm.reader.type_reader import TypeReader
from soid.errors import ProgramError

_NUMBERED = re.compile(r"!(\d+) = (.*)", re.DOTALL)
_REFERENCE = re.compile(r"!(\d+)")


@final
class _Lines(Struct):
    """The lines of the text, by kind."""

    triple: str = ""
    layout: str = ""
    asm: list[str] = field(default_factory=list)
    structs: dict[str, str] = field(default_factory=dict)
    globals: list[str] = field(default_factory=list)
    functions: list[tuple[str, list[str]]] = field(default_factory=list)
    groups: dict[int, str] = field(default_factory=dict)
    metadata: dict[int, str] = field(default_factory=dict)
    named: dict[str, tuple[int, ...]] = field(default_factory=dict)


def read_module(text: str) -> Module:
    # Nothing made here is garbage yet, and the garbage collector would take a fifth of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _build(_sort(text))
    except (IndexError, KeyError, ValueError, RecursionError) as error:
        # expected errors are ProgramErrors already; these are the others
        raise ProgramError(
            f"LLVM IR cannot be read: {type(error).__name__}: {error}",
            "let the module go through `canonical_text` first; if it did, this is a gap in the reader worth reporting",
        ) from error
    finally:
        if collecting:
            gc.enable()


def _build(lines: _Lines) -> Module:
    types = TypeReader(lines.structs)
    metadata = MetadataTable(lines.metadata, lines.named)
    readers = Readers(ValueReader(types), AttributeReader(types, lines.groups), metadata)
    named = [_read_global(line, readers) for line in paced(lines.globals, READING)]
    functions = [read_function(header, body, readers) for header, body in paced(lines.functions, READING)]
    for name in lines.structs:
        types.struct(name)
    return Module(
        triple=lines.triple,
        layout=DataLayout.parse(lines.layout),
        structs=MappingProxyType(types.structs),
        globals=MappingProxyType({each.name: each for each in named if isinstance(each, Global)}),
        functions=MappingProxyType({each.name: each for each in functions}),
        aliases=MappingProxyType({each.name: each for each in named if isinstance(each, Alias)}),
        asm=tuple(lines.asm),
        metadata=metadata,
        ident=_ident(metadata),
    )


def _ident(metadata: MetadataTable) -> tuple[str, ...]:
    items = (metadata.node(number).items for number in metadata.named.get("llvm.ident", ()))
    return tuple(dict.fromkeys(str(words[0]) for words in items if words))


def _sort(text: str) -> _Lines:
    found = _Lines()
    lines = iter(text.split("\n"))
    for line in paced(lines, READING):
        if not line or line[0] in ";$ ":
            continue
        if line.startswith("define"):
            body = []
            for inner in lines:
                if inner == "}":
                    break
                body.append(inner)
            else:
                raise ProgramError(f"LLVM IR ends inside a function: {line[:200]}")
            found.functions.append((line, body))
        else:
            _sort_line(line, found)
    return found


def _sort_line(line: str, found: _Lines) -> None:
    first = line[0]
    if first == "!":
        _sort_metadata(line, found)
    elif first == "@":
        found.globals.append(line)
    elif first == "%":
        name, _, body = line.partition(" = type ")
        found.structs[name_of(name)] = body
    elif line.startswith("declare"):
        found.functions.append((line, []))
    elif line.startswith("attributes #"):
        number, _, group = line[len("attributes #") :].partition(" = {")
        found.groups[int(number)] = group.rpartition("}")[0]
    elif line.startswith("target datalayout"):
        found.layout = _quoted(line)
    elif line.startswith("target triple"):
        found.triple = _quoted(line)
    elif line.startswith("module asm"):
        found.asm.append(_quoted(line))
    elif not line.startswith(("source_filename", "uselistorder")):
        raise ProgramError(f"LLVM IR: a line of no known kind: {line[:200]}")


def _sort_metadata(line: str, found: _Lines) -> None:
    numbered = _NUMBERED.match(line)
    if numbered:
        found.metadata[int(numbered[1])] = numbered[2]
        return
    name, _, body = line.partition(" = ")
    found.named[name[1:]] = tuple(int(number) for number in _REFERENCE.findall(body))


def _quoted(line: str) -> str:
    return string_of(line[line.index('"') :])


# --- global variables, aliases and ifuncs


def _read_global(line: str, readers: Readers) -> Global | Alias:
    """Read `@x = internal unnamed_addr constant [3 x i8] c"hi\\00", section "s", align 1, !dbg !4`, or an alias."""
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
        if cursor.peek() == "(":
            cursor.balanced()  # of a function type
        cursor.expect(",")
        return Alias(name, readers.values.constant(cursor), ifunc=kind == "ifunc")
    if kind not in ("global", "constant"):
        cursor.fail("'global' or 'constant'")
    initializer = None
    if cursor.peek() not in (",", ""):
        initializer = readers.values.constant_only(readers.values.value(type_, cursor), cursor)
    return Global(
        name=name,
        type=type_,
        initializer=initializer,
        constant=kind == "constant",
        linkage=linkage,
        expressions=_expressions(cursor),
    )


def _skip_words(cursor: Cursor) -> None:
    """Step over visibility, thread-locality and the like."""
    while (word := cursor.peek()) in VISIBILITY or word == "thread_local":
        cursor.next()
        if cursor.peek() == "(":
            cursor.balanced()


def _expressions(cursor: Cursor) -> tuple[int, ...]:
    """The debug info in what follows the initializer: `, section "s", comdat, align 8, !dbg !3, !dbg !5`."""
    found: list[int] = []
    while cursor.accept(","):
        if cursor.next() == "!dbg":
            found.append(int(cursor.next()[1:]))
        while cursor.peek() not in (",", ""):
            cursor.pos += 1
    return tuple(found)
