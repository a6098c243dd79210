"""What the parts of an explanation on the terminal have in common: its inputs in words, with their steps and values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from msgspec import Struct

from soid.cli.terminal.terminal import Terminal
from soid.explanation.document_words import outcome
from soid.explanation.explainer import Explanation
from soid.explanation.study import IN_WORDS
from soid.oracle.answer import Answer
from soid.program.types import show
from soid.query.words import Words, listed
from soid.scenario.input_names import all_called, called
from soid.scenario.trace import Keyframe
from soid.witness.witness import Change, Witness

LABEL: Final = 18  # columns of the labels at the left


@final
class ExplainedTerms(Struct, frozen=True):
    """An explanation that is written on a terminal."""

    terminal: Terminal
    explanation: Explanation
    keyframe: Keyframe

    @property
    def answer(self) -> Answer:
        return self.explanation.answer

    def heading(self, text: str) -> None:
        self.terminal.blank()
        self.terminal.line((f"  {text}", "bold"))

    def labelled(self, label: str, text: str, *, style: str = "") -> None:
        self.terminal.prose(text, indent=4 + LABEL, style=style, first=(f"    {label}", ""))

    def called(self, path: str) -> str:
        return called(path, self.explanation.steps, Words(self.keyframe.interface).called)

    def all_called(self, paths: Iterable[str]) -> list[str]:
        return all_called(paths, self.explanation.steps, Words(self.keyframe.interface).called)

    def outcome(self, happens: str) -> str:
        """What the program does in a scenario, as a clause."""
        return outcome(IN_WORDS[happens], self.answer.query, self.keyframe.interface)

    def row(self, change: Change) -> tuple[str, str, str, str]:
        """A change as a row: what, its value in fact, in the scenario, the unit."""
        variable = change.variable
        return self.explanation.called(variable.path), change.was, show(variable.type, change.after), variable.unit

    def taken(self, witness: Witness) -> str:
        """The values that a scenario has for inputs that are not known."""
        known = [(path, witness.interface.variable(path)) for path in witness.assumed]
        values = [f"{self.called(path)} at {v.amount(witness.inputs[path])}" for path, v in known]
        return listed(values) if values else ""
