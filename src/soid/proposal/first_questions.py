"""The first questions worth asking, chosen from the log: about a step at which a decision changed.

One asks what it did, one what it would have done had the input that mattered been another, one about several steps, or
where each step is a call by itself, whether it hung on one input at all.
What mattered is tried out: the compiled program is run with one input as it was before. A question is proposed only
if asking it gives a yes or a no.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Final, final

from msgspec import Struct

from soid.allowance import look
from soid.engine.replay import Replayer, Returned
from soid.errors import SoidError
from soid.formula import softfloat as sf
from soid.program.domain import DEFAULT, contains
from soid.program.interface import Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, number, show
from soid.proposal.decision_turns import DecisionTurn, aspects_of, has_names, turns_of
from soid.proposal.log_agreement import LogAgreement
from soid.scenario.trace import Step, Trace

_MOST_STEPS: Final = 30  # of a question over several
_TRIED: Final = 60  # runs that look for what mattered
_ASKED: Final = 4  # candidates for one question that are asked until one has an answer


@final
class FirstQuestion(Struct, frozen=True):
    """A question, and the step that it is about."""

    step: int
    text: str
    verdict: str  # what it gave when it was tried


#: what asking a question at a step gives: its verdict
Ask = Callable[[int, str], str]


@final
class QuestionChoice:
    """Chooses questions about one log."""

    def __init__(self, trace: Trace, run: LogAgreement, replayer: Replayer, *, alone: bool = False) -> None:
        """`alone`: each step is a call by itself, and nothing is to be asked about several."""
        self._alone = alone
        self._interface = trace.interface
        self._steps = list(islice(trace, run.steps))
        self._run, self._replayer = run, replayer
        self._environment = [v for v in self._interface.inputs if v.role is Role.ENVIRONMENT]
        self._aspects = aspects_of(self._interface, self._steps, run)
        self.turns = turns_of(self._aspects, self._steps, run)

    def _is_known(self, at: int) -> bool:
        """Whether answers about a step start from the state that the run has there, and give what was logged."""
        step = self._steps[at]
        return all(step.inputs[path] == bits for path, bits in self._run.states[at].items())

    @property
    def turn(self) -> DecisionTurn | None:
        """The change that is asked about: the last to something new, of those whose state is known."""
        known = [turn for turn in self.turns if self._is_known(turn.at)]
        return max(known, key=lambda turn: turn.rank, default=None)

    def questions(self, ask: Ask) -> Iterator[FirstQuestion]:
        """The first candidate of each kind that has an answer."""
        turn = self.turn
        if turn is None:
            at = next((at for at in reversed(range(len(self._steps))) if self._is_known(at)), len(self._steps) - 1)
            later = [] if self._alone else [self._freed(at, " throughout 3 steps held")]
            groups = [self._plain(at), self._freed(at), *later]
        else:
            later = [self._whatever(turn) if self._alone else self._over_steps(turn)]
            groups = [self._did(turn), self._otherwise(turn), *later]
        for group in groups:
            found = _answered(group, ask)
            if found is not None:
                yield found

    # --- what it did --------------------------------------------------------------------------------------------

    def _did(self, turn: DecisionTurn) -> Iterator[tuple[int, str]]:
        others = [other for other in self.turns if other is not turn and self._is_known(other.at)]
        for each in (turn, *reversed(others)):
            yield self._steps[each.at].time, f"did {self._behavior(each)}"

    def _behavior(self, turn: DecisionTurn) -> str:
        return turn.aspect.told(turn.after)

    def _plain(self, at: int) -> Iterator[tuple[int, str]]:
        """About a log in which no decision changes."""
        for same in self._as_given(at):
            yield self._steps[at].time, f"did {same}"

    def _freed(self, at: int, steps: str = "") -> Iterator[tuple[int, str]]:
        for same in self._as_given(at):
            for each in self._environment:
                yield self._steps[at].time, f"would {same}{steps} if {each.path} is anything"

    def _as_given(self, at: int) -> Iterator[str]:
        """What the program decided at a step, decision by decision."""
        for aspect in self._aspects:
            value = aspect.of(self._run.outputs[at].get(aspect.variable.path))
            if value is not None:
                yield aspect.told(value)

    # --- what it would have done --------------------------------------------------------------------------------

    def _otherwise(self, turn: DecisionTurn) -> Iterator[tuple[int, str]]:
        """Had what changed just before been as it was, or anything."""
        step, earlier = self._steps[turn.at], self._steps[turn.at - 1]
        before, changed = turn.aspect.told(turn.before), self._changed(step, earlier)
        mattered = [each for each in changed if self._gives(turn, {each.path: earlier.inputs[each.path]}) != turn.after]
        for each in mattered:
            if has_names(each):
                given = self._gives(turn, {each.path: earlier.inputs[each.path]})
                if given is not None:
                    yield (
                        step.time,
                        f"would {turn.aspect.told(given)} if {_equals(each, earlier.inputs[each.path])}",
                    )
            else:
                yield step.time, f"might {before} if {each.path} is anything"
        for each in self._named():
            for bits in self._other_values(each, step):
                given = self._gives(turn, {each.path: bits})
                if given not in (None, turn.after):
                    assert given is not None
                    yield step.time, f"would {turn.aspect.told(given)} if {_equals(each, bits)}"
        freed = [each.path for each in changed if not has_names(each)][:2] or [each.path for each in self._named()][:1]
        if freed:
            yield step.time, f"might {before} if {' and '.join(f'{path} is anything' for path in freed)}"

    def _changed(self, step: Step, earlier: Step) -> list[Variable]:
        """What is perceived otherwise than at the step before; what has names first, then what changed most."""
        found = [each for each in self._environment if step.inputs[each.path] != earlier.inputs[each.path]]
        return sorted(found, key=lambda each: (not has_names(each), -_change(each, step, earlier)))

    def _named(self) -> list[Variable]:
        return [each for each in self._environment if has_names(each)]

    def _other_values(self, variable: Variable, step: Step) -> list[int]:
        kind = variable.type
        every = [0, 1] if isinstance(kind, BoolType) else []
        if isinstance(kind, EnumType):
            every = [value & (1 << kind.width) - 1 for _, value in kind.labels]
        return [bits for bits in every if bits != step.inputs[variable.path] and contains(kind, variable.domain, bits)]

    def _gives(self, turn: DecisionTurn, changed: Mapping[str, int]) -> int | None:
        """What the program decides at the step with some inputs changed; None if it does not say."""
        look("looking for what mattered")
        done = self._replayer.replay({**self._steps[turn.at].inputs, **self._run.states[turn.at], **changed})
        return turn.aspect.of(done.outputs.get(turn.aspect.variable.path)) if isinstance(done, Returned) else None

    def _whatever(self, turn: DecisionTurn) -> Iterator[tuple[int, str]]:
        """Whether one input alone could not have changed it; what has names first."""
        for each in (*self._named(), *(each for each in self._environment if not has_names(each))):
            yield self._steps[turn.at].time, f"would {self._behavior(turn)} if {each.path} is anything"

    # --- over several steps -------------------------------------------------------------------------------------

    def _over_steps(self, turn: DecisionTurn) -> Iterator[tuple[int, str]]:
        """From a known step up to a change: would it have come to it, had a switch been another all the while?"""
        last = max(self.turns, key=lambda each: each.rank)
        for goal in dict.fromkeys((last, turn)):
            start = self._start(goal)
            if start is None:
                continue
            step, count = self._steps[start], goal.at - start + 1
            behavior = f"{self._behavior(goal)} within {count} steps"
            for each in filter(has_names, self._changed(self._steps[goal.at], self._steps[goal.at - 1])):
                old = self._steps[goal.at - 1].inputs[each.path]
                if self._gives(goal, {each.path: old}) != goal.after:
                    yield step.time, f"might {behavior} if {_equals(each, old)} from step {self._steps[goal.at].time}"
            tried = islice(((v, b) for v in self._named() for b in self._other_values(v, step)), _TRIED)
            for variable, bits in tried:
                if self._avoids(start, goal, {variable.path: bits}):
                    yield step.time, f"might {behavior} if {_equals(variable, bits)}"
            changed = self._changed(self._steps[goal.at], self._steps[goal.at - 1])
            for each in changed:
                if not has_names(each) and each.domain != DEFAULT:
                    yield (
                        step.time,
                        f"would {behavior} if {each.path} is anything from step {self._steps[goal.at].time}",
                    )
            for each in self._named():
                yield step.time, f"would {behavior} held if {each.path} is anything"
            for each in changed:
                yield step.time, f"might {behavior} held if {each.path} is anything"

    def _start(self, goal: DecisionTurn) -> int | None:
        """A known step before a change from which all steps follow each other; two steps before it if it can be."""
        found: list[int] = []
        for at in range(goal.at - 1, max(goal.at - _MOST_STEPS, -1), -1):
            if not self._steps[at].precedes(self._steps[at + 1]):
                break
            if self._is_known(at):
                found.append(at)
        return next((at for at in found if at < goal.at - 1), found[0] if found else None)

    def _avoids(self, start: int, goal: DecisionTurn, changed: Mapping[str, int]) -> bool:
        """Whether the change does not come about if inputs are others from the start on."""
        look("looking for what mattered")
        steps = self._steps[start : goal.at + 1]
        later = [{**{v.path: each.inputs[v.path] for v in self._environment}, **changed} for each in steps[1:]]
        done = self._replayer.replay({**steps[0].inputs, **self._run.states[start], **changed}, later)
        if not isinstance(done, Returned):
            return False
        given = [each.get(goal.aspect.variable.path) for each in (*done.earlier, done.outputs)]
        return all(goal.aspect.of(bits) != goal.after for bits in given)


def _answered(candidates: Iterable[tuple[int, str]], ask: Ask) -> FirstQuestion | None:
    """The first of them that has an answer."""
    for step, text in islice(dict.fromkeys(candidates), _ASKED):
        try:
            verdict = ask(step, text)
        except SoidError:  # a question that cannot be asked is no first question; another may be
            continue
        if verdict in ("yes", "no"):
            return FirstQuestion(step, text, verdict)
    return None


def _equals(variable: Variable, bits: int) -> str:
    return f"{variable.path} == {show(variable.type, bits)}"


def _change(variable: Variable, step: Step, earlier: Step) -> float:
    """How much a number changed, relative to how large it is; what became or was no number changed most."""
    old, new = (_float(variable, each.inputs[variable.path]) for each in (earlier, step))
    if not (math.isfinite(old) and math.isfinite(new)):
        return math.inf
    return abs(new - old) / max(abs(new), abs(old), 1e-9)


def _float(variable: Variable, bits: int) -> float:
    kind = variable.type
    if isinstance(kind, FloatType):
        return float(sf.to_fraction(kind.format, bits)) if sf.is_finite(kind.format, bits) else math.nan
    return float(bits if isinstance(kind, BoolType) else number(kind, bits))
