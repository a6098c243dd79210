"""From a C program to its interface: what it is given, what it remembers, what it decides.

The types and names are the program's own; the roles follow from what it reads and writes (`roles`); the manifest may
overrule both. A variable that the program never touches is left out, unless the manifest names it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

from soid.engine.llvm.compile import Build
from soid.engine.llvm.image import memory_image
from soid.engine.llvm.ir import Module
from soid.engine.llvm.places import Place, Region
from soid.engine.llvm.program import LoadedProgram, load
from soid.engine.llvm.roles import default_roles
from soid.engine.llvm.toolchain import DEFAULT_TARGET
from soid.errors import ProgramError
from soid.program.interface import Interface, Role, Variable
from soid.program.override import Declaration
from soid.program.program import CSource


@final
@dataclass(frozen=True, slots=True)
class Discovered:
    """A C program that has been compiled and looked at."""

    interface: Interface
    loaded: LoadedProgram


def discover(source: CSource, folder: Path) -> Discovered:
    """Compile the program and find its interface."""
    loaded = load(build_of(source, folder), source.entry, source.lengths)
    roles = default_roles(loaded)
    variables = []
    for place in loaded.places.places:
        found = _variable(loaded, place, roles.get(place.path))
        said = [each for each in source.declarations if each.speaks_of(place.path)]
        for each in said:
            found = each.completed(found)
        if said or place.path in roles:
            variables.append(found)
    _refuse_unknown(source.declarations, variables)
    known = {variable.path for variable in variables}
    untouched = frozenset(place.path for place in loaded.places.places if place.path not in known)
    return Discovered(Interface(tuple(variables), untouched), loaded)


def build_of(source: CSource, folder: Path) -> Build:
    """How the program is compiled."""
    return Build(
        source.sources,
        include=source.include,
        defines=source.defines,
        flags=source.flags,
        target=source.target or DEFAULT_TARGET,
        clang=source.clang,
        root=folder,
    )


def _variable(loaded: LoadedProgram, place: Place, role: Role | None) -> Variable:
    """A variable as the program declares it. What it does not touch is environment, should the manifest want it."""
    found = Variable(place.path, role or Role.ENVIRONMENT, place.type)
    region = loaded.places.regions[place.region]
    if region.variable is None or not found.is_input:
        return found
    return replace(found, initial=_initial(loaded.module, region, place))


def _initial(module: Module, region: Region, place: Place) -> int | None:
    """The value that C gives a global before the program starts."""
    assert region.variable is not None
    initializer = module.globals[region.variable].initializer
    if initializer is None:
        return None
    try:
        image = memory_image(initializer, module.layout)
    except ProgramError:
        return None  # it holds something that has no bytes before the program is linked
    order = "little" if module.layout.little_endian else "big"
    bits = int.from_bytes(image.data[place.offset : place.offset + place.size], order)  # type: ignore[arg-type]
    if place.bits is not None:
        first, count = place.bits
        bits = bits >> first & (1 << count) - 1
    return bits & (1 << place.type.width) - 1


def _refuse_unknown(declarations: tuple[Declaration, ...], variables: list[Variable]) -> None:
    """An entry of the manifest that is about no variable of the program is a mistake."""
    paths = [variable.path for variable in variables]
    for declaration in declarations:
        if not any(declaration.speaks_of(path) for path in paths):
            remedy = Interface(tuple(variables)).suggestion(declaration.path)
            declaration.entry.fail("", f"the program has no variable {declaration.path}", remedy)
