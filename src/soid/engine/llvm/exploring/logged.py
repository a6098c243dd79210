"""External functions that give logged inputs: a sensor read, a clock, a random number.

Either every call gives the same variable, or the calls in turn give one after the other; a call beyond the last that
is logged ends the path as not supported.
"""

from __future__ import annotations

from typing import final

from msgspec import Struct

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.explorer import Explorer, External, location
from soid.engine.llvm.exploring.runtime import Held, Unsupported
from soid.engine.llvm.exploring.state import State
from soid.program.interface import Variable


@final
class LoggedInput(Struct, frozen=True):
    """What an external function gives."""

    function: str
    variables: tuple[Variable, ...]  # one for each call, in the order of the calls
    repeats: bool  # there is one, which every call gives

    @property
    def relies_on(self) -> str:
        name = self.variables[0].path.partition("[")[0]
        calls = "every call" if self.repeats else "each call in turn"
        return f"{calls} of {self.function} gives the logged {name}, and changes nothing else"


def external(logged: LoggedInput) -> External:
    """The function as the explorer calls it; in each step the calls begin anew."""

    def give(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
        number = 0
        if not logged.repeats:
            number = state.inputs_read.get(logged.function, 0)
            state.inputs_read[logged.function] = number + 1
        if number >= len(logged.variables):
            raise Unsupported(f"more calls of {logged.function} than logged", location(call.loc))
        variable = logged.variables[number]
        bits = explorer.exploration.inputs_at(len(state.earlier)).get(variable.path)
        return variable.reading if bits is None else bits

    return give
