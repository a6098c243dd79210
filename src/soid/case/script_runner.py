"""Running a script: each question is put to an oracle, and the next one depends on the answer.

A `when` with a question runs its own block on a yes, and `otherwise` on a no. On any other verdict the script ends
without a conclusion, unless a block `when unknown:`, `when vacuous:` or `when error:` handles it. A `when` over
verdicts (`when q is yes and r is no:`) runs its block where that holds. It is open, and the script ends, if what
matters is a question that was not asked, or one whose verdict is neither yes nor no and is named in no part of that
`when`. A question about a moment is asked only once; after that its answer is reused.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Generator, Iterator
from typing import Final, Protocol, assert_never, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.oracle.answer import Answer, Verdict
from soid.program.interface import Interface
from soid.query.language.query_printer import to_text
from soid.query.language.script.nodes import On
from soid.query.language.script.plan import (
    Decide,
    Each,
    End,
    Go,
    InTurn,
    PlannedArm,
    PlannedMoment,
    PlannedQuestion,
    PutCause,
    PutStudy,
    ScriptPlan,
    Steps,
    Weigh,
)
from soid.query.language.script.shown_values import filled, shown_in, value_in
from soid.query.language.script.verdict_formula import VerdictIs, parts, truth
from soid.query.words import Words
from soid.scenario.expression import Expression, FactOf, TextSpan


@final
class KnownAnswer(Struct, frozen=True):
    """What is known of an answer."""

    verdict: Verdict
    reason: str  # why, in a sentence or two
    number: int | None = None  # of its entry, where there is a record
    answer: Answer | None = None  # None if the question could not be answered


@final
class KnownStudy(Struct, frozen=True):
    """What a study has found, in words."""

    statement: str
    number: int | None = None  # of its entry, where there is a record


class ScriptOracle(Protocol):
    """The source of answers: the oracle itself, or a case that records them."""

    def recorded(self, question: str, moment: PlannedMoment, /) -> KnownAnswer | None:
        """The answer on the record, if there is one that counts."""

    def ask(self, question: str, moment: PlannedMoment, /) -> KnownAnswer:
        """Put a question about a moment."""

    def study(self, put: PutStudy, moment: PlannedMoment, explained: KnownAnswer | None, /) -> KnownStudy:
        """Study a moment; `explained` is the answer that an explanation is of."""


@final
class AnswerOrigin(enum.Enum):
    """Where an answer comes from."""

    ASKED = "asked"  # the oracle was asked
    RECORDED = "recorded"  # it was on the record before this run
    REPEATED = "repeated"  # it was given earlier in this run


@final
class AnsweredQuestion(Struct, frozen=True):
    """A question of the script was answered."""

    put: PlannedQuestion
    moment: PlannedMoment
    reply: KnownAnswer
    origin: AnswerOrigin


@final
class Caused(Struct, frozen=True):
    """The verdict on a cause, from the answers to its questions."""

    put: PutCause
    moment: PlannedMoment
    verdict: Verdict
    reason: str


@final
class Studied(Struct, frozen=True):
    """Causes, a map or an explanation were found."""

    put: PutStudy
    moment: PlannedMoment
    found: KnownStudy


@final
class Ending(enum.Enum):
    """How a script ends."""

    CONCLUDED = "concluded"  # with a conclusion
    STOPPED = "stopped"  # without one: a question on which others depend got no yes and no no, or was not asked
    ENDED = "ended"  # at its end, without a conclusion


@final
class ScriptOutcome(Struct, frozen=True):
    """What came of a script."""

    ending: Ending
    text: str  # the conclusion, or why there is none
    verdict: Verdict | None = None  # on which it stopped
    span: TextSpan | None = None  # of the line at which it ended
    number: int | None = None  # the entry of the last answer, where there is a record


Event = AnsweredQuestion | Caused | Studied | ScriptOutcome

_DEFINITE: Final = frozenset({On.YES, On.NO})
_ON: Final = {verdict: On(verdict.value) for verdict in Verdict}


class _NoScenario(Exception):
    """A question takes a value from a scenario that there is not: the script ends."""

    def __init__(self, why: str, verdict: Verdict | None, span: TextSpan) -> None:
        super().__init__(why)
        self.why, self.verdict, self.span = why, verdict, span


#: called with the place of a line before its question is put, or its study made: both may take long
Begin = Callable[[TextSpan], None]


def run(plan: ScriptPlan, oracle: ScriptOracle, begin: Begin = lambda _: None) -> Iterator[Event]:
    """Run a plan; the last event is the ScriptOutcome."""
    return _ScriptInterpreter(oracle, plan, begin).run()


@final
class _ScriptInterpreter(Struct):
    """One run of a plan, and the answers that it has."""

    oracle: ScriptOracle
    plan: ScriptPlan
    begin: Begin
    known: dict[tuple[str, int | None, str | None], KnownAnswer] = field(default_factory=dict)
    last: KnownAnswer | None = None
    found: dict[int, tuple[Verdict, str]] = field(default_factory=dict)  # by the questions' numbers in the text
    replies: dict[int, KnownAnswer] = field(default_factory=dict)  # likewise

    def run(self) -> Iterator[Event]:
        try:
            outcome = yield from self._steps(self.plan.steps, self.plan.start)
        except _NoScenario as missing:
            outcome = ScriptOutcome(Ending.STOPPED, missing.why, missing.verdict, missing.span, self._number())
        yield outcome or self._ended()

    def _steps(self, steps: Steps, moment: PlannedMoment) -> Generator[Event, None, ScriptOutcome | None]:
        """Run one block; an outcome ends it and all blocks around it."""
        for step in steps:
            outcome: ScriptOutcome | None = None
            match step:
                case PlannedQuestion() | PutCause():
                    yield from self._find(step, moment)
                case PutStudy():
                    yield self._study(step, moment)
                case Weigh():
                    outcome = yield from self._weigh(step, moment)
                case Decide():
                    outcome = yield from self._decide(step, moment)
                case Go(to):
                    moment = to
                case Each(moments, inner):
                    outcome = yield from self._in_turn([(inner, each) for each in moments])
                case InTurn(blocks):
                    outcome = yield from self._in_turn([(block, moment) for block in blocks])
                case End(text, span):
                    outcome = ScriptOutcome(Ending.CONCLUDED, text, span=span, number=self._number())
                case _:
                    assert_never(step)
            if outcome is not None:
                return outcome
        return None

    def _in_turn(self, blocks: list[tuple[Steps, PlannedMoment]]) -> Generator[Event, None, ScriptOutcome | None]:
        """Run the blocks of a loop. The verdicts of one time around are not those of the next."""
        before, replies = self.found, self.replies
        for block, moment in blocks:
            self.found, self.replies = dict(before), dict(replies)
            outcome = yield from self._steps(block, moment)
            if outcome is not None:
                return outcome
        self.found, self.replies = before, replies
        return None

    def _decide(self, step: Decide, moment: PlannedMoment) -> Generator[Event, None, ScriptOutcome | None]:
        condition = step.condition
        verdict, reason = yield from self._find(condition, moment)
        branch = step.branches.get(_ON[verdict])
        if branch is not None:
            return (yield from self._steps(branch, moment))
        if verdict.is_definite:
            return None
        why = f"“{asked_told(condition, self.plan.interface)}” at {moment}: {verdict.value}, {reason}"
        return ScriptOutcome(Ending.STOPPED, why, verdict, condition.span, self._number())

    def _weigh(self, step: Weigh, moment: PlannedMoment) -> Generator[Event, None, ScriptOutcome | None]:
        """Run the block of the first formula that holds."""
        formulas = [arm.formula for arm in step.arms if arm.formula is not None]
        named = {(part.order, part.on) for formula in formulas for part in parts(formula)}

        def holds(part: VerdictIs) -> bool | None:
            if part.order not in self.found:
                return None
            on = _ON[self.found[part.order][0]]
            settled = {on, part.on} <= _DEFINITE or part.on not in _DEFINITE or (part.order, on) in named
            return on is part.on if settled else None

        for arm in step.arms:
            held = True if arm.formula is None else truth(arm.formula, holds)
            if held is None:
                return self._undecided(arm, holds)
            if held:
                return (yield from self._steps(arm.steps, moment))
        return None

    def _undecided(self, arm: PlannedArm, holds: Callable[[VerdictIs], bool | None]) -> ScriptOutcome:
        """The end at a formula that is open, and the questions because of which it is."""
        assert arm.formula is not None
        missing = list(dict.fromkeys((part.order, part.called) for part in parts(arm.formula) if holds(part) is None))
        reasons = []
        for order, called in missing:
            verdict, reason = self.found.get(order, (None, "on the way taken here"))
            reasons.append(f"{called} {'was not asked' if verdict is None else f'is {verdict.value}'}, {reason}")
        verdicts = [self.found[order][0] for order, _ in missing if order in self.found]
        why = f"`{arm.text}` is open: {'; '.join(reasons)}"
        return ScriptOutcome(Ending.STOPPED, why, next(iter(verdicts), None), arm.span, self._number())

    def _find(
        self, condition: PlannedQuestion | PutCause, moment: PlannedMoment
    ) -> Generator[Event, None, tuple[Verdict, str]]:
        """The verdict on a question or a cause; it is kept under its number."""
        if isinstance(condition, PlannedQuestion):
            reply = yield from self._put(self._filled(condition), moment)
            found = reply.verdict, reply.reason
            if condition.order is not None:
                self.replies[condition.order] = reply
        else:
            found = yield from self._cause(condition, moment)
        if condition.order is not None:
            self.found[condition.order] = found
        return found

    def _put(self, put: PlannedQuestion, moment: PlannedMoment) -> Generator[Event, None, KnownAnswer]:
        """Answer one question; ask it only if its answer is not known."""
        key = (put.text, moment.step, moment.log)
        if (reply := self.known.get(key)) is not None:
            origin = AnswerOrigin.REPEATED
        elif (reply := self.oracle.recorded(put.text, moment)) is not None:
            origin = AnswerOrigin.RECORDED
        else:
            self.begin(put.span)
            reply, origin = self.oracle.ask(put.text, moment), AnswerOrigin.ASKED
        self.known[key] = self.last = reply
        yield AnsweredQuestion(put, moment, reply, origin)
        return reply

    def _study(self, put: PutStudy, moment: PlannedMoment) -> Studied:
        explained = None
        if put.order is not None:
            explained = self.replies.get(put.order)
            if explained is None or not explained.verdict.is_definite:
                told = "was not asked on the way taken here" if explained is None else f"is {explained.verdict.value}"
                why = f"question {put.order} {told}, and there is nothing to explain"
                raise _NoScenario(why, None if explained is None else explained.verdict, put.span)
        self.begin(put.span)
        return Studied(put, moment, self.oracle.study(put, moment, explained))

    def _filled(self, put: PlannedQuestion) -> PlannedQuestion:
        """The question with the values that it takes from scenarios shown before."""
        if not any(shown_in(put.query)):
            return put

        def value(node: FactOf) -> Expression:
            assert node.shown is not None
            reply = self.replies.get(node.shown)
            witness = reply.answer.witness if reply is not None and reply.answer is not None else None
            verdict = None if reply is None else reply.verdict
            if witness is None:
                why = "was not asked on the way taken here" if verdict is None else f"is {verdict.value}"
                raise _NoScenario(f"question {node.shown} {why}, and shows no scenario", verdict, put.span)
            found = value_in(node, witness.interface, witness.inputs, witness.outputs)
            if found is None:
                name = Words(witness.interface).called(node.path)
                why = f"in the scenario of question {node.shown} {name} has no value"
                raise _NoScenario(why, verdict, put.span)
            return found

        query = filled(put.query, value)
        return replace(put, query=query, text=to_text(query))

    def _cause(self, put: PutCause, moment: PlannedMoment) -> Generator[Event, None, tuple[Verdict, str]]:
        """Put all four questions, whatever the first verdicts are: both directions belong on the record."""
        held = yield from self._put(put.held, moment)
        happened = yield from self._put(put.happened, moment)
        whenever = yield from self._put(put.whenever, moment)
        otherwise = yield from self._put(put.otherwise, moment)
        verdict, reason = judge(held.verdict, happened.verdict, whenever.verdict, otherwise.verdict)
        yield Caused(put, moment, verdict, reason)
        return verdict, reason

    def _number(self) -> int | None:
        return self.last.number if self.last is not None else None

    def _ended(self) -> ScriptOutcome:
        why = "the script came to its end"
        if self.plan.concludes:
            why += ", and no `conclude` was reached"
        return ScriptOutcome(Ending.ENDED, why, number=self._number())


def asked_told(put: PlannedQuestion | PutCause, interface: Interface) -> str:
    """A question or a cause of a script in words."""
    if isinstance(put, PutCause):
        return Words(interface).because(put.happened.query, put.whenever.query.suppositions)
    return Words(interface).sentence(put.query)


#: the reasons why there is no cause, one for each of the four questions
_NO: Final = (
    "what is named as the cause did not hold in fact",
    "what it is said to have caused did not happen in fact",
    "it does not always happen where the cause holds",
    "it also happens, or nothing is decided, where the cause does not hold",
)
#: what each of the four asks
ASKS: Final = (
    "whether the cause held in fact",
    "whether it happened in fact",
    "whether it would happen whenever the cause holds",
    "whether it would not happen otherwise",
)


def judge(held: Verdict, happened: Verdict, whenever: Verdict, otherwise: Verdict) -> tuple[Verdict, str]:
    """The verdict on a cause, and its reason, from the verdicts on the four questions.

    The fact itself is in no family. If the cause holds only in the fact, `whenever` is vacuous, and the fact settles
    that direction. If the cause always holds, `otherwise` is vacuous, and so is the verdict.

    >>> judge(Verdict.YES, Verdict.YES, Verdict.VACUOUS, Verdict.YES)[0].value
    'yes'
    >>> judge(Verdict.YES, Verdict.UNKNOWN, Verdict.NO, Verdict.YES)[0].value
    'no'
    """
    verdicts = (held, happened, Verdict.YES if whenever is Verdict.VACUOUS else whenever, otherwise)
    for verdict, why in zip(verdicts, _NO, strict=True):
        if verdict is Verdict.NO:
            return verdict, why
    for verdict, asks in zip(verdicts, ASKS, strict=True):
        if verdict is not Verdict.YES:
            return verdict, f"{asks}: {verdict.value}"
    return Verdict.YES, "both occurred; it would happen whenever the cause holds, and would not otherwise"
