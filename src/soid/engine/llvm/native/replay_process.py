"""One run of a replay executable: a process whose only input is the shared file."""

from __future__ import annotations

import errno
import os
import select
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.engine.llvm.native.shared_file import RegionImage, ReplayOutcome, SharedFile, Status
from soid.engine.replay import Crashed, NotAvailable, TimedOut

_PATIENCE: Final = 100  # tries


@final
class ReplayLimits(Struct, frozen=True):
    """What a replay may cost."""

    seconds: float = 10.0  # of wall-clock time
    memory: int = 1 << 30  # bytes of address space


def run(
    path: Path, images: Sequence[RegionImage], steps: int, limits: ReplayLimits, *, unconfined: bool
) -> ReplayOutcome | Crashed | TimedOut | NotAvailable:
    """Run it once. A ReplayOutcome was written by the harness; any other result comes from how the process ended."""
    # this limit is in whole seconds of processor time; it ends the process if soid itself has ended before
    shared = SharedFile(images, steps, int(limits.seconds) + 2, limits.memory, unconfined=unconfined)
    try:
        try:
            process = _started(path, shared.fd)
        except OSError as error:
            return NotAvailable(f"the compiled program cannot be started: {error.strerror}")
        with process:
            if not _ends(process, limits.seconds):
                process.kill()
                return TimedOut(limits.seconds)
        return _judged(process.returncode, shared.outcome())
    finally:
        shared.close()


def _started(path: Path, shared: int) -> subprocess.Popen[bytes]:
    for _ in range(_PATIENCE):
        try:
            return subprocess.Popen(
                [path], stdin=shared, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={}, cwd="/"
            )
        except OSError as error:
            # a process that another thread is starting may still have the file open for writing
            if error.errno != errno.ETXTBSY:
                raise
            time.sleep(0.01)
    raise OSError(errno.ETXTBSY, os.strerror(errno.ETXTBSY))


def _ends(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether the process ends in time."""
    try:
        fd = os.pidfd_open(process.pid)
    except OSError:  # an older kernel
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True
    try:
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(fd)


def _judged(code: int, outcome: ReplayOutcome) -> ReplayOutcome | Crashed | NotAvailable:
    if code < 0:
        return Crashed(-code)
    if outcome.status is Status.NOT_STARTED:
        return NotAvailable("the compiled program does not start on this machine")
    return outcome
