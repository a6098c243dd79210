"""What each variable of a C program is to it, as far as types tell."""

from __future__ import annotations

from soid.engine.llvm.ctype import CPointer, strip
from soid.engine.llvm.places import RETURN
from soid.engine.llvm.program import LoadedProgram
from soid.program.interface import Role


def default_roles(loaded: LoadedProgram) -> dict[str, Role]:
    """The role of each variable, by its path; what the program does not touch has none."""
    roles = {}
    for place in loaded.places.places:
        region = loaded.places.regions[place.region]
        role = Role.STATE
        if region.name == RETURN:
            role = Role.DECISION
        elif region.by_value:
            role = Role.ENVIRONMENT
        elif region.parameter is not None:
            kind = strip(loaded.info.params[region.parameter].type)
            if isinstance(kind, CPointer) and kind.const:
                role = Role.ENVIRONMENT
        roles[place.path] = role
    return roles
