"""The surroundings of a program as the manifest describes them: a device's registers, what runs before, stubs.

Every answer says what it takes for granted of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from soid.assumptions import Assumption, Ledger
from soid.engine.llvm.c_source import CSource, DeviceRegister
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.variables.device_registers import with_registers
from soid.engine.llvm.variables.variable_layout import entry_function
from soid.errors import ManifestError
from soid.program.interface import Role, Variable

_INPUTS: Final = (Role.ENVIRONMENT, Role.STATE)


def with_device(source: CSource, loaded: LoadedProgram) -> LoadedProgram:
    """The program with the registers that the manifest maps, in its twin too."""
    if not source.registers:
        return loaded
    twin = None if loaded.twin is None else with_device(source, loaded.twin)
    return replace(loaded, places=with_registers(loaded.places, source.registers), twin=twin)


def _of_registers(registers: tuple[DeviceRegister, ...], found: list[Variable]) -> Iterator[Assumption]:
    known = {variable.path: variable.role for variable in found}
    read = [each.name for each in registers if known.get(each.name) in _INPUTS]
    kept = [each.name for each in registers if known.get(each.name) is Role.STATE]
    if read:
        yield Ledger.REGISTERS.of(", ".join(read))
    if kept:
        yield Ledger.REGISTERS_KEPT.of(", ".join(kept))


def with_setup(source: CSource, loaded: LoadedProgram) -> LoadedProgram:
    """The program with the function that runs once before its entry, in its twin too."""
    if source.setup is None:
        return loaded
    name, info = entry_function(loaded.module, loaded.debug, source.setup)
    taken = info.params or loaded.module.functions[name].params  # a large struct is returned through one too
    if taken or name == loaded.entry.name:
        why = "it is the entry" if name == loaded.entry.name else "it has parameters, or returns a struct"
        raise ManifestError(f"[program] setup {source.setup}: {why}", "Name a function without parameters.")
    twin = None if loaded.twin is None else with_setup(source, loaded.twin)
    relies_on = (Ledger.SETUP.of(source.setup), *loaded.relies_on)
    return replace(loaded, setup=loaded.module.functions[name], twin=twin, relies_on=relies_on)


def assumptions(
    source: CSource, written: LoadedProgram, reached: frozenset[str], found: list[Variable]
) -> tuple[Assumption, ...]:
    """What is taken for granted of the surroundings of a program; `found` are its variables."""
    return (
        *_of_stubs(source, written, reached),
        *_of_registers(source.registers, found),
        *_of_function_pointers(written, found),
    )


def _of_function_pointers(written: LoadedProgram, found: list[Variable]) -> Iterator[Assumption]:
    inputs = {variable.path for variable in found if variable.role in _INPUTS}
    paths = [place.path for place in written.places.places if place.functions and place.path in inputs]
    if paths:
        yield Ledger.FUNCTION_POINTERS.of(", ".join(paths))


def _of_stubs(source: CSource, written: LoadedProgram, reached: frozenset[str]) -> Iterator[Assumption]:
    """What is taken for granted of functions that come from stubs, file by file."""
    functions = [written.module.functions[name] for name in sorted(reached)]
    for stub in source.stubs:
        own = [f.name for f in functions if f.linkage != "internal" and written.debug.unit_of(f) == stub.as_posix()]
        if own:
            names = ", ".join(demangled(name).partition("(")[0] for name in own)
            yield Ledger.STUBS.of(stub.as_posix(), names)
