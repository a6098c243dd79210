"""External functions that return logged inputs: a sensor, a clock, a random number.

Either every call returns the same variable, or each call returns the next one. A call beyond the last logged variable
ends the path as not supported.
"""

from __future__ import annotations

from typing import final

from msgspec import Struct

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.symbolic.explorer import Explorer
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import Held
from soid.program.interface import Variable


@final
class LoggedInput(Struct, frozen=True):
    """The inputs that an external function returns."""

    function: str
    variables: tuple[Variable, ...]  # one for each call, in the order of the calls
    repeats: bool  # there is one variable, and every call returns it

    @property
    def relies_on(self) -> str:
        name = self.variables[0].path.partition("[")[0]
        calls = "every call" if self.repeats else "each call in turn"
        return f"{calls} of {self.function} gives the logged {name}, and changes nothing else"

    def give(self, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
        """The model of the function; in each step its calls start with the first variable."""
        number = 0
        if not self.repeats:
            number = state.inputs_read.get(self.function, 0)
            state.inputs_read[self.function] = number + 1
        if number >= len(self.variables):
            raise NotModelled(f"more calls of {self.function} than logged")
        variable = self.variables[number]
        bits = explorer.exploration.inputs_at(len(state.earlier)).get(variable.path)
        return variable.reading if bits is None else bits
