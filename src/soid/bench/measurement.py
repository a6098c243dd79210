"""What the benchmarks share: a measured figure, a loaded program, and processes with a time limit."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Budget, Cancellation
from soid.case.project import Project
from soid.oracle.answer import Answer
from soid.oracle.inquiry import Settings
from soid.recipe import PAPER
from soid.solver.chain import NAMES, chain

_POLL: Final = 0.05  # seconds between two checks of a cancellation

Tell = Callable[[str], None]  # gets what is measured just now


@final
class Measurement(Struct, frozen=True):
    """One line of a benchmark."""

    name: str  # what was measured
    value: float  # the median
    unit: str
    runs: tuple[float, ...]  # every run, in order
    detail: str = ""  # what was run: sizes, counts


def seconds(work: Callable[[], object]) -> float:
    """The wall-clock time of a call."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def figure(name: str, unit: str, runs: list[float], detail: str = "") -> Measurement:
    return Measurement(name, statistics.median(runs), unit, tuple(runs), detail)


def opened(project: Path | str, limit: float) -> Project:
    """A project whose program is compiled, read and linked for replay, if it can be, and which keeps no paths.

    `limit` is in seconds for each question.
    """
    case = Project.open(project, settings=Settings(seconds=limit))
    assert case.replayer is None or case.replayer.how  # asking for `how` links the program
    return replace(case, summaries=None)


def asked_anew(project: Project, question: str, cancel: Cancellation | None = None) -> Answer:
    """The answer of a new solver, with the fact found anew; the paper is started before, which takes a while."""
    recipe = project.settings.recipe
    with closing(chain(recipe.solvers or NAMES, mechanisms=recipe.mechanisms)) as solver:
        if recipe is PAPER:
            solver.check(())
        return replace(project, solver=solver, facts={}).ask(question, cancel=cancel)


@contextmanager
def environment_variable(name: str, value: Path | str) -> Iterator[None]:
    """Set a variable of this process's environment for the block."""
    before = os.environ.get(name)
    os.environ[name] = str(value)
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def run(
    command: Sequence[str], limit: float, cancel: Cancellation, environment: Mapping[str, str] | None = None
) -> tuple[str, str] | None:
    """What a process writes to standard output and to standard error; None if it was stopped."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=environment,
        start_new_session=True,  # Ctrl-C goes to this process, which then kills the whole session
    )
    deadline = Budget(limit).started()
    try:
        while not deadline.is_over and not cancel.cancelled:
            try:
                return process.communicate(timeout=_POLL)
            except subprocess.TimeoutExpired:
                continue
        return None
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def last_line(errors: str) -> str:
    """The last line that a failed process wrote.

    >>> last_line("Traceback:\\nTypeError: so it is\\n"), last_line("")
    ('TypeError: so it is', 'it said nothing')
    """
    return (errors.strip().splitlines() or ["it said nothing"])[-1].strip()
