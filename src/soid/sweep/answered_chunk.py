"""Answers the questions of a chunk of moments: each alone, for now in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Protocol, Self, final

from msgspec import Struct

from soid.budget import Cancellation
from soid.errors import SoidError
from soid.oracle.answer import Answer
from soid.scenario.trace import Trace
from soid.sweep.sweep_row import SweepRow


class Askable(Protocol):
    """A program and a log, of which each moment can be asked about (`soid.case.project.Project`)."""

    @property
    def trace(self) -> Trace: ...
    def at(self, step: int, /) -> Self: ...
    def ask(self, question: str, /, *, cancel: Cancellation | None = None) -> Answer: ...


@final
class Chunk(Struct, frozen=True):
    """Moments of one log, and what is asked at each."""

    log: str
    steps: tuple[int, ...]
    questions: tuple[str, ...]

    @property
    def size(self) -> int:
        return len(self.steps) * len(self.questions)


@final
class AnsweredRow(Struct, frozen=True):
    """A row, and what it took."""

    row: SweepRow
    calls: int = 0  # of the solver chain


def answered(project: Askable, chunk: Chunk, cancel: Cancellation) -> Iterator[AnsweredRow]:
    """The rows of a chunk, as they come. What fails is a row; what is cancelled is none."""
    for step in chunk.steps:
        for question in chunk.questions:
            found = _asked(project, chunk.log, step, question, cancel)
            if cancel.cancelled:
                return
            yield found


def _asked(project: Askable, log: str, step: int, question: str, cancel: Cancellation) -> AnsweredRow:
    seconds = _clock()
    try:
        answer = project.at(step).ask(question, cancel=cancel)
    except SoidError as error:
        return AnsweredRow(SweepRow.failed(log, step, question, error, seconds()))
    return AnsweredRow(SweepRow.of(log, question, answer, seconds()), answer.solver["calls"])


def _clock() -> Callable[[], float]:
    started = time.perf_counter()
    return lambda: time.perf_counter() - started
