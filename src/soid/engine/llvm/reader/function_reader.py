"""Reads functions: header, blocks, and the debug records of variables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.allowance import paced
from soid.engine.llvm.ir.instructions import (
    NO_ATTRIBUTES,
    Attributes,
    Call,
    Instruction,
    Load,
    Promise,
    SourcePosition,
    is_terminator,
)
from soid.engine.llvm.ir.ir_module import BasicBlock, Declare, Function, Param
from soid.engine.llvm.ir.ir_types import FunctionType, Type
from soid.engine.llvm.ir.metadata import MetadataTable
from soid.engine.llvm.reader.attribute_reader import AttributeReader
from soid.engine.llvm.reader.call_reader import read_convention
from soid.engine.llvm.reader.function_scope import FunctionScope
from soid.engine.llvm.reader.instruction_reader import read_instruction
from soid.engine.llvm.reader.lexer import Cursor, name_of
from soid.engine.llvm.reader.operand_reader import ValueReader
from soid.engine.llvm.reader.quick_reader import read_quick
from soid.engine.llvm.reader.sequence_reader import read_sequence, without_assembly
from soid.engine.summary import Location
from soid.errors import ProgramError

READING: Final = "reading the program"  # what ends when its time is over
LINKAGES: Final = frozenset(
    {"private", "internal", "external", "available_externally", "common", "appending"}
    | {"linkonce", "linkonce_odr", "weak", "weak_odr", "extern_weak"}
)
#: words about visibility and addresses that change nothing inside one linked program
VISIBILITY: Final = frozenset(
    {"dso_local", "dso_preemptable", "default", "hidden", "protected"}
    | {"dllimport", "dllexport", "unnamed_addr", "local_unnamed_addr"}
)

_LABEL = re.compile(r'("[^"]*"|[-\w.$]+):')
_PROMISE = re.compile(r", !(range|noundef|nonnull) !(\d+)")
_VALUE = re.compile(r"#dbg_value\([^%(]* %([-\w.$]+), !(\d+), !DIExpression\(([^)]*)\)")
_OLD_DECLARE = re.compile(r"call void @llvm\.dbg\.\w+\((.*)\)")


@final
class Readers(Struct, frozen=True):
    """The readers that all functions of a module share."""

    values: ValueReader
    attributes: AttributeReader
    metadata: MetadataTable


def read_function(header: str, body: Sequence[str], readers: Readers) -> Function:
    """Read a function; `body` holds the lines between the braces, none for a declaration."""
    cursor = Cursor(header)
    cursor.pos = 1  # after `define` or `declare`
    declared: int | None = None
    while cursor.peek().startswith("!"):  # a declaration has its metadata first
        kind, number = cursor.next(), cursor.next()
        declared = int(number[1:]) if kind == "!dbg" else declared
    linkage = cursor.next() if cursor.peek() in LINKAGES else "external"
    while cursor.peek() in VISIBILITY:
        cursor.pos += 1
    convention = read_convention(cursor)
    returns = readers.attributes.read(cursor)
    returned = readers.values.types.read(cursor)
    name = name_of(cursor.next())
    groups = _groups(body)
    scope = FunctionScope(readers.values, readers.attributes, readers.metadata.places)
    params, varargs = _params(cursor, scope)
    blocks, declares = _blocks(groups, params, scope) if body else ((), ())
    handed = _handed(groups[0][1], params, scope) if body else ()
    attributes, subprogram = _trailer(cursor, readers)
    return Function(
        name=name,
        type=FunctionType(returned, tuple(p.type for p in params), varargs),
        params=params,
        blocks=blocks,
        slots=len(scope.registers),
        attributes=attributes,
        returns=returns,
        declares=declares,
        handed=handed,
        linkage=linkage,
        convention=convention,
        subprogram=declared if subprogram is None else subprogram,
        loc=_definition(subprogram, readers.metadata),
    )


def _params(cursor: Cursor, scope: FunctionScope) -> tuple[tuple[Param, ...], bool]:
    cursor.expect("(")
    found: list[Param] = []
    varargs = False
    while not cursor.accept(")"):
        if cursor.accept("..."):
            varargs = True
            continue
        type_: Type = scope.types.read(cursor)
        attributes = NO_ATTRIBUTES if cursor.peek() in (",", ")") else scope.attributes.read(cursor)
        token = cursor.next() if cursor.peek().startswith("%") else f"%{len(found)}"
        found.append(Param(scope.register(token, type_), attributes))
        cursor.accept(",")
    return tuple(found), varargs


def _groups(body: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The label of each block and its instructions, one a line; the entry's label may be empty."""
    lines: list[str] = []
    groups = [("", lines)]
    for line in body:
        if line[:2] == "  ":
            # a switch's cases and an invoke's targets are on lines of their own, further indented
            if line[2:3] in " ]" and line[4:5] != "#" and lines:
                lines[-1] += line
            else:
                lines.append(line)
        elif line and not line.isspace():
            label = _LABEL.match(line)
            if label is None:
                raise ProgramError(f"LLVM IR: expected a label, found {line[:200]!r}")
            lines = []
            groups.append((name_of(" " + label[1]), lines))
    return groups if groups[0][1] else groups[1:]


def _blocks(
    groups: list[tuple[str, list[str]]], params: tuple[Param, ...], scope: FunctionScope
) -> tuple[tuple[BasicBlock, ...], tuple[Declare, ...]]:
    if groups and not groups[0][0]:
        # unnamed parameters and the unnamed entry block share one numbering
        groups[0] = (str(sum(p.register.name.isdecimal() for p in params)), groups[0][1])
    scope.labels.update((label, index) for index, (label, _) in enumerate(groups))
    declares: list[Declare] = []
    blocks = []
    for index, (label, lines) in enumerate(groups):
        instructions = _instructions(lines, scope, declares)
        if not instructions or not is_terminator(instructions[-1]):
            raise ProgramError(f"LLVM IR: block %{label} does not end in a branch or a return")
        blocks.append(BasicBlock(index, label, tuple(instructions)))
    return tuple(blocks), tuple(declares)


def _instructions(lines: list[str], scope: FunctionScope, declares: list[Declare]) -> list[Instruction]:
    found: list[Instruction] = []
    for line in paced(lines, READING):
        instruction = read_quick(line, scope)
        if instruction is None:
            if "#dbg_" in line or "@llvm.dbg." in line:
                declare = _declare(line, scope)
                if declare is not None:
                    declares.append(declare)
                continue  # other records are about values in registers; unoptimised code keeps variables in memory
            found += _read(line, scope)
        else:
            found.append(instruction)
    return found


def _read(line: str, scope: FunctionScope) -> list[Instruction]:
    text, _, number = line.partition(", !dbg !")
    cursor, loc = Cursor(text), scope.places[number.partition(",")[0] or None]  # other metadata may follow the number
    sequence = read_sequence(cursor, scope, loc)
    if sequence is not None:
        return sequence
    instruction = read_instruction(cursor, scope, loc)
    if isinstance(instruction, Call) and (copies := without_assembly(instruction, scope)) is not None:
        return copies
    if _PROMISE.search(line) and isinstance(instruction, Load | Call):
        instruction = replace(instruction, promise=_promise(line, scope))
    return [instruction]


def _promise(line: str, scope: FunctionScope) -> Promise:
    """The promise that metadata at the end of a line makes: `!range !4, !noundef !5`."""
    words = {found[1]: int(found[2]) for found in _PROMISE.finditer(line)}
    bounds = scope.places.tuple_of(words["range"]) if "range" in words else ()
    numbers = [item for item in bounds if isinstance(item, int)]
    return Promise("noundef" in words, "nonnull" in words, tuple(zip(numbers[::2], numbers[1::2], strict=True)))


def _declare(line: str, scope: FunctionScope) -> Declare | None:
    old = _OLD_DECLARE.search(line)
    if old is not None and "@llvm.dbg.declare(" in line:
        line = f"#dbg_declare({old[1].replace('metadata ', '')})"
    if "#dbg_declare(" not in line:
        return None
    cursor = Cursor(line)
    cursor.expect("#dbg_declare")
    cursor.expect("(")
    address = scope.values.typed(cursor)
    cursor.expect(",")
    variable = int(cursor.next()[1:])
    cursor.expect(",")
    cursor.expect("!DIExpression")
    operations = cursor.balanced().strip("( )")
    return Declare(address, variable, tuple(filter(None, operations.split(", "))))


def _handed(lines: Sequence[str], params: tuple[Param, ...], scope: FunctionScope) -> tuple[Declare, ...]:
    """The debug records of parameters in the first block: `#dbg_value(i32 %x, !12, !DIExpression(), !20)`."""
    slots = {param.register.name: param.register for param in params}
    found = []
    for line in lines:
        record = _VALUE.search(line)
        if record is not None and record[1] in slots:
            operations = tuple(filter(None, record[3].split(", ")))
            found.append(Declare(slots[record[1]], int(record[2]), operations))
    return tuple(found)


def _trailer(cursor: Cursor, readers: Readers) -> tuple[Attributes, int | None]:
    """Read the rest of the header: `unnamed_addr #0 section "x" align 16 personality ptr @h !dbg !64 {`."""
    while cursor.peek() in VISIBILITY:
        cursor.pos += 1
    attributes = readers.attributes.read(cursor)
    subprogram: int | None = None
    while (token := cursor.next()) not in ("", "{"):
        if token == "!dbg":
            subprogram = int(cursor.next()[1:])
    return attributes, subprogram


def _definition(subprogram: int | None, metadata: MetadataTable) -> SourcePosition | None:
    if subprogram is None:
        return None
    return SourcePosition(Location(metadata.file_of(subprogram), metadata.node(subprogram).number_of("line")), 0)
