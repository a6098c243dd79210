"""Describes what a branch depends on, in the program's words.

    %0 = load float, ptr %distance          road.distance 42.97 >= safe 51.76
    %1 = load float, ptr %safe
    %cmp = fcmp oge float %0, %1
    br i1 %cmp, ...

A value has a name if the block of the branch loads it from a variable of the program or from a local variable, or if
a function returns it there. Other values stand without a name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from soid.engine.llvm.debug.debug_info import DebugInfo
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_module import BasicBlock
from soid.engine.llvm.ir.ir_types import IntegerType, Type
from soid.engine.llvm.ir.operands import GlobalRef, Register, Value
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.symbolic.explorer import Explorer
from soid.engine.llvm.symbolic.path_state import StackFrame
from soid.engine.llvm.symbolic.values.held_values import FORMATS, Held, Pointer
from soid.formula.term import Term
from soid.program import types

_SIGNS: Final = {"eq": "==", "ne": "!=", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}


@final
class BranchDescription:
    """Names and values of one call that has not returned."""

    def __init__(
        self, explorer: Explorer, frame: StackFrame, debug: DebugInfo, variables: Mapping[tuple[int, int], str]
    ) -> None:
        self.frame = frame
        self._explorer = explorer
        self._debug = debug
        self._variables = variables  # paths by object and offset
        info = debug.function(frame.function.name) if frame.function.subprogram is not None else None
        self.function = info.name if info is not None else frame.function.name
        self._locals: dict[int, str] = {}  # names by the register with the address
        if info is not None:
            named = [(each.address, each.name) for each in info.params]
            named += [(each.address, each.name) for each in info.locals if not each.indirect]
            self._locals = {address.slot: name for address, name in named if isinstance(address, Register)}

    def condition(self, block: BasicBlock, came_from: int, condition: Value) -> str:
        """A condition of the block: a comparison with its two values, else the name of the value that is tested."""
        for each in block.instructions:
            if isinstance(each, ir.Phi) and each.result == condition:  # the end of `a && b`
                value = next((value for value, block_before in each.incoming if block_before == came_from), None)
                # the block before that one is not known, so a phi there has no description
                return "" if value is None else self.condition(self.frame.function.blocks[came_from], -1, value)
            if isinstance(each, ir.ICmp | ir.FCmp) and each.result == condition:
                sign = _SIGNS.get(each.predicate if len(each.predicate) == 2 else each.predicate[1:])
                signed = not each.predicate.startswith("u")
                left, right = (self.operand(block, side, signed=signed) for side in (each.left, each.right))
                return f"{left} {sign} {right}" if sign and left and right else ""
        return self._name(block, condition)

    def operand(self, block: BasicBlock, value: Value, *, signed: bool = True) -> str:
        """A number with its name before it, if it has one; empty for other values."""
        name, text = self._name(block, value), self.number(value.type, self._explorer.value(self.frame, value), signed)
        return f"{name} {text}" if name and text else text

    def number(self, kind: Type, held: Held, signed: bool = True) -> str:
        if isinstance(held, Term):
            if not held.is_const:
                return ""
            held = int(held.value)
        if not isinstance(held, int):
            return ""
        if isinstance(kind, IntegerType):
            return types.show(types.IntType(kind.width, signed and kind.width > 1), held)
        format = FORMATS.get(kind)
        return types.show(types.FloatType(format), held) if format is not None else ""

    def _name(self, block: BasicBlock, value: Value) -> str:
        """The name of a value that is loaded from a variable or returned by a function."""
        for each in block.instructions:
            if getattr(each, "result", None) != value or not isinstance(value, Register):
                continue
            match each:
                case ir.Cast():
                    return self._name(block, each.value)
                case ir.Load(pointer=Register(slot=slot)):
                    return self._locals.get(slot) or self._at(self.frame.registers[slot])
                case ir.Load(pointer=GlobalRef() as target):
                    return self._at(self._explorer.value(self.frame, target))
                case ir.Call(callee=GlobalRef(name=name)):
                    function = self._explorer.module.functions[name]
                    return (
                        f"{self._debug.function(name).name if function.subprogram is not None else demangled(name)}()"
                    )
                case _:
                    return ""
        return ""

    def _at(self, held: Held | None) -> str:
        """The path of the program's variable at an address."""
        if isinstance(held, Pointer) and isinstance(held.offset, int):
            return self._variables.get((held.object, held.offset), "")
        return ""
