"""The parent's side: starts workers, exchanges messages with them without blocking, and ends them.

A worker is a module of soid with a function `serve(port, *arguments)`. `heard` moves bytes to and from any number of
workers until one of them has sent a message or has ended, the time is over, or the caller's `Cancellation` is set
(`waking`). So a worker that does not read or does not answer never blocks the parent longer than the given time.
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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any, Final, Generic, TypeVar, final

import msgspec

from soid.budget import Cancellation
from soid.jail.cell import Cell
from soid.jail.python_cell import module_path, python_cell
from soid.surface import served
from soid.workers.wire import HEADER, MESSAGE, READY, message_frame, read_message

Reply = TypeVar("Reply")

# The worker gets the parent's module path, so that it starts without `site`.
_BOOT: Final = "import sys; sys.path[:] = {path!r}; from soid.workers.worker_main import main; main()"
_LONGEST: Final = 1 << 28  # bytes of a message from a jailed worker, which a stranger's bytes may have taken over
_PRINTED: Final = 2000  # bytes of what a worker printed last
_SIGNALLED: Final = 128  # the jail's launcher adds this to the signal that ended the worker
_SOURCE: Final = str(Path(__file__).parents[2])  # the folder of soid, which an import hook may hide from `sys.path`


@final
class WorkerProcess(Generic[Reply]):
    """One child process, and the messages to and from it."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        replies: Any,
        *,
        memory: int = 0,
        leads_session: bool = False,
        packages: Sequence[str] | None = None,
        cell: Callable[[Sequence[str]], Cell] = python_cell,
    ) -> None:
        """`replies` is the type of its messages, `memory` its limit in bytes of address space (0: none).

        A worker for a stranger's bytes is jailed: `packages` are those that it imports, and all that it sees; `cell`
        makes the walls around a Python that imports from these folders.

        A worker that starts processes leads a session, which is killed with it. Its standard error is the
        parent's; that of other workers is kept for `ending`.
        """
        self._replies = replies
        self._leads_session = leads_session
        self._is_jailed = packages is not None
        self._errors: IO[bytes] | None = None if leads_session else tempfile.TemporaryFile()  # noqa: SIM115
        reading, ours = os.pipe()
        lifeline = fcntl.fcntl(reading, fcntl.F_DUPFD_CLOEXEC, 3)  # not 0, in a parent without standard input
        os.close(reading)
        path = [*sys.path, _SOURCE] if packages is None else list(module_path(*packages))
        given = (module, str(lifeline), str(memory), served().value, *arguments)
        command = [sys.executable, "-S", "-c", _BOOT.format(path=path), *given]
        if packages is not None:
            command = cell(path).command(command)
        try:
            self._popen = _started(
                packages is not None,
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                pass_fds=[lifeline],
                start_new_session=leads_session,
                env=None if packages is None else {},
                cwd=None if packages is None else "/",
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
        self.sent = self.taken = 0  # messages sent to it, and read by it
        self._killed = False
        self._fault = ""
        self.is_ready = False
        self.has_ended = False
        #: kills it and closes its pipes; also called on garbage collection and at exit
        self.end = weakref.finalize(self, _end, self._popen, leads_session, ours, self._errors)

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def is_alive(self) -> bool:
        """Whether it can take work. The system reports a killed process as running until its last thread has ended."""
        return not self._killed and not self.has_ended and self._popen.poll() is None

    @property
    def died_idle(self) -> bool:
        """Whether it ended before it read the last message: another worker may be given that message."""
        return self.has_ended and self.is_ready and self.taken < self.sent

    def kill(self) -> None:
        """Kill it, from any thread; `heard` then returns it as ended."""
        self._killed = True
        _kill(self._popen, self._leads_session)

    def send(self, message: object) -> None:
        """Send a message; `heard` writes the part that the pipe does not take at once."""
        self.outbox += message_frame(message)
        self.sent += 1
        self.write()

    def write(self) -> None:
        """Write as much of the outbox as the pipe takes."""
        try:
            del self.outbox[: os.write(self.input, self.outbox)]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.outbox.clear()  # it died, which `read` will notice

    def read(self) -> bool:
        """Read the available bytes; whether there is a message now, or the worker has ended."""
        try:
            chunk = os.read(self.output, 1 << 20)
        except BlockingIOError:
            return False
        self.has_ended = not chunk
        self._inbox += chunk
        while len(self._inbox) >= HEADER.size and not self._fault:
            kind, length = HEADER.unpack_from(self._inbox)
            end = HEADER.size + length
            if self._is_jailed and length > _LONGEST:
                self._disown(f"a message of {length} bytes")
            if self._fault or len(self._inbox) < end:
                break
            if kind == MESSAGE:
                self._accept(self._inbox[HEADER.size : end])
            elif kind == READY:
                self.is_ready = True
            else:
                self.taken += 1
            del self._inbox[:end]
        return bool(self._messages) or self.has_ended

    def _accept(self, body: bytearray) -> None:
        try:
            self._messages.append(read_message(body, self._replies))
        except msgspec.DecodeError as error:
            if not self._is_jailed:
                raise
            self._disown(f"what is no message ({error})")

    def _disown(self, sent: str) -> None:
        """A jailed worker was taken over: nothing more is heard of it."""
        self._fault = f"it sent {sent}"
        self.has_ended = True
        self.kill()

    def take(self) -> list[Reply]:
        """Its messages since the last call."""
        messages, self._messages = self._messages, []
        return messages

    def printed(self) -> str:
        """The end of its standard error, if that is kept."""
        if self._errors is None:
            return ""
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _PRINTED))
        return self._errors.read(_PRINTED).decode(errors="replace").strip()

    def ending(self) -> str:
        """How an ended worker ended: the signal or exit status, and the last line that it printed."""
        if self._fault:
            return self._fault
        status = self._popen.wait()
        if self._is_jailed and status - _SIGNALLED in signal.valid_signals():
            status = _SIGNALLED - status
        how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        return ": ".join([how, *self.printed().splitlines()[-1:]])


def _started(is_jailed: bool, command: Sequence[str], **settings: Any) -> subprocess.Popen[bytes]:
    if not is_jailed:
        return subprocess.Popen(command, **settings)
    return _starter().submit(subprocess.Popen, command, **settings).result()  # type: ignore[no-any-return]


@cache
def _starter() -> Any:
    """A thread that never ends: a jailed worker is killed when the thread ends that has started it."""
    from concurrent.futures import ThreadPoolExecutor  # most questions start no such worker, and it takes long to load

    return ThreadPoolExecutor(1, "workers")


def _kill(popen: subprocess.Popen[bytes], leads_session: bool) -> None:
    popen.kill()
    if not leads_session:
        return
    with contextlib.suppress(ProcessLookupError):  # the whole group has ended
        os.killpg(popen.pid, signal.SIGKILL)
    for pid in _session(popen.pid):
        with contextlib.suppress(ProcessLookupError):  # it has ended
            os.kill(pid, signal.SIGKILL)


def _session(leader: int) -> Iterator[int]:
    """The processes of a session: those that its leader has started, and those that they have started, and so on."""
    for entry in Path("/proc").glob("[1-9]*"):
        with contextlib.suppress(OSError):  # it has ended
            if os.getsid(int(entry.name)) == leader:
                yield int(entry.name)


def _end(popen: subprocess.Popen[bytes], leads_session: bool, lifeline: int, errors: IO[bytes] | None) -> None:
    _kill(popen, leads_session)
    popen.wait()
    os.close(lifeline)
    for stream in (popen.stdin, popen.stdout, errors):
        if stream is not None:
            stream.close()


def heard(
    workers: Iterable[WorkerProcess[Reply]], until: float | None = None, wake: int | None = None
) -> list[WorkerProcess[Reply]]:
    """The workers that have sent a message or have ended; none if `until` is reached or `wake` is readable first."""
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
        ready, is_woken = [], not events
        for side, _ in events:
            moved = sides.get(side)
            if moved is None:
                is_woken = True
            elif side == moved.output:
                ready += [moved] if moved.read() else []
            else:
                moved.write()
                if not moved.outbox:
                    poll.unregister(side)
        if ready or is_woken or (until is not None and time.monotonic() >= until):  # one may talk without end
            return ready


@contextmanager
def waking(cancel: Cancellation | None) -> Iterator[int | None]:
    """A descriptor that ends the waiting of `heard` as soon as `cancel` is set."""
    if cancel is None:
        yield None
        return
    reading, writing = os.pipe()
    try:
        with cancel.calling(lambda: os.write(writing, b"!")):
            yield reading
    finally:
        os.close(reading)
        os.close(writing)
