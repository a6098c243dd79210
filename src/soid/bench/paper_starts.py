"""The time of a question from other starts than a loaded program with nothing kept.

again      the program is loaded, and an earlier question has explored the family; the solver is new
fresh      a new process; the program is compiled, and nothing is kept of any question
first      a new process with an empty cache: it compiles, reads and links the program, and asks
compiler   the compiler alone on the same files
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.bench.measurement import Measurement, environment_variable, figure, run, seconds
from soid.budget import Cancellation
from soid.case.project import Project
from soid.engine.llvm.c_source import c_source
from soid.engine.llvm.compiler.toolchain import find_toolchain
from soid.engine.llvm.variables.discovery import build_of
from soid.errors import InternalError

#: seconds after which a process counts as failed
_PATIENCE: Final = 300.0

#: the variable with the cache of the compiler that comes with soid
_COMPILER_CACHE: Final = "ZIG_LOCAL_CACHE_DIR"


@final
class Starts(Struct, frozen=True):
    """The seconds of a question from each start."""

    again: Measurement
    fresh: Measurement
    first: Measurement | None = None  # at the first question of each program only
    compiler: Measurement | None = None  # likewise


@final
class Asker(Struct, frozen=True):
    """Asks a question in new processes."""

    project: Path
    text: str
    verdict: str  # expected of every process
    cancel: Cancellation

    def fresh(self, cache: Path, runs: int) -> Measurement:
        """With a cache that has the program, and nothing of any question."""
        taken = []
        for _ in range(runs):
            shutil.rmtree(cache / "summaries", ignore_errors=True)
            taken.append(self._process(cache))
        return figure("fresh", "s", taken, "a new process, the program compiled")

    def first(self, scratch: Path, runs: int) -> Measurement:
        """With an empty cache."""
        taken = []
        for _ in range(runs):
            with unseen(scratch):
                taken.append(self._process(Path(tempfile.mkdtemp(dir=scratch))))
        return figure("first", "s", taken, "a new process, its cache empty")

    def _process(self, cache: Path) -> float:
        """The seconds of one process, from its start to its end."""
        if self.cancel.cancelled:
            return 0.0
        command, environment = ask_command(self.project, self.text, cache)
        started = time.perf_counter()
        output, errors = run(command, _PATIENCE, self.cancel, environment) or ("", "nothing in time")
        taken = time.perf_counter() - started
        verdict = verdict_in(output)
        if verdict != self.verdict and not self.cancel.cancelled:
            raise InternalError(
                f"a process of its own says {verdict or errors}, not {self.verdict}: {self.text}",
                "Please report this.",
            )
        return taken


def ask_command(project: Path, question: str, cache: Path) -> tuple[list[str], dict[str, str]]:
    """The command line that asks a question in a new process, and its environment."""
    environment = {**os.environ, "SOID_CACHE": str(cache), "SOID_HELPER": "off"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed soid has its bytecode
    return [sys.executable, "-m", "soid", "ask", "--project", str(project), question, "--json"], environment


def verdict_in(output: str) -> str:
    """The verdict in the output of `ask_command`; empty if there is none."""
    try:
        return str(json.loads(output)["verdict"])
    except (ValueError, KeyError, TypeError):
        return ""


def compiler_alone(project: Project, scratch: Path, runs: int) -> Measurement:
    """The time to compile the program's files one after the other, without optimisation."""
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


def unseen(scratch: Path) -> AbstractContextManager[None]:
    """Give the compiler an empty cache of programs; its compiled C library stays cached elsewhere."""
    return environment_variable(_COMPILER_CACHE, tempfile.mkdtemp(dir=scratch))
