"""A Job: a task that another process runs; its subject, progress and result.

>>> job = Job("ask", case="oven", question="did action == CANCEL")
>>> heard = []
>>> forget = job.subscribe(lambda one: heard.append(one.state.value))
>>> job.begin()
>>> job.end(JobState.DONE, result={"verdict": "yes"})
>>> heard, job.result, job.wait(0)
(['running', 'done'], {'verdict': 'yes'}, True)
"""

from __future__ import annotations

import enum
import re
import secrets
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct

from soid.budget import Cancellation
from soid.errors import EnvironmentalError, SoidError, TimeLimitError, code_of

#: a place in a file, as compilers and readers of logs write it
_PLACE: Final = re.compile(
    r"(?P<file>[\w.+/-]+):(?P<line>[0-9]{1,9}):(?:(?P<column>[0-9]{1,9}):)? (?P<words>.+)", re.ASCII
)
#: the codes of troubles that no error of soid is raised for
_CODES: Final = {
    "NoProcess": EnvironmentalError.code,
    "OSError": EnvironmentalError.code,
    "TooLong": TimeLimitError.code,
    "WorkerDied": "worker_ended",
}
_MOST_EVENTS: Final = 1000  # that are kept
_MOST_PLACES: Final = 50  # that are listed; a page has an element for each
_VARIABLE: Final = re.compile(r"(?P<path>[A-Za-z_][\w.\[\]']*): ", re.ASCII)


@final
class JobState(enum.Enum):
    """The state of a job; the last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def is_final(self) -> bool:
        return self in (JobState.DONE, JobState.CANCELLED, JobState.FAILED)


@final
class JobProgress(Struct, frozen=True, tag="progress"):
    """The progress of a job."""

    stage: str  # by name
    words: str  # the stage in words
    paths: int | None = None  # of the program, found to their end
    open: int | None = None  # known and not yet followed to their end
    share: float | None = None  # of the family that is settled, from 0 to 1; None: unknown
    left: float | None = None  # seconds of the question's time, when this was told; None: it has no limit


@final
class Trouble(Struct, frozen=True):
    """Why a job failed or was cancelled."""

    kind: str  # the error's class
    cause: str
    remedy: str

    @classmethod
    def of(cls, error: SoidError) -> Trouble:
        # a file's name in it may be invalid Unicode, which cannot be sent
        cause, remedy = (text.encode(errors="backslashreplace").decode() for text in (error.cause, error.remedy))
        return cls(type(error).__name__, cause, remedy)

    @property
    def code(self) -> str:
        """The same as `kind` for programs, in all versions."""
        return _CODES.get(self.kind) or code_of(self.kind)

    @property
    def places(self) -> list[dict[str, Any]]:
        """The places in files that the cause names.

        >>> Trouble("CompileError", "refused:\\noven.c:3:7: error: expected ';'\\n 3 | x = 1", "").places
        [{'file': 'oven.c', 'line': 3, 'column': 7, 'variable': None, 'words': "error: expected ';'"}]
        >>> Trouble("TraceError", "log.csv:2: car.speed: 'x' is no number", "").places[0]["variable"]
        'car.speed'
        """
        found = filter(None, (_PLACE.fullmatch(line) for line in self.cause.splitlines()))
        return [
            {
                "file": place["file"],
                "line": int(place["line"]),
                "column": int(place["column"]) if place["column"] else None,
                "variable": self._variable(place["words"]),
                "words": place["words"],
            }
            for place in islice(found, _MOST_PLACES)
        ]

    def _variable(self, words: str) -> str | None:
        """The variable of an error in a log: its message begins with the variable's path."""
        found = _VARIABLE.match(words) if self.kind == "TraceError" else None
        return found["path"] if found else None


Listener = Callable[["Job"], None]


@final
class Job:
    """One task; any thread may read it, wait for it and cancel it."""

    def __init__(self, kind: str, *, case: str = "", question: str = "", who: str = "") -> None:
        self.id = secrets.token_hex(8)
        self.kind = kind  # ask, explain, bundle, report, ...
        self.case = case  # the case's id; empty: no case
        self.question = question  # as query text; empty: no question
        self.who = who
        self.state = JobState.QUEUED
        self.place: int | None = None  # while it is queued: the number of jobs before it
        self.progress: JobProgress | None = None
        self.events: list[dict[str, Any]] = []  # of a script, line by line; the first ones if they are very many
        self.result: Mapping[str, Any] | None = None  # as JSON
        self.error: Trouble | None = None
        self.file: Path | None = None  # that it wrote, for download
        self.called_off = Cancellation()
        self._began: float | None = None
        self._told = 0.0  # when it told its progress
        self._ended: float | None = None
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._listeners: dict[object, Listener] = {}

    @property
    def seconds(self) -> float:
        """The time since a worker began it, up to its end."""
        if self._began is None:
            return 0.0
        return round((time.monotonic() if self._ended is None else self._ended) - self._began, 3)

    @property
    def seconds_left(self) -> float | None:
        """What is left of its question's time now; None if there is no limit, or it is not known."""
        if self.progress is None or self.progress.left is None:
            return None
        return max(self.progress.left - (time.monotonic() - self._told), 0.0)

    def cancel(self) -> None:
        """Cancel it. Waiting threads go on when it has ended."""
        self.called_off.cancel()
        self._tell()  # its pool is a listener

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has ended, at most `timeout` seconds; returns whether it has ended."""
        return self._over.wait(timeout)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` at every change, on the thread that makes the change; returns a function to unsubscribe."""
        key = object()
        with self._lock:
            self._listeners[key] = listener

        def forget() -> None:
            with self._lock:
                self._listeners.pop(key, None)

        return forget

    # --- for the pool

    def queue(self, place: int) -> None:
        if place != self.place:
            self.place = place
            self._tell()

    def begin(self) -> None:
        self.state, self.place, self._began = JobState.RUNNING, None, time.monotonic()
        self._tell()

    def report(self, progress: JobProgress) -> None:
        self.progress, self._told = progress, time.monotonic()
        self._tell()

    def happen(self, event: dict[str, Any]) -> None:
        """Something has happened on the way to its result."""
        if len(self.events) < _MOST_EVENTS:
            self.events.append(event)
        self._tell()

    def end(self, state: JobState, *, result: Mapping[str, Any] | None = None, error: Trouble | None = None) -> None:
        """Set its final state, which never changes afterwards."""
        self.result, self.error, self.place = result, error, None
        self._ended = time.monotonic()
        self.state = state  # last: a thread that sees a final state must see the rest
        self._over.set()
        self._tell()

    def _tell(self) -> None:
        with self._lock:
            listeners = list(self._listeners.values())
        for listener in listeners:
            try:
                listener(self)
            except Exception:  # noqa: BLE001 a faulty listener must affect neither the job nor other listeners
                traceback.print_exc()
