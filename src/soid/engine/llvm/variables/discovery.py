"""Finds the interface of a C program: its environment, its state, its decisions.

Types and names come from the debug info, roles from what the program reads and writes (`roles.py`); the manifest may
overrule both. A variable that the program never touches is left out, unless the manifest names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.allowance import paced
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.compiler.compilation import Build
from soid.engine.llvm.compiler.toolchain import DEFAULT_TARGET
from soid.engine.llvm.loaded_program import LoadedProgram, load
from soid.engine.llvm.symbolic.library.external_functions import DescribedFunction
from soid.engine.llvm.variables.described_functions import described_functions
from soid.engine.llvm.variables.initial_values import InitialValues
from soid.engine.llvm.variables.internals import Internal, find_internals
from soid.engine.llvm.variables.roles import MemoryUse, memory_use, role_of, roles_of
from soid.engine.llvm.variables.surroundings import assumptions, with_device, with_setup
from soid.engine.llvm.variables.union_members import PlacedVariable, Settled, settle
from soid.engine.llvm.variables.variable_layout import FINDING, VariablePlace
from soid.errors import ManifestError, ProgramError
from soid.program.interface import Interface, Role, Variable, covers
from soid.program.manifest import below
from soid.program.override import Declaration, completed_by


@final
class Discovered(Struct, frozen=True):
    """A compiled C program with its interface."""

    interface: Interface
    loaded: LoadedProgram
    described: tuple[DescribedFunction, ...]  # functions of which the manifest says what they do
    internals: tuple[Internal, ...]  # where the interface's internal variables are


def discover(source: CSource, folder: Path) -> Discovered:
    """Compile the program and find its interface."""
    told = frozenset((*source.inputs_from, *source.ignore))
    loaded = load(build_of(source, folder), source.entry, source.lengths, source.parameters, told)
    _refuse_unused_lengths(source, loaded)
    loaded = with_setup(source, with_device(source, loaded))
    described = described_functions(source, loaded)
    # where a struct is returned through a pointer, the function writes there
    given = frozenset(each.function for each in described if not each.parts)
    written = loaded.twin or loaded
    use = memory_use(written, given)
    roles = roles_of(written, use)
    _refuse_taken_apart(source, loaded, given)
    initial = InitialValues(loaded, described)
    settled = _settled(source, loaded, roles, lambda place: role_of(written, place, use), use, initial)
    found = [each.variable for each in settled.placed]
    found += [variable for each in described for variable in each.variables]
    inside = tuple(
        replace(each, variable=completed_by(each.variable, source.declarations))
        for each in (() if loaded.lazy else find_internals(loaded, use.reached - {loaded.setup and loaded.setup.name}))
    )
    variables = (*found, *(each.variable for each in inside))
    _refuse_unknown(source.declarations, (*variables, *settled.views))
    _refuse_of_views(source.declarations, settled.views)
    untouched = _untouched(loaded, [*found, *settled.views, *settled.partial])
    shared = frozenset(each.place.path for each in settled.placed if each.place.union is not None)
    said = assumptions(source, written, use.reached, found)
    loaded = replace(loaded, relies_on=(*said, *loaded.relies_on))
    interface = Interface(
        variables, untouched, settled.views, settled.partial, shared, enumerators=_enumerators(written)
    )
    return Discovered(interface, loaded, described, inside)


def _settled(
    source: CSource,
    loaded: LoadedProgram,
    roles: Mapping[str, Role],
    role: Callable[[VariablePlace], Role | None],
    use: MemoryUse,
    initial: InitialValues,
) -> Settled:
    """The variables in memory, and the views of them."""

    def variable(place: VariablePlace, role: Role | None) -> Variable:
        return _variable(loaded, initial, place, role, source.declarations)

    def again(place: VariablePlace) -> Variable:
        return variable(place, role(place) or Role.DECISION)

    def fits(place: VariablePlace) -> bool:
        written = 0 if loaded.places.regions[place.region].by_value else use.writes(place)
        return (use.reads(place) | written).bit_count() == place.extent[1]

    candidates = []
    for place in paced(loaded.places.places, FINDING):
        rank = next((rank for rank, each in enumerate(source.declarations) if each.speaks_of(place.path)), None)
        if place.path in roles or rank is not None:
            candidates.append(PlacedVariable(place, variable(place, roles.get(place.path)), rank))
    settled = settle(candidates, fits, again)
    loaded.places.places += [each.place for each in settled.placed if each.is_byte and each.place.bits is not None]
    return settled


def _enumerators(loaded: LoadedProgram) -> dict[str, tuple[tuple[str, int], ...]]:
    """The labels of all enumerations, those included that no variable has: C keeps many in plain integers."""
    found: dict[str, tuple[tuple[str, int], ...]] = {}
    for kind in loaded.debug.enums:
        for label, number in kind.enumerators:
            found[label] = (*found.get(label, ()), (f"enum {kind.name}" if kind.name else "", number))
    return found


def _untouched(loaded: LoadedProgram, found: list[Variable]) -> frozenset[str]:
    """Variables that the program does not use, or that are no numbers: a log may contain them."""
    places = loaded.places
    given = {*(place.path for place in places.places), *places.refused, *places.kept, *loaded.gone}
    given |= {path for _, _, path in places.opaque}
    return frozenset(given - {variable.path for variable in found})


def build_of(source: CSource, folder: Path) -> Build:
    return Build(
        source.files,
        include=source.include,
        defines=source.defines,
        flags=source.flags,
        target=source.target or DEFAULT_TARGET,
        clang=source.clang,
        root=folder,
        commands=tuple(source.commands.items()),
        stubs=source.stubs,
        extern=source.extern,
        confined_to=source.confined_to,
    )


def _variable(
    loaded: LoadedProgram,
    initial: InitialValues,
    place: VariablePlace,
    role: Role | None,
    declarations: tuple[Declaration, ...],
) -> Variable:
    """A variable as the program and the manifest declare it. One that is not touched has the role environment."""
    found = completed_by(Variable(place.path, role or Role.ENVIRONMENT, place.type), declarations)
    region = loaded.places.regions[place.region]
    if found.initial is not None or not found.is_input or (region.variable is None and region.address is None):
        return found
    return replace(found, initial=initial.of(region, place))


# --- mistakes in the manifest ----------------------------------------------------------------------------------


def _refuse_unused_lengths(source: CSource, loaded: LoadedProgram) -> None:
    pointers = loaded.places.pointers
    for path in source.lengths:
        if path not in source.inputs_from.values() and not any(covers(path, pointer) for pointer in pointers):
            known = ", ".join(pointers) or "none"
            raise ManifestError(f"[lengths] {path}: no such pointer is given to the program", f"There are: {known}.")


def _refuse_taken_apart(source: CSource, loaded: LoadedProgram, given: frozenset[str]) -> None:
    """Refuse an input that the optimiser keeps in a form of its own: soid cannot set it."""
    if not loaded.apart or loaded.twin is None:
        return
    whole = load(loaded.twin.build, source.entry, source.lengths, (), given)
    for path, role in roles_of(whole, memory_use(whole, given)).items():
        name = next((each for each in loaded.apart if below(path, each)), None)
        if name is not None and role in (Role.ENVIRONMENT, Role.STATE):
            raise ProgramError(
                f"the optimiser keeps {name} in a form of its own, so its value before the call is not known",
                "Make it visible to other files (no static), or analyse the program without optimisation.",
            )


def _refuse_of_views(declarations: tuple[Declaration, ...], views: tuple[Variable, ...]) -> None:
    """Refuse what a manifest entry can say of an input alone."""
    for view in views:
        for declaration in declarations:
            for key in ("initial", "logged", "role"):
                if view.parts and declaration.speaks_of(view.path) and key in declaration.entry:
                    input_ = view.parts[0].variable.path
                    cause = f"{view.path} is another name for bytes of {input_}, which stands for them"
                    declaration.entry.fail(key, cause, f"Say it of {input_}, or give {view.path} the first entry.")


def _refuse_unknown(declarations: tuple[Declaration, ...], variables: tuple[Variable, ...]) -> None:
    """Refuse a manifest entry about a variable that the program does not have."""
    paths = [variable.path for variable in variables]
    for declaration in declarations:
        if not any(declaration.speaks_of(path) for path in paths):
            remedy = Interface(variables).suggestion(declaration.path)
            declaration.entry.fail("", f"the program has no variable {declaration.path}", remedy)
