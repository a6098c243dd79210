"""Questions that suggest themselves at a moment, made from the program's interface alone: nothing is run for them.

Each decision is asked about as it was, and as it might have been, had one signal, one number or the order of two
arrivals been another; each event of the world is asked about as it was logged, and with another signal.

>>> from itertools import islice
>>> from soid.case.project import Project
>>> from soid.examples import folder
>>> from soid.query.language.query_printer import to_text
>>> oven = Project.open(folder("microwave")).keyframe
>>> for topic, query in islice(QuestionCandidates(oven).questions(), 3):
...     print(topic.value, "|", to_text(query))
decisions | did action == CLOSE
signals | would action == CLOSE if error == false
signals | would action == CLOSE if closed == true
"""

from __future__ import annotations

import enum
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Final, final

from soid.formula import softfloat as sf
from soid.program.domain import DEFAULT, every_value
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, number, show
from soid.query.behavior import Behavior
from soid.query.query import Query, QueryKind
from soid.query.steps import Over, Steps
from soid.scenario import expression as ex
from soid.scenario.expression import Comparison, Expression
from soid.scenario.supposition import Anything, Keep, Satisfies, Supposition, Within
from soid.scenario.trace import Keyframe

#: units of points in time and of ages: which of two of them came first can be asked
_TIMES: Final = frozenset({"s", "ms", "us", "ns", "min", "h", "d"})
_NEAR: Final = "10 %"  # how far a number may be from the fact if it has no domain
_MOST_LABELS: Final = 4  # of a signal: a question for each other one; beyond that, one question about all of them
_MOST_STEPS: Final = 40  # of a question about an event
_MOST_DECISIONS: Final = 3


@final
class QuestionTopic(enum.Enum):
    """What a suggested question is about."""

    LISTED = "listed"  # the manifest lists it
    DECISIONS = "decisions"  # what was decided in fact
    EVENTS = "events"  # what happened, or might have
    MATTERED = "mattered"  # a variable of which an explanation on the record says that it mattered
    SIGNALS = "signals"  # another value of an input with names
    ORDER = "order"  # what came first
    RANGES = "ranges"  # numbers over a range


Candidate = tuple[QuestionTopic, Query]


@final
class QuestionCandidates:
    """Makes questions about one moment."""

    def __init__(
        self,
        keyframe: Keyframe,
        decided: Mapping[str, int] | None = None,
        *,
        named: Iterable[str] = (),
        absent: Container[str] = (),
    ) -> None:
        """`decided` has what was decided, by default as far as it is logged.

        `named` has paths in the order of their interest, such as those that other questions name; they come first.
        `absent` has inputs that mean nothing at this moment, such as the speed of a car that is not there.
        """
        self._keyframe, self._interface = keyframe, keyframe.interface
        self._decided = keyframe.decisions if decided is None else decided
        rank = {path: place for place, path in enumerate(dict.fromkeys(named))}
        self._rank = lambda each: rank.get(each.path, len(rank))
        perceived = [v for v in self._interface.inputs if v.role is Role.ENVIRONMENT and v.path not in absent]
        perceived = [v for v in perceived if v.path not in self._interface.unperceived and "@" not in v.path]
        self._perceived = sorted(perceived, key=self._rank)
        self._decisions = sorted(decisions_worth_asking(self._interface, rank), key=self._rank)[:_MOST_DECISIONS]

    def questions(self) -> Iterator[Candidate]:
        """The most useful ones first, each topic by itself."""
        for decision in [each for each in self._decisions if _has_names(each)] or self._decisions:
            yield QuestionTopic.DECISIONS, Query(QueryKind.DID, Behavior(self._done(decision)))
        yield from ((QuestionTopic.EVENTS, query) for query in self._events())
        for topic, suppose in (
            (QuestionTopic.SIGNALS, self._signals()),
            (QuestionTopic.ORDER, self._orders()),
            (QuestionTopic.RANGES, self._ranges()),
        ):
            for supposed in suppose:
                for decision in self._decisions:
                    if (query := self._supposing(decision, supposed)) is not None:
                        yield topic, query

    def about(self, query: Query, path: str) -> Iterator[Query]:
        """The same behavior with this input alone another: for one that mattered."""
        variable = self._interface.variable(path)
        for supposed in self._of_signal(variable) if _has_names(variable) else self._of_number(variable):
            kind = QueryKind.WOULD if _is_one_value(supposed) else query.kind  # of one scenario both say the same
            yield Query(kind, query.behavior, supposed, query.steps)

    # --- what was done, and what else might have been -----------------------------------------------------------

    def _supposing(self, decision: Variable, supposed: tuple[Supposition, ...]) -> Query | None:
        """Whether it might have been otherwise; with one value supposed whether it would have been the same."""
        if _is_one_value(supposed):
            same = self._same(decision)
            return None if same is None else Query(QueryKind.WOULD, Behavior(same), supposed)
        other = self._otherwise(decision)
        return None if other is None else Query(QueryKind.MIGHT, Behavior(other), supposed)

    def _same(self, decision: Variable) -> Expression | None:
        """What was decided; None if that is not known."""
        if _has_names(decision):
            return self._done(decision) if decision.path in self._decided else None
        return self._compared(decision, Comparison.EQ)

    def _compared(self, decision: Variable, with_fact: Comparison) -> Expression | None:
        """A number and what it was; None if that is not known, or was no number: nothing is equal to that."""
        bits = self._decided.get(decision.path)
        if bits is None or _amount(decision, bits) is None:
            return None
        return ex.Compare(ex.Name(decision.path), ((with_fact, ex.FactOf(decision.path)),))

    def _done(self, decision: Variable) -> Expression:
        """What was decided; where that is not known, for a truth, for the first label, or for more than 0."""
        name, bits, kind = ex.Name(decision.path), self._decided.get(decision.path), decision.type
        if isinstance(kind, BoolType):
            return ex.Not(name) if bits == 0 else name
        if isinstance(kind, EnumType):
            label = ex.Name(kind.labels[0][0]) if bits is None else _constant(decision, bits)
            return ex.Compare(name, ((Comparison.EQ, label),))
        return ex.Compare(name, ((_beside_zero(decision, bits), ex.Literal("0")),))

    def _otherwise(self, decision: Variable) -> Expression | None:
        """Anything other than what was decided; None if that is not known."""
        name, bits = ex.Name(decision.path), self._decided.get(decision.path)
        if bits is None:
            return None
        if isinstance(decision.type, BoolType):
            return name if bits == 0 else ex.Not(name)
        if isinstance(decision.type, EnumType):
            return ex.Compare(name, ((Comparison.NE, _constant(decision, bits)),))
        return self._compared(decision, Comparison.NE)

    # --- what happened in the world -----------------------------------------------------------------------------

    def _events(self) -> Iterator[Query]:
        """Whether each event happened in what was logged, harm first; and whether each harm hung on a signal."""
        count = len(self._keyframe.followed_by(_MOST_STEPS - 1)) + 1
        harms = self._interface.harms
        events = [each.path for each in self._interface if each.path in self._interface.events]
        ordered = sorted(events, key=lambda path: path not in harms)
        for path in ordered:
            yield Query(QueryKind.DID, Behavior(ex.Name(path)), steps=Steps(Over.WITHIN, count))
        supposed = next(self._signals(), None)
        for path in ordered if supposed is not None else ():
            if path in harms:
                assert supposed is not None
                steps = Steps(Over.THROUGHOUT, count)
                yield Query(QueryKind.WOULD, Behavior(ex.Not(ex.Name(path))), supposed, steps)

    # --- what may differ ----------------------------------------------------------------------------------------

    def _signals(self) -> Iterator[tuple[Supposition, ...]]:
        for variable in filter(_has_names, self._perceived):
            yield from self._of_signal(variable)

    def _of_signal(self, variable: Variable) -> Iterator[tuple[Supposition, ...]]:
        """Any other value, and each; a truth has but one other."""
        known = variable.path not in self._keyframe.assumed
        values = every_value(variable.type, variable.domain, _MOST_LABELS + 1) or []
        others = [bits for bits in values if not known or bits != self._keyframe.inputs[variable.path]]
        if len(others) != 1:
            yield (Anything(variable.path),)
        if len(others) <= _MOST_LABELS:
            for bits in others:
                equal = ex.Compare(ex.Name(variable.path), ((Comparison.EQ, _constant(variable, bits)),))
                yield (Satisfies(equal),)

    def _ranges(self) -> Iterator[tuple[Supposition, ...]]:
        for variable in self._perceived:
            if not _has_names(variable):
                yield from self._of_number(variable)

    def _of_number(self, variable: Variable) -> Iterator[tuple[Supposition, ...]]:
        """Over its declared domain; one without a domain near what it was."""
        if variable.domain != DEFAULT:
            yield (Anything(variable.path),)
        elif variable.path not in self._keyframe.assumed and _amount(variable, self._keyframe.inputs[variable.path]):
            yield (Within(variable.path, _NEAR),)

    def _orders(self) -> Iterator[tuple[Supposition, ...]]:
        """Of two times of the same kind the other one first, the second being as in fact."""
        times = [each for each in self._perceived if each.unit in _TIMES and "[" in each.path]
        for place, one in enumerate(times):
            for other in times[place + 1 :]:
                if _of_one_kind(one, other) and not {one.path, other.path} & set(self._keyframe.assumed):
                    yield self._turned(*(each for each in self._interface.inputs if each in (one, other)))

    def _turned(self, one: Variable, other: Variable) -> tuple[Supposition, ...]:
        was = [_amount(each, self._keyframe.inputs[each.path]) for each in (one, other)]
        came_first = was[0] is not None and was[1] is not None and was[0] < was[1]
        order = Comparison.GT if came_first else Comparison.LT
        formula = ex.Compare(ex.Name(one.path), ((order, ex.Name(other.path)),))
        return (Satisfies(formula), Keep(other.path))


def _is_one_value(supposed: tuple[Supposition, ...]) -> bool:
    """Whether suppositions of candidates leave one scenario."""
    match supposed:
        case (Satisfies(ex.Compare(_, ((Comparison.EQ, _),))),):
            return True
        case _:
            return False


def decisions_worth_asking(interface: Interface, named: Container[str] = ()) -> list[Variable]:
    """The decisions that have names for their values; numbers, such as scores, only if they are named, or alone."""
    decided = [each for each in interface.decisions if each.path not in interface.events | interface.left]
    return [each for each in decided if _has_names(each) or each.path in named] or decided


def _has_names(variable: Variable) -> bool:
    return isinstance(variable.type, BoolType | EnumType)


def _constant(variable: Variable, bits: int) -> Expression:
    text = show(variable.type, bits)
    return ex.Literal(text) if isinstance(variable.type, BoolType) else ex.Name(text)


def _beside_zero(variable: Variable, bits: int | None) -> Comparison:
    amount = None if bits is None else _amount(variable, bits)
    if amount == 0:
        return Comparison.EQ
    return Comparison.LT if amount is not None and amount < 0 else Comparison.GT


def _amount(variable: Variable, bits: int) -> float | None:
    """A value as a number, to compare it with others; None if it is none that is finite."""
    kind = variable.type
    if isinstance(kind, FloatType):
        return float(sf.to_fraction(kind.format, bits)) if sf.is_finite(kind.format, bits) else None
    return float(number(kind, bits)) if isinstance(kind, IntType) else None


def _of_one_kind(one: Variable, other: Variable) -> bool:
    """Whether two variables are the same part of two elements of one array."""
    (head, tail), (head_2, tail_2) = ((each.path.split("[")[0], each.path.rpartition("]")[2]) for each in (one, other))
    return (head, tail, one.type, one.unit) == (head_2, tail_2, other.type, other.unit)
