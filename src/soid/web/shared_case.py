"""A case file that is open in this process, for all who look at it: to read it, and to add what needs no solver.

What never changes is worked out once: the program, its scene, answers that were given. Of the record only what is new
is read, and that only when the file was written to.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.case.case import Case
from soid.case.project import Project
from soid.case.record.entry import Entry
from soid.errors import ManifestError
from soid.oracle.answer import Answer
from soid.scene.scene import Scene, scene_of

#: seconds; file systems tell the time of a change no finer than so: what was written later may have the same time
_SAME_TIME: Final = 0.1
_KEPT: Final = 2000  # answers


@final
class SharedCase:
    """An open case."""

    def __init__(self, case_id: str, file: Path) -> None:
        self.id = case_id
        self.file = file
        self._investigation = Case.open(file)
        self._lock = threading.RLock()  # what a Case has of programs and logs is for one thread at a time
        self._entries: tuple[Entry, ...] = ()
        self._state: tuple[int, int] | None = None  # of the file when these were read; None: read them again
        self._first: Project | None = None
        self._scene: tuple[Scene | None] | None = None
        self._answers: dict[int, Answer] = {}
        self.opened = self.entries[0]

    def is_at(self, file: Path) -> bool:
        """Whether this is the case that is there now: one that was put away may have left its name to another."""
        return self.file == file and self._investigation.record.is_current

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Everything on the record, what other processes have added included."""
        with self._lock:
            status = self.file.stat() if self.file.is_file() else None
            state = None if status is None else (status.st_mtime_ns, status.st_size)
            if state is None or state != self._state:
                read_at = time.time()
                self._entries = self._investigation.entries
                certain = status is not None and read_at - status.st_mtime > _SAME_TIME
                self._state = state if certain else None
            return self._entries

    @property
    def first(self) -> Project:
        """The program with the first log, at the moment that the manifest names."""
        with self._lock:
            if self._first is None:
                self._first = self._investigation.case_at(log=self._investigation.snapshot.logs[0])
            return self._first

    @property
    def scene(self) -> Scene | None:
        with self._lock:
            if self._scene is None:
                manifest = self.first.manifest
                assert manifest is not None
                try:
                    self._scene = (scene_of(manifest),)
                except ManifestError:
                    self._scene = (None,)
            return self._scene[0]

    def answer(self, number: int) -> Answer:
        """The answer of an entry, as it was given."""
        with self._lock:
            if number not in self._answers:
                if len(self._answers) >= _KEPT:
                    self._answers.clear()
                self._answers[number] = self._investigation.recall(number)
            return self._answers[number]

    def reading(self) -> Locked:
        """The investigation, for a block of reading."""
        return Locked(self._lock, self._investigation)

    def writing(self, who: str) -> Locked:
        """The investigation, for a block in which this person adds to it."""
        return Locked(self._lock, self._investigation, who)

    def close(self) -> None:
        with self._lock:
            self._investigation.close()


@final
class Locked(Struct, frozen=True):
    """An investigation that no other thread uses meanwhile."""

    lock: threading.RLock
    investigation: Case
    who: str | None = None

    def __enter__(self) -> Case:
        self.lock.acquire()
        if self.who is not None:
            self.investigation.speak_as(self.who)
        return self.investigation

    def __exit__(self, *_: object) -> None:
        self.lock.release()
