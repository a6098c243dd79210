"""The heap: memory that a program asks for and gives back. It is taken never to run out, and the answer says so."""

from __future__ import annotations

from typing import Final

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.addresses import distance
from soid.engine.llvm.exploring.copying import copy, length
from soid.engine.llvm.exploring.explorer import Explorer, External
from soid.engine.llvm.exploring.memory import Object
from soid.engine.llvm.exploring.runtime import NULL, Held, PathEnd, Pointer, Unsupported, location
from soid.engine.llvm.exploring.state import State
from soid.engine.summary import Failed, Location

NOT_ALLOCATED: Final = "free of what was not allocated"
TWICE: Final = "double free"
ENOUGH: Final = "malloc, calloc and realloc always find memory"
_MOST: Final = 1 << 40  # bytes that one may ask for at once


def _allocated(
    explorer: Explorer, state: State, name: str, size: int, where: Location | None, *, zeroed: bool = False
) -> Pointer:
    if size > _MOST:
        raise Unsupported(f"{name} of {size} bytes", where)
    explorer.relies_on[ENOUGH] = None
    return explorer.allocate(state, name, size, "heap", zeroed=zeroed)


def _malloc(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    return _allocated(explorer, state, "malloc", length(explorer, state, arguments[0], where), where)


def _calloc(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    count, size = (length(explorer, state, argument, where) for argument in arguments[:2])
    return _allocated(explorer, state, "calloc", count * size, where, zeroed=True)


def _aligned_alloc(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    return _allocated(explorer, state, "aligned_alloc", length(explorer, state, arguments[1], where), where)


def _block(explorer: Explorer, state: State, held: Held, where: Location | None) -> Object:
    """The block that starts at an address, to be given back."""
    pointer = explorer.addresses.pointer(held, where)
    thing = state.memory.objects.get(pointer.object)
    offset = pointer.offset
    if not isinstance(offset, int):
        offset = explorer.brancher.choose(state, distance(offset))
    if thing is None or thing.kind != "heap" or offset != 0:
        raise PathEnd(Failed(NOT_ALLOCATED, where))
    if not thing.alive:
        raise PathEnd(Failed(TWICE, where))
    return state.memory.to_write(pointer.object)


def _free(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    where = location(call.loc)
    if explorer.addresses.pointer(arguments[0], where) != NULL:
        _block(explorer, state, arguments[0], where).alive = False
    return None


def _realloc(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    size = length(explorer, state, arguments[1], where)
    if explorer.addresses.pointer(arguments[0], where) == NULL:
        return _allocated(explorer, state, "realloc", size, where)
    if size == 0:
        raise Unsupported("realloc to no bytes", where)
    old = _block(explorer, state, arguments[0], where)
    new = _allocated(explorer, state, "realloc", size, where)
    copy(explorer, state, new, arguments[0], min(size, old.size), where)
    _block(explorer, state, arguments[0], where).alive = False
    return new


HEAP: Final[dict[str, External]] = {
    "malloc": _malloc,
    "calloc": _calloc,
    "realloc": _realloc,
    "aligned_alloc": _aligned_alloc,
    "free": _free,
}
