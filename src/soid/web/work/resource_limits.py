"""Limits for work on uploaded files: memory, processor time and the size of written files.

They hold for the worker and for the compilers that it starts, and are lifted afterwards. The pool limits the total
time: it kills the worker and all processes that it started.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from soid.budget import limited, memory_limited

MEMORY: Final = 2 << 30  # bytes
SECONDS: Final = 60  # of processor time
WRITTEN: Final = 256 << 20  # bytes of one file


@contextmanager
def confined(*, memory: int = MEMORY, seconds: float = SECONDS) -> Iterator[None]:
    """Apply the limits inside the block."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds)
    with memory_limited(memory), limited({resource.RLIMIT_CPU: most, resource.RLIMIT_FSIZE: WRITTEN}):
        yield
