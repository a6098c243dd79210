"""Programs in C, C++ and LLVM IR: how they are recognised, described in `soid.toml` and opened.

[program]
engine  = "llvm"                  # or "c"
sources = ["guard.c", "lib/*.c"]  # C or C++ files, or LLVM IR (.ll, .bc); patterns too
entry   = "decide"                # the function that decides; in C++ also car::decide, or Controller::decide
include = ["include"]             # optional: folders for #include,
defines = ["NDEBUG", "LIMIT=3"]   #   what -D defines,
flags   = ["-std=c99"]            #   more for the compiler,
compile_commands = "build/compile_commands.json"   # how a build system compiles each file; `sources` then picks some,
target  = "aarch64-linux-gnu"     #   what it is compiled for,
clang   = "clang-19"              #   another compiler than soid's own,
ignore  = ["digitalWrite", "log"]  #  functions that it calls and does not define, and that change nothing it reads,
extern  = ["config"]              #   variables that it declares and does not define: they are inputs,
setup   = "init()"                #   a function that runs once before the entry is first called,
window  = 1000                    #   rounds of loops and calls that it has for each decision,
stack   = 65536                   #   bytes of local variables that live at once; 8 MiB where nothing is said,
steps   = 3                       #   how often it is called, its state kept, where a question does not say it,
parameters = ["speed: float32", "gear", "out: *int32", "cells: *float64[4]"]  # of LLVM IR without debug info: names and
                                  #   types in their order, `*` before what they point to; without a type as in the IR

[lengths]                         # optional: how many elements lie behind a pointer; 1 where nothing is said
"world.agents" = 4
sensor = 2

[inputs_from]                     # optional: functions that the program calls and does not define
read_sensor = "sensor"            # the first call gives sensor[0], the second sensor[1]; a third is not logged
wall_clock  = "now"               # without a length: every call gives the same value

[stubs]                           # optional: functions in C for others that the program calls and does not define
files = ["board_stubs.c"]         # compiled and run with the program

[registers]                       # optional: what lies at addresses that the program has as numbers
RCC_CR = { address = 0x40021000, type = "uint32" }

[variables]                       # optional: soid finds the variables in the program, see soid.program.override
"world.agents[*].pos_x" = { unit = "m", domain = [0.0, 100.0] }
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, final

from msgspec.structs import replace

from soid.engine.file_kinds import is_text
from soid.engine.frontend import DefinedFunction, Frontend, StrangersProject
from soid.engine.llvm.c_source import CSource, DeviceRegister, GivenParameter, c_source
from soid.engine.llvm.commands import read_commands
from soid.program.files import matching
from soid.program.interface import Interface, normal_path
from soid.program.override import Declaration
from soid.program.program import Program
from soid.program.toml_table import TomlTable, found
from soid.program.types import BoolType, EnumType, named

if TYPE_CHECKING:
    from soid.engine.llvm.llvm_engine import LlvmEngine

_COMPILED: Final = (".c", ".i", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".ii", ".ino")
_READY: Final = (".ll", ".bc")
_BITCODE: Final = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")
_NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_FUNCTION: Final = re.compile(r"[A-Za-z_]\w*(?:::~?[A-Za-z_]\w*)*", re.ASCII)
_PARAMETER: Final = re.compile(
    r"(?P<name>[A-Za-z_]\w*)(?:\s*:\s*(?P<star>\*?)\s*(?P<type>[a-z]+\d*)(?:\[(?P<count>[1-9]\d*)\])?)?", re.ASCII
)
_SUFFIXES: Final = ("*.c", "*.cc", "*.cpp", "*.cxx", "*.ino", "*.ll", "*.bc")


@final
class CFrontend(Frontend):
    """Reads programs in C, C++ and LLVM IR."""

    name: ClassVar[str] = "llvm"
    reads: ClassVar[str] = (
        "source files in C (.c) and C++ (.cc, .cpp, .cxx), Arduino sketches (.ino), "
        "LLVM IR as text (.ll) or bitcode (.bc)"
    )
    tables: ClassVar[tuple[str, ...]] = ("lengths", "inputs_from", "stubs", "registers")
    finds_variables: ClassVar[bool] = True
    file_keys: ClassVar[tuple[str, ...]] = ("sources", "include", "compile_commands", "stubs.files")

    def recognises(self, ending: str, head: bytes) -> bool:
        return (ending in (*_COMPILED, *_READY) and is_text(head)) or (ending in _READY and head.startswith(_BITCODE))

    def read(self, tables: Mapping[str, TomlTable], folder: Path) -> tuple[Interface, CSource]:
        return Interface(()), _source(tables, folder)

    def open(self, program: Program, *, replayed: bool) -> tuple[Program, LlvmEngine]:
        from soid.engine.llvm.compiler.toolchain import DEFAULT_TARGET
        from soid.engine.llvm.llvm_engine import open_c
        from soid.engine.llvm.native.executable import compile_early

        source = c_source(program)
        if replayed:
            compile_early(source.clang, source.target or DEFAULT_TARGET)
        interface, engine = open_c(source, program.folder)
        return replace(program, interface=interface), engine

    def bare(
        self, files: Sequence[Path], entry: str, include: Sequence[Path] = (), defines: Sequence[str] = ()
    ) -> CSource:
        return CSource(tuple(files), entry, tuple(include), tuple(defines))

    def entries(self, program: Program) -> tuple[list[DefinedFunction], str]:
        from soid.engine.llvm.compiler.compilation import compile_ir
        from soid.engine.llvm.reader.module_reader import read_module
        from soid.engine.llvm.variables.call_graph import called_functions
        from soid.engine.llvm.variables.discovery import build_of

        compiled = compile_ir(build_of(c_source(program), program.folder))
        return called_functions(read_module(compiled.text)), compiled.words

    def confined(self, program: Program, folder: Path) -> Program:
        return replace(program, source=replace(c_source(program), confined_to=folder))

    def guarded(self, program: Program, project: StrangersProject) -> Program | str:
        from soid.engine.llvm.quarantine import quarantined

        return quarantined(program, project)


def _source(tables: Mapping[str, TomlTable], folder: Path) -> CSource:
    """The source that the tables describe; nothing is compiled yet."""
    program = tables["program"]
    patterns = program.texts("sources")
    database = program.text("compile_commands")
    commands = read_commands(program, "compile_commands", folder / database, folder) if database is not None else {}
    if not patterns and not commands:
        program.fail("", "sources is missing", 'Say what to compile, such as: sources = ["decide.c"]')
    files = dict.fromkeys(file for each in patterns for file in matching(program, "sources", folder, each, _SUFFIXES))
    sources = tuple(_relative(file, folder) for file in files) or tuple(commands)
    unknown = [source for source in sources if database is not None and source not in commands]
    if unknown:
        program.fail("compile_commands", f"it does not say how {unknown[0]} is compiled", "Name files that it has.")
    several = [source for source in sources if len(commands.get(source, ())) > 1]
    if several:
        program.fail(
            "compile_commands",
            f"it compiles {several[0]} in {len(commands[several[0]])} ways, and the program is only one of them",
            "Leave in it the commands of the build that ran.",
        )
    return CSource(
        sources=sources,
        entry=_name(program, "entry", program.required("entry", '"decide"')),
        include=tuple(_folder(program, folder, name) for name in program.texts("include")),
        defines=program.texts("defines"),
        flags=program.texts("flags"),
        target=program.text("target"),
        clang=program.text("clang"),
        lengths=_lengths(tables["lengths"]),
        inputs_from=_inputs_from(tables["inputs_from"]),
        registers=_registers(tables["registers"]),
        stubs=_stubs(tables["stubs"], folder, sources),
        ignore=program.texts("ignore"),
        extern=tuple(_variable(program, "extern", name) for name in program.texts("extern")),
        setup=_setup(program),
        window=_at_least_one(program, "window"),
        stack=_at_least_one(program, "stack"),
        steps=_at_least_one(program, "steps") or 1,
        declarations=_declarations(tables["variables"]),
        parameters=tuple(_parameter(program, text) for text in program.texts("parameters")),
        commands={source: commands[source][0] for source in sources if source in commands},
    )


def _relative(file: Path, folder: Path) -> Path:
    """Relative to the folder if inside it, so that compiled modules contain no path of this machine."""
    return file.relative_to(folder) if file.is_relative_to(folder) else file.absolute()


def _folder(table: TomlTable, folder: Path, name: str) -> Path:
    if not (folder / name).is_dir():
        table.fail("include", f"there is no folder {folder / name}", "Folders are named relative to the manifest's.")
    return Path(name)


def _name(table: TomlTable, key: str, text: str) -> str:
    if not _FUNCTION.fullmatch(text):
        table.fail(key, f"{text} is no name of a function", "Write its name alone, without brackets: car::decide.")
    return text


def _variable(table: TomlTable, key: str, text: str) -> str:
    """The name becomes part of a C file, so it must be no more than a name."""
    if not _FUNCTION.fullmatch(text):
        table.fail(key, f"{text} is no name of a variable", "Write its name alone: config, or hal::config.")
    return text


def _setup(table: TomlTable) -> str | None:
    text = table.text("setup")
    return None if text is None else _name(table, "setup", text.removesuffix("()"))


def _parameter(table: TomlTable, text: str) -> GivenParameter:
    written = _PARAMETER.fullmatch(text)
    kind = named(written["type"]) if written is not None and written["type"] else None
    if written is None or (written["type"] and kind is None):
        remedy = 'Write "speed", "speed: float32", "out: *int32" or "cells: *float64[4]".'
        table.fail("parameters", f"{text!r} is no parameter", remedy)
    return GivenParameter(written["name"], kind, bool(written["star"]), int(written["count"] or 1))


def _at_least_one(table: TomlTable, key: str) -> int | None:
    value = table.integer(key)
    if value is not None and value < 1:
        table.fail(key, f"{value} is less than 1", f"Leave {key} out, or give it a number from 1.")
    return value


def _lengths(table: TomlTable) -> dict[str, int]:
    lengths = {}
    for path in table:
        if isinstance(table.get(path), dict):
            table.fail(path, "a path with dots needs quotes", f'Write "{path}...." = 4.')
        length = _at_least_one(table, path)
        assert length is not None
        lengths[normal_path(path)] = length
    return lengths


def _inputs_from(table: TomlTable) -> dict[str, str]:
    inputs: dict[str, str] = {}
    for function in table:
        name = table.required(function, '"sensor"')
        if not _NAME.fullmatch(name):
            table.fail(function, f"{found(name)} is no name of a variable", "Write letters, digits and _.")
        if name in inputs.values():
            table.fail(function, f"{name} is read by another function already", "Give each function its own input.")
        inputs[_name(table, function, function)] = name
    return inputs


def _registers(table: TomlTable) -> tuple[DeviceRegister, ...]:
    found: list[DeviceRegister] = []
    for name in table:
        entry = table.table(name)
        assert entry is not None
        address, text = entry.integer("address"), entry.required("type", '"uint32"')
        kind = named(text)
        entry.close()
        if not _NAME.fullmatch(name):
            table.fail(name, f"{name} is no name of a variable", "Write letters, digits and _.")
        if address is None or not 0 < address < 1 << 63:
            entry.fail("address", "a register has an address", "Write it as a number: address = 0x40021000.")
        if kind is None or isinstance(kind, EnumType) or (kind.width % 8 and not isinstance(kind, BoolType)):
            entry.fail("type", f"{text} is no type of a register", "Write int8 to int64, uint8 to uint64 or a float.")
        made = DeviceRegister(name, address, kind)
        for other in found:
            if address < other.address + other.size and other.address < address + made.size:
                entry.fail("address", f"{name} and {other.name} overlap", "Map each byte to one register.")
        found.append(made)
    return tuple(found)


def _stubs(table: TomlTable, folder: Path, sources: tuple[Path, ...]) -> tuple[Path, ...]:
    """The files that define what the program leaves undefined."""
    patterns = table.texts("files")
    table.close()
    named = dict.fromkeys(file for each in patterns for file in matching(table, "files", folder, each, _SUFFIXES))
    files = tuple(_relative(file, folder) for file in named)
    for file in files:
        if file in sources:
            table.fail("files", f"{file} is one of the program's sources", "Leave it out in one of the two places.")
        if file.suffix not in _COMPILED:
            table.fail("files", f"{file} is no file in C or C++", "Write the stubs in C.")
    return files


def _declarations(table: TomlTable) -> tuple[Declaration, ...]:
    declared: list[Declaration] = []
    for path in table:
        entry = table.table(path)
        assert entry is not None
        declaration = Declaration.read(entry, path)
        if any(declaration.path == known.path for known in declared):
            table.fail(path, f"the variable {declaration.path} is declared twice", "Give each variable one entry.")
        declared.append(declaration)
    return tuple(declared)
