"""Where the decisions of a log changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from msgspec import Struct

from soid.program.interface import Interface, Variable
from soid.program.types import BoolType, EnumType
from soid.proposal.log_agreement import LogAgreement
from soid.scenario.trace import Step

_MOST_VALUES: Final = 32  # of a decision whose changes are of interest


@final
class DecisionTurn(Struct, frozen=True):
    """A place in the log at which a decision is another than before."""

    at: int  # the step's place in the log
    variable: Variable
    before: int  # bits
    after: int
    is_first: bool  # it never had this value before
    is_logged: bool  # the log has the decision

    @property
    def rank(self) -> tuple[bool, bool, bool, int]:
        """The greater, the more worth asking about: logged, with names for its values, new, and late."""
        return self.is_logged, has_names(self.variable), self.is_first, self.at


def turns_of(interface: Interface, steps: Sequence[Step], run: LogAgreement) -> tuple[DecisionTurn, ...]:
    """Where decisions changed, in the order of the steps, of those that have few values."""
    found: list[DecisionTurn] = []
    for variable in interface.decisions:
        values = [_decided(variable, step, given) for step, given in zip(steps, run.outputs, strict=True)]
        if len(set(values)) > _MOST_VALUES:
            continue
        seen: set[int] = set()
        for at, (before, after) in enumerate(zip([None, *values], values, strict=False)):
            if before is not None and after is not None and before != after:
                is_logged = variable.path in steps[at].decisions
                found.append(DecisionTurn(at, variable, before, after, after not in seen, is_logged))
            if after is not None:
                seen.add(after)
    return tuple(sorted(found, key=lambda turn: turn.at))


def _decided(variable: Variable, step: Step, given: Mapping[str, int]) -> int | None:
    """A decision as it was logged, or else as the run gave it, which has all digits."""
    if variable.path in step.rounded:
        return given.get(variable.path)
    return step.decisions.get(variable.path, given.get(variable.path))


def has_names(variable: Variable) -> bool:
    return isinstance(variable.type, BoolType | EnumType)
