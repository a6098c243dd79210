"""A worker's side: what every worker process does before and around the work of its module.

A worker must not outlive the process that started it, not even while a library holds Python's global lock and no thread
of ours can run. So each worker inherits the reading end of a pipe, the lifeline, on which nothing is ever written: when
the parent ends, the kernel signals that the pipe was closed, and that signal's default action is death.
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

from soid.workers.wire import HEADER, READY, TAKEN, message_frame, read_message

T = TypeVar("T")

_STACK: Final = 1 << 30  # bytes of address space, for solvers that recurse; only what is used becomes real


@final
class WorkerPort:
    """A worker's end of the pipes. One thread receives; any thread may send."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO) -> None:
        self._requests = requests
        self._replies = replies
        self._lock = threading.Lock()

    def ready(self) -> None:
        """Say that everything is loaded: from now on a question's time is its own."""
        self._write(HEADER.pack(READY, 0))

    def send(self, message: object) -> None:
        self._write(message_frame(message))

    def receive(self, kind: type[T]) -> T | None:
        """The next message, which is of that type; None if there will be no more."""
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
        with self._lock, contextlib.suppress(BrokenPipeError):  # the parent has gone: the next `receive` sees that
            self._replies.write(frame)
            self._replies.flush()


def main() -> None:
    """Run `serve(port, *arguments)` of the module that the command line names, on a large stack; then end."""
    module, lifeline, memory, *arguments = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    _die_with_parent(int(lifeline))
    port = WorkerPort(sys.stdin.buffer, os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # what a library prints is no message
    most = int(memory)  # bytes of address space; 0: no limit
    if most:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    threading.stack_size(min(_STACK, most // 4) if most else _STACK)
    status = 1

    def work() -> None:
        nonlocal status
        threading.stack_size(0)  # threads that the work starts have the usual one
        importlib.import_module(module).serve(port, *arguments)
        status = 0

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    os._exit(status)  # there is nothing to save, and tearing down a solver's terms can take seconds


def _die_with_parent(lifeline: int) -> None:
    os.set_inheritable(lifeline, False)
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    poll = select.poll()
    poll.register(lifeline, select.POLLHUP)
    if poll.poll(0):  # the parent ended before the kernel was asked to tell
        os._exit(1)
