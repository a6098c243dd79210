"""Events of a world in words: they happen, or are avoided, and no program does them.

    would not collision throughout 40 steps     Would it never happen in any of 40 steps that the two cars collide?
    did collision within 40 steps               Did it happen at least once in 40 steps that the two cars collide?

The event's own sentence stands after "that", so any sentence fits, in any tense and mood of the question.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Final, assert_never, final

from msgspec import Struct

from soid.program.interface import Interface
from soid.query.query import Query, QueryKind
from soid.query.steps import Over
from soid.query.words.condition_words import joins
from soid.scenario import expression as ex
from soid.scenario.expression import Expression, walk

_STEPS: Final = {Over.AFTER: "in the last of", Over.WITHIN: "at least once in", Over.THROUGHOUT: "in each of"}

#: where something happens that is not avoided in such steps
_WHERE: Final = {Over.AFTER: "in the last of", Over.WITHIN: "in each of", Over.THROUGHOUT: "in at least one of"}


@final
class _EventVerb(enum.Enum):
    """What becomes of events; the infinitive."""

    HAPPEN = "happen"  # one of them, or all
    AVOIDED = "be avoided"  # the negation
    HOLD = "hold"  # they are combined with something else


@final
class Happening(Struct, frozen=True):
    """What a question says of events."""

    verb: _EventVerb
    sentence: str  # what stands after "that"
    over: Over
    count: int  # of steps

    def question(self, kind: QueryKind) -> str:
        """The question, without what is supposed and without its mark."""
        match kind:
            case QueryKind.DID if self.verb is _EventVerb.AVOIDED:
                return f"Was it avoided{self._rest}"
            case QueryKind.DID:
                return f"Did it {self._infinitive}"
            case QueryKind.WOULD:
                return f"Would it {self._every}"
            case QueryKind.MIGHT:
                return f"Might it ever {self._infinitive}"
            case _:
                assert_never(kind)

    def did(self, *, occurs: bool) -> str:
        """What happened in fact: "it did not happen that the two cars collide"."""
        if self.verb is not _EventVerb.AVOIDED:
            return f"it did {self._infinitive if occurs else self._not_so}"
        if not occurs:
            return f"it did {self._after_all}"
        return f"it did not {self._at_all}" if self._at_all else f"it was avoided{self._rest}"

    def would(self, *, occurs: bool) -> str:
        """What happens in one scenario, after "it would"."""
        if self.verb is _EventVerb.AVOIDED and not occurs:
            return self._after_all
        if self.verb is _EventVerb.AVOIDED and self._at_all:
            return f"not {self._at_all}"
        return self._infinitive if occurs else self._not_so

    def always(self, *, occurs: bool) -> str:
        """What is so in every scenario, or in none."""
        if self.verb is _EventVerb.AVOIDED and not occurs and self.count > 1:
            return f"It would never be avoided that {_WHERE[self.over]} {self.count} steps {self.sentence}"
        if occurs:
            return f"It would {self._every}"
        return f"In no scenario would it {self._infinitive}" if self._in_each else f"It would never {self._denied}"

    @property
    def _infinitive(self) -> str:
        return f"{self.verb.value}{self._rest}"

    @property
    def _in_each(self) -> bool:
        """Whether it speaks of each of several steps: after "not" that might be said of each of them."""
        return self.over is Over.THROUGHOUT and self.count > 1

    @property
    def _not_so(self) -> str:
        """What is so where it is not: "not happen in any of 5 steps that the two cars collide"."""
        if self._in_each:
            return f"{_STEPS[Over.WITHIN]} {self.count} steps not {self.verb.value} that {self.sentence}"
        return f"not {self._denied}"

    @property
    def _denied(self) -> str:
        """What stands after "not" and "never": what is not so at least once is not so in any of the steps."""
        when = f" in any of {self.count} steps" if self.over is Over.WITHIN and self.count > 1 else self._when
        return f"{self.verb.value}{when} that {self.sentence}"

    @property
    def _every(self) -> str:
        """That it is always so. That something is always avoided is said as: it never happens."""
        if self.verb is _EventVerb.AVOIDED and self._at_all:
            return f"never {self._at_all}"
        return f"always {self._infinitive}"

    @property
    def _at_all(self) -> str:
        """What does not happen if something is avoided; empty if it is avoided only in one of several steps."""
        if self.count == 1:
            return f"happen that {self.sentence}"
        when = {Over.THROUGHOUT: "in any of", Over.AFTER: "in the last of", Over.WITHIN: ""}[self.over]
        return f"happen {when} {self.count} steps that {self.sentence}" if when else ""

    @property
    def _after_all(self) -> str:
        """What happens if something is not avoided: not avoided in each step, it happens at least once."""
        turned = {Over.THROUGHOUT: Over.WITHIN, Over.WITHIN: Over.THROUGHOUT, Over.AFTER: Over.AFTER}[self.over]
        return Happening(_EventVerb.HAPPEN, self.sentence, turned, self.count)._infinitive

    @property
    def _rest(self) -> str:
        return f"{self._when} that {self.sentence}"

    @property
    def _when(self) -> str:
        return f" {_STEPS[self.over]} {self.count} steps" if self.count > 1 else ""


def happening(query: Query, interface: Interface, told: Callable[[Expression], str]) -> Happening | None:
    """What a question says of events; None if it speaks of none. `told` has words for what is no event."""
    formula, period = query.behavior.expression, query.period
    if not speaks_of_events(formula, interface):
        return None
    denied = isinstance(formula, ex.Not) and _is_of_events(formula.operand, interface)
    inner = formula.operand if denied and isinstance(formula, ex.Not) else formula
    whole = _EventVerb.HAPPEN if _is_of_events(inner, interface) else _EventVerb.HOLD
    verb = _EventVerb.AVOIDED if denied else whole
    return Happening(verb, event_sentence(inner, interface, told), period.over, period.count)


def speaks_of_events(formula: Expression, interface: Interface) -> bool:
    return any(_is_event(node, interface) for node in walk(formula))


def event_sentence(formula: Expression, interface: Interface, told: Callable[[Expression], str]) -> str:
    """A formula of events, and of other things, as a sentence."""

    def sentence(part: Expression) -> str:
        text = event_sentence(part, interface, told)
        return f"({text})" if joins(part) else text

    match formula:
        case ex.And(parts):
            return ", and ".join(map(sentence, parts))
        case ex.Or(parts):
            return ", or ".join(map(sentence, parts))
        case ex.Not(inner) if _is_of_events(inner, interface):
            return f"it does not happen that {sentence(inner)}"
        case ex.Name(path) if _is_event(formula, interface) and not interface.variable(path).label:
            return f"{path} occurs"
        case _:
            return told(formula)


def _is_event(node: Expression | ex.Between, interface: Interface) -> bool:
    return isinstance(node, ex.Name) and node.path in interface.events and not node.primed


def _is_of_events(formula: Expression, interface: Interface) -> bool:
    """Whether a formula consists of events, and of nothing else."""
    match formula:
        case ex.And(parts) | ex.Or(parts):
            return all(_is_of_events(part, interface) for part in parts)
        case _:
            return _is_event(formula, interface)
