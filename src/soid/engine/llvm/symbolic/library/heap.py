"""The heap: malloc, calloc, realloc and free. It is assumed never to run out, and the answer says so."""

from __future__ import annotations

from functools import partial
from typing import Final

from soid.assumptions import Ledger
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.symbolic.explorer import Explorer, External
from soid.engine.llvm.symbolic.memory.memory_blocks import copy
from soid.engine.llvm.symbolic.memory.memory_object import MemoryKind, MemoryObject
from soid.engine.llvm.symbolic.memory.offsets import distance
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled, PathEnd
from soid.engine.llvm.symbolic.values.held_values import NULL, Held, Pointer
from soid.engine.summary import Failed
from soid.formula import build
from soid.formula.term import Term

NOT_ALLOCATED: Final = "free of what was not allocated"
TWICE: Final = "double free"
_MOST: Final = 1 << 30  # bytes that one call may allocate; whether a machine has more is not known


def _allocated(explorer: Explorer, state: PathState, name: str, size: int, *, zeroed: bool = False) -> Pointer:
    if size > _MOST:
        raise NotModelled(f"{name} of {size} bytes")
    explorer.relies_on[Ledger.HEAP.of()] = None
    return explorer.allocate(state, name, size, MemoryKind.HEAP, zeroed=zeroed)


def _asked(explorer: Explorer, state: PathState, held: Held) -> int:
    """The size of an allocation as a plain number; all sizes above the limit are one path."""
    value = explorer.settled(state, held)
    if not isinstance(value, Term):
        return value
    if not explorer.brancher.holds(state, build.bvule(value, build.const(value.sort, _MOST))):
        raise NotModelled(f"asking for more than {_MOST} bytes")
    return explorer.brancher.choose(state, value)


def _malloc(name: str, at: int, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """malloc or aligned_alloc, with its size at this place among the arguments."""
    return _allocated(explorer, state, name, _asked(explorer, state, arguments[at]))


def _calloc(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    count, size = (_asked(explorer, state, argument) for argument in arguments[:2])
    return _allocated(explorer, state, "calloc", count * size, zeroed=True)


def _block(explorer: Explorer, state: PathState, held: Held) -> MemoryObject:
    """The block that starts at an address, to be freed."""
    pointer = explorer.addresses.pointer(state, held)
    thing = state.memory.objects.get(pointer.object)
    offset = pointer.offset
    if not isinstance(offset, int):
        offset = explorer.brancher.choose(state, distance(offset))
    if thing is None or thing.kind is not MemoryKind.HEAP or offset != 0:
        raise PathEnd(Failed(NOT_ALLOCATED, state.where))
    if not thing.alive:
        raise PathEnd(Failed(TWICE, state.where))
    return state.memory.to_write(pointer.object)


def _free(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    if explorer.addresses.pointer(state, arguments[0]) != NULL:
        _block(explorer, state, arguments[0]).alive = False
    return None


def _realloc(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    size = _asked(explorer, state, arguments[1])
    if explorer.addresses.pointer(state, arguments[0]) == NULL:
        return _allocated(explorer, state, "realloc", size)
    if size == 0:
        raise NotModelled("realloc to no bytes")
    old = _block(explorer, state, arguments[0])
    new = _allocated(explorer, state, "realloc", size)
    copy(explorer, state, new, arguments[0], min(size, old.size))
    _block(explorer, state, arguments[0]).alive = False
    return new


HEAP: Final[dict[str, External]] = {
    "malloc": partial(_malloc, "malloc", 0),
    "calloc": _calloc,
    "realloc": _realloc,
    "aligned_alloc": partial(_malloc, "aligned_alloc", 1),
    "free": _free,
}
