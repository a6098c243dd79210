"""A question from other beginnings than a resident process: asked again, in a process of its own, and first of all.

again      the program loaded, the family explored by an earlier question; solvers and their answers new
fresh      a new process; the program is compiled, and nothing of any question is left
first      a new process with an empty cache: compiled, read, linked for replay, asked
compiler   what the compiler alone takes for the same files
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.bench.measurement import Measurement, figure, seconds
from soid.budget import Cancellation
from soid.case.project import Project
from soid.engine.llvm.c_source import c_source
from soid.engine.llvm.compiler.toolchain import find_toolchain
from soid.engine.llvm.variables.discovery import build_of
from soid.errors import InternalError

#: seconds after which a process has failed
_PATIENCE: Final = 300.0

#: where the compiler that comes with soid keeps what it has compiled
_COMPILER_CACHE: Final = "ZIG_LOCAL_CACHE_DIR"


@final
class Starts(Struct, frozen=True):
    """How long a question takes from each beginning, in seconds."""

    again: Measurement
    fresh: Measurement
    first: Measurement | None = None  # once a program, at its first question
    compiler: Measurement | None = None  # likewise


@final
class Asker(Struct, frozen=True):
    """Puts a question in processes of their own."""

    project: Path
    text: str
    verdict: str  # that every process must give
    cancel: Cancellation

    def fresh(self, cache: Path, runs: int) -> Measurement:
        """With a cache that knows the program, and no question about it."""
        taken = []
        for _ in range(runs):
            shutil.rmtree(cache / "summaries", ignore_errors=True)
            taken.append(self._process(cache))
        return figure("fresh", "s", taken, "a new process, the program compiled")

    def first(self, scratch: Path, runs: int) -> Measurement:
        """With a cache that knows nothing."""
        taken = []
        for _ in range(runs):
            with unseen(scratch):
                taken.append(self._process(Path(tempfile.mkdtemp(dir=scratch))))
        return figure("first", "s", taken, "a new process, its cache empty")

    def _process(self, cache: Path) -> float:
        """The seconds of one process, from its start to its end."""
        if self.cancel.cancelled:
            return 0.0
        command = [sys.executable, "-m", "soid", "ask", "--project", str(self.project), self.text, "--json"]
        environment = {**os.environ, "SOID_CACHE": str(cache)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed soid has its bytecode
        ran: list[subprocess.CompletedProcess[str]] = []

        def run() -> None:
            ran.append(
                subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_PATIENCE, check=False)
            )

        taken = seconds(run)
        said = _verdict(ran[0].stdout)
        if said != self.verdict and not self.cancel.cancelled:
            raise InternalError(
                f"a process of its own says {said or ran[0].stderr}, not {self.verdict}: {self.text}",
                "Please report this.",
            )
        return taken


def _verdict(output: str) -> str:
    try:
        return str(json.loads(output)["verdict"])
    except (ValueError, KeyError, TypeError):
        return ""


def compiler_alone(project: Project, scratch: Path, runs: int) -> Measurement:
    """What the compiler takes for the program's files, without optimisation, one after the other."""
    build = build_of(c_source(project.program), project.program.folder)
    toolchain = find_toolchain(build.clang)

    flags = (*toolchain.target_flags(build.target), *build.user_flags(), "-g", "-O0")

    def compile_all() -> None:
        for number, source in enumerate(build.sources):
            toolchain.compile([*flags, "-c", str(source), "-o", str(scratch / f"alone-{number}.o")], build.root)

    taken = []
    for _ in range(runs):
        with unseen(scratch):
            taken.append(seconds(compile_all))
    return figure("compiler", "s", taken, "the compiler alone, object files")


@contextmanager
def unseen(scratch: Path) -> Iterator[None]:
    """As if the compiler had not seen any program: it keeps what it has compiled; its C library is left alone."""
    before = os.environ.get(_COMPILER_CACHE)
    os.environ[_COMPILER_CACHE] = tempfile.mkdtemp(dir=scratch)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_COMPILER_CACHE]
        else:
            os.environ[_COMPILER_CACHE] = before
