"""Running a script: each question is put to whoever answers, and the next one depends on the answer.

`when` goes on into its own block on a yes, and into `otherwise` on a no. On any other verdict the script ends without a
conclusion, unless `when unknown:`, `when vacuous:` or `when error:` says what to do then. What was asked once about a
moment is not asked again: its answer counts.
"""

from __future__ import annotations

import enum
from collections.abc import Generator, Iterator
from typing import Final, Protocol, assert_never, final

from msgspec import Struct, field

from soid.oracle.answer import Answer, Verdict
from soid.query.language.script.nodes import On
from soid.query.language.script.plan import (
    Decide,
    Each,
    End,
    Go,
    InTurn,
    PlannedMoment,
    PlannedQuestion,
    PutCause,
    ScriptPlan,
    Steps,
)
from soid.scenario.expression import TextSpan


@final
class KnownAnswer(Struct, frozen=True):
    """What is known of an answer."""

    verdict: Verdict
    reason: str  # why, in a sentence or two
    number: int | None = None  # of its entry, where there is a record
    answer: Answer | None = None  # all of it; None where the question could not be answered


class ScriptOracle(Protocol):
    """Who answers: the oracle itself, a case that keeps a record, or somebody in their place."""

    def recorded(self, question: str, moment: PlannedMoment, /) -> KnownAnswer | None:
        """The answer that the record has already, if it is one that counts."""

    def ask(self, question: str, moment: PlannedMoment, /) -> KnownAnswer:
        """Put a question about a moment."""


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
    """The questions about a cause were answered, and this is what they come to."""

    put: PutCause
    moment: PlannedMoment
    verdict: Verdict
    reason: str


@final
class Ending(enum.Enum):
    """How a script ends."""

    CONCLUDED = "concluded"  # with a conclusion
    STOPPED = "stopped"  # without one: a question on which others depend got no yes and no no
    ENDED = "ended"  # at its end, without a conclusion


@final
class ScriptOutcome(Struct, frozen=True):
    """What came of a script."""

    ending: Ending
    text: str  # the conclusion, or why there is none
    verdict: Verdict | None = None  # on which it stopped
    span: TextSpan | None = None  # of the line at which it ended
    number: int | None = None  # the entry of the last answer, where there is a record


Event = AnsweredQuestion | Caused | ScriptOutcome

_ON: Final = {verdict: On(verdict.value) for verdict in Verdict}


def run(plan: ScriptPlan, stand: ScriptOracle) -> Iterator[Event]:
    """What happens, as it happens; the last event is the Outcome."""
    return _ScriptInterpreter(stand, plan).run()


@final
class _ScriptInterpreter(Struct):
    """One run of a plan, and the answers that it has."""

    stand: ScriptOracle
    plan: ScriptPlan
    known: dict[tuple[str, int | None, str | None], KnownAnswer] = field(default_factory=dict)
    last: KnownAnswer | None = None

    def run(self) -> Iterator[Event]:
        outcome = yield from self._steps(self.plan.steps, self.plan.start)
        yield outcome or self._ended()

    def _steps(self, steps: Steps, moment: PlannedMoment) -> Generator[Event, None, ScriptOutcome | None]:
        """One block; an outcome ends it and all around it."""
        for step in steps:
            outcome: ScriptOutcome | None = None
            match step:
                case PlannedQuestion():
                    yield from self._put(step, moment)
                case PutCause():
                    yield from self._cause(step, moment)
                case Decide():
                    outcome = yield from self._decide(step, moment)
                case Go(to):
                    moment = to
                case Each(moments, inner):
                    outcome = yield from self._each(moments, inner)
                case InTurn(blocks):
                    outcome = yield from self._in_turn(blocks, moment)
                case End(text, span):
                    outcome = ScriptOutcome(Ending.CONCLUDED, text, span=span, number=self._number())
                case _:
                    assert_never(step)
            if outcome is not None:
                return outcome
        return None

    def _each(self, moments: tuple[PlannedMoment, ...], inner: Steps) -> Generator[Event, None, ScriptOutcome | None]:
        for moment in moments:
            outcome = yield from self._steps(inner, moment)
            if outcome is not None:
                return outcome
        return None

    def _in_turn(
        self, blocks: tuple[Steps, ...], moment: PlannedMoment
    ) -> Generator[Event, None, ScriptOutcome | None]:
        for block in blocks:
            outcome = yield from self._steps(block, moment)
            if outcome is not None:
                return outcome
        return None

    def _decide(self, step: Decide, moment: PlannedMoment) -> Generator[Event, None, ScriptOutcome | None]:
        condition = step.condition
        if isinstance(condition, PlannedQuestion):
            reply = yield from self._put(condition, moment)
            verdict, reason = reply.verdict, reply.reason
        else:
            verdict, reason = yield from self._cause(condition, moment)
        branch = step.branches.get(_ON[verdict])
        if branch is not None:
            return (yield from self._steps(branch, moment))
        if verdict.is_definite:
            return None
        why = f"`{condition.text}` at {moment}: {verdict.value}, {reason}"
        return ScriptOutcome(Ending.STOPPED, why, verdict, condition.span, self._number())

    # --- questions

    def _put(self, put: PlannedQuestion, moment: PlannedMoment) -> Generator[Event, None, KnownAnswer]:
        """One question, asked unless its answer is known."""
        key = (put.text, moment.step, moment.log)
        if (reply := self.known.get(key)) is not None:
            origin = AnswerOrigin.REPEATED
        elif (reply := self.stand.recorded(put.text, moment)) is not None:
            origin = AnswerOrigin.RECORDED
        else:
            reply, origin = self.stand.ask(put.text, moment), AnswerOrigin.ASKED
        self.known[key] = self.last = reply
        yield AnsweredQuestion(put, moment, reply, origin)
        return reply

    def _cause(self, put: PutCause, moment: PlannedMoment) -> Generator[Event, None, tuple[Verdict, str]]:
        """All four questions, whatever the first ones come to: both directions belong on the record."""
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


#: what the four questions about a cause ask, in their order, where the answer is no
_NO: Final = (
    "what is named as the cause did not hold in fact",
    "what it is said to have caused did not happen in fact",
    "it does not always happen where the cause holds",
    "it also happens, or nothing is decided, where the cause does not hold",
)
_ASKS: Final = (
    "whether the cause held in fact",
    "whether it happened in fact",
    "whether it would happen whenever the cause holds",
    "whether it would not happen otherwise",
)


def judge(held: Verdict, happened: Verdict, whenever: Verdict, otherwise: Verdict) -> tuple[Verdict, str]:
    """What the answers about a cause come to.

    The fact itself is in no family. Where it is the only scenario in which the cause holds, `whenever` is vacuous, and
    what happened in fact settles that direction. Where the cause always holds, `otherwise` is vacuous, and so is this.

    >>> judge(Verdict.YES, Verdict.YES, Verdict.VACUOUS, Verdict.YES)[0].value
    'yes'
    >>> judge(Verdict.YES, Verdict.UNKNOWN, Verdict.NO, Verdict.YES)[0].value
    'no'
    """
    verdicts = (held, happened, Verdict.YES if whenever is Verdict.VACUOUS else whenever, otherwise)
    for verdict, why in zip(verdicts, _NO, strict=True):
        if verdict is Verdict.NO:
            return verdict, why
    for verdict, asks in zip(verdicts, _ASKS, strict=True):
        if verdict is not Verdict.YES:
            return verdict, f"{asks}: {verdict.value}"
    return Verdict.YES, "both occurred; it would happen whenever the cause holds, and would not otherwise"
