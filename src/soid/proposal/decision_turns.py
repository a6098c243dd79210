"""Where the decisions of a log changed: from one value to another, or from one side of a round number to the other.

Whether a number was 1.5630713599817971 is no question for people. Of such a decision the two sides of a number count
that is short to write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, final

from msgspec import Struct

from soid.formula import softfloat as sf
from soid.program.interface import Interface, Variable
from soid.program.types import BoolType, EnumType, FloatType, show
from soid.proposal.log_agreement import LogAgreement
from soid.proposal.threshold_proposal import between
from soid.scenario.trace import Step

_MOST_VALUES: Final = 32  # of a decision whose changes are of interest
_SHORT: Final = 7  # signs of a number that a question may name


@final
class DecisionAspect(Struct, frozen=True):
    """What is asked of a decision: its value, or on which side of a bound it is."""

    variable: Variable
    bound: str = ""  # a decimal; empty: its value is asked about

    def of(self, bits: int | None) -> int | None:
        """The value as bits, or 1 if it is at the bound or above; None if there is none."""
        kind = self.variable.type
        if not self.bound or bits is None:
            return bits
        assert isinstance(kind, FloatType)
        return (
            int(sf.to_fraction(kind.format, bits) >= Fraction(self.bound)) if sf.is_finite(kind.format, bits) else None
        )

    def told(self, value: int) -> str:
        """As a question says it."""
        if self.bound:
            return f"{self.variable.path} {'>=' if value else '<'} {self.bound}"
        return f"{self.variable.path} == {show(self.variable.type, value)}"


@final
class DecisionTurn(Struct, frozen=True):
    """A place in the log at which a decision is another than before."""

    at: int  # the step's place in the log
    aspect: DecisionAspect
    before: int
    after: int
    is_first: bool  # it never had this value before
    is_logged: bool  # the log has the decision

    @property
    def rank(self) -> tuple[bool, bool, bool, int, bool]:
        """The greater, the more worth asking about: logged, with names for its values, new, and late."""
        is_value = not self.aspect.bound
        return self.is_logged and is_value, has_names(self.aspect.variable), self.is_first, self.at, self.is_logged


def aspects_of(interface: Interface, steps: Sequence[Step], run: LogAgreement) -> list[DecisionAspect]:
    """What is asked of each decision."""
    return [_aspect(variable, _values(variable, steps, run)) for variable in interface.decisions]


def turns_of(aspects: Sequence[DecisionAspect], steps: Sequence[Step], run: LogAgreement) -> tuple[DecisionTurn, ...]:
    """Where decisions changed, in the order of the steps, of those that have few values."""
    found: list[DecisionTurn] = []
    for aspect in aspects:
        values = [aspect.of(bits) for bits in _values(aspect.variable, steps, run)]
        if len(set(values)) > _MOST_VALUES:
            continue
        seen: set[int] = set()
        for at, (before, after) in enumerate(zip([None, *values], values, strict=False)):
            if before is not None and after is not None and before != after:
                is_logged = aspect.variable.path in steps[at].decisions
                found.append(DecisionTurn(at, aspect, before, after, after not in seen, is_logged))
            if after is not None:
                seen.add(after)
    return tuple(sorted(found, key=lambda turn: turn.at))


def _aspect(variable: Variable, values: Sequence[int | None]) -> DecisionAspect:
    kind, known = variable.type, [bits for bits in values if bits is not None]
    if not isinstance(kind, FloatType) or all(len(show(kind, bits)) <= _SHORT for bits in known):
        return DecisionAspect(variable)
    numbers = sorted({sf.to_fraction(kind.format, bits) for bits in known if sf.is_finite(kind.format, bits)})
    if len(numbers) == 1:
        return DecisionAspect(variable, _beside(numbers[0]))
    middle = range(max(1, len(numbers) // 4), max(2, len(numbers) - len(numbers) // 4))
    gaps = [gap for at in middle if (gap := between(numbers[:at], numbers[at:])) is not None]
    bounds = sorted((gap.bound for gap in gaps), key=len)
    return DecisionAspect(variable, bounds[0]) if bounds else DecisionAspect(variable)


def _beside(number: Fraction) -> str:
    """A round number that is not above the only one."""
    gap = between([number - max(abs(number) / 2, Fraction(1, 10**9))], [number])
    return gap.bound if gap is not None else ""


def _values(variable: Variable, steps: Sequence[Step], run: LogAgreement) -> list[int | None]:
    return [_decided(variable, step, given) for step, given in zip(steps, run.outputs, strict=True)]


def _decided(variable: Variable, step: Step, given: Mapping[str, int]) -> int | None:
    """A decision as it was logged, or else as the run gave it, which has all digits."""
    if variable.path in step.rounded:
        return given.get(variable.path)
    return step.decisions.get(variable.path, given.get(variable.path))


def has_names(variable: Variable) -> bool:
    return isinstance(variable.type, BoolType | EnumType)
