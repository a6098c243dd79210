"""Bit-fields: which bits of a load matter, and which bits a store changes.

A compiler writes a bit-field by loading the bytes around it, clearing its bits, setting them and storing all bytes:

    %1 = load i8, ptr %p        none of its bits matters
    %2 = and i8 %1, -8
    %3 = or i8 %2, %value
    store i8 %3, ptr %p         changes the lowest three bits

It reads a bit-field by shifting the other bits out.
"""

from __future__ import annotations

from functools import cached_property, reduce
from operator import or_
from typing import final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.ir_types import IntegerType
from soid.engine.llvm.ir.operands import ConstInt, Register, Value


@final
class BitFields:
    """The loads and stores of one function."""

    def __init__(self, function: Function) -> None:
        self._function = function

    @cached_property
    def _users(self) -> dict[int, list[ir.Instruction]]:
        """The instructions that use each register, by slot."""
        users: dict[int, list[ir.Instruction]] = {}
        for block in self._function.blocks:
            for one in block.instructions:
                for operand in registers_of(one):
                    users.setdefault(operand.slot, []).append(one)
        return users

    @cached_property
    def _made_by(self) -> dict[int, ir.Instruction]:
        return {one.result.slot: one for block in self._function.blocks for one in block.instructions if one.result}

    def read(self, load: ir.Load) -> int | None:
        """The bits of a loaded integer that matter; None: all."""
        if not isinstance(load.result.type, IntegerType):
            return None
        users = self._users.get(load.result.slot, [])
        if users and all(self._puts_back(user, load) for user in users):
            return 0
        return reduce(or_, (self._looked_at(user, load.result, 2) for user in users)) if users else None

    def _looked_at(self, user: ir.Instruction, register: Register, depth: int) -> int:
        """The bits of a register that matter to one use."""
        assert isinstance(register.type, IntegerType)
        width = register.type.width
        every = (1 << width) - 1
        match user:
            case ir.BinaryOp(result, op, Register(slot=slot), ConstInt(value=value)) if slot == register.slot:
                if op == "and":
                    return value
                if op not in ("shl", "lshr", "ashr") or value >= width:
                    return every
                users = self._users.get(result.slot, []) if depth > 1 else []
                inner = reduce(or_, (self._looked_at(each, result, depth - 1) for each in users)) if users else every
                if op == "shl":
                    return inner >> value
                high = every ^ (1 << width - value) - 1
                return inner << value & every | (1 << width - 1 if op == "ashr" and inner & high else 0)
            case _:
                return every

    def _puts_back(self, user: ir.Instruction, load: ir.Load) -> bool:
        """Whether a use of a load clears some bits and stores the others back."""
        if not isinstance(user, ir.BinaryOp) or user.op != "and" or not isinstance(user.right, ConstInt):
            return False
        after = self._users.get(user.result.slot, [])
        if len(after) == 1 and isinstance(after[0], ir.BinaryOp) and after[0].op == "or":
            after = self._users.get(after[0].result.slot, [])
        stores = [one for one in after if isinstance(one, ir.Store)]
        return bool(after) and len(stores) == len(after) and all(one.pointer == load.pointer for one in stores)

    def written(self, store: ir.Store) -> int | None:
        """The bits of a stored integer that change memory; None: all."""
        value = self._maker(store.value)
        if isinstance(value, ir.BinaryOp) and value.op == "or":
            value = self._maker(value.left)
        if not isinstance(value, ir.BinaryOp) or value.op != "and" or not isinstance(value.right, ConstInt):
            return None
        load = self._maker(value.left)
        if not isinstance(load, ir.Load) or load.pointer != store.pointer or not self._puts_back(value, load):
            return None
        return ((1 << value.right.type.width) - 1) ^ value.right.value

    def _maker(self, value: Value) -> ir.Instruction | None:
        return self._made_by.get(value.slot) if isinstance(value, Register) else None


def used_slots(function: Function) -> set[int]:
    return {used.slot for block in function.blocks for one in block.instructions for used in registers_of(one)}


def registers_of(one: ir.Instruction) -> list[Register]:
    found: list[Register] = []
    for name in one.__struct_fields__:
        if name != "result":
            _collect(getattr(one, name), found)
    return found


def _collect(value: object, found: list[Register]) -> None:
    if isinstance(value, Register):
        found.append(value)
    elif isinstance(value, ir.Argument):
        _collect(value.value, found)
    elif isinstance(value, ir.Call):
        found += registers_of(value)
    elif isinstance(value, tuple):
        for each in value:
            _collect(each, found)
