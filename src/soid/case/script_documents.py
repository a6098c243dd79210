"""What happens while a script runs, as JSON: an object for each event."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never, final

from msgspec import Struct

from soid.case.script_runner import AnsweredQuestion, Caused, Ending, Event, ScriptOutcome, Studied
from soid.oracle.answer import AnswerDocument, Verdict
from soid.query.language.script.plan import PlannedMoment
from soid.scenario.expression import TextSpan

LineOf = Callable[[TextSpan], int | None]  # the line of a script that a span is in; None where there is no script


class CauseDocument(Struct, frozen=True):
    """A question, or a cause, and what was found, as JSON."""

    event: str
    line: int | None
    step: int
    trace: str | None
    keyframe: str | None
    question: str
    verdict: Verdict
    reason: str


@final
class AskedDocument(CauseDocument, frozen=True):
    """A question and its answer, as JSON."""

    entry: int | None
    answer: AnswerDocument | None


@final
class StudiedDocument(Struct, frozen=True):
    """What a study of a script has found, as JSON."""

    event: str
    line: int | None
    step: int
    trace: str | None
    keyframe: str | None
    kind: str
    entry: int | None
    statement: str


@final
class OutcomeDocument(Struct, frozen=True):
    """What came of a script, as JSON."""

    event: Ending
    line: int | None
    conclusion: str | None
    reason: str | None
    verdict: Verdict | None


def event_document(event: Event, line_of: LineOf) -> Struct:
    match event:
        case AnsweredQuestion(put, moment, reply, origin):
            answer = reply.answer.document if reply.answer is not None else None
            when = line_of(put.span), *_when(moment)
            return AskedDocument(origin.value, *when, put.text, reply.verdict, reply.reason, reply.number, answer)
        case Caused(cause, moment, verdict, reason):
            return CauseDocument("cause", line_of(cause.span), *_when(moment), cause.text, verdict, reason)
        case Studied(asked, moment, found):
            when = line_of(asked.span), *_when(moment)
            return StudiedDocument("studied", *when, asked.kind, found.number, found.statement)
        case ScriptOutcome(ending, text, stopped_at, span):
            line, concluded = None if span is None else line_of(span), ending is Ending.CONCLUDED
            return OutcomeDocument(ending, line, text if concluded else None, None if concluded else text, stopped_at)
        case _:
            assert_never(event)


def _when(moment: PlannedMoment) -> tuple[int, str | None, str | None]:
    assert moment.step is not None, "a run has put in the case's own step"
    return moment.step, moment.log, moment.keyframe
