"""Identifies soid's code: results of another version of it are not used."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from soid.cache import digest

_PACKAGE: Final = Path(__file__).parents[1]
_SOURCES: Final = (".py", ".lark", ".c", ".cpp", ".h")
_SOLVERS: Final = ("bitwuzla", "z3-solver", "cvc5")


@cache
def this_soid() -> str:
    """A hash of the code that explores, of the C library that it calls, and of the processor's features."""
    stamps = sorted(stamp for part in ("engine", "formula", "program") for stamp in _stamps(str(_PACKAGE / part)))
    known = "CS_GNU_LIBC_VERSION" in os.confstr_names
    return digest((os.confstr("CS_GNU_LIBC_VERSION") if known else None) or "", _processor(), *stamps)


@cache
def all_of_soid() -> str:
    """A hash of that, of all other code of soid, and of the solvers: what a verdict depends on."""
    return digest(this_soid(), *sorted(_stamps(str(_PACKAGE))), *(f"{name} {_version(name)}" for name in _SOLVERS))


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to load, and only open questions need it

    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    """The processor's features: the C library picks its way to compute a sine by them."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as file:
            return next((line for line in file if line.startswith(("flags", "Features"))), "")
    except OSError:
        return os.uname().nodename


def _stamps(folder: str) -> Iterator[str]:
    """Name, time and size of every source file in a folder: two versions of soid differ in one of them."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _stamps(entry.path)
            elif entry.name.endswith(_SOURCES):
                status = entry.stat()
                yield f"{entry.path} {status.st_mtime_ns} {status.st_size}"
