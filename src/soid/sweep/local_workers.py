"""A sweep in several processes of this machine: chunks go to whichever is free, and rows come as they are made.

A process that ends before its chunk is done costs what is left of that chunk: another one goes on with it. The row at
which two have ended is a row that says so.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Final, final

from msgspec import Struct

from soid.budget import Cancellation
from soid.errors import EnvironmentalError
from soid.sweep.answered_chunk import AnsweredRow, Chunk, OpenLog, answered
from soid.sweep.sweep_row import RowKey, SweepRow
from soid.sweep.sweep_run import Answering
from soid.workers.worker_main import WorkerPort
from soid.workers.worker_process import WorkerProcess, heard, waking

#: processes that may end at one row
_ENDS: Final = 2


@final
class ChunkDone(Struct, frozen=True, tag="done"):
    """From a worker: it is free."""


@final
class RowMade(Struct, frozen=True, tag="row"):
    """From a worker: a row of its chunk."""

    made: AnsweredRow


@final
class NotOpened(Struct, frozen=True, tag="not opened"):
    """From a worker, which ends: it cannot answer anything."""

    cause: str
    remedy: str


RowReply = RowMade | ChunkDone | NotOpened

#: starts a process that serves chunks
StartWorker = Callable[[], WorkerProcess[RowReply]]


def serve_chunks(port: WorkerPort, opened: OpenLog) -> None:
    """The worker's side: answer one chunk after the other."""
    port.ready()
    while (chunk := port.receive(Chunk)) is not None:
        for made in answered(opened, chunk, Cancellation()):
            port.send(RowMade(made))
        port.send(ChunkDone())


def in_workers(start: StartWorker, count: int) -> Answering:
    """Answers chunks in so many processes."""

    def answering(chunks: Iterable[Chunk], cancel: Cancellation) -> Iterator[AnsweredRow]:
        waiting = deque(chunks)
        with ExitStack() as stack, waking(cancel) as wake:
            crew = _Crew(start, waiting, stack)
            for _ in range(min(count, len(waiting))):
                crew.hire()
            while crew.busy and not cancel.cancelled:
                for worker in heard(crew.busy, wake=wake):
                    yield from crew.hear(worker)

    return answering


@final
class _ChunkAtWork(Struct):
    """A worker's chunk, and how many of its rows have come."""

    chunk: Chunk
    rows: int = 0


@final
class _Crew:
    """The workers, and what each is at."""

    def __init__(self, start: StartWorker, waiting: deque[Chunk], stack: ExitStack) -> None:
        self._start, self._waiting, self._stack = start, waiting, stack
        self.busy: dict[WorkerProcess[RowReply], _ChunkAtWork] = {}
        self._ended: Counter[RowKey] = Counter()  # processes, by the row that was next

    def hire(self) -> None:
        worker = self._start()
        self._stack.callback(worker.end)
        self._give(worker)

    def _give(self, worker: WorkerProcess[RowReply]) -> None:
        self.busy.pop(worker, None)
        if self._waiting:
            chunk = self._waiting.popleft()
            self.busy[worker] = _ChunkAtWork(chunk)
            worker.send(chunk)
        else:
            worker.end()

    def hear(self, worker: WorkerProcess[RowReply]) -> Iterator[AnsweredRow]:
        """The rows that a worker has sent; if it has ended, another one goes on."""
        for message in worker.take():
            if isinstance(message, NotOpened):
                raise EnvironmentalError(message.cause, message.remedy)
            if isinstance(message, ChunkDone):
                self._give(worker)
            else:
                self.busy[worker].rows += 1
                yield message.made
        if worker in self.busy and worker.has_ended:
            yield from self._replaced(worker)

    def _replaced(self, worker: WorkerProcess[RowReply]) -> Iterator[AnsweredRow]:
        work, how = self.busy.pop(worker), worker.ending()
        worker.end()
        if not worker.is_ready:
            raise EnvironmentalError(f"a process of the sweep could not start: {how}", "Give --workers 1.")
        left = work.chunk.left(work.rows)
        if left:
            (log, step), question = left[0].moments[0], left[0].questions[0]
            self._ended[log, step, question] += 1
            if self._ended[log, step, question] >= _ENDS:
                why = EnvironmentalError(f"the process that was to answer it ended: {how}")
                yield AnsweredRow(SweepRow.failed(log, step, question, why, 0.0))
                left = work.chunk.left(work.rows + 1)
        self._waiting.extendleft(reversed(left))
        if self._waiting:
            self.hire()
