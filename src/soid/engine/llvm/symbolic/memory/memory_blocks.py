"""Blocks of memory: memcpy, memmove, memset, memcmp, and the primitives that string functions share with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from soid.assumptions import Ledger
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import I8, IntegerType
from soid.engine.llvm.ir.operands import GlobalRef
from soid.engine.llvm.symbolic.memory.addresses import READ_ONLY, outside
from soid.engine.llvm.symbolic.memory.memory_object import MemoryObject, byte_of
from soid.engine.llvm.symbolic.memory.offsets import distance, moved
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled, PathEnd
from soid.engine.llvm.symbolic.values.held_values import Held, Partial, Pointer, lift, lower
from soid.engine.summary import Failed
from soid.formula import build
from soid.formula.operators import signed
from soid.formula.sorts import BitVec
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.explorer import Explorer

T = TypeVar("T")

OVERLAP: Final = "copy between overlapping memory"
_PACE: Final = 4096  # parts of a block between two looks at the budget
_LONGEST: Final = 1 << 24  # bytes that one call may copy


def length(explorer: Explorer, state: PathState, held: Held) -> int:
    """A length as a plain number; paths with its other values run the instruction again later."""
    value = explorer.settled(state, held)
    return explorer.brancher.choose(state, value) if isinstance(value, Term) else value


def size_of(explorer: Explorer, state: PathState, held: Held, targets: Sequence[Held]) -> int:
    """The size of a block as a plain number; all sizes that exceed the smallest target end as one path."""
    value = explorer.settled(state, held)
    if not isinstance(value, Term):
        return value
    rooms = []
    for target in targets:
        pointer = explorer.addresses.pointer(state, target)
        thing = state.memory.objects.get(pointer.object)
        start = pointer.offset if isinstance(pointer.offset, int) else 0
        if thing is not None and thing.alive and start >= 0:
            rooms.append((max(0, thing.size - start), thing))
    if rooms:
        most, thing = min(rooms, key=lambda room: room[0])
        enough = build.bvule(value, build.const(value.sort, most))
        explorer.brancher.continue_where(state, enough, outside(state, thing))
    return explorer.brancher.choose(state, value)


def stretch(explorer: Explorer, state: PathState, held: Held, size: int) -> tuple[int, int]:
    """Object and offset of a block inside its object; paths with other offsets run the instruction again later."""
    pointer = explorer.addresses.pointer(state, held)
    thing = explorer.addresses.target(state, pointer)
    offset = pointer.offset
    if not isinstance(offset, int):
        offset = signed(explorer.brancher.choose(state, distance(offset)), 64)
    if not 0 <= offset <= thing.size - size:
        raise PathEnd(outside(state, thing))
    if size > _LONGEST:
        raise NotModelled(f"{size} bytes at once")
    return pointer.object, offset


def writable(state: PathState, number: int) -> MemoryObject:
    if not state.memory.objects[number].writable:
        raise PathEnd(Failed(READ_ONLY, state.where))
    return state.memory.to_write(number)


def _paced(explorer: Explorer, state: PathState, parts: Iterable[T]) -> Iterator[T]:
    """The parts of a block one by one; the path ends if the budget does."""
    for number, part in enumerate(parts):
        if number % _PACE == 0:
            explorer.end_if_spent(state)
        yield part


def _note_null(explorer: Explorer, *addresses: Held) -> None:
    """Note a null pointer to no bytes: C before C2y leaves open what memcpy does with it."""
    if any(isinstance(each, Pointer) and each.object == 0 for each in addresses):
        explorer.relies_on[Ledger.NULL_BLOCK.of()] = None


def copy(
    explorer: Explorer, state: PathState, target: Held, source: Held, size: int, *, may_overlap: bool = True
) -> None:
    """Copy a block. Values that lie inside it stay whole; all are read before any is written."""
    if size == 0:
        _note_null(explorer, source, target)
        return
    from_object, start = stretch(explorer, state, source, size)
    to_object, at = stretch(explorer, state, target, size)
    if not may_overlap and from_object == to_object and 0 < abs(at - start) < size:
        raise PathEnd(Failed(OVERLAP, state.where))
    pieces = list(_paced(explorer, state, state.memory.objects[from_object].pieces(start, size)))
    thing = writable(state, to_object)
    for offset, count, value in _paced(explorer, state, pieces):
        thing.write(at + offset, count, value)


def memmove(
    explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held], *, may_overlap: bool = True
) -> Held:
    size = size_of(explorer, state, arguments[2], arguments[:2])
    copy(explorer, state, arguments[0], arguments[1], size, may_overlap=may_overlap)
    return arguments[0]


memcpy: Final = partial(memmove, may_overlap=False)


def memset(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    size = size_of(explorer, state, arguments[2], arguments[:1])
    if size == 0:
        _note_null(explorer, arguments[0])
        return arguments[0]
    number, at = stretch(explorer, state, arguments[0], size)
    fill = arguments[1]
    if not isinstance(fill, int | Term | Partial):
        raise NotModelled("filling memory with what is no number")
    wide = explorer.module.layout.store_size(call.arguments[1].value.type)
    byte = byte_of(fill, 0, wide)
    thing = writable(state, number)
    if size == thing.size and isinstance(byte, int):
        thing.fill(byte)
    else:
        for i in _paced(explorer, state, range(size)):
            thing.write(at + i, 1, byte)
    return arguments[0]


def byte_at(explorer: Explorer, state: PathState, held: Held, index: int) -> int | Term:
    """The byte at an address plus `index`, for the program to use."""
    pointer = moved(explorer.addresses.pointer(state, held), index)
    return explorer.settled(state, explorer.addresses.load(state, pointer, I8))


def memcmp(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """The order of the first bytes that differ, as one term, built from the last byte to the first."""
    size = size_of(explorer, state, arguments[2], arguments[:2])
    if size == 0:
        _note_null(explorer, *arguments[:2])
    pairs = []
    for i in _paced(explorer, state, range(size)):
        a, b = (byte_at(explorer, state, argument, i) for argument in arguments[:2])
        pairs.append((a, b))
        if isinstance(a, int) and isinstance(b, int) and a != b:
            break
    result = difference(explorer, state, call, *pairs.pop()) if pairs else build.const(BitVec(width_of(call)), 0)
    for a, b in reversed(pairs):
        differ = difference(explorer, state, call, a, b)
        result = build.ite(build.eq(lift(a, I8), lift(b, I8)), result, differ)
    return lower(result)


def difference(explorer: Explorer, state: PathState, call: ir.Call, a: int | Term, b: int | Term) -> Term:
    """The difference of two bytes, as C libraries return it. C promises only its sign: what uses more relies on it."""
    if not explorer.constants.uses_sign_only(state.frame.function, call):
        name = call.callee.name if isinstance(call.callee, GlobalRef) else "comparing memory"
        explorer.relies_on[Ledger.DIFFERENCE.of(name)] = None
    above = width_of(call) - 8
    return build.bvsub(build.zero_extend(lift(a, I8), above), build.zero_extend(lift(b, I8), above))


def width_of(call: ir.Call) -> int:
    """The bits of the integer that a call returns: an int of the target."""
    kind = call.type.returns
    assert isinstance(kind, IntegerType)
    return kind.width


def inside(explorer: Explorer, state: PathState, held: Held, index: int) -> Pointer:
    """An address plus `index` bytes."""
    return moved(explorer.addresses.pointer(state, held), index)
