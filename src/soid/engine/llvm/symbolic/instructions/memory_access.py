"""Memory access: alloca, load, store, getelementptr; and parts of structs, arrays and vectors in registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soid.assumptions import Ledger
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import VectorType
from soid.engine.llvm.ir.operands import ConstData, ConstInt, ConstZero, Poison, Undef
from soid.engine.llvm.symbolic.memory.addresses import UNSET_ADDRESS
from soid.engine.llvm.symbolic.memory.memory_object import MemoryKind
from soid.engine.llvm.symbolic.path_state import PathState, StackFrame
from soid.engine.llvm.symbolic.paths.path_end import NotModelled, PathEnd
from soid.engine.llvm.symbolic.values import value_promises as promises
from soid.engine.llvm.symbolic.values.held_values import Held, Partial, Poisoned, unknown
from soid.engine.llvm.symbolic.values.poison import NOTHING, hopeless, poisoned, stripped
from soid.engine.summary import Unexplored
from soid.formula import build

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.explorer import Explorer

TOO_LONG = "variable-length array of a length that no stack holds"
_STACK = 1 << 30  # bytes; a negative length reads as a number far above


def alloca(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Alloca) -> None:
    fixed = isinstance(one.count, ConstInt)
    count = one.count.value if isinstance(one.count, ConstInt) else _length(explorer, state, frame, one)
    size = explorer.module.layout.size(one.allocated) * count
    take_stack(explorer, state, size)
    if not fixed:
        frame.resized += size
    explorer.set(frame, one.result, explorer.allocate(state, one.result.name, size, MemoryKind.STACK))


def take_stack(explorer: Explorer, state: PathState, size: int) -> None:
    """Give the function that runs room for local variables."""
    if size > state.stack_left:
        full = f"more than {explorer.limits.stack} bytes of local variables at once: the stack may be full"
        raise PathEnd(Unexplored(f"{full}. How large it is, soid.toml can say: [program] stack", state.where))
    state.stack_left -= size
    state.frame.taken += size


def release_stack(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> None:
    """llvm.stackrestore: the scope of variable-length arrays ends."""
    frame = state.frame
    state.stack_left += frame.resized
    frame.taken, frame.resized = frame.taken - frame.resized, 0


def _length(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Alloca) -> int:
    """The length of a variable-length array; paths with its other values run the instruction again later."""
    count = explorer.settled(state, explorer.sound(state, explorer.value(frame, one.count)))
    most = _STACK // max(1, explorer.module.layout.size(one.allocated))
    if isinstance(count, int):
        explorer.brancher.require(state, count <= most, TOO_LONG)
        return count
    explorer.brancher.require(state, build.bvule(count, build.const(count.sort, most)), TOO_LONG)
    return explorer.brancher.choose(state, count)


def load(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Load) -> None:
    address = explorer.sound(state, explorer.value(frame, one.pointer))
    if one.volatile:
        explorer.relies_on[Ledger.ALONE.of()] = None
    held = explorer.addresses.load(state, address, one.result.type)
    if explorer.lazy:
        held = promises.kept(explorer, state, one.promise, one.result.type, held)
    explorer.set(frame, one.result, held)


def store(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Store) -> None:
    target, held = explorer.sound(state, explorer.value(frame, one.pointer)), explorer.value(frame, one.value)
    explorer.addresses.store(state, target, held, one.value.type)
    frame.at += 1


def fence(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Fence) -> None:
    """An atomic access or a fence: where no other thread runs, the order of accesses is the program's."""
    explorer.relies_on[Ledger.ALONE.of()] = None
    if one.weak:
        explorer.relies_on[Ledger.NOT_SPURIOUS.of()] = None
    frame.at += 1


def gep(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Gep) -> None:
    if explorer.lazy:
        explorer.set(frame, one.result, _lazy_gep(explorer, state, frame, one))
        return
    route = explorer.constants.route(one)
    base = explorer.addresses.pointer(state, explorer.value(frame, one.base))
    indices = [
        explorer.settled(state, explorer.value(frame, one.indices[step.index]), UNSET_ADDRESS) for step in route.steps
    ]
    explorer.set(frame, one.result, explorer.addresses.element(state, base, route, indices))


def _lazy_gep(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Gep) -> Held:
    """getelementptr as LLVM defines it: the bounds are those of the whole object, and an address outside is poison."""
    if isinstance(one.result.type, VectorType):
        raise NotModelled("a vector of addresses")
    route = explorer.constants.route(one)

    def compute(base: Held, *indices: Held) -> Held:
        if any(isinstance(each, Partial) for each in (base, *indices)):
            return unknown(64)
        pointer = explorer.addresses.pointer(state, base)
        numbers = [explorer.settled(state, index, UNSET_ADDRESS) for index in indices]
        return promises.moved(explorer, state, pointer, route, numbers, one.flags)

    operands = (one.base, *(one.indices[step.index] for step in route.steps))
    return explorer.computed([explorer.value(frame, operand) for operand in operands], compute)


def _part(held: Held, index: int) -> Held:
    if not isinstance(held, tuple) or index >= len(held):
        raise NotModelled("a part of what has none")
    return held[index]


def extract_value(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.ExtractValue) -> None:
    held = explorer.value(frame, one.aggregate)
    for index in one.indices:
        held = _part(held, index)
    explorer.set(frame, one.result, held)


def insert_value(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.InsertValue) -> None:
    def inserted(held: Held, indices: tuple[int, ...]) -> Held:
        if not indices:
            return explorer.value(frame, one.value)
        first, *rest = indices
        inner = inserted(_part(held, first), tuple(rest))
        assert isinstance(held, tuple)  # `_part` has checked it
        return (*held[:first], inner, *held[first + 1 :])

    explorer.set(frame, one.result, inserted(explorer.value(frame, one.aggregate), one.indices))


def extract_element(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.ExtractElement) -> None:
    held, index = explorer.value(frame, one.vector), explorer.value(frame, one.index)
    at = _which(explorer, state, held, index)
    explorer.set(frame, one.result, at if isinstance(at, Poisoned) else _part(held, at))


def insert_element(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.InsertElement) -> None:
    held, index = explorer.value(frame, one.vector), explorer.value(frame, one.index)
    at = _which(explorer, state, held, index)
    if not isinstance(held, tuple):
        raise NotModelled("an element of what is no vector")
    if isinstance(at, Poisoned):
        explorer.set(frame, one.result, tuple(poisoned(part, at.flaws) for part in held))
    else:
        explorer.set(frame, one.result, (*held[:at], explorer.value(frame, one.value), *held[at + 1 :]))


def _which(explorer: Explorer, state: PathState, held: Held, index: Held) -> int | Poisoned:
    """The index of an element; paths with its other values run the instruction again later."""
    value, flaws = stripped(index)
    if hopeless(flaws) is not None:
        return Poisoned(0, flaws)
    number = explorer.settled(state, explorer.sound(state, index) if flaws else value)
    at = number if isinstance(number, int) else explorer.brancher.choose(state, number)
    if not isinstance(held, tuple):
        raise NotModelled("an element of what is no vector")
    if at >= len(held):
        raise NotModelled("an element that a vector does not have")
    return at


def shuffle_vector(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.ShuffleVector) -> None:
    left, right = explorer.value(frame, one.left), explorer.value(frame, one.right)
    if not isinstance(left, tuple) or not isinstance(right, tuple):
        raise NotModelled("a shuffle of what is no vector")
    both = (*left, *right)
    explorer.set(frame, one.result, tuple(NOTHING if i is None else both[i] for i in _mask(one)))


def _mask(one: ir.ShuffleVector) -> list[int | None]:
    """For each element of the result the index of its source; None: any value."""
    mask, kind = one.mask, one.mask.type
    assert isinstance(kind, VectorType)
    if kind.scalable:
        raise NotModelled(f"a shuffle of {kind}")
    if isinstance(mask, ConstZero):
        return [0] * kind.count
    if isinstance(mask, Poison | Undef):
        return [None] * kind.count
    if isinstance(mask, ConstData):
        return list(mask.values)
    return [part.value if isinstance(part, ConstInt) else None for part in getattr(mask, "elements", ())]
