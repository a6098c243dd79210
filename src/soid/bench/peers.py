"""The same questions in the same run put to others: cbmc, a bounded model checker, and angr, which follows paths.

soid is measured as they are, from nothing, in a process of its own: Python started, the program compiled, read and
linked for replay, and the answer replayed. The question alone, put to the loaded program, stands beside that. Where one
of the others cannot be had, that is said.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.bench.paper_starts import unseen
from soid.bench.peer_harness import HarnessEntry, harness
from soid.budget import Budget, Cancellation
from soid.case.project import Project
from soid.engine.llvm.c_source import CSource, c_source
from soid.oracle.inquiry import Settings
from soid.query.query import QueryKind
from soid.scenario.family import Family
from soid.solver.chain import chain

DRIVERS: Final = ("standard", "impatient", "pathological")

_CROSSING: Final = ("struct world world; struct memory memory;", "drive(&world, &memory);")

_POLL: Final = 0.05

Tell = Callable[[str], None]


class FreedGroup(Enum):
    """What a question leaves free."""

    SIGNAL = "signal"
    RANGE = "range"
    FRONTIER = "frontier"

    @property
    def words(self) -> str:
        return _LEFT_FREE[self]


_LEFT_FREE: Final = {
    FreedGroup.SIGNAL: "any signal",
    FreedGroup.RANGE: "any signal, and x in a range",
    FreedGroup.FRONTIER: "any signal, and x, z and angle over the whole approach",
}


@final
class PeerQuestion(Struct, frozen=True):
    """A question about what might have been."""

    group: FreedGroup
    at: int | None = None  # its place among the crash example's questions
    words: str = ""  # else, itself

    def text(self, project: Project) -> str:
        assert project.manifest is not None
        return self.words if self.at is None else project.manifest.questions[self.at]


_WHOLE_APPROACH: Final = " and ".join(f"world.agents[1].{each} is anything" for each in ("signal", "x", "z", "angle"))

QUESTIONS: Final = (
    PeerQuestion(FreedGroup.SIGNAL, 1),
    PeerQuestion(FreedGroup.SIGNAL, 2),
    PeerQuestion(FreedGroup.RANGE, 3),
    PeerQuestion(FreedGroup.RANGE, 4),
    PeerQuestion(FreedGroup.SIGNAL, 5),
    PeerQuestion(FreedGroup.SIGNAL, 6),
    PeerQuestion(FreedGroup.FRONTIER, words=f"would move if {_WHOLE_APPROACH}"),
    PeerQuestion(FreedGroup.FRONTIER, words=f"might move if {_WHOLE_APPROACH}"),
)


@final
class PeerTask(Struct, frozen=True):
    """A question as it is put to others."""

    kind: QueryKind
    harness: str  # in C, with the program in it
    source: CSource  # of the program: how it is compiled
    folder: Path  # for what is made along the way


@final
class Timed(Struct, frozen=True):
    """What one tool made of a question."""

    verdict: str  # unknown where it was stopped, or its answer is none
    seconds: float
    ended: bool = False  # its time limit ended it
    note: str = ""  # what else it said

    @property
    def is_answer(self) -> bool:
        return self.verdict != "unknown"


Ask = Callable[[PeerTask, float, Cancellation], Timed]


@final
class Peer(Struct, frozen=True):
    """Another tool, and how it is asked."""

    name: str
    ask: Ask | None  # None: it is not here
    remedy: str = ""
    why: str = ""  # it is not here, where more is known than that

    @property
    def is_here(self) -> bool:
        return self.ask is not None


@final
class PeerRow(Struct, frozen=True):
    """One question to one driver."""

    driver: str
    question: str
    group: FreedGroup
    first: Timed  # soid, from nothing
    again: Timed  # soid, the program being loaded
    peers: Mapping[str, Timed]

    @property
    def agrees(self) -> bool:
        """Whether nobody who answered said anything else."""
        return len({each.verdict for each in (self.first, self.again, *self.peers.values()) if each.is_answer}) < 2


def measure(
    crash: Path,
    peers: Sequence[Peer],
    limit: float,
    found: list[PeerRow],
    cancel: Cancellation,
    tell: Tell = lambda _: None,
    questions: Sequence[PeerQuestion] = QUESTIONS,
) -> None:
    """Row by row; each is in `found` when it is done."""
    with tempfile.TemporaryDirectory(prefix="soid-bench-") as scratch:
        for driver in DRIVERS:
            for number, asked in enumerate(questions, start=1):
                if cancel.cancelled:
                    return
                where = f"{driver}, question {number} of {len(questions)}"
                tell(f"{where}: soid")
                folder = Path(tempfile.mkdtemp(dir=scratch))
                with _own_cache(folder), unseen(folder):
                    project = Project.open(crash / driver, settings=Settings(seconds=limit))
                    again = _loaded(project, asked, cancel)
                    first = _from_nothing(crash / driver, asked.text(project), limit, folder, cancel)
                    put = put_to_others(project, crash / driver, asked.text(project), folder)
                    others = {}
                    for peer in peers:
                        if peer.ask is not None and not cancel.cancelled:
                            tell(f"{where}: {peer.name}")
                            others[peer.name] = peer.ask(put, limit, cancel)
                if not cancel.cancelled:
                    found.append(PeerRow(driver, asked.text(project), asked.group, first, again, others))


@contextmanager
def _own_cache(folder: Path) -> Iterator[None]:
    """Nothing is remembered from before, nor for later."""
    before = os.environ.get("SOID_CACHE")
    os.environ["SOID_CACHE"] = str(folder / "cache")
    try:
        yield
    finally:
        if before is None:
            del os.environ["SOID_CACHE"]
        else:
            os.environ["SOID_CACHE"] = before


def _loaded(project: Project, asked: PeerQuestion, cancel: Cancellation) -> Timed:
    """The question alone: another has been answered before, and left nothing but a program that is loaded."""
    assert project.manifest is not None
    replace(project, summaries=None).ask(project.manifest.questions[0], cancel=cancel)
    solver = chain()
    answer = replace(project, summaries=None, solver=solver).ask(asked.text(project), cancel=cancel)
    solver.close()
    return Timed(answer.verdict.value, answer.seconds["total"])


def _from_nothing(project: Path, question: str, limit: float, folder: Path, cancel: Cancellation) -> Timed:
    """A process of its own, to which program and question are new."""
    command = [sys.executable, "-m", "soid", "ask", "--project", str(project), question, "--json"]
    with unseen(folder):
        environment = {**os.environ, "SOID_CACHE": str(folder / "first")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed soid has its bytecode
        return timed([*command, "--seconds", f"{limit:g}"], limit, cancel, _answered, environment)


def _answered(said: str, errors: str) -> tuple[str, str]:
    try:
        return str(json.loads(said)["verdict"]), ""
    except (ValueError, KeyError, TypeError):
        return "unknown", last_line(errors)


def put_to_others(case: Project, project: Path, question: str, folder: Path) -> PeerTask:
    """The question as a harness, in C."""
    assert case.manifest is not None
    query = case.checked(question).query
    source = c_source(case.program)
    family = Family(case.program.interface, case.keyframe.inputs, query.suppositions)
    entry = HarnessEntry(str((project / source.sources[0]).resolve()), *_CROSSING)
    return PeerTask(query.kind, harness(query, family, entry), source, folder)


def timed(
    command: Sequence[str],
    limit: float,
    cancel: Cancellation,
    judge: Callable[[str, str], tuple[str, str]],
    environment: Mapping[str, str] | None = None,
) -> Timed:
    """One process from its start to its end; `judge` reads what it says on both streams: a verdict, and a note."""
    began = time.perf_counter()
    said = run(command, limit, cancel, environment)
    taken = time.perf_counter() - began
    if said is None:
        return Timed("unknown", taken, ended=not cancel.cancelled)
    verdict, note = judge(*said)
    return Timed(verdict, taken, note=note)


def run(
    command: Sequence[str], limit: float, cancel: Cancellation, environment: Mapping[str, str] | None = None
) -> tuple[str, str] | None:
    """What it says, on both streams; None if it was stopped."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=environment,
        start_new_session=True,  # Ctrl-C is for us, who end it and all that it has started
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
    """What a process that failed said last.

    >>> last_line("Traceback:\\nTypeError: so it is\\n"), last_line("")
    ('TypeError: so it is', 'it said nothing')
    """
    return (errors.strip().splitlines() or ["it said nothing"])[-1].strip()
