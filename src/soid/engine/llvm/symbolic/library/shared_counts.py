"""The parts of std::shared_ptr that only the C++ library's binary has: the last weak owner leaves, a weak one locks.

libc++ keeps both numbers of owners behind the object's table of virtual functions, each one less than there are:

    { table, owners - 1, weak owners - 1 }        the fifth function of the table frees the memory of both
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import PTR, IntegerType
from soid.engine.llvm.symbolic.memory.offsets import moved
from soid.engine.llvm.symbolic.path_state import PathState, StackFrame
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import NULL, Held, Pointer

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.explorer import Explorer

_LONG: Final = IntegerType(64)
_NONE: Final = (1 << 64) - 1  # -1: there is no owner left
_OWNERS, _WEAK_OWNERS, _FREES = 8, 16, 32  # bytes from the start of the object, and of its table


def _count(explorer: Explorer, state: PathState, place: Pointer) -> int:
    held = explorer.settled(state, explorer.sound(state, explorer.addresses.load(state, place, _LONG)))
    if not isinstance(held, int):
        raise NotModelled("a number of owners that depends on inputs")
    return held


def _release_weak(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Call, arguments: list[Held]) -> None:
    this = explorer.addresses.pointer(state, arguments[0])
    left = _count(explorer, state, moved(this, _WEAK_OWNERS))
    if left != 0:
        explorer.addresses.store(state, moved(this, _WEAK_OWNERS), (left - 1) % (1 << 64), _LONG)
        explorer.set(frame, one.result, 0)
        return
    table = explorer.addresses.pointer(state, explorer.addresses.load(state, this, PTR))
    freeing = explorer.addresses.pointer(state, explorer.addresses.load(state, moved(table, _FREES), PTR))
    name = explorer.constants.name_of(freeing)
    function = explorer.module.functions.get(name) if name is not None else None
    if function is None or not function.defined:
        raise NotModelled("the end of a shared object whose type is not known")
    explorer.enter(state, function, [this], None)


def _lock(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Call, arguments: list[Held]) -> None:
    this = explorer.addresses.pointer(state, arguments[0])
    owners = _count(explorer, state, moved(this, _OWNERS))
    if owners == _NONE:
        explorer.set(frame, one.result, NULL)
        return
    explorer.addresses.store(state, moved(this, _OWNERS), owners + 1, _LONG)
    explorer.set(frame, one.result, this)


def _nothing(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Call, arguments: list[Held]) -> None:
    explorer.set(frame, one.result, 0)


_CLASS: Final = "_ZNSt3__119__shared_weak_count"

#: they continue in the program's own code, like functions that throw
SHARED_COUNTS: Final[dict[str, Callable[[Explorer, PathState, StackFrame, ir.Call, list[Held]], None]]] = {
    f"{_CLASS}14__release_weakEv": _release_weak,
    f"{_CLASS}4lockEv": _lock,
    f"{_CLASS}D2Ev": _nothing,
    "_ZNSt3__114__shared_countD2Ev": _nothing,
}
