"""Budgets, deadlines and cancellation, for solvers, engines and the oracle alike."""

from __future__ import annotations

import os
import resource
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn, final

from msgspec import Struct


@final
class Budget(Struct, frozen=True):
    """The time that one question may take. A solver in its own process is killed when it is over."""

    seconds: float | None = None  # of wall-clock time; None: no limit

    def started(self) -> Deadline:
        """The same budget with its clock running."""
        return Deadline(None if self.seconds is None else time.monotonic() + self.seconds)


@final
class Deadline(Struct, frozen=True):
    """A moment on `time.monotonic`; several questions in a row can share one."""

    at: float | None  # None: never

    @property
    def seconds_left(self) -> float | None:
        return None if self.at is None else max(0.0, self.at - time.monotonic())

    @property
    def is_over(self) -> bool:
        return self.at is not None and time.monotonic() >= self.at

    def sooner(self, other: Deadline) -> Deadline:
        ends = [each.at for each in (self, other) if each.at is not None]
        return Deadline(min(ends, default=None))

    def left(self) -> Budget:
        """The time that is left, as a budget for the next question."""
        return Budget(self.seconds_left)


UNLIMITED: Final = Budget()


def usable_cores() -> int:
    """How many processes can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@final
class Cancellation:
    """A token that any thread may set, once. Work that it cancels polls it, or registers a callback."""

    def __init__(self) -> None:
        self._event = threading.Event()
        # Held during callbacks, so that none runs after its `calling` block. Reentrant, because a signal handler that
        # cancels may interrupt the thread that holds it.
        self._lock = threading.RLock()
        self._callbacks: dict[object, Callable[[], object]] = {}

    def __reduce__(self) -> NoReturn:
        raise TypeError("a cancellation stays in its process: the work that it stops is there")

    def __repr__(self) -> str:
        return f"Cancellation({'cancelled' if self.cancelled else 'not cancelled'})"

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def cancel(self) -> None:
        """Set the token and run all callbacks, on this thread."""
        with self._lock:
            self._event.set()
            for callback in list(self._callbacks.values()):
                callback()

    @contextmanager
    def calling(self, callback: Callable[[], object]) -> Iterator[None]:
        """Run the callback on cancellation, at once if it is cancelled already, but never after the block."""
        key = object()
        with self._lock:
            self._callbacks[key] = callback
            if self._event.is_set():
                callback()
        try:
            yield
        finally:
            with self._lock:
                del self._callbacks[key]


_STATM: Final = Path("/proc/self/statm")


def held_memory() -> int:
    """The bytes of memory that this process uses now; 0 if the system does not report it."""
    try:
        return int(_STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


#: bytes of address space that a process may reserve beyond the memory that it may use: libraries, stacks of threads
ROOM: Final = 2 << 30


def usual_memory() -> int:
    """The bytes of memory that a question may use where nothing else is said: 4 GiB, on a small machine half of all."""
    return min(4 << 30, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)


@contextmanager
def memory_limited(most: int) -> Iterator[None]:
    """Inside the block, let this process and those that it starts use so many bytes more than it uses now.

    Beyond that Python raises a MemoryError, and other processes end.
    """
    try:
        used = int(_STATM.read_bytes().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # the system does not report it, and there is no limit
        wanted = {}
    else:
        wanted = {resource.RLIMIT_AS: used + most + ROOM}
    with limited(wanted):
        yield


@contextmanager
def limited(wanted: Mapping[int, int]) -> Iterator[None]:
    """Inside the block, limit resources of this process and of those that it starts, by the numbers of `resource`."""
    before = {which: resource.getrlimit(which) for which in wanted}
    for which, most in wanted.items():
        soft, hard = before[which]
        known = [limit for limit in (most, soft, hard) if limit != resource.RLIM_INFINITY]
        resource.setrlimit(which, (min(known), hard))
    try:
        yield
    finally:
        for which, limits in before.items():
            resource.setrlimit(which, limits)


@contextmanager
def memory_unlimited() -> Iterator[None]:
    """Inside the block, start processes that have no limit on memory: a browser reserves far more than it uses."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (before[1], before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    """Seconds by stage, without meaningless digits."""
    return {stage: round(each, 6) for stage, each in seconds.items()}
