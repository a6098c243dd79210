"""Programs in C, C++ and LLVM IR: how they are recognised, described in `soid.toml` and opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, final

from msgspec.structs import replace

from soid.engine.file_kinds import is_text
from soid.engine.frontend import Frontend, StrangersProject
from soid.engine.llvm.c_manifest import read_source
from soid.engine.llvm.c_source import CSource, c_source
from soid.program.interface import Interface
from soid.program.program import Program
from soid.program.toml_table import TomlTable

if TYPE_CHECKING:
    from soid.engine.llvm.llvm_engine import LlvmEngine

_COMPILED: Final = (".c", ".i", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".ii")
_READY: Final = (".ll", ".bc")
_BITCODE: Final = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")


@final
class CFrontend(Frontend):
    """Reads programs in C, C++ and LLVM IR."""

    name: ClassVar[str] = "llvm"
    reads: ClassVar[str] = "source files in C (.c) and C++ (.cc, .cpp, .cxx), LLVM IR as text (.ll) or bitcode (.bc)"
    tables: ClassVar[tuple[str, ...]] = ("lengths", "inputs_from")
    file_keys: ClassVar[tuple[str, ...]] = ("sources", "include", "compile_commands")

    def recognises(self, ending: str, head: bytes) -> bool:
        return (ending in (*_COMPILED, *_READY) and is_text(head)) or (ending in _READY and head.startswith(_BITCODE))

    def read(self, tables: Mapping[str, TomlTable], folder: Path) -> tuple[Interface, CSource]:
        return Interface(()), read_source(tables, folder)

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

    def entries(self, program: Program) -> tuple[list[str], str]:
        from soid.engine.llvm.compiler.compilation import compile_ir
        from soid.engine.llvm.reader.module_reader import read_module
        from soid.engine.llvm.variables.discovery import build_of
        from soid.engine.llvm.variables.variable_layout import defined_functions

        compiled = compile_ir(build_of(c_source(program), program.folder))
        return defined_functions(read_module(compiled.text)), compiled.words

    def guarded(self, program: Program, project: StrangersProject) -> Program | str:
        from soid.engine.llvm.quarantine import quarantined

        return quarantined(program, project)
