"""The values that the variables of a program have when its entry is first called."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from typing import final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.constant_image import memory_image
from soid.engine.llvm.ir.ir_module import Function, Module
from soid.engine.llvm.ir.operands import GlobalRef
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.symbolic.library.external_functions import DescribedFunction, before_entry
from soid.engine.llvm.symbolic.memory.memory_object import AddressSpace
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.program_constants import Constants
from soid.engine.llvm.symbolic.static_initializers import initialisers, started
from soid.engine.llvm.symbolic.values.held_values import NULL, Pointer
from soid.engine.llvm.variables.function_choices import FunctionChoices
from soid.engine.llvm.variables.variable_layout import MemoryRegion, VariablePlace
from soid.errors import ProgramError


@final
class InitialValues:
    """The values that globals have when the entry is first called."""

    def __init__(self, loaded: LoadedProgram, described: tuple[DescribedFunction, ...] = ()) -> None:
        self._module = loaded.module
        self._choices = FunctionChoices(loaded.module, loaded.debug, loaded.entry.name)
        self._begun = _begun(loaded, described)
        self._images: dict[str, bytes | None] = {}

    def of(self, region: MemoryRegion, place: VariablePlace) -> int | None:
        """The value of one scalar of a global; None where it has no bytes before the program is linked."""
        if self._begun is not None:
            constants, memory = self._begun
            read = memory.objects[constants.pointer_to(region).object].read(place.offset, place.size)
            if isinstance(read, Pointer) and place.functions:
                name = constants.name_of(read)
                return 0 if read == NULL else place.functions.index(name) + 1 if name in place.functions else None
            if not isinstance(read, int):
                return None
            held = read
        elif place.functions:
            return (
                None if region.variable is None else self._choices.start(region.variable, place.offset, place.functions)
            )
        else:
            image = self._image(region.variable) if region.variable is not None else None
            if image is None:
                return None
            held = int.from_bytes(image[place.offset : place.offset + place.size], "little")
        first, count = place.extent
        return held >> first & (1 << count) - 1 & (1 << place.type.width) - 1

    def _image(self, name: str) -> bytes | None:
        if name not in self._images:
            initializer = self._module.globals[name].initializer
            self._images[name] = None
            with suppress(ProgramError):  # it contains a value that has no bytes before the program is linked
                if initializer is not None:
                    self._images[name] = bytes(memory_image(initializer, self._module.layout).data)
        return self._images[name]


def constants_of(loaded: LoadedProgram, described: Iterable[DescribedFunction]) -> Constants:
    """The constants of a program, with the memory that it has before anything of it runs."""
    return Constants(
        loaded.module,
        lazy=loaded.lazy,
        extern=loaded.extern,
        library=loaded.library,
        described=[each.function for each in described],
        regions=loaded.places.regions,
    )


def _begun(loaded: LoadedProgram, described: tuple[DescribedFunction, ...]) -> tuple[Constants, AddressSpace] | None:
    """The program's memory after what runs before the entry; None where nothing does, or it is not modelled."""
    try:
        if not initialisers(loaded.module) and loaded.setup is None:
            return None
        constants = constants_of(loaded, described)
        constants.start_with(started(constants, before_entry(described), loaded.setup).memory)
    except NotModelled as unknown:
        if loaded.setup is not None:
            missing = _undefined_calls(loaded.module, loaded.setup, before_entry(described))
            remedy = "It must run without inputs."
            if missing:
                listed = ", ".join(f'"{name}"' for name in missing)
                remedy = f"{remedy} It calls what is not defined: [program] ignore = [{listed}], or write [stubs]."
            raise ProgramError(f"what runs before the entry cannot be followed: {unknown.what}", remedy) from unknown
        return None  # the engine reports it
    return constants, constants.memory()


def _undefined_calls(module: Module, first: Function, known: Collection[str]) -> list[str]:
    """The functions that a function calls, itself or through others, and that neither the program nor soid has."""
    found: dict[str, None] = {}
    seen, waiting = {first.name}, [first]
    while waiting:
        for name in _callees(waiting.pop()):
            callee = module.functions.get(name)
            if callee is None or name in seen:
                continue
            seen.add(name)
            if callee.defined:
                waiting.append(callee)
            elif name not in known and not name.startswith("llvm."):
                found[demangled(name).partition("(")[0]] = None
    return list(found)


def _callees(function: Function) -> Iterator[str]:
    for block in function.blocks:
        for one in block.instructions:
            call = one.call if isinstance(one, ir.Invoke) else one
            if isinstance(call, ir.Call) and isinstance(call.callee, GlobalRef):
                yield call.callee.name
