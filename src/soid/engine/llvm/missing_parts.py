"""What a program uses and does not define: functions and variables of other files, a board or a library.

A question can be answered only where the program does not get to them, or the manifest says what they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final

from msgspec.structs import replace

from soid.engine.llvm.compiler.compilation import compile_declarations
from soid.engine.llvm.debug.c_types import CBase, CEnum, CFunction, CStruct, CType, strip
from soid.engine.llvm.debug.debug_info import DebugInfo
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.operands import GlobalRef
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.loaded_program import LoadedProgram, declared_types
from soid.engine.llvm.reader.module_reader import read_module
from soid.engine.llvm.symbolic.values.held_values import location
from soid.engine.llvm.variables.device_registers import fixed_accesses
from soid.engine.llvm.variables.roles import memory_use
from soid.engine.protocol import MissingPart
from soid.engine.summary import Location
from soid.errors import CompileError

_DEFINED: Final = "[program] sources = [...]: add a file that defines it"
_LIBRARY: Final = ("_ZT", "__dso_handle")  # tables of C++ classes, and what its start-up code has
_STUB: Final = '[stubs] files = ["stubs.c"]: write one that defines it'


def missing_parts(loaded: LoadedProgram, known: frozenset[str]) -> tuple[MissingPart, ...]:
    """What functions that the entry reaches use, and neither the program nor `known` has; in the order of its use."""
    module = loaded.module
    reached = memory_use(loaded.twin or loaded, known).reached
    used: dict[str, list[Location]] = {}
    for function in module.functions.values():
        if function.name in reached:
            for name, where in _references(function):
                places = used.setdefault(name, [])
                if where is not None and where not in places:
                    places.append(where)
    functions = [name for name in used if _is_missing_function(loaded, name) and name not in known]
    undefined = {one.name for one in module.globals.values() if one.initializer is None} - loaded.extern
    variables = [name for name in used if name in undefined and not name.startswith(_LIBRARY)]
    declared = DebugInfo(read_module(compile_declarations(loaded.build))) if functions else None
    types = _types(loaded, variables)
    return (
        *(_function(name, declared.declared(name) if declared else None, used[name]) for name in functions),
        *_fixed(loaded, reached),
        *(_variable(name, types.get(demangled(name)), used[name]) for name in variables),
    )


def _is_missing_function(loaded: LoadedProgram, name: str) -> bool:
    function = loaded.module.functions.get(name)
    return function is not None and not function.defined and not name.startswith("llvm.")


def _function(name: str, signature: CFunction | None, used: list[Location]) -> MissingPart:
    plain = demangled(name).partition("(")[0]
    declared, is_number = demangled(name), True
    if signature is not None:
        parameters = ", ".join(map(str, signature.params)) or "void"
        declared = f"{signature.returns} {plain}({parameters})"
        is_number = isinstance(strip(signature.returns), CBase | CEnum | CStruct)
    key = plain if plain.isidentifier() else f'"{plain}"'
    logged = (f'[inputs_from] {key} = "{plain.rpartition("::")[2]}"',) if is_number else ()
    return MissingPart(plain, declared, tuple(used), (*logged, f'[program] ignore = ["{plain}"]', _STUB, _DEFINED))


def _fixed(loaded: LoadedProgram, reached: frozenset[str]) -> Iterator[MissingPart]:
    """What lies at fixed addresses that no register of the manifest has."""
    known = [(r.address, r.size) for r in loaded.places.regions if r.address is not None]
    functions = [loaded.module.functions[name] for name in sorted(reached) if name in loaded.module.functions]
    used: dict[int, list[Location]] = {}
    types: dict[int, str] = {}
    for one in fixed_accesses(loaded.module.layout, functions):
        if not any(address <= one.address < address + size for address, size in known):
            place = location(one.loc)
            used.setdefault(one.address, []).extend([place] if place is not None else [])
            types[one.address] = f"uint{8 * loaded.module.layout.store_size(one.type)}"
    for address, places in sorted(used.items()):
        line = f'[registers] REG_{address:X} = {{ address = {address:#x}, type = "{types[address]}" }}'
        unique = tuple(dict.fromkeys(places))
        yield MissingPart(f"{address:#x}", f"what lies at the fixed address {address:#x}", unique, (line,))


def _types(loaded: LoadedProgram, variables: list[str]) -> dict[str, CType]:
    """The declared types of variables; none where the compiler cannot be asked for them."""
    with suppress(CompileError):  # inspect then lists the variables without their types
        return declared_types(replace(loaded.build, extern=tuple(map(demangled, variables))))
    return {}


def _variable(name: str, kind: CType | None, used: list[Location]) -> MissingPart:
    plain = demangled(name)
    given = f'[program] extern = ["{plain}"]: an input, with a value in the log or in [variables] (initial)'
    remedies = (_STUB, _DEFINED) if kind is None or not kind.size else (given, _STUB, _DEFINED)
    return MissingPart(plain, f"extern {'' if kind is None else f'{kind} '}{plain}", tuple(used), remedies)


def _references(function: Function) -> Iterator[tuple[str, Location | None]]:
    """The globals and functions that a function mentions, with the places where it does."""
    for block in function.blocks:
        for one in block.instructions:
            for name in _names(one):
                yield name, location(one.loc)


def _names(value: object) -> Iterator[str]:
    match value:
        case GlobalRef(name):
            yield name
        case tuple():
            for each in value:
                yield from _names(each)
        case Mapping():
            return
        case _ if hasattr(value, "__struct_fields__") and not isinstance(value, ir.SourcePosition | Function):
            for field in value.__struct_fields__:
                yield from _names(getattr(value, field))
