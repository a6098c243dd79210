"""`soid run`: a script, question by question, to its conclusion."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, assert_never, final

from soid.budget import Cancellation
from soid.case.running import Asked, Caused, Ending, Event, Origin, Outcome
from soid.case.scripts import Run, Source
from soid.cli import exits
from soid.cli.answers import SIGNS, show_answer, show_verdict, show_witness
from soid.cli.terminal import Terminal
from soid.cli.watching import Report, watched
from soid.oracle.asking import Settings
from soid.query.language.script.plan import Moment
from soid.query.words import sentence
from soid.witness.witness import Shows

T = TypeVar("T")


@final
@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says."""

    file: Path
    case: Path | None = None
    project: Path | None = None
    seconds: float | None = None
    as_json: bool = False
    verbose: bool = False
    quiet: bool = False


def run(options: Options) -> int:
    """Run the script; the exit status says how it ended."""
    source = Source.read(options.file)
    settings = Settings()
    if options.seconds is not None:
        settings = replace(settings, seconds=options.seconds)

    def watch(do: Callable[[Cancellation, Report], T]) -> T:
        return watched(do, about=f"{options.file.name}: ", quiet=options.quiet)

    with Run(source, project=options.project, case_file=options.case, settings=settings, watch=watch) as script:
        teller: _Json | _Words = _Json(source) if options.as_json else _Words(script, options)
        teller.begin()
        verdicts: list[str] = []
        for event in script.events():
            teller.tell(event)
            if isinstance(event, Asked):
                verdicts.append(event.reply.verdict.value)
        assert isinstance(event, Outcome)
        return exits.of_script(
            event.verdict.value if event.verdict is not None else None,
            concluded=event.ending is Ending.CONCLUDED,
            concludes=script.plan.concludes,
            verdicts=verdicts,
        )


# --- for a script ---------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class _Json:
    """An object for each event, as docs/json.md describes it."""

    source: Source

    def begin(self) -> None:
        pass

    def tell(self, event: Event) -> None:
        print(json.dumps(self._object(event), ensure_ascii=False), flush=True)

    def _object(self, event: Event) -> dict[str, Any]:
        match event:
            case Asked(put, moment, reply, origin):
                return {
                    "event": origin.value,
                    "line": self.source.line(put.span),
                    **_moment_json(moment),
                    "question": put.text,
                    "verdict": reply.verdict.value,
                    "reason": reply.reason,
                    "entry": reply.number,
                    "answer": reply.answer.to_json() if reply.answer is not None else None,
                }
            case Caused(put, moment, verdict, reason):
                return {
                    "event": "cause",
                    "line": self.source.line(put.span),
                    **_moment_json(moment),
                    "question": put.text,
                    "verdict": verdict.value,
                    "reason": reason,
                }
            case Outcome(ending, text, verdict, span):
                concluded = ending is Ending.CONCLUDED
                return {
                    "event": ending.value,
                    "line": None if span is None else self.source.line(span),
                    "conclusion": text if concluded else None,
                    "reason": None if concluded else text,
                    "verdict": None if verdict is None else verdict.value,
                }
            case _:
                assert_never(event)


def _moment_json(moment: Moment) -> dict[str, Any]:
    return {"step": moment.step, "trace": moment.log, "keyframe": moment.keyframe}


# --- for a person ---------------------------------------------------------------------------------------------


@final
class _Words:
    """Answers as they come, and what they come to."""

    def __init__(self, script: Run, options: Options) -> None:
        self._script = script
        self._source = script.source
        self._options = options
        self._terminal = Terminal.stdout()

    def begin(self) -> None:
        if self._options.quiet:
            return
        self._terminal.rule(self._source.title)
        self._terminal.prose(f"{self._script.program.name}, asked by {self._source.file}")
        if self._script.investigation is not None:
            said = "continued: what it has is not asked again" if self._script.continued else "made now"
            self._terminal.prose(f"the case is kept in {self._options.case}, {said}", style="dim")
            for warning in self._script.investigation.warnings:
                self._terminal.prose(f"note: {warning}", style="dim")

    def tell(self, event: Event) -> None:
        if isinstance(event, Outcome):
            self._end(event)
        elif not self._options.quiet:
            self._terminal.blank()
            self._asked(event) if isinstance(event, Asked) else self._caused(event)

    def _asked(self, event: Asked) -> None:
        terminal, answer = self._terminal, event.reply.answer
        line = f"Line {self._source.line(event.put.span)}"
        if answer is not None and self._options.verbose and event.origin is not Origin.REPEATED:
            keyframe = self._script.cases[event.moment.log].trace.keyframe(answer.step)
            show_answer(terminal, answer, keyframe, heading=line, verbose=True)
            self._say_origin(event)
            return
        terminal.rule(line, str(event.moment))
        terminal.prose(sentence(event.put.query, self._script.program.interface), style="bold")
        terminal.prose(event.put.text, style="dim")
        terminal.blank()
        if answer is None:
            self._verdict(event.reply.verdict, event.reply.reason)
            return
        show_verdict(terminal, answer)
        self._say_origin(event)
        shown = answer.witness is not None and answer.witness.shows in (Shows.EXAMPLE, Shows.COUNTEREXAMPLE)
        if shown and event.origin is not Origin.REPEATED:
            show_witness(terminal, answer, self._script.cases[event.moment.log].trace.keyframe(answer.step))

    def _say_origin(self, event: Asked) -> None:
        entry = f", entry {event.reply.number}" if event.reply.number is not None else ""
        match event.origin:
            case Origin.RECORDED:
                self._terminal.prose(f"from the record{entry}: not asked again", indent=4, style="dim")
            case Origin.REPEATED:
                self._terminal.prose(f"asked before in this script{entry}", indent=4, style="dim")
            case Origin.ASKED:
                pass
            case _:
                assert_never(event.origin)

    def _caused(self, event: Caused) -> None:
        self._terminal.rule(f"Line {self._source.line(event.put.span)}", str(event.moment))
        self._terminal.prose("Was this why?", style="bold")
        self._terminal.prose(event.put.text, style="dim")
        self._terminal.blank()
        self._verdict(event.verdict, event.reason)

    def _verdict(self, verdict: Any, reason: str) -> None:
        sign, plain, style = SIGNS[verdict]
        opening = f"  {self._terminal.either(sign, plain)} {verdict.value.upper()}  "
        self._terminal.prose(reason, indent=len(opening), first=(opening, style))

    def _end(self, outcome: Outcome) -> None:
        terminal = self._terminal
        concluded = outcome.ending is Ending.CONCLUDED
        if self._options.quiet:
            print(outcome.text if concluded else f"no conclusion: {outcome.text}", flush=True)
            return
        terminal.blank()
        terminal.rule("Conclusion" if concluded else "No conclusion", self._place(outcome))
        terminal.prose(outcome.text, style="bold" if concluded else "")
        if self._script.investigation is None:
            terminal.prose("Nothing was kept. With --case FILE answers are, and a run goes on there.", style="dim")

    def _place(self, outcome: Outcome) -> str:
        return "" if outcome.span is None else f"line {self._source.line(outcome.span)}"
