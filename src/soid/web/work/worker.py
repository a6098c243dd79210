"""A worker: the process that does one task after the other, until whoever started it is gone.

Solvers hold Python's global lock while they think, and a program that is explored keeps a core busy: neither may happen
where pages are served. Tasks and what becomes of them go over one pipe (`messages.py`).

    desk -> worker   {"settings": ...}, then {"task": {...}} one at a time, and {"cancel": JOB} while it is done
    worker -> desk   {"progress": {...}}, and at the end of a task {"result": ...}, {"cancelled": ...} or {"error": ...}
"""

from __future__ import annotations

import gc
import os
import queue
import signal
import sys
import threading
import time
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct, field

from soid.budget import Cancellation
from soid.case.stages import STAGES
from soid.errors import CalledOff, InternalError, SoidError
from soid.oracle.inquiry import QuestionProgress
from soid.web.work.doing import DOING, Hands
from soid.web.work.job import JobProgress as Told
from soid.web.work.job import Trouble
from soid.web.work.messages import receive, send, settings_from

_NICE: Final = 10  # how much those who look at pages come before those who wait for answers, who wait anyhow
#: seconds between two reports of one stage
_PACE: Final = 0.1


def main(descriptor: int) -> None:
    """Work until the other end of the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the desk, which ends its workers
    gc.set_threshold(100_000, 50, 50)  # as the command line does: terms and modules stay
    os.nice(_NICE)
    connection = Connection(descriptor)
    first = receive(connection)
    if first is None:
        return
    hands = Hands(settings_from(first["settings"]), _Reporter(connection).report)
    tasks: queue.SimpleQueue[_Given] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(connection, tasks), daemon=True).start()
    while True:
        given = tasks.get()
        send(connection, {"taken": given.task["job"]})
        hands.cancel = given.cancel
        send(connection, _done(given.task, hands))


@final
class _Given(Struct, frozen=True):
    """A task, and the way to call that one off."""

    task: dict[str, Any]
    cancel: Cancellation = field(default_factory=Cancellation)


def _listen(connection: Connection, tasks: queue.SimpleQueue[_Given]) -> None:
    last: _Given | None = None
    while (message := receive(connection)) is not None:
        if "task" in message:
            last = _Given(message["task"])
            tasks.put(last)
        elif last is not None and message["cancel"] == last.task["job"]:  # else it came too late: that one is done
            last.cancel.cancel()
    os._exit(0)  # nobody waits for the answer, and everything that was committed is on the disk


def _done(task: dict[str, Any], hands: Hands) -> dict[str, Any]:
    """What came of a task."""
    try:
        return {"result": DOING[task["kind"]](task, hands)}
    except CalledOff as error:
        return {"cancelled": Trouble.of(error).to_json()}
    except InternalError as error:
        traceback.print_exc()
        return {"error": Trouble.of(error).to_json()}
    except SoidError as error:
        return {"error": Trouble.of(error).to_json()}
    except OSError as error:
        cause = f"{error.strerror or error}{f': {Path(error.filename).name}' if error.filename else ''}"
        remedy = "Look whether the disk is full, and whether the files are still there; then try again."
        return {"error": Trouble("OSError", cause, remedy).to_json()}
    except Exception as error:  # noqa: BLE001 a bug is told to whoever asked, and ends no other question
        traceback.print_exc()
        return {"error": _bug(error).to_json()}


def _bug(error: Exception) -> Trouble:
    cause = f"this is a bug in soid, and no answer: {type(error).__name__}: {error}"
    return Trouble(type(error).__name__, cause, "What `soid serve` wrote on its terminal says where. Please file it.")


@final
class _Reporter:
    """Says how far the work is, not more often than anyone can read."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stage, self._last = "", 0.0

    def report(self, progress: QuestionProgress) -> None:
        now = time.monotonic()
        if progress.stage == self._stage and now - self._last < _PACE:
            return
        self._stage, self._last = progress.stage, now
        send(self._connection, {"progress": told(progress).to_json()})


def told(progress: QuestionProgress) -> Told:
    """The oracle's progress, as a job has it."""
    words = STAGES.get(progress.stage, progress.stage)
    engine = progress.engine
    paths, frontier = (None, None) if engine is None else (engine.paths, engine.frontier)
    return Told(progress.stage, words, paths, frontier, progress.share)


if __name__ == "__main__":
    main(int(sys.argv[1]))
