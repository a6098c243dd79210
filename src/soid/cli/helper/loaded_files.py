"""The files that a process was loaded from: if one of them changes, another process would be loaded otherwise."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final, Self, final

from msgspec import Struct

_PACKAGE: Final = Path(__file__).parents[2]

_Kept = tuple[int, int, int, int, int]


@final
class LoadedFiles(Struct, frozen=True):
    """The files of all modules, Python itself, the grammars, and the folders that are searched for modules."""

    known: dict[str, _Kept | None]

    @classmethod
    def since(cls, began: int) -> Self | None:
        """Those of this process; None if one has changed since it began: what was loaded is not known then.

        What is compared is the time of the last change, which nothing can set back. Clocks of files are coarse, so a
        file counts as changed if it was within a second before.
        """
        modules = (each for each in map(_file, [*sys.modules.values()]) if each)
        paths = {*sys.path, sys.executable, *modules, *map(str, _PACKAGE.rglob("*.lark"))}
        known = {path: _status(path) for path in paths}
        files = (status for path, status in known.items() if status is not None and path not in sys.path)
        return None if any(changed > began - 10**9 for *_, changed in files) else cls(known)

    def have_changed(self) -> bool:
        return any(_status(path) != before for path, before in self.known.items())


def _file(module: object) -> str | None:
    return getattr(getattr(module, "__spec__", None), "origin", None) if module is not None else None


def _status(path: str) -> _Kept | None:
    try:
        found = os.stat(path)  # noqa: PTH116 a thousand at each command: a `Path` of each takes longer than that
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
