"""Runs a compiler or a linker: the one place where soid starts such a process, and ends it with all that it started.

A compiler starts processes of its own. So each runs in a process group of its own, which is killed when the compiler
has ended, when the time of the work is over, when the work is called off, and on every error here, Ctrl-C too. It stays
in the session of soid: the server kills a worker by its session. If soid itself is killed, the launcher ends them all
where this machine gives it a world of its own; elsewhere a compiler ends when it has used its processor time.
"""

from __future__ import annotations

import atexit
import math
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.allowance import allowance
from soid.budget import ROOM
from soid.errors import CompileError, EnvironmentalError
from soid.jail.cell import NO_JAIL, Cell

#: bytes that are kept of each stream; a tool that prints more is ended
MOST_PRINTED: Final = 16 << 20
#: seconds of processor time of one process, where the work has no deadline
_MOST_SECONDS: Final = 3600
_DOING: Final = "compiling the program"

_running: Final[set[int]] = set()  # process groups; a thread that compiles ahead may run when soid ends


@final
class ToolRun(Struct, frozen=True):
    """A run that has ended."""

    returncode: int  # negative: the signal that ended it
    stdout: str
    stderr: str


def run_tool(command: Sequence[str], folder: Path, environment: Mapping[str, str], cell: Cell) -> ToolRun:
    """Run a command in a cell, within the allowance of the work.

    Raises TimeLimitError or CalledOff if the work must end, EnvironmentalError if this machine cannot confine it as the
    cell says, and OSError if the command cannot be started.
    """
    may = allowance()
    may.check(_DOING)
    seconds = may.deadline.seconds_left
    memory = cell.memory if may.memory is None else may.memory + ROOM
    cell = replace(cell, cpu=_MOST_SECONDS if seconds is None else seconds + 1, memory=memory)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = cell.start(command, cwd=folder, env=environment, process_group=0, **streams)
    _running.add(process.pid)
    try:
        with may.stopping(lambda: _kill(process.pid)):
            printed = _printed(process, may.deadline.at)
        may.check(_DOING)
    finally:
        _kill(process.pid)
        process.wait()
        _running.discard(process.pid)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    if process.returncode == NO_JAIL:
        raise EnvironmentalError(
            "this machine cannot confine what reads a stranger's program", "`soid doctor` says what is missing."
        )
    out, err = (bytes(each).decode(errors="replace") for each in printed)
    return ToolRun(process.returncode, out, err)


def _printed(process: subprocess.Popen[bytes], until: float | None) -> tuple[bytearray, bytearray]:
    """What the process prints until it ends, or until the time is over."""
    assert process.stdout is not None and process.stderr is not None
    kept = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
    poll = select.poll()
    for stream in kept:
        os.set_blocking(stream, False)
        poll.register(stream, select.POLLIN)
    open_, ended = set(kept), _end_of(process.pid)
    if ended is not None:
        poll.register(ended, select.POLLIN)
    try:
        while open_ or ended is not None:
            ready = [descriptor for descriptor, _ in poll.poll(_milliseconds(until))]
            if not ready or ended in ready:
                break
            for stream in ready:
                if _read(stream, kept[stream]):
                    poll.unregister(stream)
                    open_.discard(stream)
        for stream in open_:
            _read(stream, kept[stream])
        if ended is None and not open_:
            with suppress(subprocess.TimeoutExpired):  # its time is over: the caller kills it
                process.wait(None if until is None else max(0.0, until - time.monotonic()))
    finally:
        if ended is not None:
            os.close(ended)
    out, err = kept.values()
    return out, err


def _end_of(pid: int) -> int | None:
    """What becomes readable when a process ends: a process that it started may keep its streams open longer.

    None on a system that has no such thing.
    """
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _milliseconds(until: float | None) -> int | None:
    return None if until is None else max(0, math.ceil((until - time.monotonic()) * 1000))


def _read(stream: int, words: bytearray) -> bool:
    """Keep what can be read now; whether the stream has ended."""
    with suppress(BlockingIOError):  # there is nothing to read just now
        while chunk := os.read(stream, 1 << 16):
            words += chunk
            if len(words) > MOST_PRINTED:
                raise CompileError(
                    f"the compiler prints more than {MOST_PRINTED >> 20} MiB: {words[:200].decode(errors='replace')}",
                    "Correct what it reports first.",
                )
        return True
    return False


@atexit.register
def end_all() -> None:
    """Kill all that runs, when soid ends."""
    for group in list(_running):
        _kill(group)


def _kill(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # all of them have ended
        os.killpg(group, signal.SIGKILL)
