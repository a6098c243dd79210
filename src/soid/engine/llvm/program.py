"""A C program, compiled and read: what the engine and the replay work on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

from soid.engine.llvm.compile import Build, compile_ir
from soid.engine.llvm.debuginfo import CFunctionInfo, DebugInfo
from soid.engine.llvm.ir import Function, Module
from soid.engine.llvm.places import Places, entry_function, find_places
from soid.engine.llvm.read import read_module


@final
@dataclass(frozen=True, slots=True)
class LoadedProgram:
    """The program, its entry, and where its variables lie."""

    build: Build
    module: Module
    debug: DebugInfo
    entry: Function
    info: CFunctionInfo
    places: Places
    relies_on: tuple[str, ...] = field(default=())


def load(build: Build, entry: str, lengths: Mapping[str, int] | None = None) -> LoadedProgram:
    """Compile and read a program."""
    module = read_module(compile_ir(build).text)
    debug = DebugInfo(module)
    name, info = entry_function(module, debug, entry)
    places = find_places(module, debug, name, lengths or {})
    relies_on = (
        f"compiled by {', '.join(module.ident) or 'an unnamed compiler'} for {module.triple}, without optimisation",
        "memory behind different pointers is different, and no pointer that the program is given is null",
        *((f"pointers in globals are as the program starts them: {', '.join(places.kept)}",) if places.kept else ()),
    )
    return LoadedProgram(build, module, debug, module.functions[name], info, places, relies_on)
