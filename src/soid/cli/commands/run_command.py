"""`soid run`: run a script, question by question, to its conclusion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, final

from soid.budget import Cancellation
from soid.case.script_documents import event_document
from soid.case.script_run import ScriptFile, ScriptRun
from soid.case.script_runner import AnsweredQuestion, Ending, Event, ScriptOutcome
from soid.cli import exits
from soid.cli.command_line.project_options import RunOptions
from soid.cli.commands.ask_command import settings_of
from soid.cli.output import print_json
from soid.cli.terminal.own_key import own_key
from soid.cli.terminal.progress import Report, watched
from soid.cli.terminal.script_events import EventPrinter
from soid.cli.terminal.terminal import Terminal, warn
from soid.query.language.script.plan import PlannedMoment
from soid.scenario.trace import Keyframe
from soid.visible_text import visible_line

T = TypeVar("T")


def run(options: RunOptions) -> int:
    """Run the script; the exit status says how it ended."""
    source = ScriptFile.read(options.file)
    key = None if options.case is None else own_key()

    def watch(do: Callable[[Cancellation, Report], T]) -> T:
        return watched(do, about=f"{options.file.name}: ", quiet=options.quiet)

    def opened(_: Cancellation, __: Report) -> ScriptRun:
        return ScriptRun(
            source, project=options.project, case_file=options.case, settings=settings_of(options), watch=watch, key=key
        )

    with watched(opened, about=f"{options.file.name}: ", quiet=options.quiet or options.as_json) as script:
        printer = _RunPrinter(script, options)
        printer.begin()
        verdicts: list[str] = []
        for event in script.events():
            printer.tell(event)
            if isinstance(event, AnsweredQuestion):
                verdicts.append(event.reply.verdict.value)
        assert isinstance(event, ScriptOutcome)
        return exits.of_script(
            event.verdict.value if event.verdict is not None else None,
            concluded=event.ending is Ending.CONCLUDED,
            concludes=script.plan.concludes or event.ending is Ending.STOPPED,
            verdicts=verdicts,
        )


@final
class _RunPrinter:
    """Prints what happens, in the form that the options ask for."""

    def __init__(self, script: ScriptRun, options: RunOptions) -> None:
        self._script = script
        self._options = options
        self._terminal = Terminal.stdout()
        self._events = EventPrinter(self._terminal, self._keyframe, options.verbose)

    def begin(self) -> None:
        if self._options.quiet or self._options.as_json:
            return
        terminal, source, case = self._terminal, self._script.source, self._script.case
        terminal.rule(source.title)
        terminal.prose(f"{self._script.program.name}, asked by {source.file}")
        if case is not None:
            said = "continued: what it has is not asked again" if self._script.continued else "made now"
            terminal.prose(f"the case is kept in {self._options.case}, {said}", style="dim")
            warn(case.warnings)

    def tell(self, event: Event) -> None:
        if self._options.as_json:
            print_json(event_document(event, self._script.source.line))
        elif isinstance(event, ScriptOutcome):
            self._end(event)
        elif not self._options.quiet:
            self._events.tell(event, f"Line {self._script.source.line(event.put.span)}")

    def _end(self, outcome: ScriptOutcome) -> None:
        concluded = outcome.ending is Ending.CONCLUDED
        if self._options.quiet:
            said = visible_line(outcome.text)
            print(said if concluded else f"no conclusion: {said}", flush=True)
            return
        place = "" if outcome.span is None else f"line {self._script.source.line(outcome.span)}"
        self._terminal.blank()
        self._terminal.rule("Conclusion" if concluded else "No conclusion", place)
        self._terminal.prose(outcome.text, style="bold" if concluded else "")
        if self._script.case is None:
            self._terminal.prose("Nothing was kept. --case FILE keeps the answers, and goes on there.", style="dim")

    def _keyframe(self, moment: PlannedMoment) -> Keyframe:
        project = self._script.projects[moment.log]
        return project.keyframe if moment.step is None else project.at(moment.step).keyframe
