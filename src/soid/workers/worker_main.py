"""The worker's side: the start of every worker process, and its end of the pipes.

A worker must not outlive its parent, not even while a library holds Python's global lock and no Python thread can run.
So each worker inherits the reading end of a pipe, the lifeline, on which nothing is ever written. When the parent ends,
the kernel signals that the pipe was closed, and the default action of that signal ends the worker.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import os
import resource
import select
import signal
import sys
import threading
from typing import BinaryIO, Final, TypeVar, final

from soid.surface import Surface, using
from soid.workers.wire import HEADER, READY, TAKEN, message_frame, read_message

T = TypeVar("T")

_STACK: Final = 1 << 30  # bytes of address space, for solvers that recurse; only used pages take memory


@final
class WorkerPort:
    """A worker's end of the pipes. One thread receives; any thread may send."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO) -> None:
        self._requests = requests
        self._replies = replies
        self._lock = threading.Lock()

    def ready(self) -> None:
        """Tell the parent that everything is loaded."""
        self._write(HEADER.pack(READY, 0))

    def send(self, message: object) -> None:
        self._write(message_frame(message))

    def receive(self, kind: type[T]) -> T | None:
        """The next message, decoded as that type; None if the parent has closed the pipe."""
        header = self._requests.read(HEADER.size)
        if len(header) < HEADER.size:
            return None
        _, length = HEADER.unpack(header)
        body = self._requests.read(length)
        if len(body) < length:
            return None
        self._write(HEADER.pack(TAKEN, 0))
        message: T = read_message(body, kind)
        return message

    def _write(self, frame: bytes) -> None:
        with self._lock, contextlib.suppress(BrokenPipeError):  # the parent has ended: the next `receive` gives None
            self._replies.write(frame)
            self._replies.flush()


def main() -> None:
    """Run `serve(port, *arguments)` of the module named on the command line, on a large stack; then end."""
    module, lifeline, memory, surface, *arguments = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    _die_with_parent(int(lifeline))
    port = WorkerPort(sys.stdin.buffer, os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # a library may print, but not into the replies
    most = int(memory)  # bytes of address space; 0: no limit
    if most:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    threading.stack_size(min(_STACK, most // 4) if most else _STACK)
    status = 1

    def work() -> None:
        nonlocal status
        threading.stack_size(0)  # further threads get the usual stack
        with using(Surface(surface)):
            importlib.import_module(module).serve(port, *arguments)
        status = 0

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    os._exit(status)  # there is nothing to save, and freeing a solver's terms can take seconds


def _die_with_parent(lifeline: int) -> None:
    os.set_inheritable(lifeline, False)
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    poll = select.poll()
    poll.register(lifeline, select.POLLHUP)
    if poll.poll(0):  # the parent ended before the signal was set up
        os._exit(1)
