"""Facts that are held while others change: what was perceived or done at a later step, as it was in fact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.errors import QueryError
from soid.formula.build import TRUE
from soid.oracle.encoding import concrete_path
from soid.program.interface import Interface, Role, Variable
from soid.program.perception import Perceived, resolved
from soid.program.types import FloatType, VariableType, show
from soid.query.language.query_parser import parse_suppositions
from soid.query.query import Query
from soid.scenario.expression_text import path_text
from soid.scenario.input_names import called
from soid.scenario.supposition import Supposition
from soid.scenario.trace import Keyframe
from soid.surface import Advice
from soid.witness.witness import Witness

_HELD: Final = "Name what is perceived after the first step, or what is decided in a world"
_REMEDY: Final = Advice(
    command=f"{_HELD}: --hold 'x at step 3'.", python=f'{_HELD}: hold=[("x", 3)].', page=f"{_HELD}."
)


@final
class HeldFact(Struct, frozen=True):
    """A variable in steps, with the bits that it had then."""

    path: str  # of the input that stands for it there: x@3
    type: VariableType
    bits: int
    when: str = ""  # its steps in words, if the path does not say them

    @property
    def document(self) -> str:
        return str(self)

    def __str__(self) -> str:
        base = self.path.partition("@")[0]
        equals = "is" if isinstance(self.type, FloatType) else "=="  # the very bits of a float
        value = f"{path_text(base)} {equals} {show(self.type, self.bits)}"
        return called(self.path, {self.path: self.when}, lambda _: value)


def holding(
    path: str, step: int, keyframe: Keyframe, query: Query, fact: Witness, later: Sequence[Perceived]
) -> HeldFact:
    """What a variable was at a step of the factual run; `later` is what is perceived from its second step on."""
    variable, number = keyframe.interface.variable(path), step - keyframe.step
    first = 1 if variable.is_input else 0  # what is perceived in the first step follows from nothing
    may_be = variable.role is Role.ENVIRONMENT or variable.path in keyframe.interface.acted
    if not may_be or not first <= number < query.period.count:
        raise QueryError(f"{path} at step {step} cannot be held", _REMEDY)
    bits = value_at(variable, number, keyframe.interface, fact, later)
    if bits is None:
        raise QueryError(f"{path} at step {step} cannot be held", "The run does not come that far.")
    return HeldFact(f"{variable.path}@{step}", variable.type, bits)


def value_at(
    variable: Variable, number: int, interface: Interface, fact: Witness, later: Sequence[Perceived]
) -> int | None:
    """The bits of a variable in a step of the factual run, its first being 0; None: the run does not have it."""
    run = concrete_path(fact.path, fact.ending, (*fact.earlier, fact.outputs), fact.interface, fact.between)
    if not variable.is_input:
        steps = (*run.earlier, run.outputs)
        found = steps[number].get(variable.path) if number < len(steps) else None
        return int(found.term.value) if found is not None and found.defined is TRUE else None
    if number == 0:
        return fact.inputs[variable.path]
    perceived = resolved(later, fact.inputs, run.earlier)
    bits = perceived[number - 1].get(variable.path) if perceived else None
    return fact.inputs[variable.path] if bits is None else bits


def supposed(held: HeldFact, interface: Interface) -> Supposition:
    """That it is as it was."""
    return parse_suppositions(str(held), interface)[0]
