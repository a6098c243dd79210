"""Concrete steps: instructions as closures for plain numbers and concrete addresses, which most of a run consists of.

A step is made when a path first enters its block: it has looked up the operands and tested the types already. A step
either runs the instruction and returns True, or changes nothing and returns False. Then the instruction's handler runs
it: that one knows every other kind of value, and every failure. Where poison is a value, no steps are used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_module import BasicBlock
from soid.engine.llvm.ir.ir_types import DOUBLE, FLOAT, IntegerType, Ptr, Type
from soid.engine.llvm.ir.operands import ConstInt, Register, Value
from soid.engine.llvm.symbolic.memory.memory_object import MemoryKind, MemoryObject
from soid.engine.llvm.symbolic.path_state import PathState, StackFrame
from soid.engine.llvm.symbolic.paths.path_end import FoldedAway, NotModelled
from soid.engine.llvm.symbolic.values import number_arithmetic as arithmetic
from soid.engine.llvm.symbolic.values import number_conversions as converting
from soid.engine.llvm.symbolic.values.held_values import FIXED, Held, Pointer, sort_of
from soid.formula.operators import signed
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.program_constants import Constants

ConcreteStep: TypeAlias = Callable[[PathState, StackFrame], bool]

_FLOATS: Final = frozenset({FLOAT, DOUBLE})
_NO_SLOT: Final = -1


def prepare(constants: Constants, block: BasicBlock) -> tuple[ConcreteStep | None, ...]:
    """The steps of a block; None for an instruction that its handler always runs."""
    found: list[ConcreteStep | None] = []
    for one in block.instructions:
        make = _MAKERS.get(type(one))
        try:
            found.append(make(constants, one) if make is not None else None)
        except (FoldedAway, NotModelled):
            found.append(None)  # an operand or type is not modelled; the handler reports it if the program gets there
    return tuple(found)


def _operand(constants: Constants, operand: Value) -> tuple[int, Held]:
    """The slot of a register, or the value of a constant."""
    return (operand.slot, 0) if type(operand) is Register else (_NO_SLOT, constants.known(operand))


def _is_number(kind: Type) -> bool:
    """Whether a value of a type is a plain number, if it is concrete."""
    return type(kind) is IntegerType or kind in _FLOATS


# --- memory -------------------------------------------------------------------------------------------------------


def _alloca(constants: Constants, one: ir.Alloca) -> ConcreteStep | None:
    if type(one.count) is not ConstInt:
        return None
    size, name, result = constants.layout.size(one.allocated) * one.count.value, one.result.name, one.result.slot

    def step(state: PathState, frame: StackFrame) -> bool:
        if size > state.stack_left:
            return False
        state.stack_left -= size
        frame.taken += size
        pointer = state.memory.add(MemoryObject(name, size, MemoryKind.STACK))
        frame.stack.append(pointer.object)
        frame.registers[result] = pointer
        return True

    return step


def _load(constants: Constants, one: ir.Load) -> ConcreteStep | None:
    kind, result = one.result.type, one.result.slot
    if one.volatile or (not _is_number(kind) and type(kind) is not Ptr):
        return None
    slot, constant = _operand(constants, one.pointer)
    size, wanted = constants.layout.store_size(kind), Pointer if type(kind) is Ptr else int
    sort = None if type(kind) is Ptr else sort_of(kind)

    def step(state: PathState, frame: StackFrame) -> bool:
        pointer = frame.registers[slot] if slot >= 0 else constant
        if type(pointer) is not Pointer or pointer.past_end:
            return False
        offset = pointer.offset
        thing = state.memory.objects.get(pointer.object)
        if thing is None or type(offset) is not int or not thing.alive or not thing.direct:
            return False
        cell = thing.cells.get(offset) if thing.cells else None
        if cell is not None and cell[0] == size:  # a value was stored here, so the load is inside the object
            held = cell[1]
        elif 0 <= offset <= thing.size - size:
            try:
                held = thing.read(offset, size)
            except NotModelled:
                return False
        else:
            return False
        if type(held) is wanted or (type(held) is Term and held.sort == sort):
            if type(held) is Pointer and held.object < FIXED:  # a function pointer that is an input
                return False
            frame.registers[result] = held
            return True
        return False

    return step


def _store(constants: Constants, one: ir.Store) -> ConcreteStep | None:
    kind = one.value.type
    if not _is_number(kind) and type(kind) is not Ptr:
        return None
    slot, constant = _operand(constants, one.pointer)
    from_slot, from_constant = _operand(constants, one.value)
    size = constants.layout.store_size(kind)
    single_bit = type(kind) is IntegerType and kind.width == 1  # the handler widens a Bool term to a byte
    taken = frozenset({int, Pointer} if single_bit else {int, Pointer, Term})

    def step(state: PathState, frame: StackFrame) -> bool:
        pointer = frame.registers[slot] if slot >= 0 else constant
        held = frame.registers[from_slot] if from_slot >= 0 else from_constant
        if type(pointer) is not Pointer or pointer.past_end or held is None or type(held) not in taken:
            return False
        offset, memory = pointer.offset, state.memory
        thing = memory.objects.get(pointer.object)
        if thing is None or not thing.alive or not thing.writable or not thing.direct:
            return False
        if type(offset) is not int or not 0 <= offset <= thing.size - size:
            return False
        memory.to_write(pointer.object).write(offset, size, held)
        return True

    return step


def _gep(constants: Constants, one: ir.Gep) -> ConcreteStep:
    route, result = constants.route(one), one.result.slot
    slot, base = _operand(constants, one.base)
    along, stays = route.constant, route.stays
    steps = [(*_operand(constants, one.indices[each.index]), each.width, each.size, each.count) for each in route.steps]

    def member(state: PathState, frame: StackFrame) -> bool:
        pointer = frame.registers[slot] if slot >= 0 else base
        if type(pointer) is not Pointer or type(pointer.offset) is not int or not pointer.object:
            return False
        frame.registers[result] = Pointer(pointer.object, pointer.offset + along, pointer.past_end and stays)
        return True

    def element(state: PathState, frame: StackFrame) -> bool:
        registers = frame.registers
        pointer = registers[slot] if slot >= 0 else base
        if type(pointer) is not Pointer or type(pointer.offset) is not int or not pointer.object:
            return False
        offset, past_end = pointer.offset + along, pointer.past_end and stays
        for at, known, width, size, count in steps:
            index = registers[at] if at >= 0 else known
            if type(index) is not int:
                return False
            number = signed(index, width)
            if count is not None:
                if not 0 <= number <= count:
                    return False
                past_end = past_end or number == count
            offset += number * size
        registers[result] = Pointer(pointer.object, offset, past_end)
        return True

    return element if steps else member


# --- numbers ------------------------------------------------------------------------------------------------------


def _of_two(constants: Constants, one: Any, compute: Callable[[int, int], Held | None]) -> ConcreteStep:
    """A step that computes with two plain numbers; `compute` gives None where the handler must run the instruction."""
    left, first = _operand(constants, one.left)
    right, second = _operand(constants, one.right)
    result = one.result.slot

    def step(state: PathState, frame: StackFrame) -> bool:
        registers = frame.registers
        a = registers[left] if left >= 0 else first
        b = registers[right] if right >= 0 else second
        if type(a) is not int or type(b) is not int:
            return False
        held = compute(a, b)
        if held is None:
            return False
        registers[result] = held
        return True

    return step


def _binary(constants: Constants, one: ir.BinaryOp) -> ConcreteStep | None:
    kind: Type = one.result.type
    if type(kind) is IntegerType:
        return None if "exact" in one.flags else _of_two(constants, one, arithmetic.met(one.op, kind, one.flags))
    if kind in _FLOATS and not one.flags:
        return _of_two(constants, one, lambda a, b: arithmetic.floating(one.op, a, b, kind))
    return None


def _icmp(constants: Constants, one: ir.ICmp) -> ConcreteStep | None:
    kind: Type = one.left.type
    if type(kind) is not IntegerType or one.flags:
        return None
    holds = arithmetic.comparison(one.predicate, kind.width)
    return _of_two(constants, one, lambda a, b: 1 if holds(a, b) else 0)


def _fcmp(constants: Constants, one: ir.FCmp) -> ConcreteStep | None:
    kind: Type = one.left.type
    if kind not in _FLOATS or one.flags:
        return None
    return _of_two(constants, one, lambda a, b: arithmetic.compare_floats(one.predicate, a, b, kind))


def _cast(constants: Constants, one: ir.Cast) -> ConcreteStep | None:
    source, target = one.value.type, one.result.type
    if not _is_number(source) or not _is_number(target) or one.flags:
        return None
    slot, constant = _operand(constants, one.value)
    convert, result = converting.met(one.op, source, target), one.result.slot

    def step(state: PathState, frame: StackFrame) -> bool:
        held = frame.registers[slot] if slot >= 0 else constant
        converted = convert(held) if type(held) is int else None
        if converted is None:
            return False
        frame.registers[result] = converted
        return True

    return step


_MAKERS: Final[Mapping[type, Callable[[Constants, Any], ConcreteStep | None]]] = {
    ir.Alloca: _alloca,
    ir.Load: _load,
    ir.Store: _store,
    ir.Gep: _gep,
    ir.BinaryOp: _binary,
    ir.ICmp: _icmp,
    ir.FCmp: _fcmp,
    ir.Cast: _cast,
}
