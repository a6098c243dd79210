"""What a command must have in common with a helper, so that a fork of the helper can stand for it.

A fork takes over the command's words, open files, working folder, environment and umask. Everything else of a process
that its work may depend on cannot be handed over, so it is compared: who runs it, in which container, within which
limits, by which Python with which paths. A command that differs in any of it has another helper. The whole environment
is compared too, since libraries read it while they are loaded.

This is loaded by every command before anything else, and so imports next to nothing.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

#: variables that a shell sets anew for each command or window; the fork has the command's, as of all others
_OF_THE_SHELL: Final = frozenset({b"_", b"PWD", b"OLDPWD", b"SHLVL", b"COLUMNS", b"LINES", b"WINDOWID"})

#: of /proc/self/status: users and groups, what the process may do, and where it may run; how names begin
_STATUS: Final = (b"Uid", b"Gid", b"Groups", b"NoNewPrivs", b"Seccomp", b"Cap", b"Cpus_allowed", b"Mems_allowed")
#: of the same: which signals are blocked, and which are ignored
_SIGNALS: Final = (b"SigBlk", b"SigIgn")
_USERS_SIGNALS: Final = (1 << 31) - 1  # the others are the C library's, which sets them for processes that it starts
_NAMESPACES: Final = ("cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts")
_FILES: Final = ("limits", "cgroup", "oom_score_adj", "personality", "attr/current")


def process_state() -> bytes:
    """The state as bytes that are compared; OSError where the system does not tell it."""
    root = os.stat("/")  # noqa: PTH116 pathlib is not loaded here
    unbuffered = getattr(sys.stdout, "write_through", None)
    python = (sys.executable, sys.version, sys.path, sys.warnoptions, sys._xoptions, tuple(sys.flags), unbuffered)
    parts = [
        repr((python, root.st_dev, root.st_ino, os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0))).encode(),
        *sorted(name + b"=" + value for name, value in os.environb.items() if name not in _OF_THE_SHELL),
        *_status(),
        *(os.readlink(f"/proc/self/ns/{name}").encode() for name in _NAMESPACES),  # noqa: PTH115
        *map(_read, _FILES),
    ]
    return b"\0".join(parts)


def _status() -> list[bytes]:
    found = []
    for line in _read("status").splitlines():
        name, _, value = line.partition(b":")
        if name.startswith(_STATUS):
            found.append(line)
        elif name in _SIGNALS:
            found.append(b"%b:%d" % (name, int(value, 16) & _USERS_SIGNALS))
    return found


def _read(name: str) -> bytes:
    try:
        with open(f"/proc/self/{name}", "rb", buffering=0) as file:  # noqa: PTH123
            return file.read()
    except OSError:  # a kernel without this kind of state
        if name == "status":
            raise
        return b""
