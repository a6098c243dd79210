"""What the steps that differ have in common, as evidence of another version of the program.

The program runs on from the first difference with its own state, on the logged values. If the log always says one thing
where it gives another, and one input parts the steps that differ from the others, a limit on that input is likely
another one in the version that wrote the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final, final

from msgspec import Struct

from soid.formula import softfloat as sf
from soid.oracle.fitting_log import BEFORE, FittingLog
from soid.oracle.log_readings import run_begin, run_end
from soid.oracle.log_walk import Explores, Fit, LogWalk
from soid.oracle.step_runs import Values
from soid.program.interface import Variable
from soid.program.types import FloatType, IntType, number, show
from soid.query.words import listed
from soid.scenario.trace import Step

#: steps that are named
_NAMED: Final = 5
#: so often steps that differ and others take turns at least: less often, whatever grows or falls in time parts them
_TURNS: Final = 2
#: values of a decision that are named
_VALUES: Final = 3
#: if more inputs part them, that tells little
_MOST: Final = 2


@final
class _Side(Struct, frozen=True):
    """What the log says, or what the program gives, in the steps that differ."""

    who: str
    says: str
    is_one: bool  # in all of them the same
    others: tuple[Step, ...]  # that have the same, and do not differ


@final
class VersionEvidence(Struct, frozen=True):
    """How the program goes on where log and program differ first."""

    log: FittingLog
    differing: tuple[tuple[Step, Values], ...]  # each with what the program gives
    others: tuple[Step, ...]  # these give what is logged; those before the first difference are among them
    ran: int  # steps, from the first difference on

    @classmethod
    def of(cls, log: FittingLog) -> VersionEvidence | None:
        """None: the compiled program does not come back."""
        steps, place = log.steps, log.first.place
        end = run_end(steps, place, BEFORE)
        others = list(steps[max(run_begin(steps, place), place - BEFORE) : place])
        differing = []
        for found in LogWalk(steps[place:end], log.runs, False, log.until, Explores.NONE, log.first.held):
            if found.given is None:
                return None
            if found.fit is Fit.FITS:
                others.append(found.step)
            else:
                differing.append((found.step, found.given))
        return cls(log, tuple(differing), tuple(others), end - place) if differing else None

    @property
    def told(self) -> str:
        """In words."""
        numbers = ", ".join(str(step.time) for step, _ in self.differing[:_NAMED])
        more = ", ..." if len(self.differing) > _NAMED else ""
        first, count = self.log.first.step.time, len(self.differing)
        if count == 1:
            return f"if the program runs on from step {first}, all {self.ran - 1} steps after it give what is logged"
        told = f"if the program runs on from step {first}, {count} of {self.ran} steps do not give what is logged"
        told += f" ({numbers}{more})"
        sides = list(self._sides())
        always = [f"{side.who} {side.says}" for side in sides if side.is_one]
        told += f", each time {' and '.join(always)}" if always else ""
        for side in sides:
            parting = list(self._parting(side.others))
            if 0 < len(parting) <= _MOST:
                return f"{told}; where {side.who} {side.says}, {'; and '.join(parting)}"
        return told

    def _sides(self) -> Iterator[_Side]:
        """What log and program say in the steps that differ, if one decision differs in all of them."""
        names = {tuple(self.log.runs.differing(step, given)) for step, given in self.differing}
        name = next(iter(names))[0] if len(names) == 1 and len(next(iter(names))) == 1 else None
        if name is None or any(name not in given for _, given in self.differing):
            return
        kind = self.log.runs.interface.output_type(name)
        logged = dict.fromkeys(step.decisions[name] for step, _ in self.differing)
        given = dict.fromkeys(outputs[name] for _, outputs in self.differing)
        for who, values in (("the log says", logged), ("the program gives", given)):
            if len(values) <= _VALUES:
                says = f"{name} = {listed([show(kind, bits) for bits in values], 'or')}"
                others = tuple(step for step in self.others if step.decisions.get(name) in values)
                yield _Side(who, says, len(values) == 1, others)

    def _parting(self, agreeing: Sequence[Step]) -> Iterator[str]:
        """The inputs that part the steps that differ from others."""
        times = sorted([*((step.time, True) for step, _ in self.differing), *((step.time, False) for step in agreeing)])
        if sum(one[1] != other[1] for one, other in pairwise(times)) < _TURNS:
            return
        for variable in self.log.runs.interface.inputs:
            theirs = _ends(variable, [step for step, _ in self.differing])
            ours = _ends(variable, agreeing)
            if theirs is None or ours is None:
                continue
            if theirs[0] > ours[1]:
                yield self._parted(variable, ("at least", theirs[0]), ("at most", ours[1]), len(agreeing))
            elif theirs[1] < ours[0]:
                yield self._parted(variable, ("at most", theirs[1]), ("at least", ours[0]), len(agreeing))

    def _parted(self, variable: Variable, these: tuple[str, Fraction], those: tuple[str, Fraction], count: int) -> str:
        (this, end), (that, other) = ((how, show(variable.type, _bits(variable, at))) for how, at in (these, those))
        differ = f"{variable.path} is {this} {end} in those that differ"
        return f"{differ}, and {that} {other} in the {count} others"


def _ends(variable: Variable, steps: Sequence[Step]) -> tuple[Fraction, Fraction] | None:
    """The least and the greatest value of a number in some steps; None: it is not logged in all of them."""
    kind, path = variable.type, variable.path
    if not isinstance(kind, FloatType | IntType) or any(path in step.unlogged for step in steps):
        return None
    bits = {step.inputs[path] for step in steps}
    if isinstance(kind, IntType):
        values = [Fraction(number(kind, each)) for each in bits]
    else:
        values = [sf.to_fraction(kind.format, each) for each in bits if sf.is_finite(kind.format, each)]
    return (min(values), max(values)) if len(values) == len(bits) else None


def _bits(variable: Variable, value: Fraction) -> int:
    kind = variable.type
    if isinstance(kind, FloatType):
        return sf.from_fraction(kind.format, value, negative=value < 0)
    return int(value) & (1 << kind.width) - 1
