"""Runs a sweep: which moments there are, chunk by chunk, and each row written as it comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, final

from msgspec import Struct, field

from soid.budget import Cancellation
from soid.errors import SoidError
from soid.oracle.inquiry import QuestionProgress
from soid.query.words import counted
from soid.sweep.answered_chunk import AnsweredRow, Chunk, OpenLog, answered
from soid.sweep.chosen_steps import ChosenSteps
from soid.sweep.row_file import RowFile
from soid.sweep.sweep_row import SweepRow

#: moments that are answered together
CHUNK: Final = 2048
#: with several workers, so many chunks for each, unless they are too small to share anything
_TURNS: Final = 3
LEAST: Final = 16
#: rows after which the rest is estimated
_KNOWN: Final = 20

#: answers chunks, in any order
Answering = Callable[[Iterable[Chunk], Cancellation], Iterator[AnsweredRow]]


@final
class SweepPlan(Struct, frozen=True):
    """What is asked, and where."""

    questions: tuple[str, ...]
    logs: tuple[str, ...]
    steps: ChosenSteps


@final
class PlannedSweep(Struct):
    """The chunks of a plan that are not answered yet, and rows of logs that cannot be read."""

    chunks: list[Chunk] = field(default_factory=list)
    unread: list[SweepRow] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many answers are to come."""
        return sum(chunk.size for chunk in self.chunks)


@final
class SweepCost(Struct, frozen=True):
    """What the rows of one run took."""

    calls: int = 0  # of the solver chain
    shared: int = 0  # rows that a proof about several moments gave


def planned(plan: SweepPlan, opened: OpenLog, known: Iterable[SweepRow], workers: int = 1) -> PlannedSweep:
    """The chunks of a sweep; a log that cannot be read is a row with its reason, not the end."""
    done, found = {row.key for row in known}, PlannedSweep()
    left: dict[tuple[str, ...], list[tuple[str, int]]] = {}  # moments by the questions that are open there
    for log in plan.logs:
        try:
            steps = list(plan.steps.within(opened(log).trace))
        except SoidError as error:
            rows = (SweepRow.failed(log, None, question, error, 0.0) for question in plan.questions)
            found.unread += [row for row in rows if row.key not in done]
            continue
        for step in steps:
            questions = tuple(question for question in plan.questions if (log, step, question) not in done)
            left.setdefault(questions, []).append((log, step))
    for questions, moments in left.items():
        if questions:
            size = CHUNK if workers == 1 else min(CHUNK, max(LEAST, -(-len(moments) // (_TURNS * workers))))
            parts = range(0, len(moments), size)
            found.chunks += (Chunk(tuple(moments[at : at + size]), questions) for at in parts)
    return found


def in_process(opened: OpenLog) -> Answering:
    """Answers chunks in this process, one after the other."""

    def answering(chunks: Iterable[Chunk], cancel: Cancellation) -> Iterator[AnsweredRow]:
        for chunk in chunks:
            yield from answered(opened, chunk, cancel)

    return answering


def swept(
    found: PlannedSweep,
    answering: Answering,
    rows: RowFile,
    cancel: Cancellation,
    note: Callable[[SweepRow], None],
    progress: Callable[[QuestionProgress], None],
) -> SweepCost:
    """Answer all chunks; each row is written and noted as it comes."""
    for row in found.unread:
        rows.write(row)
        note(row)
    calls, shared, tell = 0, 0, _estimated(found.size, progress)
    for made in answering(found.chunks, cancel):
        rows.write(made.row)
        note(made.row)
        calls, shared = calls + made.calls, shared + made.shared
        tell()
    return SweepCost(calls, shared)


def in_order(plan: SweepPlan, rows: Iterable[SweepRow]) -> tuple[SweepRow, ...]:
    """The rows in the order of logs, steps and questions, however many have worked on them."""
    logs, questions = _places(plan.logs), _places(plan.questions)

    def place(row: SweepRow) -> tuple[int, int, int]:
        return logs[row.log], -1 if row.step is None else row.step, questions[row.question]

    return tuple(sorted((row for row in rows if row.log in logs and row.question in questions), key=place))


def _places(texts: Sequence[str]) -> Mapping[str, int]:
    return {text: at for at, text in enumerate(texts)}


def _estimated(all_rows: int, progress: Callable[[QuestionProgress], None]) -> Callable[[], None]:
    """Reports how many rows are there, and how long the others may take."""
    began, done = time.monotonic(), 0

    def tell() -> None:
        nonlocal done
        done += 1
        left = (time.monotonic() - began) * (all_rows - done) / done
        estimate = f", about {_duration(left)} left" if done >= _KNOWN else ""
        progress(QuestionProgress(f"{done:,} of {counted(all_rows, 'answer')}{estimate}"))

    return tell


def _duration(seconds: float) -> str:
    """
    >>> _duration(8.3), _duration(95), _duration(9000)
    ('8 s', '2 min', '2.5 h')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"
