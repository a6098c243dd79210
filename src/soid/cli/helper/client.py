"""A command's first steps: where a helper is there, it runs the command, and this process waits for its end.

    command                              fork of the helper
                         ◀──────────────  which process it is
    state, words, files  ──────────────▶
                         ◀──────────────  ready
    go                   ──────────────▶  from here on the command is the fork's alone
                         ◀──────────────  its exit status

Before `go` nothing has been done, and the command does all itself if anything is amiss: if there is no helper, if it
hangs, if it is of another state. After it the command is never begun again. Signals are passed on. If the fork is
killed, this process ends as it did. Files are handed over to a process alone that has just spoken, and that is ended if
it says no more: a reader of the output waits until every process that has it has ended.

This is loaded by every command before anything else, and so imports next to nothing.
"""

from __future__ import annotations

import _socket
import os
import sys

from soid.cli.helper.meeting_place import RESIDENT, folder, idle_minutes, is_private, peer, socket_name
from soid.cli.helper.process_state import process_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Final

#: commands that only ask and show: they record nothing, and ask for no word of the user's
COMMANDS: Final = frozenset(
    {
        *("ask", "explain", "causes", "map", "compare", "differ", "abstraction", "scene"),
        *("inspect", "compile", "fmt", "log", "world"),
    }
)

#: an option before the command: without a helper, this once
WITHOUT: Final = "--no-helper"

_PATIENCE: Final = 2.0  # seconds for a helper to say that it is ready
MOST_FILES: Final = 200  # the kernel passes 253 at once
_KILLED: Final = 9


def passed_on(words: list[str]) -> int | None:
    """Have a helper run the command; its exit status, or None if there is none that can, and nothing was done."""
    if not _is_served(words) or not is_private(place := folder()):
        return None
    connection = _connected(f"{place}/{socket_name(state := process_state())}")
    if connection is None:
        return None
    try:
        return _passed_on(connection, state, words)
    except OSError:  # a helper that does not answer
        return None
    finally:
        connection.close()


def start_helper(words: list[str]) -> None:
    """Start a helper for commands like this one, unless it is there already; it says nothing, and outlives this."""
    if not _is_served(words) or not _is_made_private(place := folder()):
        return
    name = socket_name(process_state())
    if _connected(f"{place}/{name}") is not None:
        return
    null = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)]
    from subprocess import _args_from_interpreter_flags  # type: ignore[attr-defined] # as multiprocessing does

    loading = f"import sys; sys.path[:] = {sys.path!r}; from {RESIDENT} import serve; serve({name!r})"
    command = [sys.executable, *_args_from_interpreter_flags(), "-c", loading]
    try:
        os.posix_spawn(sys.executable, command, _given_environment(), file_actions=null, setsid=True)
    except OSError:  # commands go on without
        return


def _given_environment() -> dict[bytes, bytes]:
    """The environment that this process was started with: Python adds to it where no locale is set, and so it will."""
    with open("/proc/self/environ", "rb", buffering=0) as file:  # noqa: PTH123
        pairs = (each.partition(b"=") for each in file.read().split(b"\0"))
    return {name: value for name, _, value in pairs if name}


def _connected(path: str) -> _socket.socket | None:
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.settimeout(_PATIENCE)
    try:
        connection.connect(path)
    except OSError:  # no helper
        connection.close()
        return None
    return connection


def _is_served(words: list[str]) -> bool:
    return bool(words) and words[0] in COMMANDS and idle_minutes() > 0 and os.getuid() == os.geteuid()


def _passed_on(connection: _socket.socket, state: bytes, words: list[str]) -> int | None:
    if peer(connection)[1] != os.geteuid():
        return None
    numbers = _open_files()
    if not {0, 1, 2} <= {*numbers} or len(numbers) > MOST_FILES:
        return None
    fork = os.pidfd_open(int(connection.recv(16) or b"0"))
    here = os.open(".", os.O_PATH | os.O_DIRECTORY)
    try:
        _send(connection, _request(state, words, numbers), [here, *numbers])
        if connection.recv(8) != b"ready":
            return None
        connection.settimeout(None)
        _begin(connection, fork)
    except OSError:
        _signalled(fork, _KILLED)
        raise
    finally:
        os.close(here)
    return _end(connection)


def _begin(connection: _socket.socket, fork: int) -> None:
    """Say go. From now on, signals that would end or stop this process go to the fork, whose end is waited for."""
    import signal

    def passed(number: int, frame: FrameType | None) -> None:
        _signalled(fork, number)

    def stopped(number: int, frame: FrameType | None) -> None:
        passed(signal.SIGSTOP, frame)
        os.kill(os.getpid(), signal.SIGSTOP)
        passed(signal.SIGCONT, frame)

    ways = dict.fromkeys((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), passed) | {signal.SIGTSTP: stopped}
    heeded = {number: way for number, way in ways.items() if signal.getsignal(number) is not signal.SIG_IGN}
    signal.pthread_sigmask(signal.SIG_BLOCK, heeded)
    connection.sendall(b"go")
    for number, way in heeded.items():
        signal.signal(number, way)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, heeded)


def _signalled(fork: int, number: int) -> None:
    import signal

    try:
        signal.pidfd_send_signal(fork, number)
    except ProcessLookupError:  # it has ended
        return


def _is_made_private(place: str) -> bool:
    try:
        os.mkdir(place, 0o700)  # noqa: PTH102
    except FileExistsError:
        pass
    except OSError:
        return False
    return is_private(place)


def _open_files() -> list[int]:
    """The numbers of the files that this process was given: all but those that Python has opened for itself."""
    return [number for number in map(int, os.listdir("/proc/self/fd")) if _is_inherited(number)]  # noqa: PTH208


def _is_inherited(number: int) -> bool:
    try:
        return os.get_inheritable(number)
    except OSError:  # the folder's own, which is closed again
        return False


def _request(state: bytes, words: list[str], numbers: list[int]) -> bytes:
    """One message: fields of any bytes, each with its length before it."""
    umask = os.umask(0o077)
    os.umask(umask)
    environment = [name + b"=" + value for name, value in os.environb.items()]
    fields = [
        state,
        b"%d" % umask,
        b",".join(b"%d" % number for number in numbers),
        b"\0".join(map(os.fsencode, words)),
        b"\0".join(environment),
    ]
    content = b"".join(b"%d:%b" % (len(each), each) for each in fields)
    return b"%d:" % len(content) + content


def _send(connection: _socket.socket, message: bytes, files: list[int]) -> None:
    rights = b"".join(number.to_bytes(4, sys.byteorder) for number in files)
    sent = connection.sendmsg([message], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
    connection.sendall(message[sent:])


def _end(connection: _socket.socket) -> int:
    """Wait for the end of the fork; end likewise if a signal has ended it."""
    told = b""
    while read := connection.recv(64):
        told += read
        if told.endswith(b"\n"):
            break
    kind, _, number = told.partition(b" ")
    if kind == b"status":
        return int(number)
    import signal

    ended_by = int(number) if kind == b"signal" else _KILLED
    if ended_by != _KILLED:
        signal.signal(ended_by, signal.SIG_DFL)
    os.kill(os.getpid(), ended_by)
    return 128 + ended_by
