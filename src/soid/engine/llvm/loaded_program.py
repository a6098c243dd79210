"""A program, compiled and read: what the engine and the replay work on.

An optimised program has a twin, the same program without optimisation. From the twin the engine knows where each
variable lies, which code reads and writes it, and how arguments are passed. The optimiser changes none of this for a
function that other files may call, nor for a variable that it keeps whole; this module finds the variables that it
does not keep.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.assumptions import Assumption, Ledger
from soid.cache import digest
from soid.engine.llvm.c_source import GivenParameter
from soid.engine.llvm.compiler.c_library import INSIDE, linked
from soid.engine.llvm.compiler.compilation import DECLARED, Build, compile_declarations, compile_ir
from soid.engine.llvm.debug.bare_entry import describe
from soid.engine.llvm.debug.c_types import CPointer, CType, strip
from soid.engine.llvm.debug.debug_info import CFunctionInfo, CGlobal, DebugInfo
from soid.engine.llvm.flow.bit_fields import used_slots
from soid.engine.llvm.ir.ir_module import Function, Module
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.reader.kept_modules import module_of
from soid.engine.llvm.reader.module_reader import read_module
from soid.engine.llvm.variables.function_choices import FunctionChoices
from soid.engine.llvm.variables.variable_layout import VariableLayout, entry_function, find_places
from soid.errors import ManifestError, ProgramError

#: what an expression computes that writes a variable twice, or reads it as well
_OPEN_ORDER: Final = re.compile(r"^(\S+:\d+):\d+: warning: .*\[-Wunsequenced\]$", re.MULTILINE)


@final
class LoadedProgram(Struct, frozen=True):
    """The program, its entry, and where its variables lie."""

    build: Build
    module: Module
    debug: DebugInfo
    entry: Function
    info: CFunctionInfo
    places: VariableLayout
    relies_on: tuple[Assumption, ...] = ()  # whatever is asked of it
    twin: LoadedProgram | None = None  # the same program without optimisation, where this one is optimised
    gone: tuple[str, ...] = ()  # variables that the optimiser removed: nothing depends on them
    apart: tuple[str, ...] = ()  # variables that it keeps in another form, which soid cannot set
    extern: frozenset[str] = frozenset()  # IR names of variables that no source defines, and that are inputs
    setup: Function | None = None  # it runs once before the entry is first called
    library: frozenset[str] = frozenset()  # functions in the module that are soid's own library's
    digest: str = ""  # of the module's text and of its twin's; empty: the module was not read from a text

    @property
    def lazy(self) -> bool:
        """Whether an operation without a value gives poison, which is a failure only where the program uses it."""
        return not self.build.as_written


def load(
    build: Build,
    entry: str,
    lengths: Mapping[str, int] | None = None,
    parameters: Sequence[GivenParameter] = (),
    described: Set[str] = frozenset(),
) -> LoadedProgram:
    """Compile and read a program; `parameters` describe an entry that has no debug info, `described` are functions."""
    if build.level != "-O0" and not build.ready_made:
        return _optimised(build, entry, lengths or {}, described)
    text, library = linked(build, compile_ir(build).text, described)
    module = read_module(text) if build.confined_to is not None else module_of(text)
    _refuse_other_machine(build, module)
    debug = DebugInfo(module, extern := _extern_types(build, module))
    bare = module.functions.get(entry)
    if bare is not None and bare.defined and bare.subprogram is None:
        name, info = entry, describe(bare, parameters)
    else:
        name, info = entry_function(module, debug, entry)
        if parameters:
            raise ProgramError(f"{entry} has debug info, which says what its parameters are", "Leave `parameters` out.")
        _refuse_unknown_passing(module.functions[name], info)
    _refuse_pieces(module, debug)
    choices = FunctionChoices(module, debug, name) if build.as_written else None
    places = find_places(module, debug, name, lengths or {}, described=info, choices=choices)
    known = frozenset(extern)
    loaded = LoadedProgram(build, module, debug, module.functions[name], info, places, extern=known)
    return replace(loaded, relies_on=_relies_on(loaded), library=library, digest=_digest(text))


def _refuse_other_machine(build: Build, module: Module) -> None:
    """Refuse ready-made IR for another machine than the target."""
    made, wanted = (_architecture(triple) for triple in (module.triple, build.target))
    if module.triple and made != wanted:
        raise ProgramError(
            f"the IR is made for {module.triple}, and not for {build.target}", "Set `target` in soid.toml."
        )
    if not module.layout.little_endian:
        raise ProgramError(f"programs for {module.triple} are not analysed", "Name one for a little-endian machine.")


def _architecture(triple: str) -> str:
    """The processor of a target, without its version: compilers call one processor by several names.

    >>> _architecture("thumbv7-unknown-unknown-eabi"), _architecture("arm-linux-gnueabihf"), _architecture("i686-linux")
    ('arm', 'arm', 'x86')
    """
    name = triple.split("-")[0]
    if name.startswith(("arm", "thumb")) and name != "arm64":
        return "arm"
    return "x86" if re.fullmatch(r"i[3-7]86|x86", name) else name


def _refuse_pieces(module: Module, debug: DebugInfo) -> None:
    """Refuse a variable that an optimiser keeps in parts or in another form: soid cannot set it."""
    for name, variable in debug.globals.items():
        if not module.globals[name].constant and not variable.whole:
            raise ProgramError(
                f"the optimiser keeps {variable.name} in a form of its own, so its value before the call is not known",
                "Make it visible to other files (no static), or compile the program without optimisation.",
            )


def _refuse_unknown_passing(entry: Function, info: CFunctionInfo) -> None:
    """Refuse an entry with an argument that belongs to no known parameter: soid cannot set it."""
    known = {piece.index for param in info.params for piece in param.pieces}
    used = used_slots(entry)
    for index, param in enumerate(entry.params):
        if index not in known and param.attributes.sret is None and param.register.slot in used:
            raise ProgramError(
                f"the debug info of {info.name} does not say which parameter %{param.register.name} is",
                "Compile it without optimisation, or from source.",
            )


def _optimised(build: Build, entry: str, lengths: Mapping[str, int], described: Set[str]) -> LoadedProgram:
    written = load(build.unoptimised(), entry, lengths, (), described)
    text, library = linked(build, compile_ir(build).text, described)
    module = read_module(text) if build.confined_to is not None else module_of(text)
    extern = {name: written.debug.globals[name].type for name in written.extern if name in module.globals}
    loaded = paired(build, module, DebugInfo(module, extern), written, entry, lengths)
    return replace(loaded, extern=frozenset(extern), library=library, digest=_digest(text, written.digest))


def _extern_types(build: Build, module: Module) -> dict[str, CType]:
    """The types of the variables that the manifest lists as `extern`, by their IR names."""
    types = declared_types(build)
    found: dict[str, CType] = {}
    for name in build.extern:
        used = [one.name for one in module.globals.values() if demangled(one.name) == name]
        if len(used) != 1 or module.globals[used[0]].initializer is not None:
            why = "the program defines it" if used else "the program does not use it"
            raise ManifestError(f"[program] extern {name}: {why}", "Name variables that it uses and does not define.")
        if name not in types or not types[name].size:
            why = f"the program does not say how large {name} is"
            raise ManifestError(f"[program] extern {name}: {why}", "Define it in a file under [stubs].")
        found[used[0]] = types[name]
    return found


def declared_types(build: Build) -> dict[str, CType]:
    """The types of a build's `extern` variables, as its sources declare them."""
    if not build.extern:
        return {}
    declared = DebugInfo(read_module(compile_declarations(build)))
    pointers = {variable.name: strip(variable.type) for variable in declared.globals.values()}
    named = ((name, pointers.get(f"{DECLARED}{number}")) for number, name in enumerate(build.extern))
    return {name: pointer.resolve() for name, pointer in named if isinstance(pointer, CPointer)}


def _digest(text: str, *more: str) -> str:
    return digest(text.encode(errors="surrogateescape"), *more)


def paired(
    build: Build, module: Module, debug: DebugInfo, written: LoadedProgram, entry: str, lengths: Mapping[str, int]
) -> LoadedProgram:
    """An optimised program with what is known from its twin."""
    name = _same_function(module, debug, written, entry)
    kept, gone, apart = _variables(module, debug, written)
    ours = {new: written.debug.globals[old] for old, new in kept.items()}
    places = find_places(module, written.debug, written.entry.name, lengths, ours)
    theirs = find_places(
        written.module, written.debug, written.entry.name, lengths, {old: written.debug.globals[old] for old in kept}
    )
    twin = replace(written, places=theirs)
    loaded = LoadedProgram(build, module, debug, module.functions[name], written.info, places, (), twin, gone, apart)
    return replace(loaded, relies_on=_relies_on(loaded))


def _same_function(module: Module, debug: DebugInfo, written: LoadedProgram, entry: str) -> str:
    """The entry's name in the optimised module; its parameters must be unchanged."""
    found = [name for name in debug.named(entry) if name in module.functions and module.functions[name].defined]
    if len(found) != 1:
        raise ProgramError(
            f"the optimiser has left no function {entry}",
            "Make it visible to other files: a static or inline function ends up in its callers.",
        )
    ours, theirs = module.functions[found[0]], written.entry
    passed = [(p.type, p.attributes.byval, p.attributes.sret) for p in ours.params]
    if ours.type != theirs.type or passed != [(p.type, p.attributes.byval, p.attributes.sret) for p in theirs.params]:
        raise ProgramError(f"the optimiser has changed how {entry} is called", "Make it visible to other files.")
    return found[0]


def _variables(
    module: Module, debug: DebugInfo, written: LoadedProgram
) -> tuple[dict[str, str], tuple[str, ...], tuple[str, ...]]:
    """Of the twin's variables: those kept, by IR names before and after; those removed; those in another form."""
    after: dict[object, list[str]] = {}
    for name, variable in debug.globals.items():
        after.setdefault(_identity(variable), []).append(name)
    kept: dict[str, str] = {}
    gone, apart = [], []
    for old, variable in written.debug.globals.items():
        found = after.get(_identity(variable), [])
        extern = written.module.globals[old].initializer is None
        if written.module.globals[old].constant and not extern:
            continue
        if not found or (not extern and all(module.globals[name].constant for name in found)):
            gone.append(variable.path)
            continue
        size = module.layout.size(module.globals[found[0]].type)
        if len(found) == 1 and debug.globals[found[0]].whole and size == variable.type.size:
            kept[old] = found[0]
        else:
            apart.append(variable.path)
    return kept, tuple(gone), tuple(apart)


def _identity(variable: CGlobal) -> object:
    return variable.name, variable.function, variable.loc


def _relies_on(loaded: LoadedProgram) -> tuple[Assumption, ...]:
    module, level = loaded.module, loaded.build.level
    how = "without optimisation" if level == "-O0" else f"optimised with {level}"
    known = {*loaded.debug.globals, *loaded.gone, *(name for name in module.globals if name.startswith("llvm."))}
    hidden = [each.name for each in module.globals.values() if not each.constant and each.name not in known]
    hidden = [name for name in hidden if not name.startswith(INSIDE)]
    hidden = [] if loaded.build.as_written else hidden
    open_order = ", ".join(dict.fromkeys(_OPEN_ORDER.findall(compile_ir(loaded.build).words)))
    made = f"{', '.join(module.ident) or 'an unnamed compiler'} for {module.triple}"
    return (
        *((Ledger.OPEN_ORDER.of(open_order),) if open_order else ()),
        *((Ledger.EXTERN.of(", ".join(loaded.build.extern)),) if loaded.build.extern else ()),
        *((Ledger.PROMISES.of(),) if loaded.lazy else ()),
        *((Ledger.REMOVED.of(", ".join(loaded.gone)),) if loaded.gone else ()),
        *((Ledger.HIDDEN.of(", ".join(hidden)),) if hidden else ()),
        Ledger.COMPILED.of(f"{made}, {how}" if loaded.twin is not None or loaded.build.as_written else made),
        Ledger.CHOICES.of(),
        Ledger.UNSEEN.of(),
    )
