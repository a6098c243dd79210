"""Facts that are held while others change: what was perceived at a later step, as it was in fact."""

from __future__ import annotations

from typing import Final, final

from msgspec import Struct

from soid.errors import QueryError
from soid.explanation.study import StudiedScenario, Study
from soid.oracle.encoding import concrete_path
from soid.program.interface import Interface, Role, Variable
from soid.program.perception import resolved
from soid.program.types import FloatType, show
from soid.query.language.query_parser import parse_suppositions
from soid.scenario.expression_text import path_text
from soid.scenario.supposition import Supposition

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


def holding(path: str, step: int, study: Study, fact: StudiedScenario) -> HeldFact:
    """What a variable was at a step of the factual run."""
    variable = study.keyframe.interface.variable(path)
    later = step - study.keyframe.step
    if variable.role is not Role.ENVIRONMENT or not 1 <= later < study.query.period.count:
        raise QueryError(f"{path} at step {step} cannot be held", _REMEDY)
    witness = fact.witness
    outputs = (*witness.earlier, witness.outputs)
    run = concrete_path(witness.path, witness.ending, outputs, study.interface, witness.between)
    perceived = resolved(fact.environments, fact.state, run.earlier)
    bits = perceived[later - 1].get(variable.path) if perceived else None
    return HeldFact(variable, step, fact.state[variable.path] if bits is None else bits)


def supposed(held: HeldFact, interface: Interface) -> Supposition:
    """That it is as it was."""
    return parse_suppositions(str(held), interface)[0]
