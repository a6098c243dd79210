"""Records the symbolic states inside a program while its paths are explored: at calls, rounds of loops and returns.

The recorder wraps the handlers of instructions, as that of trails does. The explorer knows nothing of it: one
that records nothing costs nothing more, and the paths are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, final

from soid.engine.inside import Inside, InsideState, PointKind, ProgramPoint
from soid.engine.llvm.debug.c_types import strip
from soid.engine.llvm.debug.debug_info import CParameter, DebugInfo
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.symbolic.boundary import internal_output, local_value
from soid.engine.llvm.symbolic.explorer import Explorer
from soid.engine.llvm.symbolic.instructions.dispatch import HANDLERS, Handler
from soid.engine.llvm.symbolic.path_state import PathState, StackFrame
from soid.engine.llvm.symbolic.paths.control_flow_graph import loop_heads
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import Held
from soid.engine.llvm.variables.internals import Internal
from soid.engine.llvm.variables.variable_layout import variable_type
from soid.engine.summary import Location, OutputValue
from soid.errors import ProgramError
from soid.formula import build
from soid.program.interface import Role, Variable

#: states of one exploration that are recorded; a loop with many rounds has many
MOST_STATES: Final = 400

_Values = tuple[tuple[Variable, OutputValue], ...]


@final
class InsideRecorder:
    """The states of one exploration, in the order in which its paths come to them."""

    def __init__(self, debug: DebugInfo, internals: Iterable[Internal]) -> None:
        self._debug = debug
        self._internals: dict[str, list[Internal]] = {}
        for each in internals:
            self._internals.setdefault(each.function, []).append(each)
        self._states: list[InsideState] = []
        self._ends: list[int | None] = []
        self._heads: dict[str, frozenset[int]] = {}  # by function
        self._cut = False

    @property
    def handlers(self) -> Mapping[type, Handler]:
        """The explorer's handlers; each looks first whether its instruction begins a round of a loop."""
        recording = {kind: self._looking(handler) for kind, handler in HANDLERS.items()}
        return {**recording, ir.Call: self._call, ir.Invoke: self._call, ir.Ret: self._ret}

    def ended(self, state: PathState) -> None:
        """A path has ended."""
        self._ends.append(state.inside)

    def inside(self) -> Inside:
        more = f"more than {MOST_STATES} states: what lies behind these is not shown" if self._cut else ""
        return Inside(tuple(self._states), tuple(self._ends), more)

    # --- points -----------------------------------------------------------------------------------------------

    def _looking(self, handler: Handler) -> Handler:
        def run(explorer: Explorer, state: PathState, frame: StackFrame, one: Any) -> None:
            self._look(explorer, state, frame)
            handler(explorer, state, frame, one)

        return run

    def _look(self, explorer: Explorer, state: PathState, frame: StackFrame) -> None:
        """Record the round that begins here, if one does."""
        name = frame.function.name
        if frame.at or not self._is_named(explorer, frame):
            return
        if name not in self._heads:
            self._heads[name] = loop_heads(frame.function)
        if frame.block in self._heads[name]:
            self._record(state, frame, PointKind.ROUND, frame.where, self._locals(explorer, state, frame, None))

    def _call(self, explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Call | ir.Invoke) -> None:
        self._look(explorer, state, frame)
        where, depth = frame.where, len(state.frames)
        HANDLERS[type(one)](explorer, state, frame, one)
        if len(state.frames) > depth and self._is_named(explorer, state.frames[-1]):
            entered = state.frames[-1]
            self._record(state, entered, PointKind.CALL, where, self._parameters(explorer, entered))

    def _ret(self, explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Ret) -> None:
        self._look(explorer, state, frame)
        if self._is_named(explorer, frame):
            returned = None if one.value is None else explorer.value(frame, one.value)
            values = self._locals(explorer, state, frame, returned)
            self._record(state, frame, PointKind.RETURN, frame.where, values)
        HANDLERS[ir.Ret](explorer, state, frame, one)

    def _is_named(self, explorer: Explorer, frame: StackFrame) -> bool:
        """Whether it is a function of the program, which debug info knows."""
        function = frame.function
        return function.subprogram is not None and not explorer.constants.is_own(function.name)

    def _record(
        self, state: PathState, frame: StackFrame, kind: PointKind, where: Location | None, values: _Values
    ) -> None:
        if len(self._states) >= MOST_STATES:
            self._cut = True
            return
        name, step = self._debug.function(frame.function.name).name, len(state.earlier)
        time, round_ = 1, 1
        same_call = True
        for each in self._way(state.inside):
            same = (each.point.kind, each.point.function, each.point.where, each.step) == (kind, name, where, step)
            time += same
            round_ += same and same_call
            same_call &= (each.point.kind, each.point.function) != (PointKind.CALL, name)
        point = ProgramPoint(kind, name, where, time, round_ if kind is PointKind.ROUND else 0)
        self._states.append(InsideState(state.inside, step, point, build.all_of(state.condition), values))
        state.inside = len(self._states) - 1

    def _way(self, at: int | None) -> Iterable[InsideState]:
        while at is not None:
            yield self._states[at]
            at = self._states[at].before

    # --- values -----------------------------------------------------------------------------------------------

    def _locals(self, explorer: Explorer, state: PathState, frame: StackFrame, returned: Held | None) -> _Values:
        held = (
            (each, returned if each.slot is None else local_value(state, frame, each))
            for each in self._internals.get(frame.function.name, ())
        )
        return tuple(_values(explorer, held))

    def _parameters(self, explorer: Explorer, frame: StackFrame) -> _Values:
        info = self._debug.function(frame.function.name)
        held = ((_given(info.name, each, frame), each) for each in info.params)
        named = ((internal, frame.registers[each.pieces[0].index]) for internal, each in held if internal is not None)
        return tuple(_values(explorer, named))


def _given(function: str, parameter: CParameter, frame: StackFrame) -> Internal | None:
    """A parameter that one parameter of the IR carries as it is; None: it is no number, or comes in parts."""
    plain = strip(parameter.type)
    if not parameter.name or len(parameter.pieces) != 1 or parameter.pieces[0].by_address:
        return None
    try:
        kind = variable_type(plain, parameter.name)
    except ProgramError:
        return None
    return Internal(Variable(f"{function}:{parameter.name}", Role.INTERNAL, kind), frame.function.name, None, 0)


def _values(explorer: Explorer, held: Iterable[tuple[Internal, Held | None]]) -> Iterable[tuple[Variable, OutputValue]]:
    """The values that are known: what is not set yet has none."""
    for internal, value in held:
        if value is None:
            continue
        try:
            output = internal_output(explorer, internal, value)
        except NotModelled:
            continue
        if output.defined is not build.FALSE:
            yield internal.variable, output
