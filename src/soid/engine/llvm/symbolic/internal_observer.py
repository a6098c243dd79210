"""Observes internal values that a question mentions: it reads them whenever their function returns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from soid.engine.llvm.symbolic.boundary import ir_type, output_reading
from soid.engine.llvm.symbolic.memory.addresses import typed
from soid.engine.llvm.symbolic.path_state import PathState, StackFrame
from soid.engine.llvm.symbolic.values.held_values import Held, Pointer
from soid.engine.llvm.variables.internals import Internal
from soid.engine.summary import OutputValue
from soid.formula import build
from soid.formula.term import Term
from soid.program.types import constant


@final
class InternalObserver:
    """The internal values that one exploration observes."""

    def __init__(self, observed: Iterable[Internal]) -> None:
        self._observed = tuple(observed)
        self._by_function: dict[str, list[Internal]] = {}
        for each in self._observed:
            self._by_function.setdefault(each.function, []).append(each)

    def returning(self, state: PathState, frame: StackFrame, returned: Held | None) -> None:
        """Read the values of a function that is about to return, while its locals still exist."""
        for each in self._by_function.get(frame.function.name, ()):
            held = returned if each.slot is None else _local(state, frame, each)
            if held is not None:
                state.seen[each.variable.path] = held

    def outputs(self, state: PathState) -> dict[str, OutputValue]:
        """The values seen last; a value that the path never reached or never set is absent."""
        return {each.variable.path: _output(each, state.seen.get(each.variable.path)) for each in self._observed}


def _local(state: PathState, frame: StackFrame, internal: Internal) -> Held | None:
    assert internal.slot is not None
    address = frame.registers[internal.slot]
    if not isinstance(address, Pointer) or not isinstance(address.offset, int):
        return None
    held = state.memory.objects[address.object].read(address.offset, internal.size)
    return typed(held, ir_type(internal.variable, internal.size))


def _output(internal: Internal, held: Held | None) -> OutputValue:
    if not isinstance(held, int | Term):
        return OutputValue(constant(internal.variable.type, 0), build.FALSE)
    return OutputValue(output_reading(held, internal.variable))
