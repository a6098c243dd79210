"""Waiting for events in other processes and threads, for as long as a busy machine may take.

No test compares the time that something took. What never happens is an error after `PATIENCE`, or after the time that
pytest gives each test.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from soid.workers.worker_process import WorkerProcess

PATIENCE = 100.0  # seconds


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)


def when_it_works(worker: WorkerProcess[Any], act: Callable[[], object]) -> None:
    """Act, in another thread, as soon as a worker has taken the next message that it is sent."""
    before = worker.taken

    def watch() -> None:
        until(lambda: worker.taken > before)
        act()

    threading.Thread(target=watch, daemon=True).start()


def is_running(pid: int) -> bool:
    """Neither gone nor a zombie."""
    return _status(Path(f"/proc/{pid}"))[:1] not in ([], ["Z"])


def stop(pid: int) -> None:
    """Stop a process, and wait for the last of its threads: until then it may still answer."""
    os.kill(pid, signal.SIGSTOP)
    until(lambda: {_status(task)[0] for task in Path(f"/proc/{pid}/task").iterdir()} == {"T"})


def processor_seconds(pid: int) -> float:
    """How long a process has computed."""
    return sum(map(int, _status(Path(f"/proc/{pid}"))[11:13])) / os.sysconf("SC_CLK_TCK")


def server_workers(parent: int) -> list[int]:
    """The process ids of the workers of a server."""
    found = []
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdecimal() and b"soid.web.work.worker" in (place / "cmdline").read_bytes():
                found += [int(place.name)] if _status(place)[1:2] == [str(parent)] else []
        except OSError:  # it has ended meanwhile
            continue
    return found


def _status(place: Path) -> list[str]:
    """The fields of /proc/PID/stat from the state on; none where the process is gone."""
    try:
        return (place / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
