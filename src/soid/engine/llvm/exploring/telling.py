"""What a branch depends on, in the program's words.

    %0 = load float, ptr %distance          road.distance 42.97 >= safe 51.76
    %1 = load float, ptr %safe
    %cmp = fcmp oge float %0, %1
    br i1 %cmp, ...

Names are those of the program's variables and of the function's locals, as far as a value was loaded from one, or was
returned by a function, just before the branch. Where nothing can be named, values stand alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.debuginfo import DebugInfo
from soid.engine.llvm.exploring.explorer import Explorer
from soid.engine.llvm.exploring.runtime import FORMATS, Held, Pointer
from soid.engine.llvm.exploring.state import Frame
from soid.engine.llvm.ir import Block
from soid.engine.llvm.names import demangled
from soid.engine.llvm.types import IntType, Type
from soid.engine.llvm.values import GlobalRef, Register, Value
from soid.formula.term import Term
from soid.program import types

_SIGNS: Final = {"eq": "==", "ne": "!=", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}


@final
class Teller:
    """Names and values in one call that is under way."""

    def __init__(
        self, explorer: Explorer, frame: Frame, debug: DebugInfo, variables: Mapping[tuple[int, int], str]
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

    def condition(self, block: Block, came_from: int, condition: Value) -> str:
        """A condition that was just computed: a comparison with its values, else the name of what was looked at."""
        for each in block.instructions:
            if isinstance(each, ir.Phi) and each.result == condition:  # the end of `a && b`
                value = next((value for value, block_before in each.incoming if block_before == came_from), None)
                # which way led to that block is not known any more: a phi in it goes without words
                return "" if value is None else self.condition(self.frame.function.blocks[came_from], -1, value)
            if isinstance(each, ir.ICmp | ir.FCmp) and each.result == condition:
                sign = _SIGNS.get(each.predicate if len(each.predicate) == 2 else each.predicate[1:])
                signed = not each.predicate.startswith("u")
                left, right = (self.operand(block, side, signed=signed) for side in (each.left, each.right))
                return f"{left} {sign} {right}" if sign and left and right else ""
        return self._name(block, condition)

    def operand(self, block: Block, value: Value, *, signed: bool = True) -> str:
        """A number, its name before it if it has one; nothing where it is none."""
        name, text = self._name(block, value), self.number(value.type, self._explorer.value(self.frame, value), signed)
        return f"{name} {text}" if name and text else text

    def number(self, kind: Type, held: Held, signed: bool = True) -> str:
        if isinstance(held, Term):
            if not held.is_const:
                return ""
            held = int(held.value)
        if not isinstance(held, int):
            return ""
        if isinstance(kind, IntType):
            return types.show(types.IntType(kind.width, signed and kind.width > 1), held)
        format = FORMATS.get(type(kind))
        return types.show(types.FloatType(format), held) if format is not None else ""

    def _name(self, block: Block, value: Value) -> str:
        """What a value is called, if it was loaded from something with a name or returned by a function."""
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
        """The program's variable that lies at an address."""
        if isinstance(held, Pointer) and isinstance(held.offset, int):
            return self._variables.get((held.object, held.offset), "")
        return ""
