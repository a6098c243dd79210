"""The role of each variable of a C program, by what the program does with it.

    read, never written             environment
    read, and written               state
    written, and not read before    decision, like everything that is returned
    neither                         no variable at all

Where the analysis cannot tell, a variable counts as read and written: it becomes state, because the old value of a
decision would be overlooked. Of a parameter that is passed by value only reads count, because its caller never sees it
again. The same holds for a static variable of a function that is always written before it is read: no caller can
observe it.
"""

from __future__ import annotations

from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.variables.memory_use import MemoryUse
from soid.engine.llvm.variables.variable_layout import RETURN, MemoryRegion, VariablePlace
from soid.program.interface import Role


def roles_of(loaded: LoadedProgram, use: MemoryUse) -> dict[str, Role]:
    """The role of each variable by its path; a variable that the program does not touch has none."""
    roles = {}
    for place in loaded.places.places:
        role = _role(loaded, place, use)
        if role is not None:
            roles[place.path] = role
    return roles


def _role(loaded: LoadedProgram, place: VariablePlace, use: MemoryUse) -> Role | None:
    region = loaded.places.regions[place.region]
    if region.name == RETURN:
        return Role.DECISION
    first, count = place.extent
    mask = ((1 << count) - 1) << 8 * place.offset + first
    read, written = (bool(bits.get(place.region, 0) & mask) for bits in (use.read, use.written))
    if read:
        return Role.STATE if written and not region.by_value else Role.ENVIRONMENT
    return Role.DECISION if written and not region.by_value and not _is_local(loaded, region) else None


def _is_local(loaded: LoadedProgram, region: MemoryRegion) -> bool:
    return region.variable is not None and loaded.debug.globals[region.variable].function is not None
