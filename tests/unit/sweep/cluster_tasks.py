"""What a worker of a cluster runs in place of questions: it answers each, waits, or is killed at one row."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec.json import decode, encode

from soid.oracle.answer import Verdict
from soid.sweep.answered_chunk import AnsweredRow
from soid.sweep.cluster import ChunkAnswered, TravellingChunk, awaited
from soid.sweep.sweep_row import SweepRow

ENDS_AT = ("a", 2, "q")


class NoLuggage:
    """Nothing travels."""

    project = "none"

    def log(self, name: str) -> str:
        return name

    def files(self, told: TravellingChunk) -> Mapping[str, Callable[[], bytes]]:
        return {"content": lambda: b"content"}


def ended_once(note: str, told: bytes, files: Mapping[str, bytes], task: str) -> bytes:
    """The first worker that comes to the row takes note of it, and is killed."""
    rows = _rows(told)
    if any(row.key == ENDS_AT for row in rows) and not Path(note).exists():
        Path(note).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    assert files == {"content": b"content"}
    return encode(ChunkAnswered([AnsweredRow(row) for row in rows]))


def ended_always(told: bytes, files: Mapping[str, bytes], task: str) -> bytes:
    """Each worker that comes to the row is killed."""
    if any(row.key == ENDS_AT for row in _rows(told)):
        os.kill(os.getpid(), signal.SIGKILL)
    return ended_once(os.devnull, told, files, task)


def waiting(note: str, told: bytes, files: Mapping[str, bytes], task: str) -> bytes:
    """Whichever chunk is the first is answered; the others wait until nobody waits for them."""
    try:
        Path(note, "answered").touch(exist_ok=False)
    except FileExistsError:
        over = threading.Event()
        with awaited(task) as cancel, cancel.calling(over.set):
            over.wait()
        Path(note, "called off").touch()
    return encode(ChunkAnswered([AnsweredRow(row) for row in _rows(told)[:1]]))


def missing(told: bytes, files: Mapping[str, bytes], task: str) -> bytes:
    """As where soid is not installed."""
    raise ModuleNotFoundError("No module named 'soid'")


def _rows(told: bytes) -> list[SweepRow]:
    chunk = decode(told, type=TravellingChunk).chunk
    moments = [(log, step, question) for log, step in chunk.moments for question in chunk.questions]
    return [SweepRow(*moment, Verdict.YES, "answered", (), {}, 0.0) for moment in moments]
