"""The commands of the prompt, besides the lines of a script: they show what is on the record, and add to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar, final

from soid.budget import Cancellation
from soid.case.case import Case
from soid.case.record.entry import Entry, EntryKind
from soid.case.validity import entry_at, in_force
from soid.cli.output import print_json
from soid.cli.terminal.entries import about, show_fact
from soid.cli.terminal.explanations import show_explanation
from soid.cli.terminal.progress import Report, watched
from soid.cli.terminal.terminal import Terminal
from soid.errors import CaseError
from soid.program.interface import Interface

T = TypeVar("T")

Place = tuple[int | None, str]  # the step and the log of the moment that is asked about

#: the commands, and what each does; a line that begins with another word is a line of a script
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
    ("at", "go to another moment: at step 90, at 45s, at approach"),
    ("keyframe", "give a moment a name: keyframe approach = step 90"),
    ("conclude", 'what it comes to, as a note on the last answer: conclude "it was deceived"'),
)

#: the kinds of entries that `undo` takes back, the last one first
_UNDONE: Final = (EntryKind.ANSWERED, EntryKind.KEYFRAME, EntryKind.NOTE, EntryKind.ACCEPTED)


@final
class PromptCommands:
    """Does the commands for one case. The lines of a script print through it too, so that both look the same."""

    def __init__(self, case: Case, interface: Interface, *, as_json: bool) -> None:
        self._case = case
        self._interface = interface
        self._as_json = as_json
        self.terminal = Terminal.stdout()

    def do(self, word: str, rest: str, place: Place) -> None:
        commands: dict[str, Callable[[], None]] = {
            "facts": self._facts,
            "entries": self._entries,
            "explain": lambda: self._explain(rest),
            "note": lambda: self._note(rest),
            "accept": lambda: self._accept(rest, place),
            "undo": lambda: self._undo(rest),
            "variables": self._variables,
            "help": self._help,
        }
        commands[word]()

    def _facts(self) -> None:
        facts = self._case.numbered_facts
        if self._as_json:
            print_json({"facts": [fact.document for fact in facts]})
            return
        for fact in facts:
            show_fact(self.terminal, self._case, fact)
        if not facts:
            self.say("Nothing has been established yet.")

    def _entries(self) -> None:
        if self._as_json:
            print_json({"entries": [entry.document for entry in self._case.entries]})
            return
        rows = [(str(entry.number), entry.who, about(entry)) for entry in self._case.entries]
        self.terminal.table(("entry", "who", "what"), rows, wraps=("what",))

    def _explain(self, rest: str) -> None:
        entry = entry_at(self._case.entries, int(rest)) if rest.isdecimal() else self.last()
        if entry.question is None:
            raise CaseError(f"entry {entry.number} is about no question", "`entries` lists what there is.")
        case, question = self._case.project_at(entry.step, entry.log), entry.question
        explanation = self.watch(lambda cancel, report: case.explain(question, cancel=cancel, progress=report))
        if self._as_json:
            print_json(explanation.document, entry=entry.number)
        else:
            show_explanation(self.terminal, explanation, case.keyframe, f"Explaining entry {entry.number}")

    def _note(self, rest: str) -> None:
        number, _, text = rest.partition(" ")
        if number.isdecimal():
            self.entered(self._case.note(int(number), text.strip()))
        else:
            self.entered(self._case.note(self.last().number, rest))

    def _accept(self, rest: str, place: Place) -> None:
        step, log = place
        self.entered(self.watch(lambda _, __: self._case.accept_log_mismatch(rest, step=step, log=log)))

    def _undo(self, rest: str) -> None:
        standing = in_force(self._case.entries, *_UNDONE)
        if not standing:
            raise CaseError("there is nothing to take back", "")
        self.entered(self._case.retract(standing[-1].number, rest or "undone at the prompt"))

    def _variables(self) -> None:
        variables = self._interface.variables
        if self._as_json:
            print_json({"variables": [variable.path for variable in variables]})
            return
        rows = [(v.path, v.role.value, str(v.type), v.domain_text, v.label) for v in variables]
        self.terminal.table(("variable", "role", "type", "domain", "meaning"), rows, wraps=("domain", "meaning"))

    def _help(self) -> None:
        if self._as_json:
            print_json({"commands": list(COMMANDS)})
            return
        self.terminal.table(("typed", "does"), [*_LINES, *COMMANDS.items()], wraps=("does",))

    # --- what the lines of a script need too

    def watch(self, do: Callable[[Cancellation, Report], T], /) -> T:
        return watched(do, quiet=self._as_json)

    def last(self) -> Entry:
        """The last answer that was not taken back."""
        answers = in_force(self._case.entries, EntryKind.ANSWERED)
        if not answers:
            raise CaseError("nothing was answered yet", "Put a question first.")
        return answers[-1]

    def entered(self, entry: Entry) -> None:
        """Print an entry that has just been made."""
        if self._as_json:
            print_json(entry.document)
        else:
            self.say(f"entry {entry.number}: {about(entry)}")

    def say(self, text: str) -> None:
        if not self._as_json:
            self.terminal.prose(text, style="dim")
