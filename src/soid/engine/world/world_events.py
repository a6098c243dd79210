"""Events: formulas over what programs and world have in one step."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import final

from msgspec import Struct

from soid.engine.summary import OutputValue
from soid.engine.world.world_interface import WorldEvent
from soid.formula import build
from soid.formula.term import Term
from soid.program.interface import Interface
from soid.program.types import constant
from soid.scenario.expression import Name, walk
from soid.scenario.kleene_terms import Operand, lower


def happens(event: WorldEvent, scope: StepScope) -> OutputValue:
    """Whether an event happens in a step; it has no value where something that it speaks of has none."""
    truth = lower(event.when, scope)
    return OutputValue(truth.true, build.or_(truth.true, truth.false))


def depends_on_world(event: WorldEvent, interface: Interface, produced: Set[str], computed: Set[str]) -> bool:
    """Whether an event speaks of what the world leaves or computes in a step, not only of what was there before."""
    names = (node for node in walk(event.when) if isinstance(node, Name) and node.path in interface)
    sources = ((source.path, node.primed) for node in names for source in interface.variable(node.path).sources)
    return any(path in computed or (primed and path in produced) for path, primed in sources)


@final
class StepScope(Struct, frozen=True):
    """The meaning of names in one step of programs in a world."""

    interface: Interface
    inputs: Mapping[str, Term]  # what is perceived and remembered, as programs compute with it
    outputs: Mapping[str, OutputValue]

    @property
    def fails(self) -> Term:
        return build.FALSE

    @property
    def decides(self) -> Term:
        return build.TRUE

    def read(self, name: str, primed: bool, /) -> Operand:
        variable = self.interface.variable(name)
        if variable.is_input and not primed:
            return Operand(variable.type, self.inputs[variable.path])
        output = self.outputs.get(f"{variable.path}'" if primed else variable.path)
        if output is None:
            return Operand(variable.type, constant(variable.type, 0), build.FALSE)
        return Operand(variable.type, output.term, output.defined, output.upper)

    def fact(self, name: str, primed: bool, /) -> Operand:
        raise AssertionError("an event speaks of no fact")

    def enumerators(self, label: str, /) -> tuple[tuple[str, int], ...]:
        return self.interface.numbered(label)
