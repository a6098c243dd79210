"""Instructions prepared for known values: most of a run is plain numbers at plain places.

A step is an instruction whose operands were looked up and whose types were told apart once, when its block was first
entered. It does the instruction whole and says so, or does nothing at all: then the instruction's handler does it,
which knows every other kind of value and what goes wrong. Where poison is a value, nothing is done by steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring import arithmetic, converting
from soid.engine.llvm.exploring.memory import Object
from soid.engine.llvm.exploring.runtime import FoldedAway, Held, Pointer, Unsupported, sort_of
from soid.engine.llvm.exploring.state import Frame, State
from soid.engine.llvm.ir import Block
from soid.engine.llvm.types import DoubleType, FloatType, IntType, Ptr, Type
from soid.engine.llvm.values import ConstInt, Register, Value
from soid.formula.operators import signed
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.exploring.constants import Constants

Step: TypeAlias = Callable[[State, Frame], bool]

_ORDINARY: Final = frozenset({"global", "stack", "heap", "given"})  # memory that a program may use
_FLOATS: Final = frozenset({FloatType, DoubleType})
_NUMBERS: Final = frozenset({IntType, *_FLOATS})  # what plain numbers, held as Python's, are of
_NO_SLOT: Final = -1


def prepare(constants: Constants, block: Block) -> tuple[Step | None, ...]:
    """The steps of a block; None for an instruction that its handler always does."""
    return tuple(_prepared(constants, one) for one in block.instructions)


def _prepared(constants: Constants, one: ir.Instruction) -> Step | None:
    make = _MAKERS.get(type(one))
    if make is None:
        return None
    try:
        return make(constants, one)
    except (FoldedAway, Unsupported):
        return None  # of a constant, or a type: the handler says it if the program comes there


def _operand(constants: Constants, operand: Value) -> tuple[int, Held]:
    """The slot of a register, or what a constant is."""
    return (operand.slot, 0) if type(operand) is Register else (_NO_SLOT, constants.known(operand))


# --- memory -------------------------------------------------------------------------------------------------------


def _alloca(constants: Constants, one: ir.Alloca) -> Step | None:
    if type(one.count) is not ConstInt:
        return None
    size, name, result = constants.layout.size(one.allocated) * one.count.value, one.result.name, one.result.slot

    def step(state: State, frame: Frame) -> bool:
        pointer = state.memory.add(Object(name, size, "stack"))
        frame.stack.append(pointer.object)
        frame.registers[result] = pointer
        return True

    return step


def _load(constants: Constants, one: ir.Load) -> Step | None:
    kind, result = one.result.type, one.result.slot
    if type(kind) not in _NUMBERS and type(kind) is not Ptr:
        return None
    slot, constant = _operand(constants, one.pointer)
    size, wanted = constants.layout.store_size(kind), Pointer if type(kind) is Ptr else int
    sort = None if type(kind) is Ptr else sort_of(kind)

    def step(state: State, frame: Frame) -> bool:
        pointer = frame.registers[slot] if slot >= 0 else constant
        if type(pointer) is not Pointer or pointer.past_end:
            return False
        offset = pointer.offset
        thing = state.memory.objects.get(pointer.object)
        if thing is None or type(offset) is not int or not thing.alive or thing.kind not in _ORDINARY:
            return False
        cell = thing.cells.get(offset) if thing.cells else None
        if cell is not None and cell[0] == size:  # what was written here lies inside
            held = cell[1]
        elif 0 <= offset <= thing.size - size:
            try:
                held = thing.read(offset, size)
            except Unsupported:
                return False
        else:
            return False
        if type(held) is wanted or (type(held) is Term and held.sort == sort):
            frame.registers[result] = held
            return True
        return False

    return step


def _store(constants: Constants, one: ir.Store) -> Step | None:
    kind = one.value.type
    if type(kind) not in _NUMBERS and type(kind) is not Ptr:
        return None
    slot, constant = _operand(constants, one.pointer)
    from_slot, from_constant = _operand(constants, one.value)
    size = constants.layout.store_size(kind)
    single_bit = type(kind) is IntType and kind.width == 1  # a term of which fills a byte
    taken = frozenset({int, Pointer} if single_bit else {int, Pointer, Term})

    def step(state: State, frame: Frame) -> bool:
        pointer = frame.registers[slot] if slot >= 0 else constant
        held = frame.registers[from_slot] if from_slot >= 0 else from_constant
        if type(pointer) is not Pointer or pointer.past_end or held is None or type(held) not in taken:
            return False
        offset, memory = pointer.offset, state.memory
        thing = memory.objects.get(pointer.object)
        if thing is None or not thing.alive or not thing.writable or thing.kind not in _ORDINARY:
            return False
        if type(offset) is not int or not 0 <= offset <= thing.size - size:
            return False
        memory.to_write(pointer.object).write(offset, size, held)
        return True

    return step


def _gep(constants: Constants, one: ir.Gep) -> Step:
    route, result = constants.route(one), one.result.slot
    slot, base = _operand(constants, one.base)
    along, stays = route.constant, route.stays
    steps = [(*_operand(constants, one.indices[each.index]), each.width, each.size, each.count) for each in route.steps]

    def member(state: State, frame: Frame) -> bool:
        pointer = frame.registers[slot] if slot >= 0 else base
        if type(pointer) is not Pointer or type(pointer.offset) is not int:
            return False
        frame.registers[result] = Pointer(pointer.object, pointer.offset + along, pointer.past_end and stays)
        return True

    def element(state: State, frame: Frame) -> bool:
        registers = frame.registers
        pointer = registers[slot] if slot >= 0 else base
        if type(pointer) is not Pointer or type(pointer.offset) is not int:
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


def _of_two(constants: Constants, one: Any, compute: Callable[[int, int], Held | None]) -> Step:
    """A step of two known numbers; nothing comes of it where they have no result."""
    left, first = _operand(constants, one.left)
    right, second = _operand(constants, one.right)
    result = one.result.slot

    def step(state: State, frame: Frame) -> bool:
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


def _binary(constants: Constants, one: ir.BinaryOp) -> Step | None:
    kind: Type = one.result.type
    if type(kind) is IntType:
        return None if "exact" in one.flags else _of_two(constants, one, arithmetic.met(one.op, kind, one.flags))
    if type(kind) in _FLOATS and not one.flags:
        return _of_two(constants, one, lambda a, b: arithmetic.floating(one.op, a, b, kind))
    return None


def _icmp(constants: Constants, one: ir.ICmp) -> Step | None:
    kind: Type = one.left.type
    if type(kind) is not IntType or one.flags:
        return None
    holds = arithmetic.comparison(one.predicate, kind.width)
    return _of_two(constants, one, lambda a, b: 1 if holds(a, b) else 0)


def _fcmp(constants: Constants, one: ir.FCmp) -> Step | None:
    kind: Type = one.left.type
    if type(kind) not in _FLOATS or one.flags:
        return None
    return _of_two(constants, one, lambda a, b: arithmetic.compare_floats(one.predicate, a, b, kind))


def _cast(constants: Constants, one: ir.Cast) -> Step | None:
    source, target = one.value.type, one.result.type
    if type(source) not in _NUMBERS or type(target) not in _NUMBERS or one.flags:
        return None
    slot, constant = _operand(constants, one.value)
    convert, result = converting.met(one.op, source, target), one.result.slot

    def step(state: State, frame: Frame) -> bool:
        held = frame.registers[slot] if slot >= 0 else constant
        converted = convert(held) if type(held) is int else None
        if converted is None:
            return False
        frame.registers[result] = converted
        return True

    return step


_MAKERS: Final[Mapping[type, Callable[[Constants, Any], Step | None]]] = {
    ir.Alloca: _alloca,
    ir.Load: _load,
    ir.Store: _store,
    ir.Gep: _gep,
    ir.BinaryOp: _binary,
    ir.ICmp: _icmp,
    ir.FCmp: _fcmp,
    ir.Cast: _cast,
}
