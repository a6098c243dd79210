"""A worker: the process that does one task after the other for the desk.

Solvers hold Python's global lock while they think, and a program that is explored keeps a core busy: neither may happen
where pages are served. `messages.py` has what goes between the two; a call for the end of a task arrives while it is
being done, so one thread listens and another one works.
"""

from __future__ import annotations

import gc
import os
import queue
import threading
import time
import traceback
from pathlib import Path
from typing import Final, final

import msgspec
from msgspec import Struct, field

from soid.budget import Cancellation
from soid.case.stages import STAGES
from soid.errors import CalledOff, InternalError, SoidError
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.web.work.job import JobProgress as Told
from soid.web.work.job import Trouble
from soid.web.work.messages import TaskCancelled, TaskDone, TaskFailed, TaskOutcome, WorkOrder
from soid.web.work.tasks import DeskTask, Hands
from soid.workers.worker_main import WorkerPort

_NICE: Final = 10  # how much those who look at pages come before those who wait for answers, who wait anyhow
#: seconds between two reports of one stage
_PACE: Final = 0.1


def serve(port: WorkerPort, settings: str) -> None:
    """Do what arrives, with these settings for questions."""
    gc.set_threshold(100_000, 50, 50)  # as the command line does: terms and modules stay
    os.nice(_NICE)
    hands = Hands(msgspec.json.decode(settings, type=Settings), _Reporter(port).report)
    tasks: queue.SimpleQueue[_Given] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(port, tasks), daemon=True).start()
    port.ready()
    while True:
        given = tasks.get()
        hands.cancel = given.cancel
        outcome = _done(given.task, hands)
        try:
            port.send(outcome)
        except UnicodeEncodeError as error:  # half a character in what came of it
            port.send(TaskFailed(_bug(error)))


@final
class _Given(Struct, frozen=True):
    """A task, and the way to call that one off."""

    job: str
    task: DeskTask
    cancel: Cancellation = field(default_factory=Cancellation)


def _listen(port: WorkerPort, tasks: queue.SimpleQueue[_Given]) -> None:
    last: _Given | None = None
    while (order := port.receive(WorkOrder)) is not None:
        if order.task is not None:
            last = _Given(order.job, order.task)
            tasks.put(last)
        elif last is not None and order.job == last.job:  # else it came too late: that one is done
            last.cancel.cancel()
    os._exit(0)  # nothing waits for the answer, and everything that was committed is on the disk


def _done(task: DeskTask, hands: Hands) -> TaskOutcome:
    """What came of a task."""
    try:
        return TaskDone(task.do(hands))
    except CalledOff as error:
        return TaskCancelled(Trouble.of(error))
    except SoidError as error:
        if isinstance(error, InternalError):
            traceback.print_exc()
        return TaskFailed(Trouble.of(error))
    except OSError as error:
        cause = f"{error.strerror or error}{f': {Path(error.filename).name}' if error.filename else ''}"
        remedy = "Look whether the disk is full, and whether the files are still there; then try again."
        return TaskFailed(Trouble("OSError", cause, remedy))
    except Exception as error:  # noqa: BLE001 a bug is told to the person who asked, and ends no other question
        traceback.print_exc()
        return TaskFailed(_bug(error))


def _bug(error: Exception) -> Trouble:
    cause = f"this is a bug in soid, and no answer: {type(error).__name__}: {error}"
    return Trouble(type(error).__name__, cause, "What `soid serve` wrote on its terminal says where. Please file it.")


@final
class _Reporter:
    """Says how far the work is, not more often than anyone can read."""

    def __init__(self, port: WorkerPort) -> None:
        self._port = port
        self._stage, self._last = "", 0.0

    def report(self, progress: QuestionProgress) -> None:
        now = time.monotonic()
        if progress.stage == self._stage and now - self._last < _PACE:
            return
        self._stage, self._last = progress.stage, now
        self._port.send(told(progress))


def told(progress: QuestionProgress) -> Told:
    """The oracle's progress, as a job has it."""
    words = STAGES.get(progress.stage, progress.stage)
    engine = progress.engine
    paths, frontier = (None, None) if engine is None else (engine.paths, engine.frontier)
    return Told(progress.stage, words, paths, frontier, progress.share)
