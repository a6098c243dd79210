"""Stretches of memory as a whole: copied, filled, compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.addresses import BOUNDS, READ_ONLY, distance, moved
from soid.engine.llvm.exploring.arithmetic import truth
from soid.engine.llvm.exploring.memory import Object, byte_of
from soid.engine.llvm.exploring.runtime import (
    UNSET_USE,
    Held,
    Partial,
    PathEnd,
    Pointer,
    Unsupported,
    lift,
    location,
    lower,
)
from soid.engine.llvm.exploring.state import State
from soid.engine.llvm.types import I8
from soid.engine.summary import Failed, Location
from soid.formula import build
from soid.formula.operators import signed
from soid.formula.sorts import BitVec
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.exploring.explorer import Explorer

OVERLAP: Final = "copy between overlapping memory"
_RESULT: Final = BitVec(32)
_LONGEST: Final = 1 << 24  # bytes that are copied at once


def length(explorer: Explorer, state: State, held: Held, where: Location | None) -> int:
    """A length that is needed as a number; paths with its other values come later."""
    value = explorer.settled(held, UNSET_USE, where)
    return explorer.brancher.choose(state, value) if isinstance(value, Term) else value


def size_of(explorer: Explorer, state: State, held: Held, targets: Sequence[Held], where: Location | None) -> int:
    """How many bytes are meant of what addresses point to; asking for more than are there is one failure."""
    value = explorer.settled(held, UNSET_USE, where)
    if not isinstance(value, Term):
        return value
    rooms = [_room(explorer, state, target, where) for target in targets]
    most = min((room for room in rooms if room is not None), default=None)
    if most is not None:
        enough = build.bvule(value, build.const(value.sort, most))
        explorer.brancher.require(state, truth(enough), BOUNDS, where)
    return explorer.brancher.choose(state, value)


def _room(explorer: Explorer, state: State, held: Held, where: Location | None) -> int | None:
    """Bytes from an address to the end of what it lies in; None where it lies in nothing that may be used."""
    pointer = explorer.addresses.pointer(held, where)
    thing = state.memory.objects.get(pointer.object)
    if thing is None or not thing.alive:
        return None
    start = pointer.offset if isinstance(pointer.offset, int) else 0
    return max(0, thing.size - start) if start >= 0 else None


def stretch(explorer: Explorer, state: State, held: Held, size: int, where: Location | None) -> tuple[int, int]:
    """Object and offset of a stretch of memory that is wholly inside; paths with its other places come later."""
    pointer = explorer.addresses.pointer(held, where)
    thing = explorer.addresses.target(state, pointer, where)
    offset = pointer.offset
    if not isinstance(offset, int):
        offset = signed(explorer.brancher.choose(state, distance(offset)), 64)
    if not 0 <= offset <= thing.size - size:
        raise PathEnd(Failed(BOUNDS, where))
    if size > _LONGEST:
        raise Unsupported(f"{size} bytes at once", where)
    return pointer.object, offset


def writable(state: State, number: int, where: Location | None) -> Object:
    """An object that is about to be written."""
    if not state.memory.objects[number].writable:
        raise PathEnd(Failed(READ_ONLY, where))
    return state.memory.to_write(number)


def copy(
    explorer: Explorer,
    state: State,
    target: Held,
    source: Held,
    size: int,
    where: Location | None,
    *,
    may_overlap: bool = True,
) -> None:
    """Copy bytes, values whole where they lie whole inside; all of them are read before any is written."""
    if size == 0:
        return
    from_object, start = stretch(explorer, state, source, size, where)
    to_object, at = stretch(explorer, state, target, size, where)
    if not may_overlap and from_object == to_object and 0 < abs(at - start) < size:
        raise PathEnd(Failed(OVERLAP, where))
    pieces = state.memory.objects[from_object].pieces(start, size)
    thing = writable(state, to_object, where)
    for offset, count, value in pieces:
        thing.write(at + offset, count, value)


def memcpy(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    size = size_of(explorer, state, arguments[2], arguments[:2], where)
    copy(explorer, state, arguments[0], arguments[1], size, where, may_overlap=False)
    return arguments[0]


def memmove(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    size = size_of(explorer, state, arguments[2], arguments[:2], where)
    copy(explorer, state, arguments[0], arguments[1], size, where)
    return arguments[0]


def memset(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    size = size_of(explorer, state, arguments[2], arguments[:1], where)
    if size == 0:
        return arguments[0]
    number, at = stretch(explorer, state, arguments[0], size, where)
    fill = arguments[1]
    if not isinstance(fill, int | Term | Partial):
        raise Unsupported("filling memory with what is no number", where)
    wide = explorer.module.layout.store_size(call.arguments[1].value.type)
    byte = byte_of(fill, 0, wide)
    thing = writable(state, number, where)
    if size == thing.size and isinstance(byte, int):
        thing.fill(byte)
        return arguments[0]
    for i in range(size):
        thing.write(at + i, 1, byte)
    return arguments[0]


def byte_at(explorer: Explorer, state: State, held: Held, index: int, where: Location | None) -> int | Term:
    """A byte some places behind an address, to be looked at."""
    pointer = moved(explorer.addresses.pointer(held, where), index)
    return explorer.settled(explorer.addresses.load(state, pointer, I8, where), UNSET_USE, where)


def memcmp(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    """The order of the first bytes that differ, as one term, from the last byte back to the first."""
    where = location(call.loc)
    size = size_of(explorer, state, arguments[2], arguments[:2], where)
    result = build.const(_RESULT, 0)
    pairs = []
    for i in range(size):
        a, b = (byte_at(explorer, state, argument, i, where) for argument in arguments[:2])
        pairs.append((a, b))
        if isinstance(a, int) and isinstance(b, int) and a != b:
            break
    for a, b in reversed(pairs):
        result = build.ite(build.eq(lift(a, I8), lift(b, I8)), result, order(a, b))
    return lower(result)


def order(a: int | Term, b: int | Term) -> Term:
    """-1, 0 or 1: C promises the sign of a comparison and nothing else."""
    x, y = lift(a, I8), lift(b, I8)
    differ = build.ite(build.bvult(x, y), build.const(_RESULT, -1), build.const(_RESULT, 1))
    return build.ite(build.eq(x, y), build.const(_RESULT, 0), differ)


def inside(explorer: Explorer, held: Held, index: int, where: Location | None) -> Pointer:
    """The address some bytes behind an address."""
    return moved(explorer.addresses.pointer(held, where), index)
