"""Programs that a test writes, compiled and linked to be run.

Without the compiler's own libraries: to link with them, a new machine compiles them first, for half a minute.
"""

from __future__ import annotations

from pathlib import Path

from soid.engine.llvm.compiler.toolchain import DEFAULT_TARGET, find_toolchain


def linked(source: str, folder: Path, *flags: str) -> Path:
    """The program of a source in a folder, without optimisation."""
    toolchain = find_toolchain()
    program = folder / Path(source).stem
    kind = (*toolchain.target_flags(DEFAULT_TARGET), "-O0", "-w", *flags)
    toolchain.compile([*kind, source, "-o", program.name, "-nostdlib", "-lm", "-lc"], folder)
    return program
