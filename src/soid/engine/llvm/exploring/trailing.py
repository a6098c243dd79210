"""Records the trail of a run while the explorer makes it: each branch with its side, and who wrote what last.

The handlers of the few instructions that matter are wrapped; the explorer itself knows nothing of it, and explorations
that record nothing pay nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, final

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.debuginfo import DebugInfo
from soid.engine.llvm.exploring.boundary import Boundary
from soid.engine.llvm.exploring.explorer import Explorer
from soid.engine.llvm.exploring.handlers import HANDLERS, Handler
from soid.engine.llvm.exploring.runtime import Pointer, location
from soid.engine.llvm.exploring.state import Frame, State
from soid.engine.llvm.exploring.telling import Teller
from soid.engine.llvm.ir import Block
from soid.engine.llvm.names import demangled
from soid.engine.llvm.places import RETURN, Place
from soid.engine.llvm.values import GlobalRef, InlineAsm, Register
from soid.engine.summary import Location
from soid.engine.trail import TakenBranch, Trail
from soid.program.interface import Role


@final
class Recorder:
    """The trail of one run on one state."""

    def __init__(self, explorer: Explorer, boundary: Boundary, debug: DebugInfo, root: Path) -> None:
        """From now on record what an explorer does; `root` is what the names of source files are relative to."""
        self._boundary = boundary
        self._debug = debug
        self._root = root
        self._variables: dict[tuple[int, int], str] = {}  # paths by address; there are none before the run is under way
        self._teller: Teller | None = None  # of the call that a branch was last in
        self._branches: list[TakenBranch] = []
        self._sources: dict[str, list[str]] = {}  # by name: the lines of files that were looked at
        self._written: dict[tuple[int, int], Location] = {}  # by object and offset: the store that wrote there last
        self._returned_at: Location | None = None  # where the entry's result got its value
        explorer.handlers = {
            **HANDLERS,
            ir.CondBr: self._after(HANDLERS[ir.CondBr], self._cond_br),
            ir.Switch: self._after(HANDLERS[ir.Switch], self._switch),
            ir.Call: self._call,
            ir.Invoke: self._invoke,
            ir.Store: self._store,
            ir.Ret: self._ret,
        }

    def trail(self) -> Trail:
        """What was recorded."""
        set_at: dict[str, Location] = {}
        for variable, place, pointer in self._boundary.addresses():
            where = self._set_at(pointer, place)
            if where is not None and variable.role is not Role.ENVIRONMENT:
                set_at[f"{variable.path}'" if variable.role is Role.STATE else variable.path] = where
        return Trail(tuple(self._branches), set_at)

    # --- branches ---------------------------------------------------------------------------------------------

    @staticmethod
    def _after(handler: Handler, note: Callable[[Explorer, State, Frame, Block, int, Any], None]) -> Handler:
        """Run the instruction, then note which block its frame went on to."""

        def recording(explorer: Explorer, state: State, frame: Frame, one: Any) -> None:
            block, came_from = frame.function.blocks[frame.block], frame.came_from
            handler(explorer, state, frame, one)
            note(explorer, state, frame, block, came_from, one)

        return recording

    def _cond_br(
        self, explorer: Explorer, state: State, frame: Frame, block: Block, came_from: int, one: ir.CondBr
    ) -> None:
        if one.then != one.otherwise:
            side = "true" if frame.block == one.then else "false"
            condition = self._told(explorer, frame).condition(block, came_from, one.condition)
            self._passed(explorer, state, frame, one, side, condition)

    def _switch(
        self, explorer: Explorer, state: State, frame: Frame, block: Block, came_from: int, one: ir.Switch
    ) -> None:
        held = explorer.value(frame, one.value)
        told = self._told(explorer, frame)
        known = any(case == held for case, _ in one.cases)
        side = f"case {told.number(one.value.type, held)}" if known else "default"
        self._passed(explorer, state, frame, one, side, told.operand(block, one.value))

    def _call(self, explorer: Explorer, state: State, frame: Frame, one: ir.Call) -> None:
        self._calling(explorer, state, frame, one, one)

    def _invoke(self, explorer: Explorer, state: State, frame: Frame, one: ir.Invoke) -> None:
        self._calling(explorer, state, frame, one, one.call)

    def _calling(self, explorer: Explorer, state: State, frame: Frame, one: ir.Call | ir.Invoke, call: ir.Call) -> None:
        """A call through a pointer could have gone elsewhere."""
        direct = isinstance(call.callee, GlobalRef | InlineAsm)
        held = None if direct else explorer.value(frame, call.callee)
        HANDLERS[type(one)](explorer, state, frame, one)
        if isinstance(held, Pointer):
            # by the linker's name, which no other function has
            function = demangled(state.memory.objects[held.object].name)
            self._passed(explorer, state, frame, call, f"calls {function}", "")

    def _passed(self, explorer: Explorer, state: State, frame: Frame, one: Any, side: str, condition: str) -> None:
        where = location(one.loc)
        name = self._told(explorer, frame).function
        goes_to = explorer.place(state)
        self._branches.append(TakenBranch(where, name, side, condition, self._line(where), goes_to, len(state.earlier)))

    def _told(self, explorer: Explorer, frame: Frame) -> Teller:
        if self._teller is None or self._teller.frame is not frame:
            if not self._variables:
                self._variables = {
                    (pointer.object, _start(pointer) + place.offset): variable.path
                    for variable, place, pointer in self._boundary.addresses()
                }
            self._teller = Teller(explorer, frame, self._debug, self._variables)
        return self._teller

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

    def _store(self, explorer: Explorer, state: State, frame: Frame, one: ir.Store) -> None:
        target, where = explorer.value(frame, one.pointer), location(one.loc)
        HANDLERS[ir.Store](explorer, state, frame, one)
        if isinstance(target, Pointer) and isinstance(target.offset, int) and where is not None:
            for byte in range(explorer.module.layout.store_size(one.value.type)):
                self._written[target.object, target.offset + byte] = where

    def _ret(self, explorer: Explorer, state: State, frame: Frame, one: ir.Ret) -> None:
        if len(state.frames) == 1:
            self._returned_at = self._result(frame, one) or location(one.loc)
        HANDLERS[ir.Ret](explorer, state, frame, one)

    def _result(self, frame: Frame, one: ir.Ret) -> Location | None:
        """A function with several `return`s keeps its result in memory until its end: who wrote it there?"""
        for each in frame.function.blocks[frame.block].instructions:
            if isinstance(each, ir.Load) and each.result == one.value and isinstance(each.pointer, Register):
                kept = frame.registers[each.pointer.slot]
                return self._written_at(kept, 0, 1) if isinstance(kept, Pointer) else None
        return None

    def _set_at(self, pointer: Pointer, place: Place) -> Location | None:
        """Where an output got its value: by a store, or by being returned."""
        stored = self._written_at(pointer, place.offset, place.size)
        returned = self._boundary.places.regions[place.region].name == RETURN
        return self._returned_at if stored is None and returned else stored

    def _written_at(self, pointer: Pointer, offset: int, size: int) -> Location | None:
        """The store that wrote a variable last; none where it came there as part of a copy."""
        first = _start(pointer) + offset
        found = [self._written.get((pointer.object, first + byte)) for byte in range(size)]
        return next((where for where in found if where is not None), None)


def _start(pointer: Pointer) -> int:
    return pointer.offset if isinstance(pointer.offset, int) else 0
