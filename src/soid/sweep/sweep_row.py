"""One row of a sweep: what one question is answered at one moment of one log."""

from __future__ import annotations

from typing import Final, Self, final

from msgspec import Struct

from soid.documents import JsonValue
from soid.errors import SoidError
from soid.oracle.answer import Answer, Verdict
from soid.program.types import json_value
from soid.visible_text import visible_line

#: what a row is found by: log, step, question
RowKey = tuple[str, int | None, str]

#: digits of a row's seconds
_DIGITS: Final = 4


@final
class SweepRow(Struct, frozen=True):
    """An answer, or why there is none. It is its own document."""

    log: str
    step: int | None  # None: the log could not be read
    question: str
    verdict: Verdict
    reason: str
    changed: tuple[str, ...]  # the inputs that are otherwise than in fact in the scenario that shows it
    witness: dict[str, JsonValue]  # their values there
    seconds: float

    @property
    def key(self) -> RowKey:
        return self.log, self.step, self.question

    @classmethod
    def of(cls, log: str, question: str, answer: Answer, seconds: float) -> Self:
        """The row of an answer. What is so in every scenario, or in none, needs none of them to show it."""
        changes = () if answer.is_of_all else answer.changed
        scenario = {each.variable.path: json_value(each.variable.type, each.after) for each in changes}
        about = log, answer.step, question, answer.verdict, visible_line(answer.reason)
        return cls(*about, tuple(scenario), scenario, round(seconds, _DIGITS))

    @classmethod
    def failed(cls, log: str, step: int | None, question: str, error: SoidError, seconds: float) -> Self:
        """The row of a question that could not be answered there."""
        why = visible_line(error.cause)
        return cls(log, step, question, Verdict.ERROR, why, (), {}, round(seconds, _DIGITS))
