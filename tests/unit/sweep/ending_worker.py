"""A worker of a sweep that answers every question, and is killed at one row: once, always or never."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from soid.oracle.answer import Verdict
from soid.sweep.answered_chunk import AnsweredRow, Chunk
from soid.sweep.local_workers import ChunkDone, RowMade
from soid.sweep.sweep_row import SweepRow
from soid.workers.worker_main import WorkerPort

ENDS_AT = ("a", 2, "q")


def serve(port: WorkerPort, note: str, how: str) -> None:
    port.ready()
    while (chunk := port.receive(Chunk)) is not None:
        for log, step in chunk.moments:
            for question in chunk.questions:
                if (log, step, question) == ENDS_AT and (
                    how == "always" or (how == "once" and not Path(note).exists())
                ):
                    Path(note).touch()
                    os.kill(os.getpid(), signal.SIGKILL)
                row = SweepRow(log, step, question, Verdict.YES, "answered", (), {}, 0.0)
                port.send(RowMade(AnsweredRow(row)))
        port.send(ChunkDone())
