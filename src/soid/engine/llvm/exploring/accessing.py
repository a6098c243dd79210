"""Instructions that reach into memory, or into values with parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.addresses import UNSET_ADDRESS
from soid.engine.llvm.exploring.arithmetic import truth
from soid.engine.llvm.exploring.runtime import UNSET_USE, Held, Unsupported, location
from soid.engine.llvm.exploring.state import Frame, State
from soid.engine.llvm.values import ConstInt
from soid.formula import build

if TYPE_CHECKING:
    from soid.engine.llvm.exploring.explorer import Explorer

TOO_LONG = "variable-length array of a length that no stack holds"
_STACK = 1 << 30  # bytes; a negative length is one far above


def alloca(explorer: Explorer, state: State, frame: Frame, one: ir.Alloca) -> None:
    size = explorer.module.layout.size(one.allocated)
    if type(one.count) is ConstInt:
        count = one.count.value
    else:
        count = _length(explorer, state, frame, one)
    explorer.set(frame, one.result, explorer.allocate(state, one.result.name, size * count, "stack"))


def _length(explorer: Explorer, state: State, frame: Frame, one: ir.Alloca) -> int:
    """How many elements a variable-length array has on this path; others come later."""
    where = location(one.loc)
    count = explorer.settled(explorer.value(frame, one.count), UNSET_USE, where)
    most = _STACK // max(1, explorer.module.layout.size(one.allocated))
    if isinstance(count, int):
        explorer.brancher.require(state, count <= most, TOO_LONG, where)
        return count
    explorer.brancher.require(state, truth(build.bvule(count, build.const(count.sort, most))), TOO_LONG, where)
    return explorer.brancher.choose(state, count)


def load(explorer: Explorer, state: State, frame: Frame, one: ir.Load) -> None:
    held = explorer.addresses.load(state, explorer.value(frame, one.pointer), one.result.type, location(one.loc))
    explorer.set(frame, one.result, held)


def store(explorer: Explorer, state: State, frame: Frame, one: ir.Store) -> None:
    target, held = explorer.value(frame, one.pointer), explorer.value(frame, one.value)
    explorer.addresses.store(state, target, held, one.value.type, location(one.loc))
    frame.at += 1


def gep(explorer: Explorer, state: State, frame: Frame, one: ir.Gep) -> None:
    where = location(one.loc)
    base = explorer.addresses.pointer(explorer.value(frame, one.base), where)
    route = explorer.constants.route(one)
    indices = [
        explorer.settled(explorer.value(frame, one.indices[step.index]), UNSET_ADDRESS, where) for step in route.steps
    ]
    explorer.set(frame, one.result, explorer.addresses.element(state, base, route, indices, where))


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
    if not isinstance(held, tuple) or not isinstance(index, int) or index >= len(held):
        raise Unsupported("an element of a vector", location(one.loc))
    explorer.set(frame, one.result, held[index])


def insert_element(explorer: Explorer, state: State, frame: Frame, one: ir.InsertElement) -> None:
    held, index = explorer.value(frame, one.vector), explorer.value(frame, one.index)
    if not isinstance(held, tuple) or not isinstance(index, int) or index >= len(held):
        raise Unsupported("an element of a vector", location(one.loc))
    explorer.set(frame, one.result, (*held[:index], explorer.value(frame, one.value), *held[index + 1 :]))
