"""Facts that are held while others change: what was perceived at a later step, as it was in fact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.errors import QueryError
from soid.oracle.encoding import concrete_path
from soid.program.interface import Interface, Role, Variable
from soid.program.perception import Perceived, resolved
from soid.program.types import FloatType, show
from soid.query.language.query_parser import parse_suppositions
from soid.query.query import Query
from soid.scenario.expression_text import path_text
from soid.scenario.supposition import Supposition
from soid.scenario.trace import Keyframe
from soid.witness.witness import Witness

_REMEDY: Final = "Name what is perceived, and a step after the first: --hold 'x at step 3'."


@final
class HeldFact(Struct, frozen=True):
    """A variable at a later step, with the bits that it had then."""

    variable: Variable
    step: int
    bits: int

    @property
    def document(self) -> str:
        return str(self)

    def __str__(self) -> str:
        equals = "is" if isinstance(self.variable.type, FloatType) else "=="  # the very bits of a float
        return f"{path_text(self.variable.path)} {equals} {show(self.variable.type, self.bits)} at step {self.step}"


def holding(
    path: str, step: int, keyframe: Keyframe, query: Query, fact: Witness, later: Sequence[Perceived]
) -> HeldFact:
    """What a variable was at a step of the factual run; `later` is what is perceived from its second step on."""
    variable, number = keyframe.interface.variable(path), step - keyframe.step
    if variable.role is not Role.ENVIRONMENT or not 1 <= number < query.period.count:
        raise QueryError(f"{path} at step {step} cannot be held", _REMEDY)
    run = concrete_path(fact.path, fact.ending, (*fact.earlier, fact.outputs), fact.interface, fact.between)
    perceived = resolved(later, fact.inputs, run.earlier)
    bits = perceived[number - 1].get(variable.path) if perceived else None
    return HeldFact(variable, step, fact.inputs[variable.path] if bits is None else bits)


def supposed(held: HeldFact, interface: Interface) -> Supposition:
    """That it is as it was."""
    return parse_suppositions(str(held), interface)[0]
