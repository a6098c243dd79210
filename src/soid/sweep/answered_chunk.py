"""Answers the questions of a chunk of moments, of one log or of several: the moments of a chunk share proofs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Protocol, Self, final

from msgspec import Struct

from soid.budget import Cancellation
from soid.errors import SoidError
from soid.oracle.answer import Answer
from soid.oracle.shared_proofs import BY, SharedProofs
from soid.scenario.trace import Keyframe, Trace
from soid.sweep.sweep_row import SweepRow


class Askable(Protocol):
    """A program and a log, of which each moment can be asked about (`soid.case.project.Project`)."""

    @property
    def trace(self) -> Trace: ...
    @property
    def keyframe(self) -> Keyframe: ...
    def at(self, step: int, /) -> Self: ...
    def sharing(self, proofs: SharedProofs, /) -> Self: ...
    def ask(self, question: str, /, *, cancel: Cancellation | None = None) -> Answer: ...


#: opens a log by its name in the rows
OpenLog = Callable[[str], Askable]


@final
class Chunk(Struct, frozen=True):
    """Moments, each a log and a step, and what is asked at each."""

    moments: tuple[tuple[str, int], ...]
    questions: tuple[str, ...]

    @property
    def size(self) -> int:
        return len(self.moments) * len(self.questions)

    @property
    def halves(self) -> tuple[Chunk, Chunk]:
        """A chunk of several rows as two.

        >>> [each.questions for each in Chunk((("a", 1),), ("p", "q", "r")).halves]
        [('p',), ('q', 'r')]
        """
        if (half := len(self.moments) // 2) > 0:
            return Chunk(self.moments[:half], self.questions), Chunk(self.moments[half:], self.questions)
        half = len(self.questions) // 2
        return Chunk(self.moments, self.questions[:half]), Chunk(self.moments, self.questions[half:])

    def left(self, rows: int) -> list[Chunk]:
        """What is left after so many of its rows: the other questions of a moment, then the other moments.

        >>> whole = Chunk((("a", 1), ("a", 2), ("a", 3)), ("p", "q"))
        >>> [(each.moments, each.questions) for each in whole.left(3)]
        [((('a', 2),), ('q',)), ((('a', 3),), ('p', 'q'))]
        """
        at, asked = divmod(rows, len(self.questions))
        begun = [Chunk(self.moments[at : at + 1], self.questions[asked:])] if asked else []
        others = self.moments[at + bool(asked) :]
        return [*begun, Chunk(others, self.questions)] if others else begun


@final
class AnsweredRow(Struct, frozen=True):
    """A row, and what it took."""

    row: SweepRow
    calls: int = 0  # of the solver chain
    shared: bool = False  # a proof about several moments gave it


def answered(opened: OpenLog, chunk: Chunk, cancel: Cancellation) -> Iterator[AnsweredRow]:
    """The rows of a chunk, as they come. What fails is a row; what is cancelled is none."""
    proofs = _shared(opened, chunk, cancel)
    for log, step in chunk.moments:
        for question in chunk.questions:
            found = _asked(opened, proofs, log, step, question, cancel)
            if cancel.cancelled:
                return
            yield found


def _shared(opened: OpenLog, chunk: Chunk, cancel: Cancellation) -> SharedProofs:
    """What the moments share. One that cannot be looked at has its row later."""
    keyframes: list[Keyframe] = []
    for log, step in chunk.moments:
        if cancel.cancelled:
            break
        with suppress(SoidError):  # it is asked all the same, and the error is its row
            keyframes.append(opened(log).at(step).keyframe)
    return SharedProofs(keyframes)


def _asked(
    opened: OpenLog, proofs: SharedProofs, log: str, step: int, question: str, cancel: Cancellation
) -> AnsweredRow:
    seconds = _clock()
    try:
        answer = opened(log).at(step).sharing(proofs).ask(question, cancel=cancel)
    except SoidError as error:
        return AnsweredRow(SweepRow.failed(log, step, question, error, seconds()))
    by_proof = BY in answer.settled_by and answer.is_of_all
    return AnsweredRow(SweepRow.of(log, question, answer, seconds()), answer.solver["calls"], by_proof)


def _clock() -> Callable[[], float]:
    started = time.perf_counter()
    return lambda: time.perf_counter() - started
