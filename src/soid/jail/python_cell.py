"""A cell for a process of soid's own that reads a stranger's bytes: it sees Python, its packages, and nothing else."""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from soid.jail.cell import LIBRARIES, Cell, SystemCalls
from soid.jail.launcher import layers

_MOST_WRITTEN: Final = 1 << 30  # bytes of a file
_MOST_FILES: Final = 64
#: what numeric libraries choose their instructions by: hidden, they could give other bits than elsewhere
_PROCESSOR: Final = ("/proc/cpuinfo", "/sys/devices/system/cpu")
_MOST_PRINTED: Final = 1 << 20  # bytes of standard error, the only file that a library can write to


@cache
def module_path(*packages: str) -> tuple[str, ...]:
    """The folders where Python finds its own modules, soid and these packages."""
    standard = (path for path in sys.path if path.startswith(sys.base_prefix) and "site-packages" not in path)
    specs = (importlib.util.find_spec(name) for name in ("soid", "msgspec", *packages))
    found = (_folder(spec) for spec in specs if spec is not None)
    return tuple(dict.fromkeys([*found, *standard]))


def _folder(spec: ModuleSpec) -> str:
    assert spec.origin is not None
    file = Path(spec.origin)
    return str(file.parent if spec.submodule_search_locations is None else file.parent.parent)


def python_cell(path: Sequence[str], *written: Path) -> Cell:
    """The cell of a Python that imports from `path`, and writes only to these folders."""
    python = {
        sys.prefix,
        sys.base_prefix,
        sysconfig.get_path("stdlib"),
        os.path.realpath(sys.executable),
        sys.executable,
    }
    return Cell(
        calls=SystemCalls.TOOL,
        run=(*sorted(python), *LIBRARIES),
        read=tuple(path),
        write=written,
        strict=layers().locks_files,
        alone=True,
        written=_MOST_WRITTEN,
        files=_MOST_FILES,
    )


def library_cell(path: Sequence[str]) -> Cell:
    """The cell of a Python that runs models in their own library: it knows the processor, and starts no process."""
    return replace(
        python_cell(path),
        calls=SystemCalls.LIBRARY,
        read=(*path, *_PROCESSOR),
        written=_MOST_PRINTED,
    )
