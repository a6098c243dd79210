"""Products of matrices by one thread each: two boxes' shares of the work run at once, and never wait for each other.

The matrices of a search are small, and OpenBLAS's threads wait for each other in loops: on a machine that has other
work to do, a product by two threads took ten times as long as by one (8000 x 50 times 50 x 50: 9.4 ms and 0.8 ms).
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

Part = TypeVar("Part")
Found = TypeVar("Found")

_WORKERS: Final = 2
_NAMES: Final = ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_", "openblas_{}_num_threads")


@cache
def openblas() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """How many threads numpy's OpenBLAS uses, and a function that sets it; None if it is not found."""
    try:
        loaded = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "openblas" in line}
    except OSError:
        return None
    for path in sorted(loaded):
        library = ctypes.CDLL(path)
        for name in _NAMES:
            if hasattr(library, name.format("get")) and hasattr(library, name.format("set")):
                return getattr(library, name.format("get")), getattr(library, name.format("set"))
    return None


_lock: Final = threading.Lock()
_users = 0
_before = 1


@contextmanager
def one_thread() -> Iterator[None]:
    """Inside the block products are computed by one thread; afterwards by as many as before."""
    global _users, _before
    known = openblas()
    if known is None:
        yield
        return
    count, set_count = known
    with _lock:
        _users += 1
        if _users == 1:
            _before = count()
            set_count(1)
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                set_count(_before)


@cache
def _pool(_: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_WORKERS - 1, "network-bounds")


def at_once(function: Callable[[Part], Found], parts: Sequence[Part]) -> list[Found]:
    """The function's results for two parts, the second in another thread; numpy computes without the lock of Python."""
    if len(parts) < 2:
        return [function(each) for each in parts]
    first, second = parts
    later = _pool(os.getpid()).submit(function, second)  # a pool of a process that forked has no threads in its child
    return [function(first), later.result()]
