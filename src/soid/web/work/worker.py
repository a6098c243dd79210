"""A worker: a process that runs one task after the other for the desk.

Solvers hold Python's global lock while they run, and exploration keeps a core busy: neither may happen in the process
that serves pages. `tasks.py` has the messages between the two. A cancellation arrives while its task is running, so
one thread receives messages and another one runs the tasks.
"""

from __future__ import annotations

import gc
import os
import queue
import threading
import time
import traceback
from pathlib import Path
from typing import Final

import msgspec

from soid.allowance import allowed
from soid.budget import Cancellation, memory_limited
from soid.case.stages import STAGES
from soid.errors import CalledOff, InternalError, SoidError
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.web.work.job import JobProgress, JobState, Trouble
from soid.web.work.tasks import DeskTask, Hands, Report, TaskEvent, TaskOutcome, WorkOrder
from soid.workers.worker_main import WorkerPort

_NICE: Final = 10  # serving pages has priority over computing answers
#: seconds between two reports of one stage
_PACE: Final = 0.1


def serve(port: WorkerPort, settings: str) -> None:
    """Run the tasks that arrive, with these settings for questions."""
    gc.set_threshold(100_000, 50, 50)  # as in the command line: terms and modules are long-lived
    os.nice(_NICE)
    hands = Hands(msgspec.json.decode(settings, type=Settings), _reporter(port))
    hands.happen = lambda event: port.send(TaskEvent(event))
    tasks: queue.SimpleQueue[tuple[DeskTask, Cancellation]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(port, tasks), daemon=True).start()
    port.ready()
    while True:
        task, hands.cancel = tasks.get()
        outcome = _done(task, hands)
        try:
            port.send(outcome)
        except UnicodeEncodeError as error:  # the result has invalid Unicode
            port.send(_bug(error))


def _listen(port: WorkerPort, tasks: queue.SimpleQueue[tuple[DeskTask, Cancellation]]) -> None:
    """Queue each task with its cancellation."""
    last, cancel = "", Cancellation()
    while (order := port.receive(WorkOrder)) is not None:
        if order.task is not None:
            last, cancel = order.job, Cancellation()
            tasks.put((order.task, cancel))
        elif order.job == last:  # else that job has ended already
            cancel.cancel()
    os._exit(0)  # the desk has ended, and every committed entry is on the disk


def _done(task: DeskTask, hands: Hands) -> TaskOutcome:
    try:
        with memory_limited(hands.settings.memory), allowed(cancel=hands.cancel):
            return TaskOutcome(JobState.DONE, task.do(hands))
    except CalledOff as error:
        return TaskOutcome(JobState.CANCELLED, error=Trouble.of(error))
    except SoidError as error:
        if isinstance(error, InternalError):
            traceback.print_exc()
        return TaskOutcome(JobState.FAILED, error=Trouble.of(error))
    except MemoryError:
        cause, remedy = "the memory that it may use was not enough", "Ask about less; or give a smaller program or log."
        return TaskOutcome(JobState.FAILED, error=Trouble("MemoryLimitError", cause, remedy))
    except OSError as error:
        cause = f"{error.strerror or error}{f': {Path(error.filename).name}' if error.filename else ''}"
        remedy = "Look whether the disk is full, and whether the files are still there; then try again."
        return TaskOutcome(JobState.FAILED, error=Trouble("OSError", cause, remedy))
    except Exception as error:  # noqa: BLE001 a bug is reported to the user, and must not end other tasks
        traceback.print_exc()
        return _bug(error)


def _bug(error: Exception) -> TaskOutcome:
    kind = type(error).__name__
    cause = f"this is a bug in soid, and no answer: {kind}: {error}"
    remedy = "What `soid serve` wrote on its terminal says where. Please file it."
    return TaskOutcome(JobState.FAILED, error=Trouble(kind, cause, remedy))


def _reporter(port: WorkerPort) -> Report:
    """A function that sends progress to the desk, at a readable pace."""
    stage, last = "", 0.0

    def report(progress: QuestionProgress) -> None:
        nonlocal stage, last
        now = time.monotonic()
        if progress.stage == stage and now - last < _PACE:
            return
        stage, last = progress.stage, now
        engine = progress.engine
        paths, frontier = (None, None) if engine is None else (engine.paths, engine.frontier)
        port.send(JobProgress(stage, STAGES.get(stage, stage), paths, frontier, progress.share, progress.left))

    return report
