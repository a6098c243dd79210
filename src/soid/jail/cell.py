"""A cell of the jail: what one confined command may see and do."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import time
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import IO, Final, final

from msgspec import Struct

from soid.jail.launcher import launcher

#: exit statuses of the launcher; keep in step with launcher.c
NO_JAIL: Final = 120  # a layer that is needed is not there
NO_COMMAND: Final = 121
#: where programs of this machine find their libraries, and the list of them
LIBRARIES: Final = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
_PATIENCE: Final = 100  # tries


@final
class SystemCalls(StrEnum):
    """Which system calls remain; launcher.c has the lists."""

    TOOL = "tool"  # files, memory and processes of its own
    PROGRAM = "program"  # memory of its own, and how its harness confines it further
    LOADED = "loaded"  # the same, and how a loader brings the C library
    EMULATOR = "emulator"  # the same for an emulator
    LIBRARY = "library"  # files that may be read, memory and threads of its own; no other process
    ALL = "all"


@final
class Cell(Struct, frozen=True, kw_only=True):
    """The walls around one command. Without any place, files are not locked."""

    calls: SystemCalls
    run: tuple[str | Path, ...] = ()  # files and folders that may be read and run,
    read: tuple[str | Path, ...] = ()  # that may only be read,
    write: tuple[str | Path, ...] = ()  # that may be read and written
    strict: bool = False  # nothing is run where files cannot be locked
    lenient: bool = False  # it is run even where system calls cannot be filtered
    alone: bool = False  # its processes see no others, and end with it
    cpu: float | None = None  # seconds of processor time
    memory: int | None = None  # bytes of address space of each process
    stack: int | None = None  # bytes
    written: int | None = None  # bytes of one file
    files: int | None = None  # open at once
    processes: int | None = None  # of this user, at once

    def command(self, words: Sequence[str | Path]) -> list[str]:
        """The command that runs `words` in this cell."""
        return [str(launcher()), f"parent={os.getpid()}", *_walls(self), "--", *map(str, words)]

    def start(
        self,
        words: Sequence[str | Path],
        *,
        stdin: int | IO[bytes] = subprocess.DEVNULL,
        stdout: int | IO[bytes] = subprocess.DEVNULL,
        stderr: int | IO[bytes] = subprocess.DEVNULL,
        env: Mapping[str, str] | None = None,
        cwd: str | Path = "/",
        process_group: int | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start the command. It ends when the thread that started it ends, in whichever way."""
        command = self.command(words)
        for _ in range(_PATIENCE):
            try:
                return subprocess.Popen(
                    command,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    env=env or {},
                    cwd=cwd,
                    process_group=process_group,
                )
            except OSError as error:
                # a process that another thread is starting may still have the file open for writing
                if error.errno != errno.ETXTBSY:
                    raise
                time.sleep(0.01)
        raise OSError(errno.ETXTBSY, os.strerror(errno.ETXTBSY))


def left_behind(file: Path) -> bytes:
    """What a jailed command has written; a link or a pipe, which could lead out of the jail, is an OSError."""
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file", str(file))
        return opened.read()


@lru_cache
def _walls(cell: Cell) -> list[str]:
    """The launcher's words for a cell; a program is run thousands of times in one."""
    limits = {
        "cpu": None if cell.cpu is None else int(cell.cpu) + 1,
        "memory": cell.memory,
        "stack": cell.stack,
        "written": cell.written,
        "files": cell.files,
        "processes": cell.processes,
    }
    rights = (("x", cell.run), ("r", cell.read), ("w", cell.write))
    # a link may lead out of another place; the outer folder comes first, as the new tree of files is made in this order
    places = sorted(
        {(name, right) for right, those in rights for place in those for name in (str(place), os.path.realpath(place))}
    )
    return [
        f"filter={cell.calls}",
        *(f"{right}={place}" for place, right in places),
        *(f"{name}={most}" for name, most in limits.items() if most is not None),
        *(name for name in ("strict", "lenient", "alone") if getattr(cell, name)),
    ]
