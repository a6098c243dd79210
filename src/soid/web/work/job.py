"""A Job: a piece of work under way in another process; what it is about, how far it has come, what came of it.

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
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct

from soid.budget import Cancellation
from soid.errors import SoidError

#: as compilers name places, and readers of logs
_PLACE: Final = re.compile(
    r"(?P<file>[\w.+/-]+):(?P<line>[0-9]{1,9}):(?:(?P<column>[0-9]{1,9}):)? (?P<words>.+)", re.ASCII
)
_VARIABLE: Final = re.compile(r"(?P<path>[A-Za-z_][\w.\[\]']*): ", re.ASCII)


@final
class JobState(enum.Enum):
    """Where a job stands; the last three are final."""

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
    """What a job is doing."""

    stage: str  # by name
    words: str  # the same for people
    paths: int | None = None  # of the program, found to their end
    open: int | None = None  # known and not yet followed to their end
    share: float | None = None  # of the family that is settled, from 0 to 1; None: nobody knows


@final
class Trouble(Struct, frozen=True):
    """Why a job came to nothing."""

    kind: str  # the error's class
    cause: str
    remedy: str

    @classmethod
    def of(cls, error: SoidError) -> Trouble:
        # a file's name in it may be no text, and is none that can be sent
        cause, remedy = (text.encode(errors="backslashreplace").decode() for text in (error.cause, error.remedy))
        return cls(type(error).__name__, cause, remedy)

    @property
    def places(self) -> list[dict[str, Any]]:
        """Where in which file something is wrong, as far as the cause names places.

        >>> Trouble("CompileError", "refused:\\noven.c:3:7: error: expected ';'\\n 3 | x = 1", "").places
        [{'file': 'oven.c', 'line': 3, 'column': 7, 'variable': None, 'words': "error: expected ';'"}]
        >>> Trouble("TraceError", "log.csv:2: car.speed: 'x' is no number", "").places[0]["variable"]
        'car.speed'
        """
        found = (_PLACE.fullmatch(line) for line in self.cause.splitlines())
        return [
            {
                "file": place["file"],
                "line": int(place["line"]),
                "column": int(place["column"]) if place["column"] else None,
                "variable": self._variable(place["words"]),
                "words": place["words"],
            }
            for place in found
            if place is not None
        ]

    def _variable(self, words: str) -> str | None:
        """What is wrong in a log is said of a variable, by its path."""
        found = _VARIABLE.match(words) if self.kind == "TraceError" else None
        return found["path"] if found else None


Listener = Callable[["Job"], None]


@final
class Job:
    """One piece of work; any thread may look at it, wait for it and call it off."""

    def __init__(self, kind: str, *, case: str = "", question: str = "", who: str = "") -> None:
        self.id = secrets.token_hex(8)
        self.kind = kind  # ask, explain, bundle, report, ...
        self.case = case  # the case's id; empty: it is about none yet
        self.question = question  # as query text; empty: it is about none
        self.who = who
        self.state = JobState.QUEUED
        self.place: int | None = None  # while it is queued: how many are before it
        self.progress: JobProgress | None = None
        self.result: Mapping[str, Any] | None = None  # what came of it, as JSON has it
        self.error: Trouble | None = None
        self.file: Path | None = None  # what it wrote, for whoever wants to have it
        self.called_off = Cancellation()
        self._began: float | None = None
        self._ended: float | None = None
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._listeners: dict[object, Listener] = {}

    @property
    def seconds(self) -> float:
        """How long it has been worked on."""
        if self._began is None:
            return 0.0
        return round((time.monotonic() if self._ended is None else self._ended) - self._began, 3)

    def cancel(self) -> None:
        """Call it off. Who waits for it hears of it when it has ended."""
        self.called_off.cancel()
        self._tell()  # its pool listens

    def wait(self, timeout: float | None = None) -> bool:
        """Whether it has ended, at the latest after so many seconds."""
        return self._over.wait(timeout)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Have someone called at every change, on whichever thread brings it; gives what ends that."""
        key = object()
        with self._lock:
            self._listeners[key] = listener

        def forget() -> None:
            with self._lock:
                self._listeners.pop(key, None)

        return forget

    # --- for who does the work

    def queue(self, place: int) -> None:
        """So many are before it."""
        if place != self.place:
            self.place = place
            self._tell()

    def begin(self) -> None:
        """It is being worked on from now."""
        self.state, self.place, self._began = JobState.RUNNING, None, time.monotonic()
        self._tell()

    def report(self, progress: JobProgress) -> None:
        """It has come so far."""
        self.progress = progress
        self._tell()

    def end(
        self,
        state: JobState,
        *,
        result: Mapping[str, Any] | None = None,
        error: Trouble | None = None,
        file: Path | None = None,
    ) -> None:
        """It is over. What it says afterwards never changes."""
        self.result, self.error, self.file, self.place = result, error, file, None
        self._ended = time.monotonic()
        self.state = state  # last, so that whoever sees it sees the rest
        self._over.set()
        self._tell()

    def _tell(self) -> None:
        with self._lock:
            listeners = list(self._listeners.values())
        for listener in listeners:
            try:
                listener(self)
            except Exception:  # noqa: BLE001 who listens badly harms neither the job nor who else listens
                traceback.print_exc()
