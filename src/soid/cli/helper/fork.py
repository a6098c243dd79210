"""A fork of the helper becomes a command: it takes over its files, folder, environment and words, and runs it.

What it prints goes where the command's own output goes, and its end is that of any command.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from io import TextIOWrapper
from typing import Any, Final, NoReturn, final

from msgspec import Struct

from soid.cli.helper.client import MOST_FILES
from soid.engine.llvm.reader import kept_modules

#: what the helper is told first: the command has ended by itself
DONE: Final = b"done\0"

_PATIENCE: Final = 2.0  # seconds that a command has for each part of its request
_UNFLUSHED: Final = 120  # Python's status where its output cannot be written at its end


@final
class _Request(Struct, frozen=True):
    """A command, as it introduces itself."""

    state: bytes
    umask: int
    numbers: list[int]  # of its files, in its own process
    words: list[str]
    environment: dict[bytes, bytes]
    folder: int  # its working folder
    files: list[int]  # its files, in this process


def become(connection: socket.socket, helper: socket.socket, state: bytes) -> NoReturn:
    """Be the command at the other end; this process ends with it."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        connection.settimeout(_PATIENCE)
        connection.sendall(b"%d" % os.getpid())
        request = _received(connection)
        if request.state == state:
            connection, helper = _with_files(request, connection, helper)
            _taken_over(request)
            _run(request.words, connection, helper)
    finally:
        os._exit(1)  # the command sees that the connection ends, and does all itself


def _received(connection: socket.socket) -> _Request:
    content, files, _, _ = socket.recv_fds(connection, 1 << 16, MOST_FILES + 1)
    length, _, content = content.partition(b":")
    while len(content) < int(length):
        if not (more := connection.recv(1 << 20)):
            raise ValueError
        content += more
    fields = []
    while content:
        length, _, content = content.partition(b":")
        fields.append(content[: int(length)])
        content = content[int(length) :]
    state, umask, numbers, words, environment = fields
    pairs = (each.partition(b"=") for each in environment.split(b"\0") if each)
    return _Request(
        state,
        int(umask),
        [int(each) for each in numbers.split(b",")],
        [os.fsdecode(each) for each in words.split(b"\0")],
        {name: value for name, _, value in pairs},
        files[0],
        files[1:],
    )


def _with_files(request: _Request, *own: socket.socket) -> list[socket.socket]:
    """Give the files their numbers; this process's own connections get others."""
    beyond = max(request.numbers) + 1
    folder = _moved(request.folder, beyond)
    moved = [_moved(file, beyond) for file in request.files]
    others = [socket.socket(fileno=_moved(each.detach(), beyond)) for each in own]
    os.fchdir(folder)
    os.close(folder)
    for file, number in zip(moved, request.numbers, strict=True):
        os.dup2(file, number)
        os.close(file)
    return others


def _moved(file: int, beyond: int) -> int:
    number = fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, beyond)
    os.close(file)
    return int(number)


def _taken_over(request: _Request) -> None:
    os.umask(request.umask)
    os.environb.clear()
    os.environb.update(request.environment)
    sys.argv[1:] = request.words
    sys.stdin = sys.__stdin__ = _stream(sys.stdin, 0, "rb")  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = _stream(sys.stdout, 1, "wb")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _stream(sys.stderr, 2, "wb")  # type: ignore[misc]


def _stream(standard: Any, number: int, mode: str) -> TextIOWrapper:
    """A standard stream as Python makes it when it starts; `standard` is what it made for the helper."""
    now = standard.write_through and number > 0
    binary = open(number, mode, buffering=0 if now else -1, closefd=False)  # noqa: SIM115
    raw: Any = getattr(binary, "raw", binary)
    raw.name = standard.name
    stream = TextIOWrapper(
        binary,
        encoding=standard.encoding,
        errors=standard.errors,
        newline=None if number == 0 else "\n",
        line_buffering=number == 2 or raw.isatty(),
        write_through=now,
    )
    stream.mode = mode[0]  # type: ignore[misc] # as Python sets it
    return stream


def _run(words: list[str], connection: socket.socket, helper: socket.socket) -> NoReturn:
    """Run the command when the other end says so, and end as Python ends."""
    from soid.cli import run_here

    def when_told() -> None:
        connection.sendall(b"ready")
        connection.settimeout(None)
        if connection.recv(2) != b"go":
            os._exit(1)

    status = run_here(words, when_told)
    threading._shutdown()  # type: ignore[attr-defined] # as multiprocessing ends its forks
    atexit._run_exitfuncs()
    status = _flushed(status)
    with suppress(OSError):  # the helper may have ended before
        helper.sendall(DONE)
    connection.sendall(b"status %d\n" % status)
    with suppress(OSError):  # the helper may have ended; then no other fork needs these texts
        for text in kept_modules.read_anew():
            helper.sendall(text.encode(errors="surrogateescape") + b"\0")
    os._exit(0)


def _flushed(status: int) -> int:
    """Write what is left, as Python does at its end; its status where that does not work."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError) as error:
            with suppress(OSError):  # the error stream itself may be closed: the status tells it then
                sys.stderr.write(f"Exception ignored in: {stream!r}\n{type(error).__name__}: {error}\n")
            return _UNFLUSHED
    return status
