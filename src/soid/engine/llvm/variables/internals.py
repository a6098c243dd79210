"""Internal values that a question can mention: return values and local variables, by name.

    safe_to_enter()     the value that the function returned
    decide:closest      a local variable or parameter of the function

Each is the value when its function last returned. An ambiguous name, such as `i` for the counters of two loops, is left
out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final, final

from msgspec import Struct

from soid.engine.llvm.debug.c_types import CType, strip
from soid.engine.llvm.debug.debug_info import CFunctionInfo, CLocal, CParameter
from soid.engine.llvm.ir.operands import Register
from soid.engine.llvm.ir.symbol_names import in_library
from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.variables.variable_layout import variable_type
from soid.errors import ProgramError
from soid.program.interface import Role, Variable

_NAME: Final = re.compile(r"[A-Za-z_]\w*")  # a question cannot contain the names of operators and templates


@final
class Internal(Struct, frozen=True):
    """One value inside the program."""

    variable: Variable
    function: str  # IR name
    slot: int | None  # the register with a local's address; None: the returned value
    size: int  # bytes


def find_internals(loaded: LoadedProgram, reached: Collection[str]) -> list[Internal]:
    """The internal values of all reachable functions, in the order of the program."""
    found = []
    for name, function in loaded.module.functions.items():
        if name in reached and function.subprogram is not None:
            info = loaded.debug.function(name)
            if _NAME.fullmatch(info.name) and not in_library(info.loc.location.file):
                found += list(_inside(name, info))
    names = Counter(each.variable.path for each in found)
    return [each for each in found if names[each.variable.path] == 1]


def _inside(function: str, info: CFunctionInfo) -> Iterator[Internal]:
    values: list[tuple[str, int | None, CType]] = [(f"{info.name}()", None, info.type.returns)]
    held: list[CParameter | CLocal] = [*info.params, *(local for local in info.locals if not local.indirect)]
    for each in held:
        if each.name and isinstance(each.address, Register):
            values.append((f"{info.name}:{each.name}", each.address.slot, each.type))
    for path, slot, kind in values:
        plain = strip(kind)
        try:
            variable = Variable(path, Role.INTERNAL, variable_type(plain, path))
        except ProgramError:
            continue  # it is no scalar
        yield Internal(variable, function, slot, plain.size or 0)
