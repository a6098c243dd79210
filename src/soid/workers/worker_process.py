"""The side that starts workers: messages to and from child processes without blocking, and their certain end.

A worker is a module of soid with a function `serve(port, *arguments)`. Nothing waits for a worker alone: `heard` moves
bytes to and from any number of them until one has said something or has ended, the time is over, or the caller's
`Cancellation` is set (`waking`). So a worker that does not read or does not answer costs no more than the time given.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, Generic, TypeVar, final

from soid.budget import Cancellation
from soid.workers.wire import HEADER, MESSAGE, READY, message_frame, read_message

Reply = TypeVar("Reply")

# The parent's module path is handed over as it is, so that a worker starts without `site`.
_BOOT: Final = "import sys; sys.path[:] = {path!r}; from soid.workers.worker_main import main; main()"
_SOURCE: Final = str(Path(__file__).parents[2])  # where soid lies, should only an import hook know it


@final
class WorkerProcess(Generic[Reply]):
    """One child process: what was sent to it, what came from it, and whether it has ended."""

    def __init__(
        self, module: str, arguments: Sequence[str], replies: Any, *, memory: int = 0, leads_group: bool = False
    ) -> None:
        """`replies` is the type of what it sends, `memory` its limit in bytes of address space (0: none).

        A worker that starts processes leads a group, all of which is killed with it. What such a worker prints goes
        where ours does; what others print is kept for `ending`.
        """
        self._replies = replies
        self._leads_group = leads_group
        self._errors: IO[bytes] | None = None if leads_group else tempfile.TemporaryFile()  # noqa: SIM115
        reading, ours = os.pipe()
        lifeline = fcntl.fcntl(reading, fcntl.F_DUPFD_CLOEXEC, 3)  # a parent without standard input has 0 to give
        os.close(reading)
        boot = _BOOT.format(path=[*sys.path, _SOURCE])
        command = [sys.executable, "-S", "-c", boot, module, str(lifeline), str(memory), *arguments]
        try:
            self._popen = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                pass_fds=[lifeline],
                start_new_session=leads_group,
            )
        except OSError:
            os.close(ours)
            if self._errors is not None:
                self._errors.close()
            raise
        finally:
            os.close(lifeline)
        assert self._popen.stdin is not None and self._popen.stdout is not None
        self.input, self.output = self._popen.stdin.fileno(), self._popen.stdout.fileno()
        os.set_blocking(self.input, False)
        os.set_blocking(self.output, False)
        self.outbox = bytearray()
        self._inbox = bytearray()
        self._messages: list[Reply] = []
        self.sent = self.taken = 0  # messages to it, and those of them that it has read
        self._killed = False
        self.is_ready = False
        self.has_ended = False
        #: kills it and puts everything of it away; also called when it is forgotten, and at exit
        self.end = weakref.finalize(self, _end, self._popen, leads_group, ours, self._errors)

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def is_alive(self) -> bool:
        """Whether it may be given work; one that was killed counts as running until its last thread has ended."""
        return not self._killed and not self.has_ended and self._popen.poll() is None

    @property
    def died_idle(self) -> bool:
        """Whether it ended before it read what was sent last: it was dying when it was asked, and another may be."""
        return self.has_ended and self.is_ready and self.taken < self.sent

    def kill(self) -> None:
        """Kill it from any thread; `heard` then says that it has ended."""
        self._killed = True
        _kill(self._popen, self._leads_group)

    def send(self, message: object) -> None:
        """Hand over a message; what the pipe does not take at once is written by `heard`."""
        self.outbox += message_frame(message)
        self.sent += 1
        self.write()

    def write(self) -> None:
        """Write what the pipe takes."""
        try:
            del self.outbox[: os.write(self.input, self.outbox)]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.outbox.clear()  # it died; reading will show that

    def read(self) -> bool:
        """Read what there is; whether it has said something, or ended."""
        try:
            chunk = os.read(self.output, 1 << 20)
        except BlockingIOError:
            return False
        self.has_ended = not chunk
        self._inbox += chunk
        while len(self._inbox) >= HEADER.size:
            kind, length = HEADER.unpack_from(self._inbox)
            end = HEADER.size + length
            if len(self._inbox) < end:
                break
            if kind == MESSAGE:
                self._messages.append(read_message(self._inbox[HEADER.size : end], self._replies))
            elif kind == READY:
                self.is_ready = True
            else:
                self.taken += 1
            del self._inbox[:end]
        return bool(self._messages) or self.has_ended

    def take(self) -> list[Reply]:
        """What it has said since the last time."""
        said, self._messages = self._messages, []
        return said

    def printed(self) -> str:
        """The end of what it printed, if that is kept."""
        if self._errors is None:
            return ""
        self._errors.seek(0)
        return self._errors.read()[-2000:].decode(errors="replace").strip()

    def ending(self) -> str:
        """How it ended, after `heard` found that it has: a signal or a status, and the last line that it printed."""
        status = self._popen.wait()
        how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        return ": ".join([how, *self.printed().splitlines()[-1:]])


def _kill(popen: subprocess.Popen[bytes], leads_group: bool) -> None:
    if not leads_group:
        popen.kill()
        return
    with contextlib.suppress(ProcessLookupError):  # all of them have ended
        os.killpg(popen.pid, signal.SIGKILL)


def _end(popen: subprocess.Popen[bytes], leads_group: bool, lifeline: int, errors: IO[bytes] | None) -> None:
    _kill(popen, leads_group)
    popen.wait()
    os.close(lifeline)
    for stream in (popen.stdin, popen.stdout, errors):
        if stream is not None:
            stream.close()


def heard(
    workers: Iterable[WorkerProcess[Reply]], until: float | None = None, wake: int | None = None
) -> list[WorkerProcess[Reply]]:
    """The workers that have said something or have ended; none if the moment `until` comes first, or `wake` does."""
    poll, sides = select.poll(), {}
    for worker in workers:
        sides[worker.output] = worker
        poll.register(worker.output, select.POLLIN)
        if worker.outbox:
            sides[worker.input] = worker
            poll.register(worker.input, select.POLLOUT)
    if wake is not None:
        poll.register(wake, select.POLLIN)
    while True:
        left = None if until is None else math.ceil(max(0.0, until - time.monotonic()) * 1000)
        events = poll.poll(left)
        spoke, is_woken = [], not events
        for side, _ in events:
            moved = sides.get(side)
            if moved is None:
                is_woken = True
            elif side == moved.output:
                spoke += [moved] if moved.read() else []
            else:
                moved.write()
                if not moved.outbox:
                    poll.unregister(side)
        if spoke or is_woken:
            return spoke


@contextmanager
def waking(cancel: Cancellation | None) -> Iterator[int | None]:
    """A descriptor that ends the waiting of `heard` as soon as work is called off."""
    if cancel is None:
        yield None
        return
    reading, writing = os.pipe()
    try:
        with cancel.calling(lambda: _wake(writing)):
            yield reading
    finally:
        os.close(reading)
        os.close(writing)


def _wake(descriptor: int) -> None:
    os.write(descriptor, b"!")
