"""Several processes give the same table as one, also if one of them is killed; what kills each of them is a row."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from soid.budget import Cancellation
from soid.case.project import Project
from soid.examples import folder
from soid.sweep.answered_chunk import Chunk
from soid.sweep.local_workers import RowReply, in_workers
from soid.sweep.sweep_row import SweepRow
from soid.workers.worker_process import WorkerProcess
from tests.unit.sweep import ending_worker

QUESTIONS = ("did action == CLOSE", "would action == CANCEL if closed is anything")


def oven() -> Project:
    return Project.open(folder("microwave"))


def content(rows: tuple[SweepRow, ...]) -> list[tuple[object, ...]]:
    return [(*row.key, row.verdict, row.reason, row.changed, row.witness) for row in rows]


@pytest.mark.parametrize("workers", [2, 4])
def test_any_number_of_workers_gives_the_same_table(workers: int) -> None:
    alone, together = (oven().sweep(QUESTIONS, workers=count) for count in (1, workers))
    assert len(alone.rows) == 10
    assert content(together.rows) == content(alone.rows)


def starting(*arguments: str) -> WorkerProcess[RowReply]:
    return WorkerProcess(ending_worker.__name__, list(arguments), RowReply, leads_session=True)


CHUNKS = [Chunk((("a", 1), ("a", 2), ("a", 3)), ("p", "q")), Chunk((("b", 1),), ("p", "q"))]
EVERY = sorted((log, step, question) for chunk in CHUNKS for log, step in chunk.moments for question in chunk.questions)


def test_a_worker_that_is_killed_costs_nothing_but_time(tmp_path: Path) -> None:
    """The first to come to the row takes note of it and is killed; the next one answers it."""
    made = list(in_workers(lambda: starting(str(tmp_path / "ended"), "once"), 2)(CHUNKS, Cancellation()))
    assert (tmp_path / "ended").exists()
    assert sorted(each.row.key for each in made) == EVERY
    assert {each.row.reason for each in made} == {"answered"}


def test_a_row_that_ends_each_process_says_so(tmp_path: Path) -> None:
    made = list(in_workers(lambda: starting(str(tmp_path / "ended"), "always"), 2)(CHUNKS, Cancellation()))
    assert sorted(each.row.key for each in made) == EVERY
    (wrong,) = (each.row for each in made if each.row.reason != "answered")
    assert wrong.key == ("a", 2, "q")
    assert wrong.reason == f"the process that was to answer it ended: {signal.Signals(signal.SIGKILL).name}"


def test_a_sweep_that_is_called_off_ends_its_workers(tmp_path: Path) -> None:
    cancel, started = Cancellation(), list[WorkerProcess[RowReply]]()

    def start() -> WorkerProcess[RowReply]:
        started.append(starting(str(tmp_path / "none"), "never"))
        return started[-1]

    for _ in in_workers(start, 2)(CHUNKS, cancel):
        cancel.cancel()
    assert started
    for worker in started:
        with pytest.raises(ProcessLookupError):
            os.kill(worker.pid, 0)
