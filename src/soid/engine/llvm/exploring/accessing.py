"""Instructions that reach into memory, or into values with parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring import promises
from soid.engine.llvm.exploring.addresses import UNSET_ADDRESS
from soid.engine.llvm.exploring.arithmetic import truth
from soid.engine.llvm.exploring.poison import NOTHING, hopeless, poisoned, stripped
from soid.engine.llvm.exploring.runtime import UNSET_USE, Held, Partial, Poisoned, Unsupported, location
from soid.engine.llvm.exploring.state import Frame, State
from soid.engine.llvm.types import VectorType
from soid.engine.llvm.values import ConstData, ConstInt, ConstZero, Poison, Undef
from soid.formula import build

if TYPE_CHECKING:
    from soid.engine.llvm.exploring.explorer import Explorer

TOO_LONG = "variable-length array of a length that no stack holds"
_STACK = 1 << 30  # bytes; a negative length is one far above


def alloca(explorer: Explorer, state: State, frame: Frame, one: ir.Alloca) -> None:
    size = explorer.module.layout.size(one.allocated)
    count = one.count.value if isinstance(one.count, ConstInt) else _length(explorer, state, frame, one)
    explorer.set(frame, one.result, explorer.allocate(state, one.result.name, size * count, "stack"))


def _length(explorer: Explorer, state: State, frame: Frame, one: ir.Alloca) -> int:
    """How many elements a variable-length array has on this path; others come later."""
    where = location(one.loc)
    count = explorer.settled(explorer.sound(state, explorer.value(frame, one.count)), UNSET_USE, where)
    most = _STACK // max(1, explorer.module.layout.size(one.allocated))
    if isinstance(count, int):
        explorer.brancher.require(state, count <= most, TOO_LONG, where)
        return count
    explorer.brancher.require(state, truth(build.bvule(count, build.const(count.sort, most))), TOO_LONG, where)
    return explorer.brancher.choose(state, count)


def load(explorer: Explorer, state: State, frame: Frame, one: ir.Load) -> None:
    where = location(one.loc)
    address = explorer.sound(state, explorer.value(frame, one.pointer))
    held = explorer.addresses.load(state, address, one.result.type, where)
    if one.promise is not None and explorer.lazy:
        held = promises.kept(explorer, state, one.promise, one.result.type, held, where)
    explorer.set(frame, one.result, held)


def store(explorer: Explorer, state: State, frame: Frame, one: ir.Store) -> None:
    target, held = explorer.sound(state, explorer.value(frame, one.pointer)), explorer.value(frame, one.value)
    explorer.addresses.store(state, target, held, one.value.type, location(one.loc))
    frame.at += 1


def gep(explorer: Explorer, state: State, frame: Frame, one: ir.Gep) -> None:
    if explorer.lazy:
        explorer.set(frame, one.result, _lazy_gep(explorer, state, frame, one))
        return
    route = explorer.constants.route(one)
    where = location(one.loc)
    base = explorer.addresses.pointer(explorer.value(frame, one.base), where)
    indices = [
        explorer.settled(explorer.value(frame, one.indices[step.index]), UNSET_ADDRESS, where) for step in route.steps
    ]
    explorer.set(frame, one.result, explorer.addresses.element(state, base, route, indices, where))


def _lazy_gep(explorer: Explorer, state: State, frame: Frame, one: ir.Gep) -> Held:
    """As LLVM has it: bounds are those of the whole object, and going out of them gives poison."""
    where = location(one.loc)
    if isinstance(one.result.type, VectorType):
        raise Unsupported("a vector of addresses", where)
    route = explorer.constants.route(one)

    def compute(base: Held, *indices: Held) -> Held:
        if any(isinstance(each, Partial) for each in (base, *indices)):
            return Partial(0, (1 << 64) - 1, exact=False)
        pointer = explorer.addresses.pointer(base, where)
        numbers = [explorer.settled(index, UNSET_ADDRESS, where) for index in indices]
        return promises.moved(explorer, state, pointer, route, numbers, one.flags, where)

    operands = [
        explorer.value(frame, one.base),
        *(explorer.value(frame, one.indices[step.index]) for step in route.steps),
    ]
    return explorer.computed(operands, compute)


def _part(held: Held, index: int, one: ir.Instruction) -> Held:
    if not isinstance(held, tuple) or index >= len(held):
        raise Unsupported("a part of what has none", location(one.loc))
    return held[index]


def extract_value(explorer: Explorer, state: State, frame: Frame, one: ir.ExtractValue) -> None:
    held = explorer.value(frame, one.aggregate)
    for index in one.indices:
        held = _part(held, index, one)
    explorer.set(frame, one.result, held)


def insert_value(explorer: Explorer, state: State, frame: Frame, one: ir.InsertValue) -> None:
    def inserted(held: Held, indices: tuple[int, ...]) -> Held:
        if not indices:
            return explorer.value(frame, one.value)
        first, *rest = indices
        inner = inserted(_part(held, first, one), tuple(rest))
        assert isinstance(held, tuple)  # it had a part
        return (*held[:first], inner, *held[first + 1 :])

    explorer.set(frame, one.result, inserted(explorer.value(frame, one.aggregate), one.indices))


def extract_element(explorer: Explorer, state: State, frame: Frame, one: ir.ExtractElement) -> None:
    held, index = explorer.value(frame, one.vector), explorer.value(frame, one.index)
    at = _which(explorer, state, held, index, one)
    explorer.set(frame, one.result, at if isinstance(at, Poisoned) else _part(held, at, one))


def insert_element(explorer: Explorer, state: State, frame: Frame, one: ir.InsertElement) -> None:
    held, index = explorer.value(frame, one.vector), explorer.value(frame, one.index)
    at = _which(explorer, state, held, index, one)
    if not isinstance(held, tuple):
        raise Unsupported("an element of what is no vector", location(one.loc))
    if isinstance(at, Poisoned):
        explorer.set(frame, one.result, tuple(poisoned(part, at.flaws) for part in held))
    else:
        explorer.set(frame, one.result, (*held[:at], explorer.value(frame, one.value), *held[at + 1 :]))


def _which(
    explorer: Explorer, state: State, held: Held, index: Held, one: ir.ExtractElement | ir.InsertElement
) -> int | Poisoned:
    """The number of an element; paths with its other values come later. One that is not there gives poison."""
    where = location(one.loc)
    value, flaws = stripped(index)
    if hopeless(flaws) is not None:
        return Poisoned(0, flaws)
    number = explorer.settled(explorer.sound(state, index) if flaws else value, UNSET_USE, where)
    at = number if isinstance(number, int) else explorer.brancher.choose(state, number)
    if not isinstance(held, tuple):
        raise Unsupported("an element of what is no vector", where)
    if at >= len(held):
        raise Unsupported("an element that a vector does not have", where)
    return at


def shuffle_vector(explorer: Explorer, state: State, frame: Frame, one: ir.ShuffleVector) -> None:
    left, right = explorer.value(frame, one.left), explorer.value(frame, one.right)
    if not isinstance(left, tuple) or not isinstance(right, tuple):
        raise Unsupported("a shuffle of what is no vector", location(one.loc))
    both = (*left, *right)
    explorer.set(frame, one.result, tuple(NOTHING if i is None else both[i] for i in _mask(one)))


def _mask(one: ir.ShuffleVector) -> list[int | None]:
    """Which element goes where; None for any."""
    mask, kind = one.mask, one.mask.type
    assert isinstance(kind, VectorType)
    if kind.scalable:
        raise Unsupported(f"a shuffle of {kind}", location(one.loc))
    if isinstance(mask, ConstZero):
        return [0] * kind.count
    if isinstance(mask, Poison | Undef):
        return [None] * kind.count
    if isinstance(mask, ConstData):
        return list(mask.values)
    return [part.value if isinstance(part, ConstInt) else None for part in getattr(mask, "elements", ())]
