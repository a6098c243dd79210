"""The prompt of `soid investigate`: a case, the moment that is asked about, names, and what each line does."""

from __future__ import annotations

from pathlib import Path
from typing import final

from msgspec.structs import replace

from soid.case.case import Case
from soid.case.script_documents import event_document
from soid.case.script_oracles import RecordingOracle
from soid.case.script_runner import AnsweredQuestion, Caused, ScriptOutcome, Studied, run
from soid.cli import failure
from soid.cli.output import print_json
from soid.cli.prompt.completion import Knowledge
from soid.cli.prompt.prompt_commands import COMMANDS, PromptCommands
from soid.cli.terminal.entries import show_statement
from soid.cli.terminal.script_events import EventPrinter
from soid.cli.terminal.terminal import warn
from soid.errors import CaseError, QueryError
from soid.query.language.query_errors import drawn
from soid.query.language.script import nodes
from soid.query.language.script.checked_questions import put
from soid.query.language.script.definitions import Definitions
from soid.query.language.script.plan import PlannedMoment, ScriptPlan
from soid.query.language.script.script_parser import parse_line
from soid.query.words import counted
from soid.scenario.expression import TextSpan
from soid.scenario.trace import Keyframe
from soid.scenario.written_step import typed


def _named(logs: tuple[str, ...]) -> dict[str | None, str]:
    """The logs by their names at the prompt: None for the first; the file's name, if no other log has the same.

    >>> _named(("a/day.jsonl", "b/day.jsonl", "b/night.jsonl"))
    {None: 'a/day.jsonl', 'a/day.jsonl': 'a/day.jsonl', 'b/day.jsonl': 'b/day.jsonl', 'night': 'b/night.jsonl'}
    """
    stems = [Path(log).stem for log in logs]
    named: dict[str | None, str] = {None: logs[0]}
    return named | {stem if stems.count(stem) == 1 else log: log for stem, log in zip(stems, logs, strict=True)}


@final
class CasePrompt:
    """A case, the moment that is asked about, and the names that were given."""

    def __init__(self, case: Case, *, as_json: bool = False) -> None:
        self._case = case
        self._as_json = as_json
        own = case.project_at()
        self._steps = own.program.source.steps
        self._names = Definitions(own.program.interface)
        self._moment = PlannedMoment(own.logged.step)
        self._logs = _named(case.snapshot.logs)
        self._commands = PromptCommands(case, own.program.interface, as_json=as_json)
        self._stand = RecordingOracle(case, self._logs, self._commands.watch)
        self._events = EventPrinter(self._commands.terminal, self._keyframe)

    @property
    def text(self) -> str:
        """What stands before the cursor: the moment that is asked about."""
        return f"{self._moment}> "

    @property
    def knowledge(self) -> Knowledge:
        return Knowledge(
            self._names.interface, tuple(COMMANDS), lambda: self._names, lambda: tuple(self._case.keyframes)
        )

    def greet(self) -> None:
        if self._as_json:
            return
        program = self._case.entries[0].payload["program"]
        terminal = self._commands.terminal
        terminal.rule(self._case.title or program, counted(len(self._case.numbered_facts), "fact"))
        terminal.prose(f"{program}; `help` lists what may be typed, and the Tab key completes it.")
        warn(self._case.warnings)

    def do(self, line: str) -> bool:
        """Do what one line says; False: it says to leave. An error is printed, and the prompt goes on."""
        text = line.strip()
        word, _, rest = text.partition(" ")
        if word == "quit" or text == "exit":
            return False
        try:
            if word in COMMANDS:
                self._commands.do(word, rest.strip(), (self._moment.step, self._logs[self._moment.log]))
            else:
                self._line(text)
        except KeyboardInterrupt:
            self._commands.say("Called off: the question stays on the record as asked, and was not answered.")
        except Exception as error:  # noqa: BLE001 any error is described, and the case stays open
            failure.say(failure.describe(error, ["investigate"]), as_json=self._as_json)
        return True

    # --- lines of a script

    def _line(self, text: str) -> None:
        if text.startswith("at ") and text[3:].strip() in self._case.keyframes:  # its name may have several words
            self._go(text[3:].strip())
            return
        line = parse_line(text)
        with drawn(text):
            self._understood(line, TextSpan(0, len(text)))

    def _understood(self, line: object, span: TextSpan) -> None:
        match line:
            case nodes.Ask(condition):
                self._ask(condition, span)
            case nodes.Let(name, value):
                self._names = self._names.let(name, value, span)
                self._commands.say(f"{name} is a name now, for this session")
            case nodes.FamilyDefinition(name, suppositions):
                self._names = self._names.family(name, suppositions, span)
                self._commands.say(f"{name} is a name now, for this session")
            case nodes.AtStep(step, log):
                project = self._case.project_at(typed(step), self._log(log))  # a step that is not there is an error
                self._moment = PlannedMoment(project.logged.step, log)
            case nodes.AtKeyframe(name):
                self._go(name)
            case nodes.KeyframeDefinition(name, step, log):
                self._commands.entered(self._case.keyframe(typed(step), name, log=self._log(log)))
            case nodes.Conclude(conclusion):
                self._commands.entered(self._case.conclude(self._commands.last().number, "the prompt", conclusion))
            case _:
                raise QueryError("that stands in a script, not at the prompt", "Run it from a file: soid run FILE.soid")

    def _ask(self, condition: nodes.Condition, span: TextSpan) -> None:
        asked = put(condition, self._names, self._steps, span)
        if self._moment.keyframe not in self._case.keyframes:  # its name was taken back
            self._moment = replace(self._moment, keyframe=None)
        for event in run(ScriptPlan((asked,), self._moment, {}, self._case.interface, concludes=False), self._stand):
            if isinstance(event, ScriptOutcome):
                return
            if self._as_json:
                print_json(event_document(event, lambda _: None))
            else:
                self._tell(event)

    def _tell(self, event: AnsweredQuestion | Caused | Studied) -> None:
        number = event.reply.number if isinstance(event, AnsweredQuestion) else None
        self._events.tell(event, "Question" if number is None else f"Entry {number}")
        if number is not None:
            show_statement(self._commands.terminal, self._case.entries[number - 1])

    def _go(self, name: str) -> None:
        moment = self._case.moment(name)
        log = next(called for called, held in self._logs.items() if held == moment.log)
        self._moment = PlannedMoment(moment.step, log, name)

    def _log(self, name: str | None) -> str:
        if name not in self._logs:
            known = ", ".join(str(log) for log in self._logs if log is not None)
            raise CaseError(f"the case has no log {name}", f"Its logs are: {known}.")
        return self._logs[name]

    # --- what is looked up

    def _keyframe(self, moment: PlannedMoment) -> Keyframe:
        return self._case.project_at(moment.step, self._logs[moment.log]).keyframe
