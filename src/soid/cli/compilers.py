"""Which C compilers there are. One comes with soid, as the `ziglang` package."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import final

from msgspec import Struct

from soid.engine.llvm.toolchain import packaged_zig


@final
class Compiler(Struct, frozen=True):
    """One compiler that was looked for."""

    name: str
    where: Path | None  # None: not there
    version: str  # its own words; or why it does not run


def compilers() -> tuple[Compiler, ...]:
    """The compiler that comes with soid, and those of the machine."""
    return (_asked("ziglang", packaged_zig(), "version"), *(_asked(n, _on_path(n)) for n in ("clang", "gcc")))


def _on_path(name: str) -> Path | None:
    found = shutil.which(name)
    return Path(found) if found else None


def _asked(name: str, where: Path | None, argument: str = "--version") -> Compiler:
    """The compiler with the first line of what it says about itself."""
    if where is None:
        return Compiler(name, None, "")
    try:
        ran = subprocess.run([where, argument], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Compiler(name, where, f"does not run: {error}")
    lines = (ran.stdout or ran.stderr).splitlines()
    return Compiler(name, where, lines[0].strip() if lines else f"ended with status {ran.returncode}")
