"""A session at the prompt: a case, the moment that is asked about, names, and what each line does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar, final

from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.case import Case
from soid.case.conclusions import as_note
from soid.case.record.entry import Entry, EntryKind
from soid.case.script_oracles import RecordingOracle
from soid.case.script_runner import AnsweredQuestion, Caused, ScriptOutcome, run
from soid.case.validity import entry_at, in_force
from soid.cli import failing
from soid.cli.casework import about, show_fact
from soid.cli.completing import Knowledge
from soid.cli.explanations import show_explanation
from soid.cli.telling import Words, event_json
from soid.cli.terminal import Terminal
from soid.cli.watching import Report, watched
from soid.documents import json_of
from soid.errors import CaseError, QueryError
from soid.explanation.explanation import Explanation
from soid.program.program import CSource
from soid.query.language.query_errors import drawn
from soid.query.language.script import nodes
from soid.query.language.script.checked_questions import Setting, put
from soid.query.language.script.definitions import Definitions
from soid.query.language.script.plan import PlannedMoment, ScriptPlan
from soid.query.language.script.script_parser import parse_line
from soid.scenario.expression import TextSpan
from soid.scenario.trace import Keyframe

T = TypeVar("T")

#: the commands, and what each does; what is none of them is a line of a script
COMMANDS: Final = {
    "facts": "what has been established",
    "entries": "everything on the record",
    "explain": "explain the last answer, or that of an entry: explain 4",
    "note": "say something about the last answer, or an entry: note 4 so the heater matters",
    "accept": "go on though log and program differ at this moment: accept the clock was wrong",
    "undo": "take the last entry back by a new one; it may say why: undo asked about the wrong car",
    "variables": "what may be asked about",
    "help": "this",
    "quit": "leave; so does Ctrl-D",
}

_LINES: Final = (
    ("did, would, might", "a question: would move if signal is anything"),
    ("... because ...", "a cause: move because signal == RIGHT"),
    ("let, family", "names: let other = world.agents[1]; family near = other.x within 0.5 of fact"),
    ("at", "go to another moment: at step 90, at approach"),
    ("keyframe", "give a moment a name: keyframe approach = step 90"),
    ("conclude", 'what it comes to, as a note on the last answer: conclude "it was deceived"'),
)

#: what `undo` takes back, the last first
_UNDONE: Final = (EntryKind.ANSWERED, EntryKind.KEYFRAME, EntryKind.NOTE, EntryKind.ACCEPTED)


def _named(logs: tuple[str, ...]) -> dict[str | None, str]:
    """Logs by what they are called at the prompt: None for the first, and the file's name where no other has it.

    >>> _named(("a/day.jsonl", "b/day.jsonl", "b/night.jsonl"))
    {None: 'a/day.jsonl', 'a/day.jsonl': 'a/day.jsonl', 'b/day.jsonl': 'b/day.jsonl', 'night': 'b/night.jsonl'}
    """
    stems = [Path(log).stem for log in logs]
    named: dict[str | None, str] = {None: logs[0]}
    return named | {stem if stems.count(stem) == 1 else log: log for stem, log in zip(stems, logs, strict=True)}


@final
class Session:
    """A case, the moment that is asked about, and the names that were given."""

    def __init__(self, case: Case, *, as_json: bool = False) -> None:
        self._case = case
        self._as_json = as_json
        self._terminal = Terminal.stdout()
        own = case.case_at()
        source = own.program.source
        self._setting = Setting(own.program.interface, source.steps if isinstance(source, CSource) else 1)
        self._names = Definitions(own.program.interface)
        self._moment = PlannedMoment(own.keyframe.step)
        self._logs = _named(case.snapshot.logs)
        self._stand = RecordingOracle(case, self._logs, self._watch)
        self._words = Words(self._terminal, self._keyframe, self._heading, verbose=False)

    @property
    def prompt(self) -> str:
        """Where one is."""
        return f"{self._moment}> "

    @property
    def knowledge(self) -> Knowledge:
        """What may be typed."""
        return Knowledge(
            self._setting.interface, tuple(COMMANDS), lambda: self._names, lambda: tuple(self._case.keyframes)
        )

    def greet(self) -> None:
        if self._as_json:
            return
        program = self._case.entries[0].payload["program"]
        facts = len(self._case.facts)
        self._terminal.rule(self._case.title or program, f"{facts} {'fact' if facts == 1 else 'facts'}")
        self._terminal.prose(f"{program}; `help` lists what may be typed, and the Tab key completes it.")
        for warning in self._case.warnings:
            Terminal.stderr().prose(warning, indent=9, first=("warning: ", "bold yellow"))

    def do(self, line: str) -> bool:
        """One line; whether another may follow. What is wrong is said, and ends nothing."""
        text = line.strip()
        word, _, rest = text.partition(" ")
        if text in ("quit", "exit"):
            return False
        try:
            if word in COMMANDS:
                self._command(word, rest.strip())
            else:
                self._line(text)
        except KeyboardInterrupt:
            self._say("Called off: the question stays on the record as asked, and was not answered.")
        except Exception as error:  # noqa: BLE001 whatever it is, it is told, and the case stays open
            failing.say(failing.describe(error, ["investigate"]), as_json=self._as_json)
        return True

    # --- lines of a script

    def _line(self, text: str) -> None:
        if text.startswith("at ") and text[3:].strip() in self._case.keyframes:  # such names may have several words
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
                self._say(f"{name} is a name now, for this session")
            case nodes.FamilyDefinition(name, suppositions):
                self._names = self._names.family(name, suppositions, span)
                self._say(f"{name} is a name now, for this session")
            case nodes.AtStep(step, log):
                self._case.case_at(step, self._log(log))  # a step that is not there is an error
                self._moment = PlannedMoment(step, log)
            case nodes.AtKeyframe(name):
                self._go(name)
            case nodes.KeyframeDefinition(name, step, log):
                self._entered(self._case.keyframe(step, name, log=self._log(log)))
            case nodes.Conclude(conclusion):
                self._entered(self._case.note(self._last().number, as_note("the prompt", conclusion)))
            case _:
                raise QueryError("that stands in a script, not at the prompt", "Run it from a file: soid run FILE.soid")

    def _ask(self, condition: nodes.Condition, span: TextSpan) -> None:
        asked = put(condition, self._names, self._setting, span)
        if self._moment.keyframe not in self._case.keyframes:  # its name was taken back
            self._moment = replace(self._moment, keyframe=None)
        for event in run(ScriptPlan((asked,), self._moment, {}, concludes=False), self._stand):
            if isinstance(event, ScriptOutcome):
                return
            if self._as_json:
                self._print(event_json(event, lambda _: None))
            else:
                self._words.tell(event)
                self._fact(event)

    def _fact(self, event: AnsweredQuestion | Caused) -> None:
        """What was established, as a sentence."""
        number = event.reply.number if isinstance(event, AnsweredQuestion) else None
        fact = self._case.entries[number - 1].fact if number is not None else None
        if fact is not None:
            self._terminal.blank()
            self._terminal.prose(fact["statement"], indent=8, first=("  fact", "bold"))

    def _go(self, name: str) -> None:
        moment = self._case.moment(name)
        log = next(called for called, held in self._logs.items() if held == moment.log)
        self._moment = PlannedMoment(moment.step, log, name)

    def _log(self, name: str | None) -> str:
        if name not in self._logs:
            known = ", ".join(str(log) for log in self._logs if log is not None)
            raise CaseError(f"the case has no log {name}", f"Its logs are: {known}.")
        return self._logs[name]

    # --- commands

    def _command(self, word: str, rest: str) -> None:
        commands: dict[str, Callable[[str], None]] = {
            "facts": self._facts,
            "entries": self._entries,
            "explain": self._explain,
            "note": self._note,
            "accept": self._accept,
            "undo": self._undo,
            "variables": self._variables,
            "help": self._help,
        }
        commands[word](rest)

    def _facts(self, _: str) -> None:
        facts = self._case.facts
        if self._as_json:
            self._print({"facts": [json_of(entry.document) for entry in facts]})
            return
        for entry in facts:
            show_fact(self._terminal, self._case, entry)
        if not facts:
            self._say("Nothing has been established yet.")

    def _entries(self, _: str) -> None:
        if self._as_json:
            self._print({"entries": [json_of(entry.document) for entry in self._case.entries]})
            return
        rows = [(str(entry.number), entry.who, about(entry)) for entry in self._case.entries]
        self._terminal.table(("entry", "who", "what"), rows, wraps=("what",))

    def _explain(self, rest: str) -> None:
        entry = entry_at(self._case.entries, int(rest)) if rest.isdecimal() else self._last()
        if entry.question is None:
            raise CaseError(f"entry {entry.number} is about no question", "`entries` lists what there is.")
        case, question = self._case.case_at(entry.step, entry.log), entry.question

        def do(cancel: Cancellation, report: Report) -> Explanation:
            return case.explain(question, cancel=cancel, progress=report)

        explanation = self._watch(do)
        if self._as_json:
            self._print({**json_of(explanation.document), "entry": entry.number})
        else:
            show_explanation(self._terminal, explanation, case.keyframe, f"Explaining entry {entry.number}")

    def _note(self, rest: str) -> None:
        number, _, text = rest.partition(" ")
        if number.isdecimal():
            self._entered(self._case.note(int(number), text.strip()))
        else:
            self._entered(self._case.note(self._last().number, rest))

    def _accept(self, rest: str) -> None:
        log = self._logs[self._moment.log]

        def do(_: Cancellation, __: Report) -> Entry:
            return self._case.accept_log_mismatch(rest, step=self._moment.step, log=log)

        self._entered(self._watch(do))

    def _undo(self, rest: str) -> None:
        standing = in_force(self._case.entries, *_UNDONE)
        if not standing:
            raise CaseError("there is nothing to take back", "")
        self._entered(self._case.retract(standing[-1].number, rest or "undone at the prompt"))

    def _variables(self, _: str) -> None:
        variables = self._setting.interface.variables
        if self._as_json:
            self._print({"variables": [variable.path for variable in variables]})
            return
        rows = [(v.path, v.role.value, str(v.type), v.domain_text, v.label) for v in variables]
        self._terminal.table(("variable", "role", "type", "domain", "meaning"), rows, wraps=("domain", "meaning"))

    def _help(self, _: str) -> None:
        if self._as_json:
            self._print({"commands": list(COMMANDS)})
            return
        self._terminal.table(("typed", "does"), [*_LINES, *COMMANDS.items()], wraps=("does",))

    # --- what is said and looked up

    def _watch(self, do: Callable[[Cancellation, Report], T], /) -> T:
        return watched(do, quiet=self._as_json)

    def _keyframe(self, moment: PlannedMoment) -> Keyframe:
        return self._case.case_at(moment.step, self._logs[moment.log]).keyframe

    def _heading(self, event: AnsweredQuestion | Caused) -> str:
        number = event.reply.number if isinstance(event, AnsweredQuestion) else None
        return "Question" if number is None else f"Entry {number}"

    def _last(self) -> Entry:
        answers = in_force(self._case.entries, EntryKind.ANSWERED)
        if not answers:
            raise CaseError("nothing was answered yet", "Put a question first.")
        return answers[-1]

    def _entered(self, entry: Entry) -> None:
        if self._as_json:
            self._print(json_of(entry.document))
        else:
            self._say(f"entry {entry.number}: {about(entry)}")

    def _say(self, text: str) -> None:
        if not self._as_json:
            self._terminal.prose(text, style="dim")

    def _print(self, said: dict[str, object]) -> None:
        print(json.dumps(said, ensure_ascii=False), flush=True)
