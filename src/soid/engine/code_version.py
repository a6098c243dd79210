"""Identifies the code that explores: results of another version of soid are not used."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from soid.cache import digest


@cache
def this_soid() -> str:
    """A hash of soid's own files as they are now, of the C library that it calls, and of the processor's features."""
    package = Path(__file__).parents[1]
    stamps = sorted(stamp for part in ("engine", "formula", "program") for stamp in _stamps(str(package / part)))
    known = "CS_GNU_LIBC_VERSION" in os.confstr_names
    return digest((os.confstr("CS_GNU_LIBC_VERSION") if known else None) or "", _processor(), *stamps)


def _processor() -> str:
    """The processor's features: the C library picks its way to compute a sine by them."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as file:
            return next((line for line in file if line.startswith(("flags", "Features"))), "")
    except OSError:
        return os.uname().nodename


def _stamps(folder: str) -> Iterator[str]:
    """Name, time and size of every Python file in a folder: two versions of soid differ in one of them."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _stamps(entry.path)
            elif entry.name.endswith(".py"):
                status = entry.stat()
                yield f"{entry.path} {status.st_mtime_ns} {status.st_size}"
