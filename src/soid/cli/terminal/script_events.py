"""What happens while a script runs, or at the prompt: printed for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never, final

from msgspec import Struct

from soid.case.script_runner import AnsweredQuestion, AnswerOrigin, Caused, Studied, asked_told
from soid.cli.terminal.answers import show_answer, show_question, show_reason, show_verdict, show_witness
from soid.cli.terminal.terminal import Terminal
from soid.query.language.script.plan import PlannedMoment
from soid.scenario.trace import Keyframe
from soid.witness.witness import Shows

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
        keyframe = self.keyframe_of(event.moment)
        self.terminal.rule(heading, str(event.moment))
        self.terminal.prose(asked_told(event.put, keyframe.interface), style="bold")
        self.terminal.prose(event.put.text, style="dim")
        self.terminal.blank()
        show_reason(self.terminal, event.verdict, event.reason)
