"""Limits for work on uploaded files: memory, processor time and the size of written files.

They hold for the worker and for the compilers that it starts, and are lifted afterwards. The pool limits the total
time: it kills the worker and all processes that it started.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

MEMORY: Final = 3 << 30  # bytes of address space, in addition to the worker's present size
SECONDS: Final = 60  # of processor time
WRITTEN: Final = 256 << 20  # bytes of one file


@contextmanager
def confined() -> Iterator[None]:
    """Apply the limits inside the block."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    wanted = {
        resource.RLIMIT_AS: _address_space() + MEMORY,
        resource.RLIMIT_CPU: int(used.ru_utime + used.ru_stime) + SECONDS,
        resource.RLIMIT_FSIZE: WRITTEN,
    }
    before = {which: resource.getrlimit(which) for which in wanted}
    for which, most in wanted.items():
        hard = before[which][1]
        resource.setrlimit(which, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    try:
        yield
    finally:
        for which, limits in before.items():
            resource.setrlimit(which, limits)


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
