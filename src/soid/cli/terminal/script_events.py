"""What happens while a script runs, or at the prompt: printed for people, and as JSON for scripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never, final

from msgspec import Struct

from soid.case.script_runner import AnsweredQuestion, AnswerOrigin, Caused, Ending, Event, ScriptOutcome, Studied
from soid.cli.terminal.answers import show_answer, show_question, show_reason, show_verdict, show_witness
from soid.cli.terminal.terminal import Terminal
from soid.oracle.answer import AnswerDocument, Verdict
from soid.query.language.script.plan import PlannedMoment
from soid.scenario.expression import TextSpan
from soid.scenario.trace import Keyframe
from soid.witness.witness import Shows

LineOf = Callable[[TextSpan], int | None]  # the line of a script that a span is in; None where there is no script


# --- for scripts ----------------------------------------------------------------------------------------------


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


# --- for people -----------------------------------------------------------------------------------------------


@final
class EventPrinter(Struct, frozen=True):
    """Prints answers as they come."""

    terminal: Terminal
    keyframe_of: Callable[[PlannedMoment], Keyframe]
    verbose: bool = False

    def tell(self, event: AnsweredQuestion | Caused | Studied, heading: str) -> None:
        self.terminal.blank()
        if isinstance(event, Caused):
            self._caused(event, heading)
        elif isinstance(event, Studied):
            entry = f", entry {event.found.number}" if event.found.number is not None else ""
            self.terminal.rule(f"{heading}: {event.put.kind}{entry}", str(event.moment))
            self.terminal.prose(event.found.statement)
        elif event.reply.answer is None or event.origin is AnswerOrigin.REPEATED or not self.verbose:
            self._briefly(event, heading)
        else:
            keyframe = self.keyframe_of(event.moment)
            show_answer(self.terminal, event.reply.answer, keyframe, heading=heading, verbose=True)
            self._origin(event)

    def _briefly(self, event: AnsweredQuestion, heading: str) -> None:
        terminal, reply = self.terminal, event.reply
        keyframe = self.keyframe_of(event.moment)
        terminal.rule(heading, str(event.moment))
        show_question(terminal, event.put.query, event.put.text, keyframe)
        if reply.answer is None:
            show_reason(terminal, reply.verdict, reply.reason)
            return
        show_verdict(terminal, reply.answer, keyframe)
        self._origin(event)
        witness = reply.answer.witness
        if witness is None or event.origin is AnswerOrigin.REPEATED:
            return
        if witness.shows in (Shows.EXAMPLE, Shows.COUNTEREXAMPLE):
            show_witness(terminal, reply.answer, witness, keyframe)

    def _origin(self, event: AnsweredQuestion) -> None:
        entry = f", entry {event.reply.number}" if event.reply.number is not None else ""
        match event.origin:
            case AnswerOrigin.RECORDED:
                self.terminal.prose(f"from the record{entry}: not asked again", indent=4, style="dim")
            case AnswerOrigin.REPEATED:
                self.terminal.prose(f"asked before in this script{entry}", indent=4, style="dim")
            case AnswerOrigin.ASKED:
                pass
            case _:
                assert_never(event.origin)

    def _caused(self, event: Caused, heading: str) -> None:
        self.terminal.rule(heading, str(event.moment))
        self.terminal.prose("Was this why?", style="bold")
        self.terminal.prose(event.put.text, style="dim")
        self.terminal.blank()
        show_reason(self.terminal, event.verdict, event.reason)
