"""What a program uses and does not define: functions and variables of other files, a board or a library.

A question can be answered only where the program does not get to them, or the manifest says what they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from soid.engine.llvm.compiler.compilation import compile_declarations
from soid.engine.llvm.debug.c_types import CBase, CEnum, CFunction, strip
from soid.engine.llvm.debug.debug_info import DebugInfo
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.operands import GlobalRef
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.reader.module_reader import read_module
from soid.engine.llvm.symbolic.values.held_values import location
from soid.engine.llvm.variables.roles import memory_use
from soid.engine.protocol import MissingPart
from soid.engine.summary import Location

_DEFINED: Final = "[program] sources = [...]: add a file that defines it"


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
    variables = [name for name in used if name in module.globals and module.globals[name].initializer is None]
    declared = DebugInfo(read_module(compile_declarations(loaded.build))) if functions else None
    return (
        *(_function(name, declared.declared(name) if declared else None, used[name]) for name in functions),
        *(_variable(name, used[name]) for name in variables),
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
        is_number = isinstance(strip(signature.returns), CBase | CEnum)
    key = plain if plain.isidentifier() else f'"{plain}"'
    logged = (f'[inputs_from] {key} = "{plain.rpartition("::")[2]}"',) if is_number else ()
    return MissingPart(plain, declared, tuple(used), (*logged, f'[program] ignore = ["{plain}"]', _DEFINED))


def _variable(name: str, used: list[Location]) -> MissingPart:
    plain = demangled(name)
    return MissingPart(plain, f"extern {plain}", tuple(used), (_DEFINED,))


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
