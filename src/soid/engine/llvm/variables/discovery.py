"""Finds the interface of a C program: its environment, its state, its decisions.

Types and names come from the debug info, roles from what the program reads and writes (`roles.py`); the manifest may
overrule both. A variable that the program never touches is left out, unless the manifest names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.compiler.compilation import Build, compile_declarations
from soid.engine.llvm.compiler.toolchain import DEFAULT_TARGET
from soid.engine.llvm.debug.c_types import CFunction, CPointer, CType, strip
from soid.engine.llvm.debug.debug_info import DebugInfo
from soid.engine.llvm.ir.constant_image import memory_image
from soid.engine.llvm.ir.ir_module import Function, Module
from soid.engine.llvm.ir.ir_types import IntegerType, Ptr
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.loaded_program import LoadedProgram, load
from soid.engine.llvm.reader.module_reader import read_module
from soid.engine.llvm.symbolic.library.external_functions import EXTERNALS, DescribedFunction
from soid.engine.llvm.symbolic.library.mathematics import mathematics
from soid.engine.llvm.symbolic.memory.memory_object import AddressSpace
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.program_constants import Constants
from soid.engine.llvm.symbolic.static_initializers import initialisers, started
from soid.engine.llvm.symbolic.values.held_values import FORMATS
from soid.engine.llvm.variables.internals import Internal, find_internals
from soid.engine.llvm.variables.roles import MemoryUse, memory_use, role_of, roles_of
from soid.engine.llvm.variables.union_members import PlacedVariable, Settled, settle
from soid.engine.llvm.variables.variable_layout import VariablePlace, variable_type
from soid.errors import ManifestError, ProgramError
from soid.program.interface import Interface, Role, Variable, covers
from soid.program.manifest import below
from soid.program.override import Declaration
from soid.program.types import BoolType, FloatType, IntType, VariableType


@final
class Discovered(Struct, frozen=True):
    """A compiled C program with its interface."""

    interface: Interface
    loaded: LoadedProgram
    described: tuple[DescribedFunction, ...]  # functions of which the manifest says what they do
    internals: tuple[Internal, ...]  # where the interface's internal variables are


def discover(source: CSource, folder: Path) -> Discovered:
    """Compile the program and find its interface."""
    loaded = load(build_of(source, folder), source.entry, source.lengths, source.parameters)
    _refuse_unused_lengths(source, loaded)
    described = _described(source, loaded)
    given = frozenset(each.function for each in described)
    written = loaded.twin or loaded
    use = memory_use(written, given)
    roles = roles_of(written, use)
    _refuse_taken_apart(source, loaded, given)
    settled = _settled(source, loaded, roles, lambda place: role_of(written, place, use), use)
    found = [each.variable for each in settled.placed]
    found += [variable for each in described for variable in each.variables]
    inside = tuple(
        replace(each, variable=_completed(each.variable, source.declarations))
        for each in (() if loaded.lazy else find_internals(loaded, use.reached))
    )
    variables = (*found, *(each.variable for each in inside))
    _refuse_unknown(source.declarations, (*variables, *settled.views))
    _refuse_of_views(source.declarations, settled.views)
    untouched = _untouched(loaded, [*found, *settled.views])
    shared = frozenset(each.place.path for each in settled.placed if each.place.union is not None)
    return Discovered(Interface(variables, untouched, settled.views, shared), loaded, described, inside)


def _settled(
    source: CSource,
    loaded: LoadedProgram,
    roles: Mapping[str, Role],
    role: Callable[[VariablePlace], Role | None],
    use: MemoryUse,
) -> Settled:
    """The variables in memory, and the views of them."""
    initial = InitialValues(loaded)

    def variable(place: VariablePlace, role: Role | None) -> Variable:
        return _variable(loaded, initial, place, role, source.declarations)

    def again(place: VariablePlace) -> Variable:
        return variable(place, role(place) or Role.DECISION)

    def fits(place: VariablePlace) -> bool:
        written = 0 if loaded.places.regions[place.region].by_value else use.written.get(place.region, 0)
        return not place.mask & ~(use.read.get(place.region, 0) | written)

    candidates = []
    for place in loaded.places.places:
        rank = next((rank for rank, each in enumerate(source.declarations) if each.speaks_of(place.path)), None)
        if place.path in roles or rank is not None:
            candidates.append(PlacedVariable(place, variable(place, roles.get(place.path)), rank))
    settled = settle(candidates, fits, again)
    loaded.places.places += [each.place for each in settled.placed if each.is_byte and each.place.bits is not None]
    return settled


def _untouched(loaded: LoadedProgram, found: list[Variable]) -> frozenset[str]:
    """Variables that the program does not use, or that are no numbers: a log may contain them."""
    places = loaded.places
    given = {*(place.path for place in places.places), *places.refused, *places.kept, *loaded.gone}
    given |= {path for _, _, path in places.opaque}
    return frozenset(given - {variable.path for variable in found})


def _completed(variable: Variable, declarations: tuple[Declaration, ...]) -> Variable:
    """The variable with what the manifest says about it; of several entries the last one counts."""
    found = variable
    for each in declarations:
        if each.speaks_of(variable.path):
            found = each.completed(found)
            if (variable.role is Role.INTERNAL) != (found.role is Role.INTERNAL):
                each.entry.fail("role", f"{variable.path} cannot be {found.role.value}", "Leave the role out.")
    return found


def build_of(source: CSource, folder: Path) -> Build:
    return Build(
        source.sources,
        include=source.include,
        defines=source.defines,
        flags=source.flags,
        target=source.target or DEFAULT_TARGET,
        clang=source.clang,
        root=folder,
        commands=tuple(source.commands.items()),
    )


def _variable(
    loaded: LoadedProgram,
    initial: InitialValues,
    place: VariablePlace,
    role: Role | None,
    declarations: tuple[Declaration, ...],
) -> Variable:
    """A variable as the program and the manifest declare it. One that is not touched has the role environment."""
    found = _completed(Variable(place.path, role or Role.ENVIRONMENT, place.type), declarations)
    name = loaded.places.regions[place.region].variable
    if name is None or not found.is_input or found.initial is not None:
        return found
    return replace(found, initial=initial.of(name, place))


@final
class InitialValues:
    """The values that globals have when the entry is first called."""

    def __init__(self, loaded: LoadedProgram) -> None:
        self._module = loaded.module
        self._begun = _begun(loaded)
        self._images: dict[str, bytes | None] = {}

    def of(self, name: str, place: VariablePlace) -> int | None:
        """The value of one scalar of a global; None where it has no bytes before the program is linked."""
        if self._begun is not None:
            constants, memory = self._begun
            read = memory.objects[constants.addresses[name].object].read(place.offset, place.size)
            if not isinstance(read, int):
                return None
            held = read
        else:
            image = self._image(name)
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


def _begun(loaded: LoadedProgram) -> tuple[Constants, AddressSpace] | None:
    """The program's memory after its initialisers have run; None where it has none, or one is not modelled."""
    try:
        if not initialisers(loaded.module):
            return None
        constants = Constants(loaded.module, lazy=loaded.lazy)
        constants.start_with(started(constants, {**EXTERNALS, **mathematics()}))
    except NotModelled:
        return None  # the engine reports it
    return constants, constants.memory()


# --- functions that the manifest describes ---------------------------------------------------------------------


def _described(source: CSource, loaded: LoadedProgram) -> tuple[DescribedFunction, ...]:
    if not source.inputs_from and not source.ignore:
        return ()
    declared = DebugInfo(read_module(compile_declarations(loaded.build)))
    logged = (_logged(source, loaded.module, declared, function) for function in source.inputs_from)
    return (*logged, *(_ignored(loaded.module, declared, function) for function in source.ignore))


def _ignored(module: Module, declared: DebugInfo, function: str) -> DescribedFunction:
    called = _called(module, function, "[program] ignore")
    return DescribedFunction(called.name, (), True, _fills(called, declared.declared(called.name)))


def _logged(source: CSource, module: Module, declared: DebugInfo, function: str) -> DescribedFunction:
    name = source.inputs_from[function]
    called = _called(module, function, "[inputs_from]")
    length = source.lengths.get(name)
    paths = [name] if length is None else [f"{name}[{i}]" for i in range(length)]
    signature = declared.declared(called.name)
    if signature is not None:
        kind = _returned(strip(signature.returns), function)
    else:
        kind = _stated(source.declarations, called, function, paths[0])
    variables = [_completed(Variable(path, Role.ENVIRONMENT, kind), source.declarations) for path in paths]
    return DescribedFunction(called.name, tuple(variables), length is None, _fills(called, signature))


def _called(module: Module, name: str, table: str) -> Function:
    """The function of this name that the program calls and does not define; in C++ by its name in the source."""
    known = module.functions.get(name)
    found = [known] if known else [f for f in module.functions.values() if demangled(f.name).partition("(")[0] == name]
    if len(found) == 1 and not found[0].defined:
        return found[0]
    why = "the program never calls it"
    if found:
        why = "the program defines it" if len(found) == 1 else f"there are {len(found)} functions of that name"
    raise ManifestError(f"{table} {name}: {why}", "Name functions that the program calls and does not define.")


def _fills(called: Function, signature: CFunction | None) -> tuple[int, ...]:
    """The parameters through which a function may write: pointers to what is not const."""
    declared = signature.params if signature is not None else ()
    kinds = [strip(kind) for kind in declared] if len(declared) == len(called.params) else [None] * len(called.params)
    pointers = [number for number, param in enumerate(called.params) if isinstance(param.type, Ptr)]
    return tuple(n for n in pointers if not (isinstance(kind := kinds[n], CPointer) and kind.const))


def _returned(kind: CType, function: str) -> VariableType:
    """The type that an external function is declared to return."""
    try:
        return variable_type(kind, function)
    except ProgramError as error:
        raise ManifestError(
            f"[inputs_from] {function}: it returns {kind}, which is no plain number", _NUMBERS
        ) from error


def _stated(declarations: tuple[Declaration, ...], called: Function, function: str, path: str) -> VariableType:
    """The type of a function without a declaration in a source: the manifest says what the IR leaves open."""
    kind = called.type.returns
    stated = next((each.stated_type for each in reversed(declarations) if each.speaks_of(path)), None)
    format = FORMATS.get(kind)
    if format is not None:
        return FloatType(format)
    if not isinstance(kind, IntegerType):
        raise ManifestError(f"[inputs_from] {function}: it returns {kind}, which is no plain number", _NUMBERS)
    if kind.width == 1:
        return BoolType()
    if "zeroext" in called.returns or "signext" in called.returns:
        return IntType(kind.width, signed="signext" in called.returns)
    if stated is None or stated.width != kind.width:
        raise ManifestError(
            f"[inputs_from] {function}: the IR says {kind}, and not whether that is signed",
            f'Say it: [variables] "{path}" = {{ type = "uint{kind.width}" }}, or "int{kind.width}".',
        )
    return stated


_NUMBERS: Final = "Integers, floats, bools and enums can be given from the log."


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
    whole = load(loaded.twin.build, source.entry, source.lengths)
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
