"""Waiting for something to come true, for as long as a slow machine may take."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 200.0  # seconds, so that what never comes is a failure with a name


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)


def workers() -> list[int]:
    """The process ids of this process's workers."""
    found = []
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdecimal() and b"soid.web.work.worker" in (place / "cmdline").read_bytes():
                parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == os.getpid():
                    found.append(int(place.name))
        except OSError:  # it has ended meanwhile
            continue
    return found
