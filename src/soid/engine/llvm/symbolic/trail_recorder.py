"""Records the trail of a run: each branch with its side, and which store wrote a variable last.

The recorder wraps the handlers of a few instructions. The explorer knows nothing of it, so an exploration that records
nothing costs nothing more. It describes what a branch depends on in the program's words:

    %0 = load float, ptr %distance          road.distance 42.97 >= safe 51.76
    %1 = load float, ptr %safe
    %cmp = fcmp oge float %0, %1
    br i1 %cmp, ...

A value has a name if the block of the branch loads it from a variable of the program or from a local variable, or if
a function returns it there. Other values stand without a name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, final

from soid.engine.llvm.debug.debug_info import DebugInfo
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_module import BasicBlock
from soid.engine.llvm.ir.ir_types import IntegerType, Type
from soid.engine.llvm.ir.operands import GlobalRef, InlineAsm, Register, Value
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.symbolic.boundary import Boundary
from soid.engine.llvm.symbolic.explorer import Explorer
from soid.engine.llvm.symbolic.instructions.dispatch import HANDLERS, Handler
from soid.engine.llvm.symbolic.path_state import PathState, StackFrame
from soid.engine.llvm.symbolic.values.held_values import FORMATS, Held, Pointer, location
from soid.engine.llvm.variables.variable_layout import RETURN, VariablePlace
from soid.engine.summary import Location
from soid.engine.trail import TakenBranch, Trail
from soid.formula.term import Term
from soid.program import types
from soid.program.interface import Role

_SIGNS: Final = {"eq": "==", "ne": "!=", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}


@final
class TrailRecorder:
    """The trail of one run on one state."""

    def __init__(self, boundary: Boundary, debug: DebugInfo, root: Path) -> None:
        """`root` is the folder that the names of source files are relative to."""
        self._boundary = boundary
        self._debug = debug
        self._root = root
        self._variables: dict[tuple[int, int], str] = {}  # paths by address; filled at the first branch
        self._description: BranchDescription | None = None  # of the call that the last branch was in
        self._branches: list[TakenBranch] = []
        self._sources: dict[str, list[str]] = {}  # the lines of source files, by name
        self._written: dict[tuple[int, int], Location] = {}  # by object and offset: the store that wrote there last
        self._returned_at: Location | None = None  # where the entry's result got its value

    @property
    def handlers(self) -> Mapping[type, Handler]:
        """The explorer's handlers, of which those of branches, calls, stores and returns record what they do."""
        return {
            **HANDLERS,
            ir.CondBr: self._branch,
            ir.Switch: self._branch,
            ir.IndirectBr: self._jump,
            ir.Call: self._call,
            ir.Invoke: self._call,
            ir.Store: self._store,
            ir.Ret: self._ret,
        }

    def trail(self) -> Trail:
        set_at: dict[str, Location] = {}
        for variable, place, pointer in self._boundary.addresses():
            where = self._set_at(pointer, place)
            if where is not None and variable.role is not Role.ENVIRONMENT:
                set_at[f"{variable.path}'" if variable.role is Role.STATE else variable.path] = where
        return Trail(tuple(self._branches), set_at)

    # --- branches ---------------------------------------------------------------------------------------------

    def _branch(self, explorer: Explorer, state: PathState, frame: StackFrame, one: ir.CondBr | ir.Switch) -> None:
        """Run a branch, then note which block its frame went on to."""
        block, came_from = frame.function.blocks[frame.block], frame.came_from
        HANDLERS[type(one)](explorer, state, frame, one)
        description = self._describe(explorer, frame)
        if isinstance(one, ir.Switch):
            held = explorer.value(frame, one.value)
            known = any(case == held for case, _ in one.cases)
            side = f"case {description.number(one.value.type, held)}" if known else "default"
            self._passed(explorer, state, frame, one, side, description.operand(block, one.value))
        elif one.then != one.otherwise:
            side = "true" if frame.block == one.then else "false"
            self._passed(explorer, state, frame, one, side, description.condition(block, came_from, one.condition))

    def _jump(self, explorer: Explorer, state: PathState, frame: StackFrame, one: ir.IndirectBr) -> None:
        """Record a computed goto, which could have gone to another label."""
        HANDLERS[type(one)](explorer, state, frame, one)
        self._passed(explorer, state, frame, one, f"goes to {frame.function.blocks[frame.block].label}", "")

    def _call(self, explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Call | ir.Invoke) -> None:
        """Record a call through a pointer, which could have gone to another function."""
        callee = (one.call if isinstance(one, ir.Invoke) else one).callee
        held = None if isinstance(callee, GlobalRef | InlineAsm) else explorer.value(frame, callee)
        HANDLERS[type(one)](explorer, state, frame, one)
        if isinstance(held, Pointer):
            # the linker's name: no other function has the same
            function = demangled(state.memory.objects[held.object].name)
            self._passed(explorer, state, frame, one, f"calls {function}", "")

    def _passed(
        self, explorer: Explorer, state: PathState, frame: StackFrame, one: Any, side: str, condition: str
    ) -> None:
        where = location(one.loc)
        name = self._describe(explorer, frame).function
        goes_to = explorer.place(state)
        self._branches.append(TakenBranch(where, name, side, condition, self._line(where), goes_to, len(state.earlier)))

    def _describe(self, explorer: Explorer, frame: StackFrame) -> BranchDescription:
        if self._description is None or self._description.frame is not frame:
            if not self._variables:
                self._variables = {
                    (pointer.object, _start(pointer) + place.offset): variable.path
                    for variable, place, pointer in self._boundary.addresses()
                }
            self._description = BranchDescription(explorer, frame, self._debug, self._variables)
        return self._description

    def _line(self, where: Location | None) -> str:
        """A line of the source without its indentation; empty where the file is not at hand."""
        if where is None:
            return ""
        if where.file not in self._sources:
            try:
                text = (self._root / where.file).read_text(encoding="utf-8", errors="replace")
            except OSError:
                text = ""
            self._sources[where.file] = text.splitlines()
        lines = self._sources[where.file]
        return lines[where.line - 1].strip() if where.line <= len(lines) else ""

    # --- what was written where -------------------------------------------------------------------------------

    def _store(self, explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Store) -> None:
        target, where = explorer.value(frame, one.pointer), location(one.loc)
        HANDLERS[ir.Store](explorer, state, frame, one)
        if isinstance(target, Pointer) and isinstance(target.offset, int) and where is not None:
            for byte in range(explorer.module.layout.store_size(one.value.type)):
                self._written[target.object, target.offset + byte] = where

    def _ret(self, explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Ret) -> None:
        if len(state.frames) == 1:
            self._returned_at = self._result(frame, one) or location(one.loc)
        HANDLERS[ir.Ret](explorer, state, frame, one)

    def _result(self, frame: StackFrame, one: ir.Ret) -> Location | None:
        """Where the result was stored: a function with several `return`s keeps it in memory until its end."""
        for each in frame.function.blocks[frame.block].instructions:
            if isinstance(each, ir.Load) and each.result == one.value and isinstance(each.pointer, Register):
                kept = frame.registers[each.pointer.slot]
                return self._written_at(kept, 0, 1) if isinstance(kept, Pointer) else None
        return None

    def _set_at(self, pointer: Pointer, place: VariablePlace) -> Location | None:
        """Where an output got its value: by a store, or by being returned."""
        stored = self._written_at(pointer, place.offset, place.size)
        returned = self._boundary.places.regions[place.region].name == RETURN
        return self._returned_at if stored is None and returned else stored

    def _written_at(self, pointer: Pointer, offset: int, size: int) -> Location | None:
        """The store that wrote a variable last; None where a copy of a block wrote it."""
        first = _start(pointer) + offset
        found = [self._written.get((pointer.object, first + byte)) for byte in range(size)]
        return next((where for where in found if where is not None), None)


def _start(pointer: Pointer) -> int:
    return pointer.offset if isinstance(pointer.offset, int) else 0


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
                    known = self._explorer.module.functions[name].subprogram is not None
                    return f"{self._debug.function(name).name if known else demangled(name)}()"
                case _:
                    return ""
        return ""

    def _at(self, held: Held | None) -> str:
        """The path of the program's variable at an address."""
        if isinstance(held, Pointer) and isinstance(held.offset, int):
            return self._variables.get((held.object, held.offset), "")
        return ""
