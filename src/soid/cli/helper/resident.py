"""The helper: it waits for commands, forks once for each, and ends after some idle minutes.

It opens no project and answers nothing: a fork of it does, and ends. So one command cannot leave anything to the next,
but LLVM text that it has read: the helper reads that text too, for the forks that come. The helper ends as soon as a
file changes that it was loaded from, or when its socket is no longer its own.
"""

from __future__ import annotations

import fcntl
import os
import resource
import select
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn, final

from soid.cli.helper.fork import DONE, become
from soid.cli.helper.loaded_files import LoadedFiles
from soid.cli.helper.meeting_place import folder, idle_minutes, is_private, peer, socket_name
from soid.cli.helper.preloaded_modules import preload
from soid.cli.helper.process_state import process_state
from soid.engine.llvm.reader import kept_modules

#: helpers of a user at the same time; the commands of more states than that do without
_MOST_HELPERS: Final = 4
_MOST_MEMORY: Final = 1 << 30  # bytes that a helper may hold
_LOOK: Final = 2.0  # seconds between two looks at whether it may go on


def serve(name: str) -> None:
    """Be the helper with this socket, if that is the socket of this process's state, and it has none yet."""
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # the files of the command that started this
    state, place, began = process_state(), Path(folder()), time.time_ns()
    os.chdir("/")
    os.umask(0o077)
    if socket_name(state) != name or not is_private(str(place)):
        return
    lock = _locked(place / f"{name}.lock")
    if lock is None or len(_live(place)) > _MOST_HELPERS:
        return
    preload()
    if (loaded := LoadedFiles.since(began)) is None:
        return
    Helper(place / name, lock, state, loaded).run(60 * idle_minutes())
    (place / f"{name}.lock").unlink(missing_ok=True)


def _locked(path: Path) -> int | None:
    """A lock that ends with this process; None where another process has it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(file).st_ino == path.stat().st_ino:  # the process that had it may have removed it meanwhile
            return file
    except OSError:
        pass
    os.close(file)
    return None


def _live(place: Path) -> list[Path]:
    """The locks that a process has; what others have left behind is removed."""
    live = []
    for path in place.glob("*.lock"):
        if (file := _locked(path)) is None:
            live.append(path)
        else:
            path.with_suffix("").unlink(missing_ok=True)
            path.unlink()
            os.close(file)
    return live


@final
class _Stand:
    """A fork that stands for a command, as its helper sees it."""

    def __init__(self, process: int, connection: socket.socket, heard: socket.socket) -> None:
        self.process = process
        self.connection = connection  # to the command; the fork has it too
        self.heard = heard  # from the fork
        self.said = bytearray()

    def listen(self) -> bool:
        """Take what the fork has said; False: it has ended."""
        while True:
            try:
                read = self.heard.recv(1 << 20)
            except BlockingIOError:
                return True
            if not read:
                return False
            self.said += read

    def left(self) -> None:
        """The command has gone. Without a helper its work would have gone with it."""
        if self.listen() and not self.said.startswith(DONE):
            os.kill(self.process, signal.SIGKILL)

    def end(self) -> None:
        """Tell the command which signal ended the fork, if one did; read what the fork has read."""
        _, status = os.waitpid(self.process, 0)
        with suppress(OSError):  # it may have gone
            if os.WIFSIGNALED(status):
                self.connection.sendall(b"signal %d\n" % os.WTERMSIG(status))
        self.close()
        for text in bytes(self.said.removeprefix(DONE)).split(b"\0")[:-1]:
            kept_modules.keep(text.decode(errors="surrogateescape"))

    def close(self) -> None:
        self.connection.close()
        self.heard.close()


@final
class Helper:
    """The process that waits."""

    def __init__(self, path: Path, lock: int, state: bytes, loaded: LoadedFiles) -> None:
        self._path, self._lock, self._state, self._loaded = path, lock, state, loaded
        self._stands: dict[int, _Stand] = {}  # by the files that are waited for
        self._waiting = select.epoll()
        self._listening = socket.socket(socket.AF_UNIX)
        path.unlink(missing_ok=True)  # of a helper that was killed: the lock is ours
        self._listening.bind(str(path))
        self._inode = path.stat().st_ino
        self._listening.listen(16)
        self._waiting.register(self._listening, select.EPOLLIN)
        self._stopped, self._stopping = socket.socketpair()
        self._stopping.setblocking(False)
        self._waiting.register(self._stopped, select.EPOLLIN)

    def run(self, seconds: float) -> None:
        """Wait for commands, until none has come for so long, or the helper must not go on."""
        last = time.monotonic()
        # No exception from a handler: Python drops one that is raised while it forks.
        signal.set_wakeup_fd(self._stopping.fileno())
        signal.signal(signal.SIGTERM, lambda number, frame: None)
        try:
            while (self._stands or time.monotonic() - last < seconds) and self._may_go_on():
                for file, _ in self._waiting.poll(min(_LOOK, seconds)):
                    if file == self._stopped.fileno():
                        return
                    if file == self._listening.fileno():
                        self._take()
                    elif stand := self._stands.get(file):
                        self._hear(stand, file)
                    last = time.monotonic()
        finally:
            if self._is_ours():
                self._path.unlink()

    def _may_go_on(self) -> bool:
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        alone = len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208 a fork has none of the other threads
        return memory < _MOST_MEMORY and alone and self._is_ours()

    def _is_ours(self) -> bool:
        try:
            return self._path.stat().st_ino == self._inode
        except OSError:
            return False

    def _take(self) -> None:
        """Fork for a command; refuse it if this is no longer the soid that is installed."""
        connection, _ = self._listening.accept()
        if peer(connection)[1] != os.geteuid() or self._loaded.have_changed():
            self._path.unlink(missing_ok=True)
            connection.close()
            return
        heard, said = socket.socketpair()
        process = os.fork()
        if process == 0:
            self._become(connection, said, heard)
        said.close()
        heard.setblocking(False)
        stand = _Stand(process, connection, heard)
        self._stands |= {heard.fileno(): stand, connection.fileno(): stand}
        self._waiting.register(heard, select.EPOLLIN)
        self._waiting.register(connection, 0)  # its end is told without being asked for

    def _become(self, connection: socket.socket, said: socket.socket, heard: socket.socket) -> NoReturn:
        """In the fork: be the command, and nothing of the helper."""
        for stand in self._stands.values():
            stand.close()
        signal.set_wakeup_fd(-1)
        for own in (heard, self._stopped, self._stopping):
            own.close()
        os.close(self._lock)
        self._waiting.close()
        self._listening.close()
        become(connection, said, self._state)

    def _hear(self, stand: _Stand, file: int) -> None:
        if file != stand.heard.fileno():
            self._waiting.unregister(file)
            stand.left()
        elif not stand.listen():
            for each in (stand.heard, stand.connection):
                with suppress(OSError):  # the command had gone before
                    self._waiting.unregister(each)
                self._stands.pop(each.fileno(), None)
            stand.end()
