"""What happens inside a program and may be asked about: return values and local variables, by name.

    safe_to_enter()     what the function returned
    decide:closest      the local variable, or the parameter, of the function

Each means the value when that function last returned. A name that stands for several things, as `i` for the counters
of two loops, is left out: nobody could tell which one is meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final, final

from msgspec import Struct

from soid.engine.llvm.ctype import CType, strip
from soid.engine.llvm.debuginfo import CFunctionInfo
from soid.engine.llvm.names import in_library
from soid.engine.llvm.places import variable_type
from soid.engine.llvm.program import LoadedProgram
from soid.engine.llvm.values import Register, Value
from soid.errors import ProgramError
from soid.program.interface import Role, Variable

_NAME: Final = re.compile(r"[A-Za-z_]\w*")  # operators and templates have names that no question can spell


@final
class Internal(Struct, frozen=True):
    """One value inside the program."""

    variable: Variable
    function: str  # IR name
    slot: int | None  # the register with a local's address; None: it is what the function returns
    size: int  # bytes


def find_internals(loaded: LoadedProgram, reached: Collection[str]) -> list[Internal]:
    """All that can be asked about in the functions that the entry may lead to, in the order of the program."""
    found = []
    for name, function in loaded.module.functions.items():
        if name in reached and function.subprogram is not None:
            info = loaded.debug.function(name)
            if _NAME.fullmatch(info.name) and not in_library(info.loc.file):
                found += list(_inside(name, info))
    names = Counter(each.variable.path for each in found)
    return [each for each in found if names[each.variable.path] == 1]


def _inside(function: str, info: CFunctionInfo) -> Iterator[Internal]:
    returned = _internal(f"{info.name}()", function, None, info.returns)
    if returned is not None:
        yield returned
    slots: list[tuple[str, Value | None, CType]] = [(each.name, each.address, each.type) for each in info.params]
    slots += [(each.name, each.address, each.type) for each in info.locals if not each.indirect]
    for name, address, kind in slots:
        if name and isinstance(address, Register):
            local = _internal(f"{info.name}:{name}", function, address.slot, kind)
            if local is not None:
                yield local


def _internal(path: str, function: str, slot: int | None, kind: CType) -> Internal | None:
    """A scalar; what is none cannot be spoken of."""
    plain = strip(kind)
    try:
        variable = Variable(path, Role.INTERNAL, variable_type(plain, path))
    except ProgramError:
        return None
    return Internal(variable, function, slot, plain.size or 0)
